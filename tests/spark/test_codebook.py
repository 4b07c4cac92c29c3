"""A release made on Spark is explained, checked and opened like one of one machine."""

import datetime
import json
import shutil

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh
from shoal.recoding.disassociated import Disassociated
from shoal.report import read_release, verify_release
from shoal.report.certified import promise_of_certificate, roles_of_certificate
from shoal.run.published_file import AS_PUBLISHED, verified_file
from shoal.run.release_codebook import codebook_of_clusters, codebook_of_rows
from shoal.run.verification import verify_certified
from tests.spark.releases import BOTH, baskets, people_with_baskets

REGIONS = "ulm;south;*\njena;east;*\nhof;south;*\nbonn;west;*\nkiel;north;*\naachen;west;*\n"
COLUMNS = "age int, zip string, born date, wage double, town string, outcome string, ward int"


def people(rows=120):
    rng = np.random.default_rng(3)
    first = datetime.date(1950, 1, 1)
    return pa.table(
        {
            "age": [None if age == 33 else age for age in rng.integers(17, 90, rows).tolist()],
            "zip": rng.integers(53000, 53400, rows).astype(str).tolist(),
            "born": [first + datetime.timedelta(days=day) for day in rng.integers(0, 9000, rows).tolist()],
            "wage": rng.normal(1000, 200, rows).round(1).tolist(),
            "town": rng.choice(["ulm", "bonn", "kiel", "jena", "hof"], rows).tolist(),
            "outcome": rng.choice(["well", "ill"], rows).tolist(),
            "ward": rng.integers(1, 4, rows).tolist(),
        }
    )


def roles(folder):
    (folder / "regions.csv").write_text(REGIONS)
    return {
        "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20, 40)),
        "zip": sh.Quasi(hierarchy=sh.mask_right()),
        "born": sh.Quasi(kind="date", hierarchy=sh.dates("month", "year", "decade")),
        "wage": sh.Quasi(kind="number"),
        "town": sh.Quasi(hierarchy=folder / "regions.csv", publish_hierarchy=True),
        "outcome": sh.Sensitive(),
        "ward": sh.Insensitive(),
    }


def frame_of(spark, table, columns):
    rows = [tuple(row.values()) for row in table.to_pylist()]
    return spark.createDataFrame(rows, columns).repartition(3)


def codebook(out):
    return json.loads((out / "codebook.json").read_text(encoding="utf-8"))


def explained_here(out, table, columns):
    """The codebook that one machine makes for the files that Spark wrote."""
    certificate = json.loads((out / "certificate.json").read_text())
    name, shown = certificate["file"]["name"], certificate["policy"]["columns"]
    promise, published_roles = promise_of_certificate(certificate), roles_of_certificate(certificate)
    content = verified_file(out / name, published_roles, promise, AS_PUBLISHED).content
    if isinstance(content, Disassociated):
        return codebook_of_clusters(content, shown).to_json(name)
    return codebook_of_rows(content, shown, sh.read(table, columns).local).to_json(name)


@pytest.fixture(scope="module", name="released")
def release_of_people(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("spark release")
    data = sh.read(frame_of(spark, people(), COLUMNS), roles(folder))
    result = sh.anonymize(data, sh.KAnonymity(k=4), algorithm="mondrian", seed=1)
    result.save(folder / "out")
    result.frame.unpersist()
    return folder / "out"


@pytest.fixture(name="copy")
def copy_to_change(released, tmp_path):
    return shutil.copytree(released, tmp_path / "out")


def test_the_codebook_is_that_of_one_machine(released, tmp_path):
    columns = roles(tmp_path)
    local = sh.anonymize(sh.read(people(), columns), sh.KAnonymity(k=4), algorithm="mondrian", seed=1)
    here = codebook(local.save(tmp_path / "out", published="published.parquet"))
    there = codebook(released)
    wage = there["columns"].pop("wage")
    assert wage.keys() == here["columns"].pop("wage").keys()
    assert there == here  # numbers without a hierarchy are cut elsewhere on Spark
    assert codebook(released) == explained_here(released, people(), columns)
    assert {entry["form"] for entry in wage["labels"].values()} <= {"range", "everything"}


def test_both_verifiers_and_both_readers_take_the_folder(released):
    certificate, file = released / "certificate.json", released / "published.parquet"
    found = verify_certified(file, certificate)
    assert (found.holds, found.disagreements, found.codebook_disagreements) == (True, (), ())
    assert verify_release.check(json.loads(certificate.read_text()), file)[0] == verify_release.TRUE
    opened = sh.open_release(released, library="pyarrow")
    assert opened.table.row_count == 120
    decoded = list(read_release.read(released))
    bounds = opened.bounds().to_pylist()
    assert [row["wage"] and row["wage"].get("lower") for row in decoded] == [
        row["wage_lower"] for row in bounds
    ]
    assert sh.query(released, where={"outcome": "ill"}).lower[0] == people()["outcome"].to_pylist().count(
        "ill"
    )


def _labels(book, column="age"):
    return book["columns"][column]["labels"]


def _rename(book):
    label = next(iter(_labels(book)))
    _labels(book)["Bob"] = _labels(book).pop(label)


def _move_bound(book):
    entry = next(entry for entry in _labels(book).values() if entry["form"] == "range")
    entry["lower"] -= 1


CHANGES = {
    "label": _rename,
    "bound": _move_bound,
    "missing": lambda book: book["columns"]["age"].update(missing=not book["columns"]["age"]["missing"]),
    "role": lambda book: book["columns"]["outcome"].update(role="insensitive"),
    "field": lambda book: book.update(note="Bob"),
    "field of a column": lambda book: book["columns"]["outcome"].update(note="Bob"),
    "field of a label": lambda book: next(iter(_labels(book).values())).update(note="Bob"),
    "file": lambda book: book.update(file="other.parquet"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_codebook_that_was_changed_is_refused(copy, change):
    book = codebook(copy)
    CHANGES[change](book)
    (copy / "codebook.json").write_text(json.dumps(book))
    found = verify_certified(copy / "published.parquet", copy / "certificate.json")
    assert (found.holds, found.disagreements) == (False, ())
    assert found.codebook_disagreements
    if change in ("label", "file"):
        certificate = json.loads((copy / "certificate.json").read_text())
        assert verify_release.check(certificate, copy / "published.parquet")[0] == verify_release.FALSE


def test_a_part_that_was_changed_or_added_is_refused(copy):
    file = copy / "published.parquet"
    (file / "_notes").write_text("Bob")
    found = verify_certified(file, copy / "certificate.json")
    assert "more than its parts: _notes" in found.verdicts[0].evidence
    certificate = json.loads((copy / "certificate.json").read_text())
    with pytest.raises(verify_release.CannotTell, match="something else than the parts"):
        verify_release.check(certificate, file)
    (file / "_notes").unlink()
    next(file.glob("part-*")).unlink()
    assert any("SHA-256" in each for each in verify_certified(file, copy / "certificate.json").disagreements)


OTHERS = {
    "aa": (baskets(60, 6), {"items": sh.QuasiSet(hierarchy=sh.fanout(3))}, sh.KmAnonymity(k=4, m=2)),
    "rmerge-rt": (people_with_baskets(80), BOTH, sh.KKmAnonymity(4, 2)),
    "disassociation": (baskets(60, 6), {"items": sh.QuasiSet()}, sh.Disassociation(k=3, m=2)),
}
KINDS = {"age": "int", "items": "array<string>"}


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", OTHERS)
def test_every_kind_of_release_is_explained_as_on_one_machine(spark, tmp_path, algorithm):
    table, columns, promise = OTHERS[algorithm]
    schema = ", ".join(f"{name} {KINDS[name]}" for name in table.column_names)
    result = sh.anonymize(
        sh.read(frame_of(spark, table, schema), columns), promise, algorithm=algorithm, seed=1
    )
    out = tmp_path / "out"
    result.save(out)
    assert codebook(out) == explained_here(out, table, columns)
    (file,) = out.glob("published.*")
    found = verify_certified(file, out / "certificate.json")
    assert (found.holds, found.disagreements) == (True, ())
    if algorithm == "aa":
        here = sh.anonymize(sh.read(table, columns), promise, algorithm=algorithm, seed=1)
        assert codebook(here.save(tmp_path / "here", published=file.name)) == codebook(out)
    result.frame.unpersist()
