"""A release opened without the original."""

import json
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest

import shoal as sh
from shoal.errors import BadInput, InvalidParameter
from shoal.recoding.label_cover import EVERYTHING, NAME, Cover, CoverForm
from shoal.report.codebook import ColumnBook
from shoal.study.convert import convert_release
from shoal.study.labels_at_levels import labels_at_levels
from shoal.table.columns import Kind
from shoal.table.reading import inspect
from shoal.table.statistics_files import write_statistics
from tests.cli.commands import shoal


@pytest.fixture(scope="module", name="folder")
def written_release(tmp_path_factory) -> Path:
    """A folder whose labels are known: written by hand, as another program could."""
    out = tmp_path_factory.mktemp("release")
    frame = pd.DataFrame(
        {
            "age": ["20-24", "23", "20-39", "*", "", "40+"],
            "day": ["2024-02", "2024-02-29", "2024-02", "2024-02", "2024-02", "*"],
            "town": ["south", "ulm", "ulm", "*", "bonn", "other"],
            "items": ["a (b|c)", "a", "", "(b|c)", "b", "b"],
            "sick": ["yes", "no", "no", "no", "yes", "no"],
        }
    )
    frame.to_csv(out / "published.csv", index=False)
    everything = {"form": "everything", "level": 3, "count": None}
    value = {"form": "value", "level": 0, "count": 1}
    whole = {"form": "range", "includes_upper": True, "whole": True, "level": 1}
    month = {"lower": "2024-02-01", "upper": "2024-02-29", "whole": False, "count": 29}
    union = {"form": "values", "values": ["b", "c"], "level": 1, "count": 2}
    quasi = {"role": "quasi", "kind": "category", "nested": True, "missing": False}
    columns = {
        "age": {
            **quasi,
            "kind": "number",
            "missing": True,
            "labels": {
                "20-24": {**whole, "lower": 20, "upper": 24, "count": 5},
                "23": {**value, "lower": 23, "upper": 23},
                "20-39": {**whole, "lower": 20, "upper": 39, "level": 2, "count": 20},
                "40+": {**whole, "lower": 40, "upper": None, "count": None},
                "*": everything,
            },
        },
        "day": {
            **quasi,
            "kind": "date",
            "labels": {
                "2024-02": {**whole, **month},
                "2024-02-29": {**value, "lower": "2024-02-29", "upper": "2024-02-29"},
                "*": everything,
            },
        },
        "town": {
            **quasi,
            "labels": {
                "south": {"form": "values", "values": ["ulm", "hof"], "level": 1, "count": 2},
                "ulm": value,
                "bonn": value,
                "other": {"form": "name", "level": 1, "count": None},
                "*": everything,
            },
            "tree": {"labels": ["ulm", "hof", "bonn", "south", "*"], "parents": [3, 3, 4, 4, -1]},
        },
        "items": {
            **quasi,
            "separator": " ",
            "nested": False,
            "labels": {"a": value, "b": value, "(b|c)": union},
        },
        "sick": {"role": "sensitive", "kind": "category"},
    }
    content = {"format": "shoal-codebook-1", "file": "published.csv", "columns": columns}
    (out / "codebook.json").write_text(json.dumps(content))
    return out


@pytest.fixture(scope="module", name="release")
def opened_release(folder):
    return sh.open_release(folder)


def test_labels_are_those_of_the_file(release):
    frame = release.labels()
    assert frame["age"].fillna("").tolist() == ["20-24", "23", "20-39", "*", "", "40+"]
    assert [sorted(cell) for cell in frame["items"]] == [["(b|c)", "a"], ["a"], [], ["(b|c)"], ["b"], ["b"]]


def test_bounds_are_two_columns_with_nulls_for_no_bound(release):
    frame = release.bounds()
    assert frame["age_lower"].fillna(-1).tolist() == [20, 23, 20, -1, -1, 40]
    assert frame["age_upper"].fillna(-1).tolist() == [24, 23, 39, -1, -1, -1]
    assert frame["day_lower"].tolist()[:2] == [date(2024, 2, 1), date(2024, 2, 29)]
    assert "town" in frame


def test_midpoints_close_open_ends_with_the_outermost_bounds(release):
    frame = release.midpoints()
    assert frame["age"].fillna(-1).tolist() == [22, 23, 29.5, 30, -1, 40]
    assert frame["day"].tolist()[0] == date(2024, 2, 15)


def test_intervals_hold_what_the_label_covers(release):
    frame = release.intervals()
    assert 24 in frame["age"][0]
    assert 25 not in frame["age"][0]
    assert pd.isna(frame["age"][3])
    assert frame["age_level"].tolist()[:4] == [1, 0, 2, 3]
    assert pd.Timestamp("2024-02-29") in frame["day"][0]
    assert isinstance(frame["town"].dtype, pd.CategoricalDtype)


def test_levels_give_the_coarsest_label_that_is_published(release):
    frame = release.levels()
    assert frame["age"].fillna("").tolist() == ["20-39", "20-39", "20-39", "*", "", "40+"]
    assert frame["town"].tolist() == ["south", "south", "south", "*", "bonn", "other"]
    assert [sorted(cell) for cell in frame["items"]][4] == ["(b|c)"]


def texts(column: pd.Series) -> list[str | None]:
    return [None if pd.isna(value) else value for value in column]


def test_each_level_of_a_tree_has_a_column(release):
    """Missing where a label is coarser; where no tree is shown the levels are those of the labels."""
    frame = release.levels()
    assert [name for name in frame if name.startswith("age")] == [
        "age",
        *(f"age_level_{level}" for level in range(3)),
    ]
    assert texts(frame["age_level_0"]) == [None, "23", None, None, None, None]
    assert texts(frame["age_level_1"]) == ["20-24", "20-24", None, None, None, "40+"]
    assert texts(frame["age_level_2"]) == ["20-39", "20-39", "20-39", None, None, "40+"]
    assert texts(frame["town_level_0"]) == [None, "ulm", "ulm", None, "bonn", None]
    assert texts(frame["town_level_1"]) == ["south", "south", "south", None, "bonn", "other"]
    assert texts(frame["day_level_0"]) == [None, "2024-02-29", None, None, None, None]
    assert texts(frame["day_level_1"]) == ["2024-02"] * 5 + [None]
    assert not [name for name in frame if name.startswith("items_level")]


MASKED = "53111;5311*;531**;*\n53112;5311*;531**;*\n53120;5312*;531**;*\n01067;0106*;010**;*\n"


@pytest.mark.parametrize("shown", [True, False], ids=["hierarchy shown", "hierarchy hidden"])
def test_levels_of_masks_and_of_sets(tmp_path, shown):
    (tmp_path / "zip.csv").write_text(MASKED)
    hierarchy = {"hierarchy": tmp_path / "zip.csv", "publish_hierarchy": True}
    zips = sh.Quasi(**hierarchy) if shown else sh.Quasi(hierarchy=sh.mask_right())
    rows = (
        [["53111", "53111"]] * 3
        + [["53112", "53112 01067"]] * 3
        + [["53120", "53120"], ["53111", "53120"]] * 2
    )
    frame = pd.DataFrame(rows, columns=["zip", "codes"])
    data = sh.read(frame, {"zip": zips, "codes": sh.QuasiSet(**hierarchy)})
    result = sh.anonymize(data, sh.KKmAnonymity(k=3, m=1), algorithm="rmerge-rt", delta=1.0, seed=1)
    opened = sh.open_release(result.save(tmp_path / "out"), library="pyarrow")
    found, labels = opened.levels().to_pydict(), opened.labels().to_pydict()
    assert {"zip_level_0", "zip_level_1", "codes_level_0", "codes_level_1", "codes_level_2"} <= found.keys()
    for level in range(3):
        at_level = found.get(f"zip_level_{level}", [None] * len(rows))
        for label, text in zip(labels["zip"], at_level, strict=True):
            assert text is None or label.startswith(text.rstrip("*"))
        if shown:
            widths = {label.count("*") for label in at_level if label is not None}
            assert widths <= {level}
            assert all(
                all(code.count("*") == level for code in codes) for codes in found[f"codes_level_{level}"]
            )
    convert_release(tmp_path / "out", "levels", tmp_path / "levels.csv")
    assert [*pd.read_csv(tmp_path / "levels.csv")] == [*found]


def test_levels_of_texts_that_begin_or_end_alike():
    labels = ["12", "123*", "12*", "1", "*", "name", "99"]
    value, begins = partial(Cover, CoverForm.VALUE), partial(Cover, CoverForm.BEGINNING)
    covers = [
        value(text="12"),
        begins(text="123"),
        begins(text="12"),
        value(text="1"),
        EVERYTHING,
        NAME,
        value(text="99"),
    ]
    book = ColumnBook("quasi", Kind.CATEGORY, covers=dict(zip(labels, covers, strict=True)))
    assert labels_at_levels(book, labels) == [
        ["12", None, None, "1", None, None, "99"],
        ["12", "123*", None, "1", None, "name", "99"],
        ["12*", "12*", "12*", "1", None, "name", "99"],
    ]
    flat = ColumnBook("quasi", Kind.CATEGORY, nested=False, covers=book.covers)
    assert labels_at_levels(flat, labels) == []


def test_one_hot_columns_are_probabilities(release):
    frame = release.one_hot()
    towns = frame.filter(like="town=")
    assert list(towns) == ["town=bonn", "town=ulm", "town=hof", "town=other"]
    assert towns.sum(axis=1).tolist() == pytest.approx([1] * 6)
    assert frame["town=ulm"].tolist()[1] == 1
    assert 0.5 < frame["town=ulm"][0] < 1
    assert frame["items=a"].tolist() == [1, 1, 0, 0, 0, 0]
    assert frame["items=b"][0] + frame["items=c"][0] == pytest.approx(1)


def test_imputed_values_lie_in_their_labels_and_a_seed_repeats_them(release):
    first, second = release.imputed(2, seed=5)
    again = next(release.imputed(1, seed=5))
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(second)
    for copy in (first, second):
        assert 20 <= copy["age"][0] <= 24
        assert (copy["age"][1], copy["town"][1]) == (23, "ulm")
        assert pd.isna(copy["age"][4])
        assert copy["town"][0] in ("ulm", "hof")
        assert date(2024, 2, 1) <= copy["day"][0] <= date(2024, 2, 29)
        assert set(copy["items"][0]) <= {"a", "b", "c"}


def test_polars_and_arrow_frames_are_given_where_they_are_asked_for(folder):
    assert isinstance(sh.open_release(folder, library="polars").intervals(), pl.DataFrame)
    assert sh.open_release(folder, library="pyarrow").levels().num_rows == 6
    with pytest.raises(InvalidParameter, match="library"):
        sh.open_release(folder, library="excel")


def test_the_file_beside_its_codebook_opens_as_well(folder):
    assert len(sh.open_release(folder / "published.csv").labels()) == 6


def test_a_file_without_a_codebook_or_with_a_strange_label_is_refused(folder, tmp_path):
    (tmp_path / "published.csv").write_text((folder / "published.csv").read_text().replace("bonn", "mars"))
    with pytest.raises(BadInput, match=r"no codebook\.json"):
        sh.open_release(tmp_path / "published.csv")
    (tmp_path / "codebook.json").write_text((folder / "codebook.json").read_text())
    with pytest.raises(BadInput, match="no entry in the codebook"):
        sh.open_release(tmp_path)


def test_copies_must_be_a_number(release):
    with pytest.raises(InvalidParameter, match="copies"):
        release.imputed(0)


def test_overlapping_ranges_become_one(tmp_path):
    ages = np.random.default_rng(0).integers(20, 60, 200)
    data = sh.read(pd.DataFrame({"age": ages}), {"age": sh.Quasi(kind="number")})
    out = sh.anonymize(data, sh.KAnonymity(k=5), seed=1).save(tmp_path / "out")
    release = sh.open_release(out)
    spans = release.bounds()
    for label, rows in release.levels().groupby("age"):
        inside = spans.loc[rows.index]
        outside = spans.drop(rows.index)
        low, high = inside["age_lower"].min(), inside["age_upper"].max()
        assert not ((outside["age_lower"] < high) & (outside["age_upper"] > low)).any(), label


@pytest.mark.parametrize("form", ["labels", "bounds", "midpoints", "levels", "one-hot", "imputed"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_command_writes_every_form(folder, tmp_path, form, ending):
    out = tmp_path / f"made.{ending}"
    done = shoal("convert", folder, "--form", form, "--out", out, "--copies", "2", "--json")
    assert done.code == 0
    frame = pd.read_csv(out) if ending == "csv" else pd.read_parquet(out)
    assert len(frame) == (12 if form == "imputed" else 6)
    assert list(frame) == json.loads(done.out)["columns"]


def test_the_command_does_not_write_over_the_published_file(folder):
    done = shoal("convert", folder, "--form", "bounds", "--out", folder / "published.csv")
    assert (done.code, "published file itself" in done.err) == (2, True)


@pytest.mark.parametrize("ending", ["sav", "dta", "xpt"])
def test_statistics_programs_get_numbers_dates_and_categories_with_their_names(tmp_path, ending):
    ages = [31, 34, 52, 57]
    table = pa.table(
        {
            "age": ages,
            "home town": ["Köln", "Köln", "Bonn", "Bonn"],
            "seen": [date(2024, 5, day) for day in (1, 1, 2, 2)],
            "paid": [1.5, None, 2.0, 3.0],
            "codes": [["401", "250"], ["401", "250"], ["401"], ["401"]],
        }
    )
    roles = {
        "age": sh.Quasi(hierarchy=sh.ranges(10), kind="number"),
        "home town": sh.Quasi(hierarchy=sh.flat()),
        "seen": sh.Insensitive(confirm=True),
        "paid": sh.Insensitive(confirm=True),
        "codes": sh.Insensitive(confirm=True, separator="|"),
    }
    result = sh.anonymize(sh.read(table, roles), sh.KAnonymity(2), algorithm="mondrian")
    out = tmp_path / f"release.{ending}"
    convert_release(result.save(tmp_path / "release"), "bounds", out)
    read = {"sav": pyreadstat.read_sav, "dta": pyreadstat.read_dta, "xpt": pyreadstat.read_xport}[ending]
    shown, about = read(str(out), **({} if ending == "xpt" else {"apply_value_formats": True}))
    rows = shown.sort_values("age_lower").reset_index(drop=True)
    assert rows["age_lower"].tolist() == [30, 30, 50, 50]
    assert rows["home_town"].astype(str).tolist() == ["Köln", "Köln", "Bonn", "Bonn"]
    assert about.column_names_to_labels["home_town"] == "home town"
    assert {str(day) for day in rows["seen"]} == {"2024-05-01", "2024-05-02"}
    assert sorted(rows["paid"].dropna()) == [1.5, 2.0, 3.0]
    assert set(rows["codes"].astype(str)) == {"401|250", "401"}
    if ending != "xpt":
        assert about.variable_value_labels["home_town"] == {1: "Bonn", 2: "Köln"}
    again = inspect(out).to_pydict()
    assert sorted(again["home_town"]) == ["Bonn", "Bonn", "Köln", "Köln"]


def test_names_and_texts_that_statistics_programs_cannot_take_are_kept_apart(tmp_path):
    long = "x" * 200
    columns = {"a b": pa.array([long]), "a-b": pa.array(["y"]), "1": pa.array([2]), "A" * 40: pa.array(["z"])}
    write_statistics(columns, tmp_path / "d.sav")
    shown, about = pyreadstat.read_sav(str(tmp_path / "d.sav"))
    assert about.column_names == ["a_b", "a_b_2", "v_1", "A" * 32]
    assert about.column_labels == ["a b", "a-b", "1", "A" * 40]
    assert shown["a_b"].tolist() == [long]
