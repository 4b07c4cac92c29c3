"""A published file as its readers have it, and what the promise about it is worth."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal.engine.local import LocalData
from shoal.engine.port import Question
from shoal.errors import BadInput, Problem
from shoal.privacy.model import Form
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import Verdict
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.disassociated_file import read_clusters
from shoal.run.codebook_check import embedded_flaws
from shoal.run.label_leaves import leaves_from_files
from shoal.run.safety import together_notices, verdicts_of, verify_release
from shoal.table.beside import beside_the_table
from shoal.table.canonical import canonical
from shoal.table.dialect import PLAIN, Dialect
from shoal.table.reading import ReadOptions, read_published
from shoal.table.roles import Identifier, QuasiSet, Role

# Of a published file every text but the empty one is a value.
AS_PUBLISHED = ReadOptions(missing=())


@dataclass(frozen=True, slots=True, eq=False)
class VerifiedFile:
    """What a published file holds, one verdict per promise, and what its reader noticed."""

    content: LocalData | Disassociated
    verdicts: tuple[Verdict, ...]
    notices: tuple[str, ...] = ()


def verified_file(
    file: Any,
    roles: Mapping[str, Role],
    promise: Promise,
    options: ReadOptions,
    *,
    dialect: Dialect = PLAIN,
    just_made: bool = False,
) -> VerifiedFile:
    """Read a published file, if it is delimited text in the given dialect, and check every promise.

    Of a file that was `just_made` here also what no file can show is known.
    """
    beside = beside_the_table(file)
    if promise.form is Form.CLUSTERS:
        sensitive = [item for role in roles.values() if isinstance(role, QuasiSet) for item in role.sensitive]
        clusters = read_clusters(_path(file), sensitive)
        verdicts = verdicts_of(clusters, promise, beside.refused)
        return VerifiedFile(clusters, verdicts, beside.listed)
    loaded = read_published(file, roles, _all_columns(options), dialect)
    leaves = leaves_from_files(loaded.table, loaded.roles) if asks_for_absence(promise) else {}
    data = LocalData(loaded.table, loaded.roles, leaves_of_label=leaves)
    dropped = columns_to_drop(loaded.roles, roles, options)
    told = () if beside.codebook is None else embedded_flaws(beside.codebook, data)
    verdicts = verify_release(data, promise, dropped, (*beside.refused, *told), just_made=just_made)
    return VerifiedFile(data, verdicts, (*beside.listed, *loaded.notices, *together_notices(data, promise.k)))


def asks_for_absence(promise: Promise) -> bool:
    """Whether a check has to know the hierarchies: they say what else a label could stand for."""
    return any(Question.ABSENCE in model.asks for model in promise)


def with_hierarchies(roles: Mapping[str, Role], originals: Mapping[str, Role]) -> dict[str, Role]:
    """The roles of a published file with the hierarchies of its original."""
    return {name: _with_hierarchy(role, originals.get(name)) for name, role in roles.items()}


def _with_hierarchy(role: Role, original: Role | None) -> Role:
    if isinstance(role, QuasiSet) and isinstance(original, QuasiSet):
        return replace(role, hierarchy=original.hierarchy)
    return role


def columns_to_drop(found: Mapping[str, Role], roles: Mapping[str, Role], options: ReadOptions) -> list[str]:
    """The columns of a release that should not be in it."""
    dropped = [name for name, role in found.items() if isinstance(role, Identifier) and not role.pseudonym]
    if options.others == "drop":
        named = set(map(canonical, roles))
        dropped += [name for name in found if name not in named]
    return dropped


def _all_columns(options: ReadOptions) -> ReadOptions:
    """The options of the policy, but columns that it drops are read if they are there."""
    return replace(options, others="insensitive") if options.others == "drop" else options


def _path(file: Any) -> Path:
    if not isinstance(file, str | os.PathLike):
        raise BadInput(Problem("disassociated data are clusters, not a table", "name their file"))
    return Path(file)
