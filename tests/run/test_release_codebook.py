"""The codebook beside a published file: complete, checked, and silent about the original."""

import base64
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as sh
from shoal.errors import BadInput, InvalidParameter
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import load_policy
from shoal.report import verify_release
from shoal.report.certificate import digest_of, fingerprint
from shoal.report.codebook import Codebook
from shoal.run.release import run
from shoal.run.verification import verify_certified, verify_published
from shoal.table.beside import CODEBOOK_KEY, embedded_codebook
from shoal.table.sample import copy_sample
from tests.quick_sample import copy_quick_sample

DROP = sh.ReadOptions(others="drop")
UNTOLD = {"form": "name", "level": 1, "count": None}
REGIONS = "ulm;south;*\njena;east;*\nhof;south;*\nbonn;west;*\nkiel;north;*\naachen;west;*\n"


def people(rows: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "age": rng.integers(17, 90, rows),
            "zip": rng.integers(53000, 53400, rows).astype(str),
            "born": np.datetime64("1950-01-01") + rng.integers(0, 9000, rows),
            "wage": rng.normal(1000, 200, rows).round(1),
            "town": rng.choice(["ulm", "bonn", "kiel", "jena", "hof"], rows),
            "items": [" ".join(sorted(set(rng.choice(list("abcdefg"), 3)))) for _ in range(rows)],
            "outcome": rng.choice(["well", "ill"], rows),
        }
    )


def roles(folder: Path, **town: object) -> dict[str, object]:
    (folder / "regions.csv").write_text(REGIONS)
    return {
        "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20, 40)),
        "zip": sh.Quasi(hierarchy=sh.mask_right()),
        "born": sh.Quasi(kind="date", hierarchy=sh.dates("month", "year", "decade")),
        "wage": sh.Quasi(kind="number"),
        "town": sh.Quasi(hierarchy=folder / "regions.csv", **town),
        "items": sh.QuasiSet(hierarchy=sh.fanout(2)),
        "outcome": sh.Sensitive(),
    }


def saved(folder: Path, columns: dict[str, object], **options: object) -> Path:
    data = sh.read(people()[list(columns)], columns)
    sets = any(isinstance(role, sh.QuasiSet) for role in columns.values())
    model = sh.KKmAnonymity(k=4, m=2) if sets else sh.KAnonymity(k=4)
    return sh.anonymize(data, model, seed=1, **options).save(folder / "out")


def codebook(out: Path) -> dict:
    return json.loads((out / "codebook.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module", name="release")
def release_of_people(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    return saved(folder, roles(folder), algorithm="classwise")


def test_every_label_of_every_quasi_identifier_has_an_entry(release):
    book, table = codebook(release)["columns"], pd.read_csv(release / "published.csv", dtype=str)
    for name in ("age", "zip", "born", "wage", "town"):
        assert set(book[name]["labels"]) == set(table[name].dropna())
    items = {item for cell in table["items"].dropna() for item in cell.split(" ")}
    assert set(book["items"]["labels"]) == items
    assert book["outcome"] == {"role": "sensitive", "kind": "category"}


def test_entries_tell_bounds_kinds_and_counts(release):
    book = codebook(release)["columns"]
    assert (book["age"]["kind"], book["born"]["kind"], book["born"]["unit"]) == ("number", "date", "day")
    assert (book["items"]["separator"], book["wage"]["nested"]) == (" ", False)
    for label, entry in book["age"]["labels"].items():
        if label != "*":
            ends = (entry["lower"], entry["upper"])
            assert label == (f"{ends[0]}-{ends[1]}" if ends[0] < ends[1] else f"{ends[0]}")
            assert entry["count"] == ends[1] - ends[0] + 1


def test_a_hierarchy_that_nobody_declared_public_is_not_in_the_codebook(release):
    published = (release / "published.csv").read_text()
    town = codebook(release)["columns"]["town"]
    assert "tree" not in town
    assert {entry["form"] for entry in town["labels"].values()} <= {"value", "name", "everything"}
    for label in ("aachen", "north", "south", "east", "west", "ulm", "kiel"):
        assert label in published or label not in json.dumps(town)


def test_a_hierarchy_that_may_be_published_says_what_its_nodes_hold(tmp_path):
    columns = roles(tmp_path, publish_hierarchy=True)
    out = saved(tmp_path, {name: columns[name] for name in ("age", "town", "outcome")})
    town = codebook(out)["columns"]["town"]
    assert set(town["tree"]["labels"]) == set(REGIONS.replace("\n", ";").split(";")) - {""}
    for label, entry in town["labels"].items():
        if label in ("south", "west"):
            values = {"south": ["ulm", "hof"], "west": ["bonn", "aachen"]}[label]
            assert entry == {"form": "values", "values": values, "count": 2, "level": 1}


@pytest.mark.parametrize("hierarchy", [sh.flat(), sh.fanout(2), sh.digits(), sh.mask_left(), None])
def test_a_hierarchy_that_is_made_from_the_data_cannot_be_published(hierarchy):
    role = sh.Quasi(kind="category" if hierarchy else "number", hierarchy=hierarchy, publish_hierarchy=True)
    with pytest.raises(BadInput, match="would tell which values the data hold"):
        sh.read(people()[["age", "outcome"]], {"age": role, "outcome": sh.Sensitive()})


def test_the_steps_of_a_scale_may_be_published(tmp_path):
    frame = pd.DataFrame({"pain": ["none", "weak", "strong", "worst"] * 5})
    scale = sh.order("none", "weak", "medium", "strong", "worst")
    data = sh.read(frame, {"pain": sh.Quasi(hierarchy=scale, publish_hierarchy=True)})
    out = sh.anonymize(data, sh.KAnonymity(k=8)).save(tmp_path / "out")
    assert "medium" in codebook(out)["columns"]["pain"]["tree"]["labels"]


def change(out: Path, *path: str, to: object) -> None:
    content = codebook(out)
    inner = content
    for key in path[:-1]:
        inner = inner[key]
    if to is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = to
    (out / "codebook.json").write_text(json.dumps(content))


@pytest.fixture(name="table")
def small_table(tmp_path) -> Path:
    columns = roles(tmp_path, publish_hierarchy=True)
    return saved(tmp_path, {name: columns[name] for name in ("age", "town", "outcome")})


def checked(out: Path):
    return verify_certified(out / "published.csv", out / "certificate.json")


def a_range(out: Path) -> str:
    labels = codebook(out)["columns"]["age"]["labels"]
    return next(label for label, entry in labels.items() if entry["form"] == "range")


def test_a_codebook_that_was_just_made_fits(table):
    assert checked(table).holds
    assert checked(table).codebook_disagreements == ()


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        (("lower",), 1000, "which it does not say"),
        (("form",), "everything", "the count|the level"),
        (("count",), 99, "the count 99"),
        (("level",), 7, "the level 7"),
        ((), None, "has no entry"),
    ],
)
def test_entries_that_do_not_fit_their_label_are_found(table, field, value, words):
    label = a_range(table)
    change(table, "columns", "age", "labels", label, *field, to=value)
    found = checked(table)
    assert (found.holds, found.disagreements) == (False, ())
    assert any(re.search(words, each) for each in found.codebook_disagreements)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("columns", "age", "labels", "1000-1009"), UNTOLD, "not in the file"),
        (("columns", "outcome"), None, "same columns"),
        (("columns", "outcome", "role"), "insensitive", "calls it insensitive"),
        (("columns", "age", "missing"), True, "missing values occur"),
        (("file",), "other.csv", "about the file 'other.csv'"),
        (("format",), "x", "its format is not"),
        (("columns", "age", "labels"), 5, "not a codebook"),
    ],
)
def test_codebooks_of_another_file_are_found(table, path, value, words):
    change(table, *path, to=value)
    assert any(words in each for each in checked(table).codebook_disagreements)


def test_values_that_are_not_below_a_node_are_found(table):
    change(table, "columns", "town", "tree", "labels", 0, to="elsewhere")
    change(table, "columns", "age", "labels", "*", to=UNTOLD)
    assert not checked(table).holds


@pytest.mark.parametrize("policy", ["table", "sets", "mixed"])
def test_the_policy_way_checks_the_codebook_and_nothing_of_the_original_is_told(policy, tmp_path):
    copy_quick_sample(tmp_path / "s")
    plan = plan_of(load_policy(tmp_path / "s" / f"{policy}.toml"))
    out = run(plan).save(tmp_path / "out", published=plan.output_path)
    found = verify_published(out / plan.output_path, plan)
    assert (found.holds, found.codebook_disagreements) == (True, ())
    name = next(name for name, about in codebook(out)["columns"].items() if about.get("labels"))
    label = next(iter(codebook(out)["columns"][name]["labels"]))
    change(out, "columns", name, "labels", label, to=None)
    assert not verify_published(out / plan.output_path, plan).holds


def test_texts_of_the_original_that_are_not_published_are_not_in_the_codebook(release):
    told = json.dumps(codebook(release)["columns"])
    published = (release / "published.csv").read_text()
    original = people()
    for name in ("zip", "town"):
        hidden = [value for value in set(original[name]) if value not in published]
        assert not [value for value in hidden if f'"{value}"' in told]


def test_chunks_have_their_terms(tmp_path):
    copy_sample(tmp_path / "s")
    data = sh.read(tmp_path / "s" / "diagnoses.txt", {"items": sh.QuasiSet()})
    out = sh.anonymize(data, sh.Disassociation(5, 2)).save(tmp_path / "out")
    (book,) = codebook(out)["columns"].values()
    assert {entry["form"] for entry in book["labels"].values()} == {"value"}
    assert verify_certified(out / "published.jsonl", out / "certificate.json").holds


def test_marked_formulas_are_read_without_their_mark(tmp_path):
    frame = pd.DataFrame({"degrees": np.arange(-20, 20)})
    data = sh.read(frame, {"degrees": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10))})
    out = sh.anonymize(data, sh.KAnonymity(k=5)).save(tmp_path / "out", neutralize_formulas=True)
    labels = codebook(out)["columns"]["degrees"]["labels"]
    assert [labels["'-20--16"][key] for key in ("form", "lower", "upper", "count")] == ["range", -20, -16, 5]
    assert checked(out).holds


def test_the_report_says_what_labels_stand_for(table):
    page = (table / "report.html").read_text(encoding="utf-8")
    assert "stands for" in page
    assert "whole numbers from" in page


def test_unions_of_items_are_told_although_there_is_a_tree(tmp_path):
    columns = {"items": sh.QuasiSet(hierarchy=sh.fanout(2))}
    data = sh.read(people(30)[["items"]], columns)
    out = sh.anonymize(data, sh.KmAnonymity(k=9, m=2), algorithm="pcta", seed=1).save(tmp_path / "out")
    labels = codebook(out)["columns"]["items"]["labels"]
    united = {label: each for label, each in labels.items() if "|" in label}
    assert united
    for label, each in united.items():
        assert each["values"] == label.strip("()").split("|")


@pytest.fixture(scope="module", params=["parquet", "arrow"])
def typed_release(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    columns = roles(folder, publish_hierarchy=True)
    columns["wage"] = sh.Insensitive(confirm=True)
    data = sh.read(people(), columns)
    result = sh.anonymize(data, sh.KKmAnonymity(k=4, m=2), algorithm="rfirst", seed=1)
    return result.save(folder / "out", published=f"published.{request.param}")


def rewritten(file: Path, change) -> None:
    """The file with another schema, and a certificate that is about it."""
    if file.suffix == ".parquet":
        table = pq.read_table(file)
        pq.write_table(change(table), file)
    else:
        table = change(pa.ipc.open_file(file.read_bytes()).read_all())
        with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)


def both_verdicts(out: Path, file: Path) -> tuple[bool, bool]:
    """What Shoal and the script say of a file for which the certificate was made anew."""
    stated = json.loads((out / "certificate.json").read_text())
    stated["file"] = fingerprint(file)
    stated["digest"] = digest_of(stated)
    certificate = file.with_name("certificate.json")
    certificate.write_text(json.dumps(stated))
    return verify_certified(file, certificate).holds, verify_release.main([str(certificate), str(file)]) == 0


def test_a_file_with_types_explains_itself(typed_release, tmp_path):
    file = next(typed_release.glob("published.*"))
    alone = Path(shutil.copy(file, tmp_path))
    opened, beside = sh.open_release(alone), sh.open_release(typed_release)
    pd.testing.assert_frame_equal(opened.bounds(), beside.bounds())
    embedded = json.loads(embedded_codebook(file))
    assert embedded == {name: value for name, value in codebook(typed_release).items() if name != "file"}
    assert both_verdicts(typed_release, alone) == (True, True)


STRANGE = {
    "another key": lambda told: {**told, "note": "Bob"},
    "another label": lambda told: _with_label(told, "Bob", {"form": "name", "level": 1, "count": None}),
    "another entry": lambda told: _with_label(told, None, {"note": "Bob"}),
    "no columns": lambda told: {"format": told["format"], "columns": {}},
    "no codebook": lambda _: "Bob",
    "blanks": lambda told: json.dumps(told, separators=(",", ":"), ensure_ascii=False) + " \t ",
}


def _with_label(told, label, entry):
    town = told["columns"]["town"]
    label = label or next(iter(town["labels"]))
    labels = {**town["labels"], label: {**town["labels"].get(label, {}), **entry}}
    return {**told, "columns": {**told["columns"], "town": {**town, "labels": labels}}}


@pytest.mark.parametrize("strange", STRANGE)
def test_a_codebook_in_a_file_that_tells_more_is_refused(typed_release, tmp_path, strange):
    file = next(typed_release.glob("published.*"))
    alone = Path(shutil.copy(file, tmp_path))
    told = STRANGE[strange](json.loads(embedded_codebook(file)))
    content = told if isinstance(told, str) else json.dumps(told, separators=(",", ":"), ensure_ascii=False)
    rewritten(alone, lambda table: table.replace_schema_metadata({CODEBOOK_KEY: content}))
    by_shoal, by_script = both_verdicts(typed_release, alone)
    assert not by_shoal
    assert not by_script or strange == "another entry"  # which the script leaves to Shoal


def test_a_codebook_that_differs_from_the_one_beside_it_is_told(typed_release, tmp_path):
    out = Path(shutil.copytree(typed_release, tmp_path / "out"))
    told = codebook(out)
    told["columns"]["town"].pop("tree")
    (out / "codebook.json").write_text(json.dumps(told))
    file = next(out.glob("published.*"))
    found = verify_certified(file, out / "certificate.json").codebook_disagreements
    assert any("another than the one beside it" in what for what in found)


def test_a_codebook_in_a_file_explains_no_label_that_is_not_published(tmp_path):
    baskets = pa.table({"items": [["tea", "milk"]] * 4 + [["tea", "figs"]]})
    result = sh.anonymize(
        sh.read(baskets, {"items": sh.QuasiSet(hierarchy=sh.flat())}), sh.KmAnonymity(2, 2), algorithm="hghs"
    )
    out = result.save(tmp_path / "out", published="published.parquet")
    inside = json.loads(embedded_codebook(out / "published.parquet"))["columns"]["items"]["labels"]
    assert "figs" not in inside
    assert inside == codebook(out)["columns"]["items"]["labels"]


def test_what_the_schema_of_arrow_hides_in_a_parquet_file_is_found(tmp_path):
    data = sh.read(people(), {"age": sh.Quasi(kind="number", hierarchy=sh.ranges(20))}, options=DROP)
    out = sh.anonymize(data, sh.KAnonymity(4), algorithm="mondrian").save(
        tmp_path / "out", published="published.parquet"
    )
    file = tmp_path / "published.parquet"
    table = pq.read_table(out / file.name).replace_schema_metadata()
    hidden = base64.b64encode(table.schema.with_metadata({"raw": "Bob"}).serialize().to_pybytes()).decode()
    with pq.ParquetWriter(file, table.schema, store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"ARROW:schema": hidden})
    assert both_verdicts(out, file) == (False, False)


def test_units_are_told_of_numbers_and_of_whatever_is_published_as_it_is(tmp_path):
    table = pd.DataFrame({"wage": [2100, 2150, 3900, 3950] * 4, "rent": [7, 8] * 8, "rooms": [2, 3] * 8})
    columns = {
        "wage": sh.Quasi(kind="number", hierarchy=sh.ranges(500, 1000), unit="EUR"),
        "rent": sh.Sensitive(kind="number", unit="EUR per m²"),
        "rooms": sh.Insensitive(unit="rooms"),
    }
    result = sh.anonymize(sh.read(table, columns), sh.KAnonymity(k=8))
    for ending in ("csv", "parquet"):
        out = result.save(tmp_path / ending, published=f"published.{ending}")
        units = {name: column["unit"] for name, column in codebook(out)["columns"].items()}
        assert units == {"wage": "EUR", "rent": "EUR per m²", "rooms": "rooms"}
        assert "whole numbers from 2000 to 2499 EUR" in (out / "report.html").read_text(encoding="utf-8")
        assert sh.open_release(out).codebook.columns["wage"].unit == "EUR"
        assert sh.verify(out / f"published.{ending}", columns, sh.KAnonymity(k=8))
        assert sh.load_recoding(out).apply(sh.read(table, columns)).verdict.holds


@pytest.mark.parametrize("unit", ["", "x" * 31, "two\nlines", 5])
def test_what_is_no_unit_is_refused(unit):
    for role in (sh.Quasi, sh.Sensitive):
        with pytest.raises(InvalidParameter, match="unit"):
            role(kind="number", unit=unit)
    with pytest.raises(InvalidParameter, match="unit"):
        sh.Insensitive(unit=unit)


def test_only_numbers_have_units():
    with pytest.raises(InvalidParameter, match="number"):
        sh.Quasi(kind="date", unit="EUR")


def test_a_codebook_with_a_text_for_a_unit_is_none(release):
    content = codebook(release)
    content["columns"]["age"]["unit"] = "Ada Lovelace was here, and so were others"
    with pytest.raises(BadInput, match="unit"):
        Codebook.from_json(content, "codebook.json")
