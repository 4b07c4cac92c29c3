"""The certificate: nothing but what the file shows, in one form, and every change of it is noticed."""

import hashlib
import json
from dataclasses import replace
from fractions import Fraction

import pytest

from shoal.errors import BadInput, PromiseBroken
from shoal.privacy.differential_privacy import DifferentialPrivacy
from shoal.privacy.promise import Promise
from shoal.privacy.t_closeness import TCloseness
from shoal.report.certificate import (
    certificate,
    digest_of,
    disagreements,
    file_disagreements,
    refuse_other_formats,
)
from tests.report.outcomes import EVIL, baskets, evil, hospital, stated, taken_apart


@pytest.fixture
def published(tmp_path):
    file = tmp_path / "published.csv"
    file.write_bytes(b"age,zip\n30-39,537**\n")
    return file


def test_states_the_claim_the_figures_and_the_file(published):
    made = certificate(stated(hospital()), published)
    assert made["file"] == {
        "name": "published.csv",
        "bytes": 20,
        "sha256": hashlib.sha256(published.read_bytes()).hexdigest(),
    }
    assert made["model"] == "k-anonymity"
    assert made["promises"] == [
        {"model": "k-anonymity", "parameters": {"k": 5}},
        {"model": "l-diversity", "parameters": {"l": 2, "kind": "frequency"}},
    ]
    assert made["claims"][0] == "satisfies k-anonymity with k=5 on age, zip, sex, admitted"
    verdict = made["verdict"]
    assert (verdict["holds"], verdict["smallest"], verdict["records"]) == (True, 5, 1988)
    assert verdict["checks"][0]["figures"] == {"classes": 251, "rows": 1988}
    assert verdict["checks"][0]["if_missing_matched_everything"] == {"holds": True, "smallest": 6}
    assert made["measures"] == {
        "published": {
            "classes": 251,
            "smallest_class": 5,
            "largest_class": 53,
            "unique_records": 0,
            "highest_risk": 0.2,
            "mean_risk": 0.126,
        }
    }


def test_takes_no_text_out_of_figures(published):
    checks = certificate(stated(evil()), published)["verdict"]["checks"]
    assert checks[0]["figures"] == {"classes": 2}
    assert checks[0]["if_missing_matched_everything"] == {"holds": None, "smallest": None}
    assert EVIL not in checks[0]["figures"]


def test_sets_have_no_classes_and_chunks_tell_what_readers_find(published):
    assert certificate(stated(baskets()), published)["measures"]["published"] == {}
    chunks = stated(taken_apart(), class_sizes=baskets().cost.class_sizes_after)
    assert certificate(chunks, published)["measures"]["published"] == {"cover_problem": {"covered": 0}}


def test_is_the_same_each_time_and_quoted_by_its_digest(published):
    first, second = (json.dumps(certificate(stated(hospital()), published)) for _ in range(2))
    assert first == second
    read = json.loads(first)
    assert read["digest"] == digest_of(read)
    compact = json.dumps(
        {name: value for name, value in read.items() if name != "digest"},
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
    )
    assert read["digest"] == hashlib.sha256(compact.encode()).hexdigest()
    shuffled = dict(reversed(read.items()))
    assert digest_of(shuffled) == read["digest"], "the order of fields does not count"


def test_is_plain_json_whatever_the_parameters(published):
    outcome = hospital(promise=Promise((TCloseness(Fraction(1, 3)),)))
    made = certificate(stated(outcome), published)
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    assert made["promises"][0]["parameters"] == {"t": "1/3", "distance": "equal"}


def test_a_broken_promise_gets_none(published):
    broken = replace(hospital().claim.verdicts[0], holds=False, evidence="a class has 4 rows")
    with pytest.raises(PromiseBroken, match="a class has 4 rows"):
        certificate(stated(hospital(verdicts=(broken,))), published)
    with pytest.raises(PromiseBroken, match="nothing was checked"):
        certificate(stated(hospital(verdicts=())), published)


def leaves(value, path=()):
    if isinstance(value, dict | list) and value:
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*path, key))
    else:
        yield path


def changed_at(content, path):
    copy = json.loads(json.dumps(content))
    *above, last = path
    place = copy
    for key in above:
        place = place[key]
    place[last] = not place[last] if isinstance(place[last], bool) else "x" if place[last] != "x" else 7
    return copy


def test_every_changed_field_is_caught_also_with_a_digest_that_fits(published):
    made = certificate(stated(hospital()), published)
    for path in leaves(made):
        other = changed_at(made, path)
        if path[0] == "format":
            with pytest.raises(BadInput, match="not a certificate that Shoal can read"):
                refuse_other_formats(other)
            continue
        assert file_disagreements(other, published), path
        if path[0] != "digest":
            fitting = {**other, "digest": digest_of(other)}
            assert file_disagreements(fitting, published) or disagreements(fitting, made), path


def test_a_field_more_or_less_is_caught(published):
    made = certificate(stated(hospital()), published)
    (more,) = disagreements({**made, "note": "all is well"}, made)
    assert more == "the certificate says 'all is well' of note, the check of this file nothing"
    less = {name: made[name] for name in made if name != "measures"}
    assert all("the certificate says nothing of measures." in each for each in disagreements(less, made))


def test_equal_numbers_of_other_types_are_told_apart(published):
    made = certificate(stated(hospital()), published)
    for one in (1988.0, "1988"):
        assert disagreements({**made, "verdict": {**made["verdict"], "records": one}}, made)
    assert disagreements({**made, "verdict": {**made["verdict"], "holds": 1}}, made)


@pytest.mark.parametrize("index", range(20))
def test_every_changed_byte_of_the_file_is_caught(published, index):
    made = certificate(stated(hospital()), published)
    assert file_disagreements(made, published) == []
    content = bytearray(published.read_bytes())
    content[index] ^= 1
    published.write_bytes(content)
    (disagreement,) = file_disagreements(made, published)
    assert "the SHA-256" in disagreement


def test_a_longer_file_and_another_name_are_caught(published):
    made = certificate(stated(hospital()), published)
    other = published.with_name("other.csv")
    other.write_bytes(published.read_bytes() + b"\n")
    name, size, digest = file_disagreements(made, other)
    assert "the name 'published.csv', this one has 'other.csv'" in name
    assert "the size in bytes 20, this one has 21" in size
    assert "the SHA-256" in digest


@pytest.mark.parametrize("broken", [{}, {"format": "shoal-certificate-9"}, {"format": None}])
def test_what_is_no_certificate_is_refused(broken):
    with pytest.raises(BadInput, match="not a certificate that Shoal can read"):
        refuse_other_formats(broken)


@pytest.mark.parametrize("file", [None, "published.csv", {}, {"sha256": float("nan")}])
def test_a_certificate_about_no_file_disagrees(published, file):
    made = {**certificate(stated(hospital()), published), "file": file}
    assert file_disagreements(made, published)


def test_what_only_the_mechanism_can_promise_is_never_called_verified(published):
    verdict = DifferentialPrivacy(0.5).judge_release(None)
    outcome = hospital(verdicts=(verdict,), promise=Promise.of(DifferentialPrivacy(0.5)))
    made = certificate(stated(outcome), published)
    assert (made["verdict"]["holds"], made["verdict"]["by_construction"]) == (None, True)
    assert made["verdict"]["checks"][0]["holds"] is None
    assert made["claims"] == ["was made with differential privacy, epsilon=0.5"]
    assert made["promises"] == [{"model": "differential-privacy", "parameters": {"epsilon": 0.5}}]
