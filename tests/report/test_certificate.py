import hashlib
import json
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version

import pytest

from shoal.errors import PromiseBroken
from shoal.privacy.differential_privacy import DifferentialPrivacy
from shoal.privacy.promise import Promise
from shoal.privacy.t_closeness import TCloseness
from shoal.report.certificate import certificate, disagreements_with
from tests.report.outcomes import EVIL, baskets, changed, evil, hospital, visits


@pytest.fixture
def published(tmp_path):
    file = tmp_path / "published.csv"
    file.write_bytes(b"age,zip\n30-39,537**\n")
    return file


def test_states_the_claim_the_figures_and_the_file(published):
    made = certificate(hospital(), published)
    assert made["file"] == {
        "name": "published.csv",
        "bytes": 20,
        "sha256": hashlib.sha256(published.read_bytes()).hexdigest(),
    }
    assert made["shoal"] == version("shoal")
    assert made["model"] == "k-anonymity"
    assert made["promises"] == [
        {"model": "k-anonymity", "parameters": {"k": 5}},
        {"model": "l-diversity", "parameters": {"l": 2, "kind": "frequency"}},
    ]
    assert made["claims"][0] == "satisfies k-anonymity with k=5 on age, zip, sex, admitted"
    assert made["publishable"] is True
    assert made["people"] is None
    verdict = made["verdict"]
    assert (verdict["holds"], verdict["smallest"], verdict["records"]) == (True, 5, 1988)
    assert verdict["checks"][0]["figures"] == {"classes": 251, "rows": 1988}
    assert verdict["checks"][0]["if_missing_matched_everything"] == {"holds": True, "smallest": 6}
    assert made["measures"]["published"] == {
        "classes": 251,
        "smallest_class": 5,
        "largest_class": 53,
        "unique_records": 0,
        "highest_risk": 0.2,
        "mean_risk": 0.126,
    }


def test_tells_neither_the_original_nor_the_seed(published):
    text = json.dumps(certificate(hospital(), published))
    assert "seed" not in text
    assert "mondrian" not in text
    assert "53711" not in text
    assert "2000" not in text, "the number of original records stays inside"
    assert "12 records" not in text


def test_takes_no_text_out_of_figures(published):
    checks = certificate(evil(), published)["verdict"]["checks"]
    assert checks[0]["figures"] == {"classes": 2}
    assert checks[0]["if_missing_matched_everything"] == {"holds": None, "smallest": None}
    assert EVIL not in checks[0]["figures"]


def test_rounds_what_compares_with_the_original(published):
    loss = certificate(hospital(losses={"ncp": 0.213749, "discernibility": 24117.0}), published)["measures"][
        "loss"
    ]
    assert loss == {"ncp": 0.214, "discernibility": 24100.0}


def test_says_that_k_counts_rows_where_people_were_counted(published):
    outcome = visits()
    fewer = replace(outcome.claim.verdicts[0], smallest=5)
    sizes = outcome.cost.class_sizes_after
    rows = replace(sizes, sizes=sizes.sizes + 1)
    made = certificate(changed(outcome, verdicts=(fewer,), class_sizes_after=rows), published)
    assert made["people"]["subjects"] == 1202
    assert made["people"]["smallest"] == 5
    assert made["people"]["note"].startswith("k counts rows.")
    assert made["verdict"]["smallest"] == 6, "a check of the file alone finds rows"
    assert made["verdict"]["checks"][0]["counted"] == "people"


def test_sets_have_no_classes(published):
    made = certificate(baskets(), published)
    assert made["measures"]["published"] == {}
    assert made["verdict"]["smallest"] == 5


def test_is_the_same_each_time(published):
    first, second = (json.dumps(certificate(hospital(), published)) for _ in range(2))
    assert first == second
    keys = "format shoal file publishable model promises policy claims verdict measures people"
    assert list(json.loads(first)) == keys.split()


def test_is_plain_json_whatever_the_parameters(published):
    outcome = hospital(promise=Promise((TCloseness(Fraction(1, 3)),)), losses={"ncp": float("nan")})
    made = certificate(outcome, published)
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    assert made["promises"][0]["parameters"] == {"t": "1/3", "distance": "equal"}
    assert made["measures"]["loss"] == {"ncp": None}


def test_a_broken_promise_gets_none(published):
    broken = replace(hospital().claim.verdicts[0], holds=False, evidence="a class has 4 rows")
    with pytest.raises(PromiseBroken, match="a class has 4 rows"):
        certificate(hospital(verdicts=(broken,)), published)
    with pytest.raises(PromiseBroken, match="nothing was checked"):
        certificate(hospital(verdicts=()), published)


def test_the_certified_file_agrees(published):
    made = json.loads(json.dumps(certificate(hospital(), published)))
    assert disagreements_with(made, published) == []
    assert disagreements_with(made, published, hospital().claim.verdicts) == []


def test_another_claim_beside_the_right_hash_is_caught(published):
    made = json.loads(json.dumps(certificate(hospital(), published)))
    other = [claim.replace("k=5", "k=50") for claim in made["claims"]]
    assert other != made["claims"]
    (disagreement,) = disagreements_with({**made, "claims": other}, published, hospital().claim.verdicts)
    assert "the certificate claims" in disagreement
    assert "k=50" in disagreement
    figures = {**made["verdict"], "smallest": 50, "holds": "yes"}
    smallest, holds = disagreements_with({**made, "verdict": figures}, published, hospital().claim.verdicts)
    assert "smallest support 50, the check of this file 5" in smallest
    assert "'yes'" in holds
    assert len(disagreements_with({**made, "verdict": None}, published, hospital().claim.verdicts)) == 2


@pytest.mark.parametrize("place", range(20))
def test_every_changed_byte_is_caught(published, place):
    made = certificate(hospital(), published)
    content = bytearray(published.read_bytes())
    content[place] ^= 1
    published.write_bytes(content)
    (disagreement,) = disagreements_with(made, published)
    assert "the SHA-256" in disagreement


def test_a_longer_file_and_another_name_are_caught(published):
    made = certificate(hospital(), published)
    other = published.with_name("other.csv")
    other.write_bytes(published.read_bytes() + b"\n")
    name, size, digest = disagreements_with(made, other)
    assert "the name 'published.csv', this one has 'other.csv'" in name
    assert "the size in bytes 20, this one has 21" in size
    assert "the SHA-256" in digest


@pytest.mark.parametrize("broken", [{}, {"format": "shoal-certificate-9"}])
def test_what_is_no_certificate_is_said(published, broken):
    (disagreement,) = disagreements_with(broken, published)
    assert "not a certificate that Shoal can read" in disagreement


@pytest.mark.parametrize("file", [None, "published.csv", {}])
def test_a_certificate_about_no_file_disagrees(published, file):
    made = {**certificate(hospital(), published), "file": file}
    assert disagreements_with(made, published)


def test_what_only_the_mechanism_can_promise_is_never_called_verified(published):
    verdict = DifferentialPrivacy(0.5).judge_release(None)
    made = certificate(hospital(verdicts=(verdict,), promise=Promise.of(DifferentialPrivacy(0.5))), published)
    assert (made["verdict"]["holds"], made["verdict"]["by_construction"]) == (None, True)
    assert made["verdict"]["checks"][0]["holds"] is None
    assert made["claims"] == ["was made with differential privacy, epsilon=0.5"]
    assert made["promises"] == [{"model": "differential-privacy", "parameters": {"epsilon": 0.5}}]
    assert made["measures"]["loss"] == {}, "losses compare with the original without noise"
