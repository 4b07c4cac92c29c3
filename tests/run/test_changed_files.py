"""Published files after the change of one cell: whatever hypothesis changes, the verdict is the twin's.

The files are written with the csv module and judged by the twins from its reading of them.
"""

import csv
import json
import tempfile
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal as sh
from tests.examples import examples
from tests.reference import privacy_sets as sets_twin
from tests.reference import privacy_tables as table_twin

QUASI = ("age", "sex")
CELLS = {
    "age": ("20-24", "25-29", " 25-29", "*", "", "NA"),
    "sex": ("f", "m", "é", "e\u0301", ""),
    "ill": ("flu", "cold", " flu", "", "NA"),
    "items": ("", "a", "a b", "b c", "a b s", "c s", "s"),
}
ROLES = {
    "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5)),
    "sex": sh.Quasi(hierarchy=sh.flat()),
    "ill": sh.Sensitive(),
    "items": sh.QuasiSet(hierarchy=sh.flat(), sensitive=("s",)),
}
OPTIONS = sh.ReadOptions(missing=("", "NA"))
THREE_HALVES = Fraction(3, 2)

Rows = list[dict[str, str]]


def value(text: str) -> str | None:
    """A sensitive value as its reader knows it."""
    clean = unicodedata.normalize("NFC", text.strip())
    return None if clean in ("", "NA") else clean


def table(rows: Rows) -> Rows:
    return [{"age": r["age"] or None, "sex": r["sex"] or None, "ill": value(r["ill"])} for r in rows]


def keys(rows: Rows) -> list[tuple[str | None, ...]]:
    return [tuple(row[name] for name in QUASI) for row in table(rows)]


def sets(rows: Rows) -> list[frozenset[str]]:
    return [frozenset(row["items"].split()) for row in rows]


def k_twin(k: int) -> Callable[[Rows], bool]:
    return lambda rows: table_twin.k_anonymity(table(rows), QUASI, k, range(len(rows)))[0]


def classes_twin(holds: Callable[..., bool], *parameters: Any) -> Callable[[Rows], bool]:
    return lambda rows: table_twin.every_class(
        table(rows), QUASI, "ill", range(len(rows)), lambda *of: holds(*of, *parameters)
    )


@dataclass(frozen=True)
class Case:
    """A model, the columns of its file, and what the model means."""

    model: Any
    columns: tuple[str, ...]
    holds: Callable[[Rows], bool]


TABLE, SETS, MIXED = ("age", "sex", "ill"), ("items",), ("age", "sex", "items")
SECRET = frozenset("s")

CASES = [
    Case(sh.KAnonymity(2), TABLE, k_twin(2)),
    Case(sh.LDiversity(THREE_HALVES), TABLE, classes_twin(table_twin.frequency, THREE_HALVES)),
    Case(sh.LDiversity(2, "distinct"), TABLE, classes_twin(table_twin.distinct, 2)),
    Case(sh.LDiversity(THREE_HALVES, "entropy"), TABLE, classes_twin(table_twin.entropy, THREE_HALVES)),
    Case(sh.LDiversity(2, "recursive", c=3), TABLE, classes_twin(table_twin.recursive, 2, 3)),
    Case(sh.TCloseness(0.4), TABLE, classes_twin(table_twin.close, Fraction(2, 5), "equal")),
    Case(
        sh.AlphaKAnonymity(0.7, 2),
        TABLE,
        lambda rows: k_twin(2)(rows) and classes_twin(table_twin.share_at_most, Fraction(7, 10))(rows),
    ),
    Case(sh.KmAnonymity(2, 2), SETS, lambda rows: sets_twin.km_anonymity(sets(rows), 2, 2, SECRET)[0]),
    Case(sh.LmDiversity(2, 2), SETS, lambda rows: sets_twin.lm_diversity(sets(rows), 2, 2, SECRET)),
    Case(sh.SetKAnonymity(2), SETS, lambda rows: sets_twin.set_k_anonymity(sets(rows), 2, SECRET)[0]),
    Case(sh.SetLDiversity(2), SETS, lambda rows: sets_twin.set_l_diversity(sets(rows), 2, SECRET)),
    Case(
        sh.KKmAnonymity(2, 2),
        MIXED,
        lambda rows: sets_twin.k_km_anonymity(keys_of_mixed(rows), sets(rows), 2, 2, SECRET)[0],
    ),
    Case(
        sh.KLmDiversity(2, 2, 2),
        MIXED,
        lambda rows: sets_twin.k_lm_diversity(keys_of_mixed(rows), sets(rows), 2, 2, 2, sensitive=SECRET)[0],
    ),
]


def keys_of_mixed(rows: Rows) -> list[tuple[str | None, ...]]:
    return [(row["age"] or None, row["sex"] or None) for row in rows]


@st.composite
def before_and_after(draw: st.DrawFn, columns: tuple[str, ...]) -> tuple[Rows, Rows]:
    """Up to 8 records, mostly several of a kind, and the same with another text in one cell."""
    kinds = draw(
        st.lists(st.tuples(*(st.sampled_from(CELLS[name]) for name in columns)), min_size=1, max_size=3)
    )
    records = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=8))
    rows = [dict(zip(columns, record, strict=True)) for record in records]
    changed = [dict(row) for row in rows]
    name = draw(st.sampled_from(columns))
    changed[draw(st.integers(0, len(rows) - 1))][name] = draw(st.sampled_from(CELLS[name]))
    return rows, changed


def verdict_on(case: Case, rows: Rows) -> sh.Verdict:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "published.csv"
        with path.open("w", encoding="utf-8", newline="") as lines:
            writer = csv.DictWriter(lines, case.columns, quoting=csv.QUOTE_ALL)
            writer.writeheader()
            writer.writerows(rows)
        roles = {name: ROLES[name] for name in case.columns}
        (verdict,) = sh.verify(path, roles, case.model, options=OPTIONS)
    return verdict


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case.model))
def test_the_verdict_is_the_twins_before_and_after_the_change_of_any_cell(case):
    @examples(25)
    @given(before_and_after(case.columns))
    def holds_as_the_twin_says(files):
        for rows in files:
            verdict = verdict_on(case, rows)
            assert verdict.holds == case.holds(rows)
            assert (verdict.witness is None) == verdict.holds

    holds_as_the_twin_says()


@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("name", QUASI)
def test_every_change_that_leaves_a_tight_class_is_caught(place, name):
    rows = [
        {"age": age, "sex": "f", "ill": ill} for age in ("20-24", "25-29") for ill in ("flu", "cold", "flu")
    ]
    case = Case(sh.KAnonymity(3), TABLE, k_twin(3))
    assert verdict_on(case, rows).smallest == 3
    for text in CELLS[name]:
        if text != rows[place][name]:
            changed = [dict(row) for row in rows]
            changed[place][name] = text
            verdict = verdict_on(case, changed)
            assert not verdict.holds
            assert verdict.witness.row_count < 3


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("model", [sh.KmAnonymity(2, 2), sh.SetKAnonymity(2)], ids=repr)
def test_every_item_taken_from_a_tight_itemset_is_caught(place, model):
    rows = [{"items": items} for items in ("a b", "a b", "c d", "c d")]
    case = Case(model, SETS, lambda _: True)
    assert verdict_on(case, rows).smallest == 2
    for item in rows[place]["items"].split():
        changed = [dict(row) for row in rows]
        changed[place]["items"] = changed[place]["items"].replace(item, "").strip()
        assert not verdict_on(case, changed).holds


def test_every_term_taken_from_a_tight_chunk_is_caught(tmp_path):
    subrecords = [["a", "b"], ["a", "b"], ["a", "b"]]
    file = tmp_path / "clusters.jsonl"

    def verdict(chunk):
        file.write_text(json.dumps({"size": 4, "chunks": [{"subrecords": chunk}], "terms": ["x"]}) + "\n")
        return sh.verify(file, {"items": sh.QuasiSet()}, sh.Disassociation(k=3, m=2))[0]

    assert verdict(subrecords).holds
    for row in range(3):
        for term in "ab":
            changed = [
                [t for t in terms if (place, t) != (row, term)] for place, terms in enumerate(subrecords)
            ]
            broken = verdict(changed)
            assert not broken.holds
            assert broken.witness.rows == (1,)
