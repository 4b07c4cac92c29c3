"""Workloads of COUNT queries: how many records have certain values and hold certain items."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from shoal.engine.local import LocalData
from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.kernels.arrays import Codes, Ints


@dataclass(frozen=True, slots=True)
class Query:
    """Counts records: in each column of `values` one of these, and of each column of `items` all of these."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    items: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def generate_workload(
    data: LocalData, rng: np.random.Generator, *, values: int, items: int, count: int = 100
) -> tuple[Query, ...]:
    """Queries about so many single values and items, each drawn from a random record that has as many.

    So none of them is about nothing. Columns without a tree and such with one are treated alike.
    """
    rows = _fitting_rows(data, values, items)
    if len(rows) == 0:
        raise InvalidParameter(
            "the workload", "shape", (values, items), _possible_shapes(data, values, items)
        )
    return tuple(_query_of_row(data, rng, int(row), values, items) for row in rng.choice(rows, count))


def _possible_shapes(data: LocalData, values: int, items: int) -> str:
    """What a shape must be that no record has."""
    if items and not data.quasi_sets:
        return f"about values only, such as {values or 1},0, because these data have no sets"
    if values and not data.quasi:
        return f"about items only, such as 0,{items or 1}, because these data have nothing but sets"
    return "a number of values and items that some record has"


def _fitting_rows(data: LocalData, values: int, items: int) -> Ints:
    held = np.zeros(data.row_count, dtype=np.int64)
    for name in data.quasi_sets:
        held += data.table.sets(name).sizes
    there = np.zeros(data.row_count, dtype=np.int64)
    for name in data.quasi:
        there += _has_value(data, name)
    return np.flatnonzero((held >= items) & (there >= values))


def _has_value(data: LocalData, name: str) -> Ints:
    column = data.table.coded(name)
    return (column.codes < len(column.domain)).astype(np.int64)


def _query_of_row(data: LocalData, rng: np.random.Generator, row: int, values: int, items: int) -> Query:
    columns = [name for name in data.quasi if _has_value(data, name)[row]]
    chosen = rng.choice(len(columns), values, replace=False).tolist() if values else []
    of_values = {columns[index]: (str(data.label(columns[index], row)),) for index in sorted(chosen)}
    held = [
        (name, str(data.table.sets(name).domain.labels[int(item)]))
        for name in data.quasi_sets
        for item in _items_of_row(data, name, row)
    ]
    picked = sorted(rng.choice(len(held), items, replace=False).tolist()) if items else []
    of_items: dict[str, tuple[str, ...]] = {}
    for name, item in (held[index] for index in picked):
        of_items[name] = (*of_items.get(name, ()), item)
    return Query(of_values, of_items)


def _items_of_row(data: LocalData, name: str, row: int) -> Codes:
    sets = data.table.sets(name)
    return sets.narrow[sets.starts[row] : sets.starts[row + 1]]


def read_workload(path: Path) -> tuple[Query, ...]:
    """Queries of a file of JSON lines, each with `values` and `items` by column; BadInput lists bad lines."""
    queries, problems = [], []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            Problem(f"cannot be read: {error}", "name a file of queries", file=str(path))
        ) from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                queries.append(_parsed(line))
            except ValueError as error:
                remedy = 'write a line such as {"values": {"age": ["30"]}, "items": {"drugs": ["a", "b"]}}'
                problems.append(Problem(f"is no query: {error}", remedy, file=str(path), line=number))
    if problems:
        raise BadInput(*problems)
    return tuple(queries)


def _parsed(line: str) -> Query:
    content = json.loads(line)
    if not isinstance(content, dict) or not set(content) <= {"values", "items"}:
        raise ValueError("only `values` and `items` are known")
    return Query(_by_column(content.get("values", {})), _by_column(content.get("items", {})))


def _by_column(content: Any) -> dict[str, tuple[str, ...]]:
    fits = isinstance(content, dict) and all(
        isinstance(texts, list) and texts and all(isinstance(text, str) for text in texts)
        for texts in content.values()
    )
    if not fits:
        raise ValueError("each column has a list of texts")
    return {name: tuple(texts) for name, texts in content.items()}
