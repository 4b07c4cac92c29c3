"""Read the data of a plan and find everything that stands in the way of a release, at once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.engine.local import LocalData
from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.hierarchy.binding import bind
from shoal.hierarchy.builders import Fanout
from shoal.hierarchy.files import HierarchyFile
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Ints
from shoal.posix import give_large_arrays_back
from shoal.recoding.label_notation import unpublishable_tree
from shoal.run.remote import at_hand, named_as
from shoal.table.columns import Coded, Column, Sets, Table
from shoal.table.reading import Loaded, ReadOptions, read_table
from shoal.table.remote_file import RemoteFile, is_remote
from shoal.table.roles import Identifier, Quasi, QuasiSet, Role, Sensitive
from shoal.table.subjects import people, unite

_SHOWN = 6  # names of columns


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """Data ready for a search: bound to their trees, one record per row; `sh.read` makes them.

    Args:
        local: The records bound to their trees, as searches and checks take them.
        original: The same records before they were bound.
        loaded: What was read, and from where.
        options: How it was read.
        identifiers: The columns to be replaced by pseudonyms.
        subject: The column that names the person of a row.
        notices: What to tell about what was read.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> sh.read(pa.table({"age": [31, 34]}), {"age": sh.Quasi(kind="number")})
        <Data: 2 records; quasi age>
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

    def __repr__(self) -> str:
        local = self.local
        roles = {"quasi": (*local.quasi, *local.quasi_sets), "sensitive": local.sensitive}
        told = (f"{role} {_listed(names)}" for role, names in roles.items() if names)
        return f"<Data: {'; '.join((f'{self.row_count:,} records', *told))}>"


def read(
    source: Any,
    columns: Mapping[str, Role],
    *,
    options: ReadOptions = ReadOptions(),  # noqa: B008  (frozen)
    subject: str | None = None,
) -> Data:
    """Read a file or a frame, and bind its quasi-identifiers to their hierarchies."""
    give_large_arrays_back()
    if isinstance(source, str) and is_remote(source):
        source = RemoteFile(source)
    with at_hand(source) as copy:
        loaded = named_as(read_table(copy, checked_roles(columns), options), copy, source)
    roles = loaded.roles
    table, subjects, notices = _by_person(loaded, roles, subject)
    bound, trees, binding_notices = _bind_all(table, roles)
    original = _sharing(table, bound)
    identifiers = {
        name: bound.coded(name)
        for name, role in roles.items()
        if isinstance(role, Identifier) and role.pseudonym and name in bound.columns
    }
    hidden = [name for name, role in roles.items() if isinstance(role, Identifier)]
    local = LocalData(bound.without(hidden), roles, trees, subjects)
    return Data(
        local=local,
        original=original.without(hidden),
        loaded=loaded if table is not loaded.table else replace(loaded, table=original),
        options=options,
        identifiers=identifiers,
        subject=subject,
        notices=(*loaded.notices, *notices, *binding_notices),
    )


def _sharing(table: Table, bound: Table) -> Table:
    """The same values, with sets in the codes of their trees, so that these are not in memory twice.

    Sets that lost items when they were bound, or whose trees have leaves that do not occur, stay as they are.
    """
    shared = {
        name: column
        for name, column in bound.columns.items()
        if isinstance(column, Sets) and _tell_the_same(table.sets(name), column)
    }
    return table.replacing(shared)


def _tell_the_same(sets: Sets, bound: Sets) -> bool:
    same_labels = set(sets.domain.texts()) == set(bound.domain.texts())
    return same_labels and len(sets.narrow) == len(bound.narrow)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


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
        return loaded.table, None, []
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


def _names_values(column: str) -> str:
    return (
        f"column {column!r}: groups made by fanout are called by values of single records, in alphabetical"
        " order; ranges, order, keep, prefixes or a hierarchy file say more and tell less"
    )


def _bind_all(table: Table, roles: Mapping[str, Role]) -> tuple[Table, dict[str, Hierarchy], list[str]]:
    columns: dict[str, Column] = {}
    trees: dict[str, Hierarchy] = {}
    notices: list[str] = []
    problems: list[Problem] = []
    for name, role in roles.items():
        if isinstance(role, Quasi | QuasiSet):
            problems += unpublishable_tree(name, role)
        if isinstance(role, Quasi | QuasiSet) and role.hierarchy is not None:
            column = table.column(name)
            try:
                bound = bind(name, column, role)
            except BadInput as error:
                problems += error.problems
                continue
            columns[name], trees[name] = bound.column, bound.tree
            notices += bound.notices
            if isinstance(role, Quasi) and isinstance(role.hierarchy, Fanout):
                notices.append(_names_values(name))
    if problems:
        raise BadInput(*problems)
    return table.replacing(columns), trees, notices
