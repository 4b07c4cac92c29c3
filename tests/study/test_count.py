"""Counting in a release without the original."""

import json
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import shoal as sh
from shoal.errors import BadInput, InvalidParameter, UnknownName
from shoal.study.convert import convert_release
from tests.cli.commands import shoal

REGIONS = "ulm;south;*\nhof;south;*\njena;east;*\nbonn;west;*\naachen;west;*\n"
BANDS = [20, 30, 45, 60]
POLICY = """
[data]
path = "people.csv"
[columns]
age = { role = "quasi", kind = "number", hierarchy = { ranges = [5, 10, 20] } }
born = { role = "quasi", kind = "date", hierarchy = { dates = ["year", "decade"] } }
wage = { role = "quasi", kind = "number" }
town = { role = "quasi", hierarchy = "regions.csv", publish_hierarchy = true }
ill = { role = "sensitive" }
ward = { role = "insensitive" }
[privacy]
model = "k-anonymity"
k = 4
"""


def people(rows: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(11)
    age = rng.integers(20, 60, rows)
    return pd.DataFrame(
        {
            "age": age,
            "born": np.datetime64("1960-01-01") + rng.integers(0, 4000, rows),
            "wage": (20 * age + rng.normal(0, 50, rows)).round(1),
            "town": rng.choice(["ulm", "hof", "jena", "bonn", "aachen"], rows, p=[0.4, 0.1, 0.2, 0.2, 0.1]),
            "ill": rng.choice(["yes", "no"], rows, p=[0.3, 0.7]),
            "ward": rng.choice(["a", "b", "c"], rows),
        }
    )


@pytest.fixture(scope="module", name="folder")
def released_people(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("people")
    (folder / "regions.csv").write_text(REGIONS)
    columns = {
        "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20)),
        "born": sh.Quasi(kind="date", hierarchy=sh.dates("year", "decade")),
        "wage": sh.Quasi(kind="number"),
        "town": sh.Quasi(hierarchy=folder / "regions.csv", publish_hierarchy=True),
        "ill": sh.Sensitive(),
        "ward": sh.Insensitive(),
    }
    return sh.anonymize(sh.read(people(), columns), sh.KAnonymity(k=4), seed=1).save(folder / "out")


def fits(frame: pd.DataFrame, low: int, high: int) -> pd.Series:
    return (frame["age"] >= low) & (frame["age"] < high)


def test_tables_hold_the_true_counts_between_their_bounds(folder):
    found = sh.query(folder, by=["age", "town", "ill"], bands={"age": BANDS})
    original = people()
    assert len(found) == 3 * 5 * 2
    counts = found.set_index(["age", "town", "ill"])
    for (low, high), town, ill in product(pairwise(BANDS), set(original["town"]), ["yes", "no"]):
        true = (fits(original, low, high) & (original["town"] == town) & (original["ill"] == ill)).sum()
        row = counts.loc[(f"{low}-{high - 1}", town, ill)]
        assert row.lower <= true <= row.upper
        assert row.lower - 1e-9 <= row.expected <= row.upper + 1e-9
    assert found["expected"].sum() == pytest.approx(len(original))


def test_a_single_column_is_near_the_truth(folder):
    found = sh.query(folder, by="town").set_index("town")
    true = people()["town"].value_counts().loc[found.index]
    assert (found["expected"] - true).abs().max() < 0.2 * len(people())
    assert ((found["lower"] <= true) & (true <= found["upper"])).all()


@pytest.mark.parametrize(
    ("where", "true"),
    [
        ({"ill": "yes"}, lambda frame: frame["ill"] == "yes"),
        ({"ward": ["a", "b"]}, lambda frame: frame["ward"] != "c"),
        ({"age": "30-39"}, lambda frame: fits(frame, 30, 40)),
        ({"age": "33"}, lambda frame: fits(frame, 33, 34)),
        ({"age": "<30", "town": "ulm"}, lambda frame: fits(frame, 0, 30) & (frame["town"] == "ulm")),
        ({"town": ["ulm", "hof"]}, lambda frame: frame["town"].isin(["ulm", "hof"])),
        ({"wage": "[500, 800)"}, lambda frame: (frame["wage"] >= 500) & (frame["wage"] < 800)),
        ({"born": "1963"}, lambda frame: frame["born"].dt.year == 1963),
    ],
)
def test_conditions_on_any_column_are_bounded(folder, where, true):
    (row,) = sh.query(folder, where=where).itertuples()
    count = true(people()).sum()
    assert row.lower <= count <= row.upper
    assert row.lower <= row.expected <= row.upper
    if set(where) <= {"ill", "ward"}:
        assert row.lower == row.upper == count


def test_bands_are_the_coarsest_labels_unless_they_are_given(folder):
    found = sh.query(folder, by="age")
    labels = set(sh.open_release(folder).levels()["age"]) - {"*"}
    assert len(found) >= 1
    assert found["expected"].sum() == pytest.approx(600)
    assert set(found["age"]) >= {label for label in labels if "-" in label} or len(labels) == 1


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ({"by": "nobody"}, UnknownName),
        ({"where": {"nobody": "1"}}, UnknownName),
        ({"where": {"age": "old"}}, BadInput),
        ({"by": ["age", "age"]}, InvalidParameter),
        ({"by": "town", "bands": {"town": [1, 2]}}, BadInput),
        ({"by": "town", "bands": {"age": [1, 2]}}, InvalidParameter),
        ({"by": "age", "bands": {"age": [30]}}, InvalidParameter),
        ({"by": "age", "bands": {"age": [40, 30]}}, InvalidParameter),
    ],
)
def test_questions_that_make_no_sense_are_refused(folder, question, error):
    with pytest.raises(error):
        sh.query(folder, **question)


@pytest.fixture(scope="module", name="baskets")
def released_baskets(tmp_path_factory) -> tuple[Path, list[set[str]]]:
    folder = tmp_path_factory.mktemp("baskets")
    rng = np.random.default_rng(5)
    sets = [
        set(rng.choice(list("abcdefgh"), 3, p=[0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05])) for _ in range(200)
    ]
    (folder / "sets.txt").write_text("".join(" ".join(sorted(each)) + "\n" for each in sets))
    data = sh.read(folder / "sets.txt", {"items": sh.QuasiSet()})
    out = sh.anonymize(data, sh.KmAnonymity(k=5, m=2), algorithm="pcta").save(folder / "out")
    return out, sets


def test_itemsets_of_generalized_sets_are_bounded(baskets):
    out, sets = baskets
    answers = sh.query(out, ["a"], ["a", "b"], ["g"])
    for answer in answers:
        true = sum(set(answer.itemset) <= each for each in sets)
        assert answer.lower <= true <= answer.upper
        assert answer.lower - 1e-9 <= answer.expected <= answer.upper + 1e-9
    (row,) = sh.query(out, where={"items": ["a", "b"]}).itertuples()
    assert (row.lower, row.upper) == (answers[1].lower, answers[1].upper)
    with pytest.raises(BadInput, match="sets"):
        sh.query(out, by="items")


def test_folders_of_disassociated_sets_answer_as_their_file(tmp_path):
    (tmp_path / "sets.txt").write_text("a b\n" * 6 + "a c\n" * 6 + "b c d\n" * 6)
    data = sh.read(tmp_path / "sets.txt", {"items": sh.QuasiSet()})
    out = sh.anonymize(data, sh.Disassociation(3, 2)).save(tmp_path / "out")
    assert sh.query(out, ["a", "b"]) == sh.query(out / "published.jsonl", ["a", "b"])


def test_the_command_counts_beside_the_original(folder):
    people().to_csv(folder.parent / "people.csv", index=False)
    policy = folder.parent / "people.toml"
    policy.write_text(POLICY)
    words = ("query", folder, "--by", "age", "--by", "ill", "--band", "age=20,30,45,60", "--value", "ward=a")
    alone, beside = shoal(*words, "--json"), shoal(*words, "--policy", policy, "--json")
    counts = json.loads(beside.out)["counts"]
    assert [row | {"true": 0, "error": 0} for row in json.loads(alone.out)["counts"]] == [
        row | {"true": 0, "error": 0} for row in counts
    ]
    assert sum(row["true"] for row in counts) == (people()["ward"] == "a").sum()
    assert all(row["lower"] <= row["true"] <= row["upper"] for row in counts)
    assert "error" in shoal(*words, "--policy", policy).out
    asked = json.loads(shoal("query", folder, "--value", "ill=yes", "--policy", policy, "--json").out)
    (answer,) = asked["asked"]
    assert answer["lower"] == answer["upper"] == answer["true"] == (people()["ill"] == "yes").sum()
    told = shoal("query", folder, "--value", "ill=maybe", "--policy", policy)
    assert told.code == 2
    assert "'maybe'" in told.err


def test_the_command_refuses_what_makes_no_sense(folder):
    assert "leave out" in shoal("query", folder, "--by", "age", "--shape", "1,0").err
    assert "--policy" in shoal("query", folder, "--value", "ill=yes", "--estimator", "best").err


def test_the_command_counts_from_the_folder_alone(folder):
    words = ("query", folder, "--by", "age", "--by", "ill", "--band", "age=20,30,45,60", "--value", "ward=a")
    done = shoal(*words, "--json")
    counts = json.loads(done.out)["counts"]
    assert len(counts) == 6
    assert sum(row["expected"] for row in counts) == pytest.approx((people()["ward"] == "a").sum())
    assert "at least" in shoal(*words).out
    assert shoal("query", folder, "--by", "age", "--band", "age").code == 2


def test_duckdb_counts_as_shoal_does(folder, monkeypatch):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    convert_release(folder, "sql", folder / "release.sql")
    monkeypatch.chdir(folder)
    with duckdb.connect() as connection:
        connection.execute((folder / "release.sql").read_text())
        found = connection.execute(
            "SELECT ill, sum(share_between(age_lower, age_behind, 20, 30)) AS expected,"
            " count(*) FILTER (age_lower >= 20 AND age_behind <= 30) AS lower,"
            " count(*) FILTER (coalesce(share_between(age_lower, age_behind, 20, 30), 1) > 0) AS upper"
            " FROM release GROUP BY ill ORDER BY ill"
        ).fetchall()
        (towns,) = connection.execute(
            "SELECT sum(share) FROM release JOIN town_values ON town_values.label = release.town"
        ).fetchone()
    ours = sh.query(folder, where={"age": "20-29"}, by="ill")
    counts = list(ours[["ill", "lower", "upper"]].itertuples(index=False, name=None))
    assert [(row[0], row[2], row[3]) for row in found] == counts
    assert towns == pytest.approx(600)


def of_dialect(folder, dialect, town="köln"):
    table = pd.DataFrame({"Größe": ["1.5", "1.75"] * 4, "town": [town] * 8, "ill": ["yes", "no"] * 4})
    columns = {"Größe": sh.Quasi(kind="number"), "town": sh.Quasi(hierarchy=sh.flat()), "ill": sh.Sensitive()}
    result = sh.anonymize(sh.read(table, columns), sh.KAnonymity(k=4), algorithm="mondrian")
    return result.save(folder, dialect=dialect)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1252"])
def test_duckdb_reads_the_dialect_of_the_file(tmp_path, monkeypatch, encoding):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    folder = of_dialect(tmp_path / "out", sh.Dialect(delimiter=";", decimal=",", encoding=encoding))
    convert_release(folder, "sql", folder / "release.sql")
    monkeypatch.chdir(folder)
    with duckdb.connect() as connection:
        connection.execute((folder / "release.sql").read_text(encoding="utf-8"))
        found = connection.sql('SELECT town, "Größe_lower", count(*) FROM release GROUP BY ALL ORDER BY 2')
        assert found.fetchall() == [("köln", 1.5, 4), ("köln", 1.75, 4)]


def test_what_duckdb_cannot_read_is_said(tmp_path):
    folder = of_dialect(tmp_path / "out", sh.Dialect(encoding="cp1252"), town="5 €")
    with pytest.raises(BadInput, match="DuckDB does not read files in the encoding cp1252"):
        convert_release(folder, "sql", tmp_path / "release.sql")


def test_duckdb_reads_a_folder_of_partitions(tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    people()[["age", "ward", "ill"]].to_parquet(tmp_path / "data", partition_cols=["age"])
    age = sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20))
    data = sh.read(tmp_path / "data", {"age": age, "ward": sh.Insensitive(), "ill": sh.Sensitive()})
    result = sh.anonymize(data, sh.KAnonymity(k=30), algorithm="mondrian")
    folder = result.save(tmp_path / "out", published="published.parquet", partitioned=True)
    convert_release(folder, "sql", folder / "release.sql")
    monkeypatch.chdir(folder)
    with duckdb.connect() as connection:
        connection.execute((folder / "release.sql").read_text())
        (counted,) = connection.sql("SELECT count(*), max(age_upper - age_lower) > 0 FROM release").fetchall()
    assert counted == (600, True)


def test_a_folder_that_is_not_there_is_said_to_be_missing(tmp_path):
    with pytest.raises(BadInput, match="does not exist"):
        sh.open_release(tmp_path / "nothing")


def columns_of_people(folder: Path) -> dict[str, sh.Role]:
    return {
        "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20)),
        "born": sh.Quasi(kind="date", hierarchy=sh.dates("year", "decade")),
        "wage": sh.Quasi(kind="number"),
        "town": sh.Quasi(hierarchy=folder.parent / "regions.csv", publish_hierarchy=True),
        "ill": sh.Sensitive(),
        "ward": sh.Insensitive(),
    }


@pytest.mark.parametrize("as_read", [True, False], ids=["as it was read", "as a frame"])
@pytest.mark.parametrize(
    "question",
    [
        {"by": ["age", "town", "ill"], "bands": {"age": BANDS}},
        {"by": "born", "bands": {"born": ["1960-01-01", "1965-01-01", "1972-01-01"]}},
        {"by": ["wage", "ward"], "bands": {"wage": [0, 600, 900, 2000]}},
        {"where": {"age": "30-39", "ward": ["a", "b"]}, "by": "ill"},
    ],
)
def test_beside_the_original_stand_true_counts_and_errors(folder, question, as_read):
    original = sh.read(people(), columns_of_people(folder)) if as_read else people()
    found = sh.query(folder, **question, original=original)
    assert found.drop(columns=["true", "error"]).equals(sh.query(folder, **question))
    assert ((found["lower"] <= found["true"]) & (found["true"] <= found["upper"])).all()
    errors = (found["expected"] - found["true"]).abs() / found["true"].clip(lower=1)
    assert np.allclose(found["error"], errors)
    if "where" not in question and "born" not in question["by"]:
        assert found["true"].sum() == len(people())


def test_true_counts_are_those_of_the_original(folder):
    frame = people()
    found = sh.query(folder, by=["age", "ill"], bands={"age": BANDS}, original=frame)
    true = frame.groupby([pd.cut(frame["age"], BANDS, right=False), "ill"], observed=False).size()
    assert found["true"].tolist() == true.tolist()
    (row,) = sh.query(folder, where={"wage": "[500, 800)", "ill": "yes"}, original=frame).itertuples()
    assert row.true == (frame["wage"].between(500, 800, inclusive="left") & (frame["ill"] == "yes")).sum()
    (row,) = sh.query(folder, where={"town": ["ulm", "hof"]}, original=frame).itertuples()
    assert row.true == frame["town"].isin(["ulm", "hof"]).sum()


@pytest.mark.parametrize("where", [{"town": "rom"}, {"ill": "maybe"}])
def test_what_the_original_has_nowhere_is_refused(folder, where):
    with pytest.raises(UnknownName, match="value"):
        sh.query(folder, where=where, original=sh.read(people(), columns_of_people(folder)))


def test_another_original_is_refused(folder):
    with pytest.raises(BadInput, match="ward"):
        sh.query(folder, by="ill", original=people().drop(columns="ward"))


def hidden_regions(folder: Path) -> tuple[sh.Result, sh.Data]:
    """Towns that are published as regions which nobody explains."""
    (folder / "regions.csv").write_text(REGIONS)
    towns = ["ulm"] * 3 + ["hof"] * 3 + ["jena"] * 6
    frame = pd.DataFrame({"town": towns, "ill": ["yes", "no"] * 6})
    role = sh.Quasi(hierarchy=folder / "regions.csv", min_level=1)
    data = sh.read(frame, {"town": role, "ill": sh.Sensitive()})
    return sh.anonymize(data, sh.KAnonymity(3), algorithm="mondrian"), data


def test_labels_that_no_reader_can_explain_are_counted_with_their_hierarchy(tmp_path):
    result, data = hidden_regions(tmp_path)
    found = sh.query(result, by="town", original=data).set_index("town")
    assert found.loc["south"].to_dict() == {"lower": 6, "expected": 6, "upper": 12, "true": 6, "error": 0}
    plain = pd.DataFrame({"town": ["ulm"], "ill": ["no"]})
    with pytest.raises(BadInput, match="nobody knows which values 'east' stands for"):
        sh.query(result, by="town", original=plain)


def test_itemsets_have_true_counts_too(baskets):
    out, sets = baskets
    frame = pd.DataFrame({"items": [" ".join(sorted(each)) for each in sets]})
    answers = sh.query(out, ["a"], ["a", "b"], original=sh.read(frame, {"items": sh.QuasiSet()}))
    assert [answer.true for answer in answers] == [
        sum(set(each.itemset) <= some for some in sets) for each in answers
    ]
    assert all(answer.lower <= answer.true <= answer.upper for answer in answers)
    assert answers[0].error == abs(answers[0].expected - answers[0].true) / answers[0].true
    (row,) = sh.query(out, where={"items": ["a", "b"]}, original=frame).itertuples()
    assert row.true == answers[1].true


@pytest.mark.parametrize("name", ["", "published.jsonl"])
def test_disassociated_sets_have_true_counts_too(tmp_path, name):
    (tmp_path / "sets.txt").write_text("a b\n" * 6 + "a c\n" * 6 + "b c d\n" * 6)
    data = sh.read(tmp_path / "sets.txt", {"items": sh.QuasiSet()})
    out = sh.anonymize(data, sh.Disassociation(3, 2)).save(tmp_path / "out")
    answers = sh.query(out / name, ["a", "b"], ["a"], ["c", "b"], original=data)
    assert [answer.true for answer in answers] == [6, 12, 6]
    assert all(answer.lower <= answer.true <= answer.upper for answer in answers)


def test_suppressed_records_may_have_any_value(tmp_path):
    ages = [30] * 6 + [80, 85, 90]
    frame = pd.DataFrame({"age": ages, "ill": ["no"] * 6 + ["yes"] * 3, "fee": list(range(9))})
    columns = {
        "age": sh.Quasi(hierarchy=sh.flat()),
        "ill": sh.Sensitive(),
        "fee": sh.Sensitive(kind="number"),
    }
    data = sh.read(frame, columns)
    result = sh.anonymize(data, sh.KAnonymity(3), algorithm="full-domain", suppression=0.5)
    assert (result.frame["age"] == "*").sum() == 3
    found = sh.query(result, where={"ill": "yes"}, original=data).iloc[0]
    assert (found["lower"], found["upper"], found["true"]) == (0, 3, 3)
    by_fee = sh.query(result, by="fee", bands={"fee": [0, 5, 10]}, original=data)
    assert by_fee[["lower", "upper", "true"]].to_numpy().tolist() == [[5, 8, 5], [1, 4, 4]]


def test_numbers_that_are_published_as_they_are_have_bands_and_ranges(tmp_path):
    frame = pd.DataFrame({"age": [30, 30, 40, 40], "fee": [1.5, 2.5, 3.5, 9.0]})
    columns = {"age": sh.Quasi(hierarchy=sh.flat()), "fee": sh.Sensitive(kind="number")}
    out = sh.anonymize(sh.read(frame, columns), sh.KAnonymity(2), algorithm="mondrian").save(tmp_path / "out")
    found = sh.query(out, by="fee", bands={"fee": [0, 3, 10]}, original=frame)
    assert found[["lower", "upper", "true"]].to_numpy().tolist() == [[2, 2, 2], [2, 2, 2]]
    assert sh.query(out, where={"fee": "2-4"})["lower"].tolist() == [2]
    assert sh.query(out, where={"fee": "9"})["lower"].tolist() == [1]


@pytest.mark.parametrize("published", ["published.csv", "published.parquet"])
def test_insensitive_numbers_and_days_have_bands_in_every_format(tmp_path, published):
    days = ["2024-01-05", "2024-02-06", "2024-03-07", "2024-03-08"]
    frame = pd.DataFrame(
        {"age": [30, 30, 40, 40], "fee": [1.5, 2.5, 3.5, 9.0], "day": days, "code": ["01", "02", "03", "04"]}
    )
    others = {name: sh.Insensitive(confirm=True) for name in ("fee", "day", "code")}
    data = sh.read(frame, {"age": sh.Quasi(hierarchy=sh.flat()), **others})
    out = sh.anonymize(data, sh.KAnonymity(2), algorithm="mondrian").save(
        tmp_path / "out", published=published
    )
    found = sh.query(out, by="fee", bands={"fee": [0, 3, 10]}, original=data)
    assert found[["lower", "upper", "true"]].to_numpy().tolist() == [[2, 2, 2], [2, 2, 2]]
    months = sh.query(out, by="day", bands={"day": ["2024-01-01", "2024-03-01", "2024-04-01"]}, original=data)
    assert months["lower"].tolist() == months["true"].tolist() == [2, 2]
    assert sh.query(out, where={"day": "2024-03"})["lower"].tolist() == [2]
    with pytest.raises(BadInput, match="no numbers or dates"):
        sh.query(out, by="code", bands={"code": [0, 3]})


def test_closed_ranges_of_fractions_hold_their_upper_end(tmp_path):
    frame = pd.DataFrame({"wage": [1.5, 2.5, 4.5, 6.0]})
    data = sh.read(frame, {"wage": sh.Quasi(kind="number")})
    out = sh.anonymize(data, sh.KAnonymity(2), algorithm="mondrian").save(tmp_path / "out")
    found = sh.query(out, by="wage", bands={"wage": [0, 2.5, 6, 10]}, original=data)
    assert (found["lower"] <= found["true"]).all()
    assert (found["true"] <= found["upper"]).all()
