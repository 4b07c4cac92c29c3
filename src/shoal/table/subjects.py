"""Records and people: several records can belong to one person, who must count once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import Ints
from shoal.table.columns import Carried, Coded, Column, Sets, Table
from shoal.table.pairs import sets_of_pairs
from shoal.table.roles import Identifier, QuasiSet, Role


def people(column: Coded) -> Ints:
    """Number the person behind each row; a row without an id is a person of its own."""
    numbers = column.codes.copy()
    nameless = np.flatnonzero(numbers == column.domain.missing)
    numbers[nameless] = len(column.domain) + np.arange(len(nameless))
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def unite(table: Table, subject: str, roles: Mapping[str, Role]) -> Table:
    """One record per person, in the order of first appearance: sets are united, the rest must agree.

    Raises BadInput for columns in which some person has several values. Other identifying columns need not
    agree: they are never published as they are, and the first value stays.
    """
    person_of_row = people(table.coded(subject))
    first_row, person_of_row = by_first_appearance(person_of_row)
    columns: dict[str, Column] = {}
    problems: list[Problem] = []
    for name, column in table.columns.items():
        if isinstance(column, Sets):
            role = roles.get(name)
            if isinstance(role, QuasiSet) and role.multiset:
                problems.append(_counts_to_add(name, subject))
            columns[name] = _united(column, person_of_row, len(first_row))
            continue
        if name != subject and not isinstance(roles.get(name), Identifier):
            values = _comparable(name, column)
            disagreeing = np.unique(person_of_row[values != values[first_row][person_of_row]])
            if len(disagreeing):
                problems.append(_disagreement(name, subject, len(disagreeing)))
        columns[name] = Table.of({name: column}).take(first_row).column(name)
    if problems:
        raise BadInput(*problems)
    return Table.of(columns, len(first_row))


def by_first_appearance(person_of_row: Ints) -> tuple[Ints, Ints]:
    """The first row of each person, and the person of each row, numbered in that order."""
    _, first_row, place = np.unique(person_of_row, return_index=True, return_inverse=True)
    order = np.argsort(first_row)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return first_row[order].astype(np.int64), rank[place]


def _united(column: Sets, person_of_row: Ints, person_count: int) -> Sets:
    person_of_item = np.repeat(person_of_row, column.sizes)
    sets, _ = sets_of_pairs(person_of_item, column.narrow, person_count, column.domain, column.separator)
    return sets


def _comparable(name: str, column: Coded | Carried) -> Ints:
    if isinstance(column, Coded):
        return column.codes
    values = column.values
    if pa.types.is_nested(values.type):
        raise BadInput(Problem("lists cannot be united", "make it a set, or drop the column", column=name))
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    encoded = values.dictionary_encode("encode")  # a null equals a null
    parts = [chunk.indices for chunk in encoded.chunks]
    indices: Ints = pa.chunked_array(parts, type=pa.int32()).to_numpy().astype(np.int64)
    return indices


def _counts_to_add(name: str, subject: str) -> Problem:
    return Problem(
        f"the counts of a multiset cannot be added up over the rows of a subject of {subject!r}",
        "unite the rows of each subject beforehand, or leave out multiset = true",
        column=name,
    )


def _disagreement(name: str, subject: str, count: int) -> Problem:
    return Problem(
        f"{count} subjects of {subject!r} have several values",
        "one record per subject needs one value each: make them agree, drop the column, or make it a set",
        column=name,
    )
