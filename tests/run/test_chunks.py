"""Disassociation through the whole house: policy, run, published files, verification."""

import json
import re
import stat
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from pyarrow import parquet

import shoal as sh
from shoal.errors import BadInput, Infeasible
from shoal.recoding.disassociated_file import read_clusters
from tests.cli.commands import shoal
from tests.recoding.test_disassociated import decoded
from tests.reference.disassociating import in_own_order
from tests.reference.disassociation import all_clusters, chunks_of

FINE, PROMISE_BROKEN, BAD_INPUT, INFEASIBLE = range(4)

RNG = np.random.default_rng(11)
RECORDS = [
    sorted({f"t{term}" for term in RNG.zipf(1.6, size=5) % 30} | ({"hiv"} if number % 9 == 0 else set()))
    for number in range(300)
]
POLICY = """
[data]
path = "sets.txt"
[columns]
items = {{ role = "quasi", kind = "set"{column} }}
[privacy]
model = "disassociation"
k = 3
m = 2
{privacy}
[algorithm]
{algorithm}
[output]
{output}
"""


class House:
    def __init__(self, folder):
        self.folder, self.policy, self.out = folder, folder / "policy.toml", folder / "out"
        (folder / "sets.txt").write_text("\n".join(map(" ".join, RECORDS)) + "\n")

    def write(self, column="", privacy="", algorithm="", output=""):
        text = POLICY.format(column=column, privacy=privacy, algorithm=algorithm, output=output)
        self.policy.write_text(text)

    def run(self, *words, **policy):
        self.write(**policy)
        return shoal("run", self.policy, "--out", self.out, *words)

    def verify(self, file=None, *words):
        return shoal("verify", file or self.out / "published.jsonl", "--policy", self.policy, *words)


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


def test_a_run_publishes_clusters_that_verify(house):
    done = house.run()
    assert done.code == FINE
    assert "holds, checked on the published file" in done.words
    assert "frequent itemsets lost (tKd-a)" in done.words
    certified = house.verify(None, "--certificate", house.out / "certificate.json")
    assert certified.code == FINE
    assert "agrees yes" in certified.words
    facts = json.loads((house.out / "result.json").read_text())
    assert (facts["model"], facts["algorithm"]) == ("disassociation", "disassociation")
    assert facts["verdict"]["holds"]
    assert facts["verdict"]["smallest"] >= 3
    assert facts["records"] == facts["published_records"] == 300
    assert {"tkd_a", "tlost"} <= set(facts["loss"])
    report = (house.out / "internal" / "report.html").read_text()
    for words in ("records are cut into chunks", "How the records were taken apart", "shared chunks"):
        assert words in report
    assert "Values became coarser" not in report
    assert "Cover problem: " in report
    assert "Known users: " in report
    assert "cover problem" in done.words
    certificate = json.loads((house.out / "certificate.json").read_text())
    assert facts["attacks"] == certificate["measures"]["published"]
    assert facts["attacks"]["cover_problem"]["clusters"] == facts["figures"]["simple_clusters"]
    assert facts["attacks"]["known_users"]["records"] == 300
    assert stat.S_IMODE((house.out / "internal").stat().st_mode) == 0o700


def test_the_certificate_knows_nothing_of_the_seed_or_of_empty_records(house):
    with (house.folder / "sets.txt").open("a") as file:
        file.write("\n\n\n")
    done = house.run(algorithm="seed = 123454321")
    assert done.code == FINE
    assert "3 records without items are left out" in " ".join(done.notices)
    certificate = (house.out / "certificate.json").read_text()
    assert "123454321" not in certificate
    assert json.loads(certificate)["verdict"]["records"] == 300
    assert not re.search(r"\b303\b", certificate)


def test_the_ending_chooses_the_flat_form(house):
    assert house.run(output='path = "flat.parquet"').code == FINE
    table = parquet.read_table(house.out / "flat.parquet")
    assert table.column_names == ["cluster", "parent", "size", "chunk", "subrecord", "term"]
    assert house.verify(house.out / "flat.parquet").code == FINE


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ({"output": 'path = "published.csv"'}, "an ending that Shoal does not write for disassociated data"),
        ({"output": "keep_order = true"}, "tell which of them belong together"),
        ({"algorithm": "max_cluster_size = -1"}, "max_cluster_size must be an integer of 0 or more, got -1"),
        ({"algorithm": 'name = "aa"'}, "the algorithm aa does not serve disassociation"),
        ({"privacy": "l = 2"}, "nothing is sensitive"),
    ],
)
def test_policies_that_make_no_sense_are_refused(house, policy, words):
    done = house.run(**policy)
    assert done.code == BAD_INPUT
    assert words in " ".join(done.errors)
    assert not house.out.exists()


def test_what_cannot_be_met_has_its_exit_code(house):
    done = house.run(column=', sensitive = ["hiv"]', privacy="l = 50")
    assert done.code == INFEASIBLE
    assert "'hiv' is in 34 of 300 records" in " ".join(done.errors)


def test_sensitive_terms_stay_in_term_chunks(house):
    assert house.run(column=', sensitive = ["hiv"]', privacy="l = 5").code == FINE
    assert house.verify().code == FINE
    release = read_clusters(house.out / "published.jsonl")
    code = release.terms.texts().index("hiv")
    assert code not in release.subrecords.items
    assert code in release.term_chunks.items
    assert release.clusters.sizes[release.clusters.simple].min() >= 5


def test_check_tells_the_cost_before_a_run(house):
    house.write()
    done = shoal("check", house.policy, "--json")
    assert done.code == FINE
    assert done.json["algorithm"] == "disassociation"


def edited(house, change):
    path = house.out / "published.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(change(lines)) + "\n")
    return path


def lose_a_term(lines):
    """Drop a term that three subrecords hold from one of them; the lines, and which was changed."""
    for number, line in enumerate(lines):
        top = json.loads(line)
        for chunk in (chunk for cluster in all_clusters(top) for chunk in chunks_of(cluster)):
            held = Counter(term for row in chunk for term in row)
            tight = [term for term, count in held.items() if count == 3]
            rows = [row for row in chunk if len(row) > 1 and set(row) & set(tight)]
            if rows:
                rows[0].remove(next(term for term in rows[0] if term in tight))
                return [*lines[:number], json.dumps(top), *lines[number + 1 :]], number + 1
    raise AssertionError("no tight chunk")


def test_an_edited_publication_breaks_its_promise_and_says_where(house):
    house.run()
    places = []

    def change(lines):
        changed, place = lose_a_term(lines)
        places.append(place)
        return changed

    done = house.verify(edited(house, change))
    assert done.code == PROMISE_BROKEN
    assert f"on line {places[0]}" in done.words


def test_a_truncated_publication_is_refused_with_the_line(house):
    house.run()
    path = house.out / "published.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:-1], lines[-1][: len(lines[-1]) // 2]]))
    for command in (house.verify(), shoal("reconstruct", path, "--out", house.folder / "copies")):
        assert command.code == BAD_INPUT
        assert f"published.jsonl:{len(lines)}: is not JSON" in command.errors[0]


def test_lines_cut_off_as_a_whole_are_caught_by_the_certificate(house):
    house.run()
    edited(house, lambda lines: lines[:-1])
    done = house.verify(None, "--certificate", house.out / "certificate.json")
    assert done.code == PROMISE_BROKEN
    assert "SHA-256" in done.words


FRAME = pd.DataFrame({"items": [" ".join(record) for record in RECORDS]})
ROLES = {"items": sh.QuasiSet()}


def released(**options):
    return sh.anonymize(sh.read(FRAME, ROLES), sh.Disassociation(k=3, m=2), **options)


def content(release):
    return sorted(map(in_own_order, decoded(release)), key=str)


def test_two_runs_differ_in_order_and_in_nothing_else():
    one, other = released(seed=7).released, released(seed=7).released
    assert content(one) == content(other)
    assert one.subrecords.items.tolist() != other.subrecords.items.tolist()


def test_the_hook_for_tests_repeats_the_order_and_is_marked():
    one, other = released(seed=7, reproducible=True), released(seed=7, reproducible=True)
    assert decoded(one.released) == decoded(other.released)
    assert not one.outcome.claim.publishable
    assert decoded(released(seed=8, reproducible=True).released) != decoded(one.released)
    assert released().outcome.claim.publishable


def test_keep_order_is_refused():
    with pytest.raises(BadInput, match="tell which of them belong together"):
        released(keep_order=True)


def test_the_frame_is_the_flat_form_in_kind():
    frame = released().frame
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["cluster", "parent", "size", "chunk", "subrecord", "term"]


def test_other_columns_cannot_stand_beside_chunks():
    frame = FRAME.assign(age=1, ward="a")
    roles = {**ROLES, "age": sh.Insensitive(), "ward": sh.Identifier()}
    with pytest.raises(BadInput, match="'age': cannot be published beside disassociated sets"):
        sh.anonymize(sh.read(frame, roles), sh.Disassociation(k=3, m=2))


def test_too_few_records_are_refused():
    with pytest.raises(Infeasible, match="only 2 records have items"):
        sh.anonymize(sh.read(FRAME[:2], ROLES), sh.Disassociation(k=3, m=2))


def rank_correlation(values):
    """That of the places of values with the values; by chance its mean is 0 and its variance 1."""
    ranks = np.unique(values, return_inverse=True)[1]
    return np.corrcoef(np.arange(len(values)), ranks)[0, 1] * np.sqrt(len(values) - 1)


def test_the_order_carries_nothing_of_the_original():
    """Terms tell the order of the input, in which each group of records becomes a cluster of one chunk: over
    many runs neither the order of subrecords nor that of clusters goes with it.
    """
    items = [f"g{group} n{group}{number // 3:02}" for group in range(10) for number in range(27)]
    data = sh.read(pd.DataFrame({"items": items}), ROLES)
    within, between = [], []
    for _ in range(25):
        release = sh.anonymize(data, sh.Disassociation(k=3, m=2)).released
        last_terms = release.subrecords.items[release.subrecords.starts[1:] - 1]
        chunks = np.split(last_terms, release.chunk_starts[1:-1])
        assert [len(chunk) for chunk in chunks] == [27] * 10
        within += [rank_correlation(chunk) for chunk in chunks]
        between.append(rank_correlation(np.array([chunk.min() for chunk in chunks])))
    for found in (within, between):
        assert abs(np.sum(found)) < 5 * np.sqrt(len(found))
