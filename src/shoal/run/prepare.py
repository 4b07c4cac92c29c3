"""Read the data of a plan and find everything that stands in the way of a release, at once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.engine.local import LocalData
from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.hierarchy.binding import bind
from shoal.hierarchy.files import HierarchyFile
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Ints
from shoal.policy.coverage import coverage_problems, protects_sensitive
from shoal.privacy.disassociation import Disassociation
from shoal.privacy.verdict import Model
from shoal.table.columns import Carried, Coded, Column, Table
from shoal.table.reading import Loaded, ReadOptions, read_table
from shoal.table.roles import Identifier, Insensitive, Quasi, QuasiSet, Role, Sensitive
from shoal.table.subjects import people, unite


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """Data ready for a search: bound to their trees, one record per row.

    `original` holds the same records before they were bound; `identifiers` are the columns to be replaced by
    pseudonyms.
    """

    local: LocalData
    original: Table
    loaded: Loaded
    options: ReadOptions
    identifiers: Mapping[str, Coded]
    subject: str | None
    notices: tuple[str, ...]

    @property
    def row_count(self) -> int:
        """How many records there are."""
        return self.local.row_count


def read(
    source: Any,
    columns: Mapping[str, Role],
    *,
    options: ReadOptions = ReadOptions(),  # noqa: B008  (frozen)
    subject: str | None = None,
) -> Data:
    """Read a file or a frame, and bind its quasi-identifiers to their hierarchies."""
    loaded = read_table(source, checked_roles(columns), options)
    roles = loaded.roles
    table, subjects, notices = _by_person(loaded, roles, subject)
    bound, trees, binding_notices = _bind_all(table, roles)
    identifiers = {
        name: bound.coded(name)
        for name, role in roles.items()
        if isinstance(role, Identifier) and role.pseudonym and name in bound.columns
    }
    hidden = [name for name, role in roles.items() if isinstance(role, Identifier)]
    local = LocalData(bound.without(hidden), roles, trees, subjects)
    return Data(
        local=local,
        original=table.without(hidden),
        loaded=loaded,
        options=options,
        identifiers=identifiers,
        subject=subject,
        notices=(*loaded.notices, *notices, *binding_notices),
    )


def checked_roles(columns: Mapping[str, Role]) -> dict[str, Role]:
    """The roles that a caller gave, with paths of hierarchies as hierarchy files."""
    for name, role in columns.items():
        if not isinstance(role, Role):
            raise InvalidParameter("Shoal", f"the role of column {name!r}", role, "a role such as Quasi()")
    return {name: _with_hierarchy_file(role) for name, role in columns.items()}


def _with_hierarchy_file(role: Role) -> Role:
    if isinstance(role, Quasi | QuasiSet | Sensitive) and isinstance(role.hierarchy, str | os.PathLike):
        return replace(role, hierarchy=HierarchyFile(role.hierarchy))
    return role


def _by_person(
    loaded: Loaded, roles: Mapping[str, Role], subject: str | None
) -> tuple[Table, Ints | None, list[str]]:
    if subject is None:
        return loaded.table, loaded.subjects, []
    table = loaded.table
    if subject not in table.columns:
        raise BadInput(Problem(f"there is no subject column {subject!r}", "name a column of the data"))
    if not isinstance(roles[subject], Identifier):
        raise BadInput(
            Problem(f"the subject column {subject!r} must be an identifier", 'give it role "identifier"')
        )
    notices = _nameless_notice(table.coded(subject), subject)
    if not any(isinstance(role, QuasiSet) for role in roles.values()):
        return table, people(table.coded(subject)), notices
    united = unite(table, subject, roles)
    before, after = table.row_count, united.row_count
    if after < before:
        notices.append(f"{before} rows of {after} subjects were united into one record each")
    return united, None, notices


def _nameless_notice(subject: Coded, name: str) -> list[str]:
    if subject.missing_count == 0:
        return []
    rows = "1 row has" if subject.missing_count == 1 else f"{subject.missing_count} rows have"
    return [f"{rows} no subject in column {name!r} and count as a person each"]


def _bind_all(table: Table, roles: Mapping[str, Role]) -> tuple[Table, dict[str, Hierarchy], list[str]]:
    columns: dict[str, Column] = {}
    trees: dict[str, Hierarchy] = {}
    notices: list[str] = []
    problems: list[Problem] = []
    for name, role in roles.items():
        if isinstance(role, Quasi | QuasiSet) and role.hierarchy is not None:
            column = table.column(name)
            try:
                bound = bind(name, column, role)
            except BadInput as error:
                problems += error.problems
                continue
            columns[name], trees[name] = bound.column, bound.tree
            notices += bound.notices
    if problems:
        raise BadInput(*problems)
    return table.replacing(columns), trees, notices


def release_problems(data: Data, models: Sequence[Model]) -> list[Problem]:
    """What makes a release of these columns unsafe, whatever the search finds."""
    problems = [
        Problem(what, remedy, column=column)
        for column, what, remedy in coverage_problems(models, data.local.roles)
    ]
    problems += _telling_columns(data, models)
    if any(isinstance(model, Disassociation) for model in models):
        problems += _columns_beside_pieces(data)
    if data.subject in data.identifiers and data.local.quasi_sets:
        problems.append(
            Problem(
                "a pseudonym of the subject ties a person's records together, which no promise about sets"
                " allows",
                "publish without it (pseudonym = false)",
                column=data.subject,
            )
        )
    return problems


def _columns_beside_pieces(data: Data) -> list[Problem]:
    """Disassociated data hold the terms of one set column and have no rows for anything else."""
    first, *others = data.local.quasi_sets or ("",)
    others += [
        name for name in (*data.local.table.columns, *data.identifiers) if name not in (first, *others)
    ]
    return [
        Problem(
            "cannot be published beside disassociated sets, which have no rows left",
            'leave it out of [columns] and set others = "drop" under [data]',
            column=name,
        )
        for name in others
    ]


def _telling_columns(data: Data, models: Sequence[Model]) -> list[Problem]:
    k = max((int(getattr(model, "k", 1)) for model in models), default=1)
    most = data.row_count / k
    problems = []
    for name, role in data.local.roles.items():
        column = data.local.table.columns.get(name)
        if isinstance(role, Insensitive) and not role.confirm and isinstance(column, Carried):
            distinct = distinct_values(column)
            if k > 1 and distinct > max(most, 1):
                problems.append(
                    Problem(
                        f"is published untouched and has {distinct} distinct values, more than"
                        f" records / k = {most:g}: it could tell people apart",
                        'give it role "quasi", drop it, or set confirm = true if it really tells nothing',
                        column=name,
                    )
                )
    return problems


def distinct_values(column: Carried) -> int:
    """How many different values a column has that is published as it is."""
    values = column.values
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    try:
        return int(pc.count_distinct(values, mode="all").as_py())
    except pa.ArrowNotImplementedError:
        return len(column)  # lists and the like, of which each may be the only one


def unprotected_notices(data: Data, models: Sequence[Model]) -> list[str]:
    """Sensitive columns that no promise protects."""
    if protects_sensitive(models):
        return []
    names = [name for name, role in data.local.roles.items() if isinstance(role, Sensitive)]
    names += [
        name for name, role in data.local.roles.items() if isinstance(role, QuasiSet) and role.sensitive
    ]
    return [
        f"column {name!r} is sensitive, but nothing is promised about it: add l, t or alpha to [privacy]"
        for name in names
    ]


def pseudonym_notices(data: Data) -> list[str]:
    """Pseudonyms that tie rows together, so that more can be known of a person than one row."""
    repeated = [
        name
        for name, column in data.identifiers.items()
        if (np.bincount(column.codes, minlength=len(column.domain))[: len(column.domain)] > 1).any()
    ]
    return [
        f"the pseudonym of {name!r} ties several rows of a person together: the promise holds for each row,"
        " not for all rows of a person at once"
        for name in repeated
    ]
