"""The relational sets and their hierarchies, in the shape that Section 7 of Kenig and Tassa 2012 gives them.

Groups of values that the paper lists are files in `bench/taxonomies`; what it leaves open is ours: which
values are in a group of which only the size is known, and for CoIL 2000, of which only heights are known,
which neighbouring codes go together. FARS, INFORMS and credit cards are not in that paper: the trees of the
first two are those in the folder of data. Numbers are in ranges of 5, 10, 20 and 40 units. A unit is 1 for
age, hours and the number of education, 100 for capital-loss, 1,000 for capital-gain and 10,000 for fnlwgt.
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
_FIVE = ("age", "workclass", "education", "occupation", "sex")
_EIGHT = ("age", "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex")
_ELEVEN = (*_EIGHT, "education-num", "hours-per-week", "native-country")

_COIL_NINE: dict[str, Role] = {
    **_coded(5, "MOSTYPE"),
    **_coded(3, "MAANTHUI", "MGODOV"),
    **_kept_or_suppressed("MGEMOMV", "MGEMLEEF"),
    **_coded(4, "MOSHOOFD", "MGODRK", "MGODPR", "MGODGE"),
}
_COIL_MORE = (
    *("MRELSA", "MRELOV", "MFALLEEN", "MFGEKIND", "MFWEKIND", "MOPLHOOG", "MOPLMIDD", "MOPLLAAG", "MBERHOOG"),
    *("MBERZELF", "MBERBOER", "MBERMIDD", "MBERARBG", "MBERARBO", "MSKA", "MSKB1", "MSKB2", "MSKC", "MSKD"),
    *("MHHUUR", "MHKOOP", "MAUT1", "MAUT2", "MAUT0", "MZFONDS", "MZPART", "MINKM30", "MINK3045", "MINK4575"),
    *("MINK7512", "MINK123M"),
)


def _coil(columns: int) -> TableSet:
    """The first columns without the sensitive one; codes beyond the nine of the paper go by fours."""
    more = _coded(4, *_COIL_MORE[: columns - len(_COIL_NINE)])
    return TableSet("coil2000.csv.gz", {**_COIL_NINE, **more}, sensitive="MRELGE")


_OF_FARS = ("iage", "irace", "ideathmon", "ideathday", "isex", "ihispanic", "istatenum")
_OF_INFORMS = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")
_STATES_OF_PAYMENT = ("PAY_0", "PAY_2", "PAY_3", "PAY_4", "PAY_5", "PAY_6")


def _filed(folder: str, *names: str) -> dict[str, Role]:
    return {name: sh.Quasi(hierarchy=DATA / "hierarchies" / folder / f"{name}.csv") for name in names}


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
    "adult-5": _WIDE_ADULT.only(_FIVE),
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
    "coil2000": _coil(9),
    "coil2000-20": _coil(20),
    "coil2000-40": _coil(40),
    "fars": TableSet("fars.csv.gz", _filed("fars", *_OF_FARS), sensitive="iinjury"),
    "informs": TableSet(
        "informs2005_relational.csv.gz", _filed("informs", *_OF_INFORMS), sensitive="poverty"
    ),
    "creditcard": TableSet(
        "creditcard.csv.gz",
        {
            **_kept_or_suppressed("SEX", "EDUCATION", "MARRIAGE"),
            "AGE": _numbers(1, 5, 10, 20, 40),
            "LIMIT_BAL": _numbers(10_000, 5, 10, 20, 40),
            **_coded(3, *_STATES_OF_PAYMENT),
        },
        sensitive="default-payment-next-month",
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
