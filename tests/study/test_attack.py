"""Attacks on files as users make and meet them."""

import os
import random
from pathlib import Path

import pytest

import shoal as sh
from shoal.algorithms.catalogue import ALGORITHMS
from shoal.errors import BadInput, InvalidParameter
from tests.cli.commands import shoal

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
SET_ALGORITHMS = sorted(
    name
    for name, algorithm in ALGORITHMS.items()
    if issubclass(sh.KmAnonymity, algorithm.serves) and name != "lgr-literal"  # m = 1 only
)
ITEMS = {"items": sh.QuasiSet(hierarchy=sh.fanout(3))}


def worst(found, adversary, items=None):
    return next(
        finding
        for finding in found.findings
        if (finding.adversary, finding.items, finding.chosen) == (adversary, items, "worst")
    )


@pytest.fixture(scope="module")
def baskets(tmp_path_factory):
    """Skewed baskets over few items, so that even the optimal search ends."""
    drawn = random.Random(3)
    rows = [sorted({int(12 * drawn.random() ** 2) for _ in range(drawn.randint(1, 4))}) for _ in range(400)]
    file = tmp_path_factory.mktemp("baskets") / "baskets.txt"
    file.write_text("".join(" ".join(f"i{item:02}" for item in row) + "\n" for row in rows))
    return file


@pytest.mark.parametrize("algorithm", SET_ALGORITHMS)
def test_every_set_algorithm_keeps_its_promise_under_attack(baskets, tmp_path, algorithm):
    data = sh.read(baskets, ITEMS)
    model = sh.KmAnonymity(k=5, m=2)
    result = sh.anonymize(data, model, algorithm=algorithm, seed=1)
    result.save(tmp_path / "out", published="published.txt")
    found = sh.attack(tmp_path / "out" / "published.txt", data, model)
    assert not found.broken
    assert [finding.items for finding in found.findings if finding.adversary == "items"] == [
        1, 1, 2, 2, 3, 3, 4, 4,
    ]  # fmt: skip
    for items in (1, 2):
        finding = worst(found, "items", items)
        assert finding.promised
        assert finding.after.below_k == 0
        assert finding.after.smallest >= 5
    beyond = [worst(found, "items", items) for items in (3, 4)]
    assert not any(finding.promised for finding in beyond)
    assert all(finding.before.below_k > finding.after.below_k for finding in beyond)


def policy(folder, baskets):
    file = folder / "policy.toml"
    file.write_text(
        f'[data]\npath = "{baskets}"\n[columns]\n'
        'items = { role = "quasi", kind = "set", hierarchy = { fanout = 3 } }\n'
        '[privacy]\nmodel = "km-anonymity"\nk = 5\nm = 2\n[algorithm]\nname = "aa"\n'
        '[output]\npath = "published.txt"\n'
    )
    return file


def test_a_planted_record_is_found_by_attack_and_verifier(tmp_path):
    original = tmp_path / "baskets.txt"
    original.write_text("a b\n" * 10 + "c d\n" * 10)
    written = policy(tmp_path, original)
    assert shoal("run", written).code == 0
    published = tmp_path / "policy-out" / "published.txt"
    assert shoal("attack", published, "--policy", written).code == 0
    for file in (original, published):
        file.write_text(file.read_text() + "a c\n")
    done = shoal("attack", published, "--policy", written, "--json")
    assert done.code == 1
    assert not done.json["within_promise"]
    pairs = next(
        finding
        for finding in done.json["findings"]
        if (finding["adversary"], finding["items"]) == ("items", 2)
    )
    assert pairs["promised"]
    assert pairs["after"]["smallest"] == 1
    assert pairs["after"]["below_k"] == pytest.approx(1 / 21)
    assert shoal("verify", published, "--policy", written).code == 1


def test_the_command_shows_and_writes_what_was_found(baskets, tmp_path):
    written = policy(tmp_path, baskets)
    shoal("run", written)
    published, page = tmp_path / "policy-out" / "published.txt", tmp_path / "attack.html"
    done = shoal("attack", published, "--policy", written, "--original", baskets, "--page", page)
    assert done.code == 0
    assert "within the promise yes" in done.words
    assert "Within the promise" in page.read_text()
    assert "data-figure" in page.read_text()


def test_two_releases_are_intersected(baskets, tmp_path):
    data = sh.read(baskets, ITEMS)
    for name, algorithm in (("one", "aa"), ("other", "lra")):
        sh.anonymize(data, sh.KmAnonymity(k=5, m=2), algorithm=algorithm, seed=1).save(
            tmp_path / name, published="published.txt"
        )
    files = [tmp_path / name / "published.txt" for name in ("one", "other")]
    alone = sh.attack(files[0], data, sh.KmAnonymity(k=5, m=2))
    both = sh.attack(files[0], data, sh.KmAnonymity(k=5, m=2), other=files[1])
    assert [finding.adversary for finding in alone.findings] + ["intersection"] == [
        finding.adversary for finding in both.findings
    ]
    found = both.findings[-1]
    assert found.after.expected >= found.before.expected
    assert not found.promised


TABLE = {
    "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20)),
    "zip": sh.Quasi(kind="number"),
    "ill": sh.Sensitive(),
}


def test_tables_have_risks_of_all_three_kinds_and_a_best_guess(tmp_path):
    drawn = random.Random(1)
    rows = [(drawn.randint(20, 59), drawn.randint(1, 30), "abc"[drawn.randint(0, 2)]) for _ in range(200)]
    file = tmp_path / "table.csv"
    file.write_text("age,zip,ill\n" + "".join(f"{age},{place},{ill}\n" for age, place, ill in rows))
    data = sh.read(file, TABLE)
    result = sh.anonymize(data, sh.KAnonymity(k=4), algorithm="mondrian", seed=1)
    found = sh.attack(result.frame, data, sh.KAnonymity(k=4))
    values = worst(found, "values")
    assert not found.broken
    assert values.after.smallest >= 4
    assert values.after.highest_risk <= 1 / 4
    assert 0 < values.after.mean_risk <= values.after.highest_risk
    assert values.before.unique > values.after.unique == 0
    assert found.journalist.highest <= 1 / 4
    assert found.confidences[0].share >= 1 / 3
    assert found.confidences[0].known == "the values of age, zip"


def test_the_page_of_a_run_and_an_attack_say_why_their_mean_risks_differ(tmp_path):
    """Ages 21 and 24 stay; of 22 and 23, which become 20-24, four rows fit those of 21 and 24 as well."""
    original, written = tmp_path / "people.csv", tmp_path / "policy.toml"
    original.write_text("age\n" + "21\n" * 4 + "22\n" * 2 + "23\n" * 2 + "24\n" * 4)
    written.write_text(
        f'[data]\npath = "{original}"\n[columns]\n'
        'age = { role = "quasi", kind = "number", hierarchy = { ranges = [5, 10, 20] } }\n'
        '[privacy]\nmodel = "k-anonymity"\nk = 4\n[algorithm]\nname = "kanon-cf"\n'
        '[output]\npath = "published.csv"\n'
    )
    assert shoal("run", written).code == 0
    out, page = tmp_path / "policy-out", tmp_path / "attack.html"
    attacked = ("attack", out / "published.csv", "--policy", written)
    found = next(
        each for each in shoal(*attacked, "--json").json["findings"] if each["adversary"] == "values"
    )
    assert found["after"]["mean_risk"] == pytest.approx((8 / 8 + 4 / 4) / 12)
    of_publisher, public = ((out / name).read_text() for name in ("internal/report.html", "report.html"))
    assert "and from 33.3% to 25.0% on average" in of_publisher
    assert "and 25.0% on average" in public
    for report in (of_publisher, public):
        assert "Only rows that are published alike count here" in report
        assert "coarser values fit, so the average that it finds can be lower" in report
    words = shoal(*attacked, "--page", page).words
    for told in (words, page.read_text()):
        assert (
            "the report of a run counts only rows that are published alike, so its average risk can" in told
        )


def test_values_and_items_are_attacked_together(tmp_path):
    original, published = tmp_path / "rt.csv", tmp_path / "published.csv"
    original.write_text("age,items\n21,a b\n22,a b\n23,a c\n24,a c\n")
    published.write_text("age,items\n" + "20-24,a b\n" * 2 + "20-24,a c\n" * 2)
    columns = {"age": TABLE["age"], "items": sh.QuasiSet(hierarchy=sh.flat())}
    data = sh.read(original, columns)
    found = sh.attack(published, data, sh.KKmAnonymity(k=2, m=2))
    assert not found.broken
    assert worst(found, "values and items", 2).after.smallest == 2
    assert worst(found, "values and items", 2).before.smallest == 1
    assert worst(found, "values").after.smallest == 4


def disassociated_policy(folder, baskets, ending):
    file = folder / f"{ending}.toml"
    file.write_text(
        f'[data]\npath = "{baskets}"\n[columns]\n'
        'items = { role = "quasi", kind = "set", sensitive = ["i11"] }\n'
        '[privacy]\nmodel = "disassociation"\nk = 5\nm = 2\nl = 2\n'
        f'[output]\npath = "published.{ending}"\n'
    )
    return file


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "parquet"])
def test_disassociated_files_are_attacked_through_their_chunks(baskets, tmp_path, ending):
    written = disassociated_policy(tmp_path, baskets, ending)
    out, page = tmp_path / "out", tmp_path / "attack.html"
    assert shoal("run", written, "--out", out).code == 0
    done = shoal("attack", out / f"published.{ending}", "--policy", written, "--json", "--page", page)
    assert done.code == 0
    by_items = [finding for finding in done.json["findings"] if finding["chosen"] == "worst"]
    assert [(finding["adversary"], finding["items"], finding["promised"]) for finding in by_items] == [
        ("chunks", 1, True), ("chunks", 2, True), ("chunks", 3, False), ("chunks", 4, False),
    ]  # fmt: skip
    assert all(finding["after"]["smallest"] >= 5 for finding in by_items[:2])
    assert all(finding["after"]["expected"] < finding["before"]["expected"] for finding in by_items)
    assert "Cover problem" in done.json["weaknesses"][0]
    assert "Known users" in done.json["weaknesses"][1]
    assert done.json["confidences"][0]["sensitive"] == "i11"
    assert done.json["confidences"][0]["share"] <= 1 / 5
    assert "Cover problem" in page.read_text()


def test_a_planted_cluster_is_found_by_attack_and_verifier(tmp_path):
    original = tmp_path / "baskets.txt"
    original.write_text("a b\n" * 10 + "c d\n" * 10)
    written = tmp_path / "policy.toml"
    written.write_text(
        f'[data]\npath = "{original}"\n[columns]\nitems = {{ role = "quasi", kind = "set" }}\n'
        '[privacy]\nmodel = "disassociation"\nk = 5\nm = 2\n[output]\npath = "published.jsonl"\n'
    )
    assert shoal("run", written).code == 0
    published = tmp_path / "policy-out" / "published.jsonl"
    assert shoal("attack", published, "--policy", written).code == 0
    original.write_text(original.read_text() + "a c\n")
    with published.open("a") as stream:
        stream.write('{"size": 1, "chunks": [{"subrecords": [["a", "c"]]}], "terms": []}\n')
    done = shoal("attack", published, "--policy", written, "--json")
    assert done.code == 1
    pairs = next(finding for finding in done.json["findings"] if finding["items"] == 2)
    assert pairs["after"]["smallest"] == 1
    assert shoal("verify", published, "--policy", written).code == 1
    shown = shoal("attack", published, "--policy", written)
    assert "breaks the rules of disassociation" in shown.err
    assert "cover problem knowing the algorithm ties no pair of terms" in shown.words


def test_disassociated_files_have_neither_partners_nor_populations(baskets, tmp_path):
    written = disassociated_policy(tmp_path, baskets, "jsonl")
    shoal("run", written, "--out", tmp_path / "out")
    file = tmp_path / "out" / "published.jsonl"
    assert "cannot be intersected" in shoal("attack", file, file, "--policy", written).err
    assert "single values only" in shoal("attack", file, "--policy", written, "--population", file).err
    data, model = sh.read(baskets, {"items": sh.QuasiSet()}), sh.Disassociation(k=5, m=2)
    with pytest.raises(BadInput, match="clusters, not a table"):
        sh.attack({"items": []}, data, model)
    with pytest.raises(BadInput, match="single values only"):
        sh.attack(file, data, model, population=data)


PEOPLE = {"age": TABLE["age"], "zip": TABLE["zip"]}


def test_the_journalist_guesses_among_the_population(tmp_path):
    """Nine people: the four that were sampled, two as old as the first class, three as the second."""
    rows = ["21,1", "22,1", "31,1", "32,1"]
    sample, population, published = (
        tmp_path / f"{name}.csv" for name in ("sample", "population", "published")
    )
    sample.write_text("age,zip,ill\n" + "".join(f"{row},a\n" for row in rows))
    more = ["20,1", "20,1", "30,1", "33,1", "34,1"]
    population.write_text("name,zip,age\n" + "".join(f"x,{row[-1]},{row[:2]}\n" for row in [*rows, *more]))
    published.write_text("age,zip,ill\n" + "20-24,1,a\n" * 2 + "30-34,1,a\n" * 2)
    data = sh.read(sample, TABLE)
    alone = sh.attack(published, data, sh.KAnonymity(k=2)).journalist
    assert (alone.smallest, alone.highest, alone.people, alone.sampled) == (2, 0.5, 4, False)
    everybody = sh.read(population, PEOPLE, options=sh.ReadOptions(others="drop"))
    found = sh.attack(published, data, sh.KAnonymity(k=2), population=everybody).journalist
    assert (found.smallest, found.people, found.sampled) == (4, 9, True)
    assert found.mean == pytest.approx((2 / 4 + 2 / 5) / 4)
    assert found.unique == 0
    assert found.unique_people == pytest.approx(7 / 9), "two people of 20 are alike"
    written = tmp_path / "policy.toml"
    written.write_text(
        '[data]\npath = "sample.csv"\n[columns]\nill = { role = "sensitive" }\n'
        'age = { role = "quasi", kind = "number", hierarchy = { ranges = [5, 10, 20] } }\n'
        'zip = { role = "quasi", kind = "number" }\n[privacy]\nmodel = "k-anonymity"\nk = 2\n'
    )
    done = shoal("attack", published, "--policy", written, "--population", population)
    assert (
        "journalist risk 25.0% at most, 22.5% on average, among the 9 people of the population" in done.words
    )
    with pytest.raises(InvalidParameter, match="population must be what `read` gives"):
        sh.attack(published, data, sh.KAnonymity(k=2), population=population)


def test_says_what_is_wrong_with_its_input(baskets, tmp_path):
    data = sh.read(baskets, ITEMS)
    foreign = tmp_path / "foreign.txt"
    foreign.write_text("beer wine\n")
    with pytest.raises(BadInput, match="'beer', 'wine', which stand for no value of the original"):
        sh.attack(foreign, data, sh.KmAnonymity(k=5, m=2))
    with pytest.raises(InvalidParameter, match="items must be an integer of 1 or more"):
        sh.attack(foreign, data, sh.KmAnonymity(k=5, m=2), items=0)
    with pytest.raises(InvalidParameter, match="original must be what `read` gives"):
        sh.attack(foreign, baskets, sh.KmAnonymity(k=5, m=2))
    written = policy(tmp_path, baskets)
    done = shoal("attack", foreign, foreign, foreign, "--policy", written)
    assert done.code == 2
    assert "name one file, or two" in done.err


@pytest.mark.slow
@pytest.mark.skipif(not DATA.exists(), reason="SHOAL_DATA names no folder")
@pytest.mark.parametrize("name", ["bms_webview2", "bms_webview1", "msweb", "groceries", "fruithut"])
@pytest.mark.parametrize("algorithm", ["aa", "vpa", "lra"])
def test_real_sets_keep_their_promise_under_attack(tmp_path, name, algorithm):
    data = sh.read(DATA / f"{name}.txt.gz", {"items": sh.QuasiSet(hierarchy=sh.fanout(5))})
    model = sh.KmAnonymity(k=5, m=2)
    sh.anonymize(data, model, algorithm=algorithm, seed=1).save(tmp_path / "out", published="published.txt")
    found = sh.attack(tmp_path / "out" / "published.txt", data, model, items=3)
    assert not found.broken
    assert worst(found, "items", 3).after.exact
