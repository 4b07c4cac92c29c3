"""The data of the papers, or what stands in for them, by name."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

import shoal as sh
from measuring.cells import RESULTS
from measuring.tables import DATA, TABLES, frame
from shoal.hierarchy.arx import write_arx
from shoal.run.prepare import Data
from shoal.table.columns import Kind
from shoal.table.quest import quest
from shoal.table.reading import ReadOptions
from shoal.table.roles import Role

WITH_VALUES = ("informs-rt", "youtube-rt")
_INFORMS = DATA / "hierarchies" / "informs"
_INFORMS_VALUES = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")
_YOUTUBE_NUMBERS = ("age", "length", "rate", "ratings", "comments")
_FANOUT = 5
_ORDER_OF_CHANCE = 7


@cache
def load(name: str, records: int | None = None) -> Data:
    """Data by name, or their first records. What stands after a colon changes them:

    adult:drawn                records drawn with replacement, as many as are wanted
    adult-14:flat              every hierarchy is flat, values are kept or suppressed
    bms_webview2:modulo 40     items modulo 40, with fan-out 4
    bms_webview2:fanout 10     another fan-out than 5
    bms_webview2:digits        a tree by the digits of the codes
    bms_webview2:known         the tree stands in a file, so that it tells nothing of the data
    informs-rt:sensitive       every tenth of the frequent diagnoses is sensitive
    informs-rt:values          the single values alone
    quest:5000 terms, 10 long  synthetic baskets
    """
    base, _, change = name.partition(":")
    if base in TABLES:
        return _table(base, records, change)
    if base == "quest":
        return _quest(records or 0, change)
    if base in WITH_VALUES:
        return _table_with_sets(base, records, change)
    return _sets(base, records, change)


def _table(name: str, records: int | None, change: str) -> Data:
    chosen, whole = TABLES[name], frame(name)
    roles = chosen.quasi
    if change == "flat":
        roles = {column: sh.Quasi(hierarchy=sh.flat()) for column in chosen.quasi}
    if change == "drawn":
        drawn = np.random.default_rng(_ORDER_OF_CHANCE).integers(whole.num_rows, size=records)
        whole = whole.take(drawn)
    return sh.read(whole.slice(0, records), {**roles, chosen.sensitive: sh.Sensitive()})


def _sets(name: str, records: int | None, change: str) -> Data:
    tree: Any = sh.digits() if change == "digits" else sh.fanout(_FANOUT)
    with gzip.open(DATA / f"{name}.txt.gz", "rt", encoding="utf-8") as file:
        rows = [line.split() for line in file][:records]
    if change.startswith("fanout"):
        tree = sh.fanout(int(change.split()[1]))
    if change.startswith("modulo"):
        tree, terms = sh.fanout(4), int(change.split()[1])
        rows = [[str(item) for item in dict.fromkeys(int(item) % terms for item in row)] for row in rows]
    read = sh.read(_as_lists(rows), {"items": sh.QuasiSet(hierarchy=tree)})
    return _with_tree_in_a_file(read, _as_lists(rows), name) if change == "known" else read


def _with_tree_in_a_file(read: Data, table: pa.Table, name: str) -> Data:
    folder = RESULTS / "trees"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}-{table.num_rows}.csv"
    write_arx(read.local.trees["items"], file)
    return sh.read(table, {"items": sh.QuasiSet(hierarchy=file)})


def _quest(records: int, change: str) -> Data:
    terms, length = (int(part.split()[0]) for part in change.split(", "))
    baskets = quest(records, terms, length, seed=1)
    names = np.array(baskets.domain.texts(), dtype=object)
    rows = np.split(names[baskets.arrays.items], baskets.arrays.starts[1:-1])
    return sh.read(
        _as_lists(row.tolist() for row in rows), {"items": sh.QuasiSet(hierarchy=sh.fanout(_FANOUT))}
    )


def _as_lists(rows: Iterable[list[str]]) -> pa.Table:
    return pa.table({"items": pa.array(list(rows), type=pa.list_(pa.string()))})


def _table_with_sets(name: str, records: int | None, change: str) -> Data:
    """In an order of chance that does not change, so that fewer records are contained in more."""
    file, column, roles = _informs() if name == "informs-rt" else _youtube()
    texts = {each: pa.string() for each, role in roles.items() if role.kind is not Kind.NUMBER}
    table = csv.read_csv(DATA / file, convert_options=csv.ConvertOptions(column_types=texts))
    order = np.random.default_rng(_ORDER_OF_CHANCE).permutation(table.num_rows)[:records]
    table = table.take(np.sort(order) if records is None else order)
    if change == "values":
        del roles[column]
    if change == "sensitive":
        roles[column] = replace(roles[column], sensitive=_every_tenth_frequent(table[column].to_pylist()))
    return sh.read(table, roles, options=ReadOptions(others="drop"))


def _informs() -> tuple[str, str, dict[str, Any]]:
    roles: dict[str, Role] = {
        column: sh.Quasi(hierarchy=_INFORMS / f"{column}.csv") for column in _INFORMS_VALUES
    }
    roles["ICD9"] = sh.QuasiSet(separator=" ", hierarchy=_INFORMS / "ICD9.csv")
    return "informs2005_rt.csv.gz", "ICD9", roles


def _youtube() -> tuple[str, str, dict[str, Any]]:
    roles: dict[str, Role] = {
        column: sh.Quasi(kind=Kind.NUMBER, hierarchy=sh.fanout(_FANOUT)) for column in _YOUTUBE_NUMBERS
    }
    roles["category"] = sh.Quasi(hierarchy=sh.flat())
    roles["related"] = sh.QuasiSet(separator=" ", hierarchy=sh.fanout(_FANOUT))
    return "youtube_rt_sample.csv.gz", "related", roles


def _every_tenth_frequent(cells: list[str]) -> tuple[str, ...]:
    items, counts = np.unique([item for cell in cells for item in cell.split()], return_counts=True)
    frequent = items[np.argsort(-counts, kind="stable")]
    return tuple(str(item) for item in frequent[: len(frequent) // 4 : 10])
