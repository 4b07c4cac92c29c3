"""The relational sets and their hierarchies, in the shape that Section 7 of Kenig and Tassa 2012 gives them.

Groups of values that the paper lists are files in `bench/taxonomies`; what it leaves open is ours: which
values are in a group of which only the size is known, and for CoIL 2000, of which only heights are known,
which neighbouring codes go together. Numbers are in ranges of 5, 10, 20 and 40 units. A unit is 1 for age,
hours and the number of education, 100 for capital-loss, 1,000 for capital-gain and 10,000 for fnlwgt.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

import shoal as sh
from shoal.engine.local import LocalData
from shoal.table.columns import Kind, Table
from shoal.table.roles import Role

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[3] / "shared" / "data"))
TAXONOMIES = Path(__file__).parents[1] / "taxonomies"


@dataclass(frozen=True)
class TableSet:
    """A file, its quasi-identifiers and the column that is sensitive where diversity is asked for."""

    file: str
    quasi: Mapping[str, Role]
    sensitive: str
    records: int | None = None

    def only(self, columns: Sequence[str]) -> TableSet:
        return replace(self, quasi={name: self.quasi[name] for name in columns})


def _numbers(unit: int, *steps: int) -> sh.Quasi:
    return sh.Quasi(kind=Kind.NUMBER, hierarchy=sh.ranges(*(unit * step for step in steps)))


def _grouped(folder: str, *names: str) -> dict[str, Role]:
    return {name: sh.Quasi(hierarchy=TAXONOMIES / folder / f"{name}.csv") for name in names}


def _kept_or_suppressed(*names: str) -> dict[str, Role]:
    return {name: sh.Quasi(hierarchy=sh.flat()) for name in names}


def _coded(fanout: int, *names: str) -> dict[str, Role]:
    return {name: sh.Quasi(hierarchy=sh.fanout(fanout)) for name in names}


_WIDE_ADULT = TableSet(
    "adult.csv.gz",
    {
        **_grouped("adult", "workclass", "education", "marital-status", "occupation", "native-country"),
        **_kept_or_suppressed("relationship", "race", "sex"),
        "age": _numbers(1, 5, 10, 20, 40),
        "hours-per-week": _numbers(1, 5, 10, 20, 40),
        "education-num": _numbers(1, 5, 10),
        "capital-gain": _numbers(1_000, 5, 10, 20, 40),
        "capital-loss": _numbers(100, 5, 10, 20, 40),
        "fnlwgt": _numbers(10_000, 5, 10, 20, 40),
    },
    sensitive="salary-class",
)
_EIGHT = ("age", "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex")
_ELEVEN = (*_EIGHT, "education-num", "hours-per-week", "native-country")

_PEER_COLUMNS: dict[str, Role] = {
    **{
        name: sh.Quasi(kind=Kind.NUMBER, hierarchy=DATA / "hierarchies" / "adult_peer" / f"{name}.csv")
        for name in ("age", "education-num")
    },
    **{
        name: sh.Quasi(hierarchy=DATA / "hierarchies" / "adult" / f"{name}.csv")
        for name in ("workclass", "marital-status", "occupation", "race", "sex", "native-country")
    },
}

TABLES: Mapping[str, TableSet] = {
    "adult": _WIDE_ADULT.only(_EIGHT),
    "adult-11": _WIDE_ADULT.only(_ELEVEN),
    "adult-14": _WIDE_ADULT,
    "nursery": TableSet(
        "nursery.csv.gz",
        {
            **_kept_or_suppressed("parents", "form", "housing", "finance", "social", "health"),
            **_grouped("nursery", "children", "has_nurs"),
        },
        sensitive="class",
    ),
    "coil2000": TableSet(
        "coil2000.csv.gz",
        {
            **_coded(5, "MOSTYPE"),
            **_coded(3, "MAANTHUI", "MGODOV"),
            **_kept_or_suppressed("MGEMOMV", "MGEMLEEF"),
            **_coded(4, "MOSHOOFD", "MGODRK", "MGODPR", "MGODGE"),
        },
        sensitive="MRELGE",
    ),
    "adult-peers": TableSet("adult.csv.gz", _PEER_COLUMNS, sensitive="salary-class", records=30_162),
}


@lru_cache(maxsize=1)
def load(name: str, records: int | None = None, *, mixed: bool = False) -> LocalData:
    """The records of a set, or as many as asked for, drawn with replacement by a fixed seed.

    If `mixed`, the cells of each column are drawn on their own, so that hardly any two records are equal.
    """
    chosen = TABLES[name]
    data = sh.read(frame(name), {**chosen.quasi, chosen.sensitive: sh.Sensitive()}).local
    if records is None:
        return data
    rng = np.random.default_rng(1)
    if not mixed:
        return replace(data, table=data.table.take(rng.integers(data.row_count, size=records)))
    columns = {
        column: data.table.without(set(data.table.columns) - {column})
        .take(rng.integers(data.row_count, size=records))
        .column(column)
        for column in data.table.columns
    }
    return replace(data, table=Table.of(columns, records))


def frame(name: str) -> pa.Table:
    """The columns of a set as they are in its file."""
    chosen = TABLES[name]
    texts = [
        column
        for column, role in chosen.quasi.items()
        if isinstance(role, sh.Quasi) and role.kind is Kind.CATEGORY
    ]
    options = csv.ConvertOptions(
        include_columns=[*chosen.quasi, chosen.sensitive], column_types=dict.fromkeys(texts, pa.string())
    )
    return csv.read_csv(DATA / chosen.file, convert_options=options).slice(0, chosen.records)


def beginning(data: LocalData, records: int) -> LocalData:
    """The first records."""
    return replace(data, table=data.table.take(np.arange(min(records, data.row_count))))
