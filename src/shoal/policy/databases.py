"""The tables of databases that a policy names: where data come from, and where a release goes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.errors import BadInput, Problem
from shoal.policy.environment import value_at
from shoal.policy.policy_file import PolicyFile
from shoal.table.database import ChildTable, DatabaseTable, name_parts, scheme_of, secrets_in

_VARIABLES = re.compile(r"(?:\$\{[^{}]*\})+")
_PASSWORD = "the url holds a password, which everybody would see who sees the policy"  # noqa: S105
_ELSEWHERE = "write ${NAME} for an environment variable, or use PGPASSWORD, ~/.pgpass or a service file"


def database_problems(file: PolicyFile) -> list[Problem]:
    """Keys that do not go together, and passwords that stand in the policy."""
    return list(_problems(file))


def data_table(file: PolicyFile) -> DatabaseTable | None:
    """The table that the data are in; None if they are in a file."""
    data = file.policy.data
    if data.url is None:
        return None
    sets = {
        name: ChildTable(table=child.table, key=child.key, item=child.item, parent=child.parent or child.key)
        for name, child in data.sets.items()
    }
    source = DatabaseTable(url=data.url, table=data.table, query=data.query, sets=sets)
    return source.beside(file.path.parent)


def output_table(file: PolicyFile) -> DatabaseTable | None:
    """The table that a release becomes, beside the files; None if it becomes none."""
    output, data = file.policy.output, file.policy.data
    if output.table is None:
        return None
    target = DatabaseTable(url=output.url or data.url or "", table=output.table)
    return target.beside(file.path.parent)


def _problems(file: PolicyFile) -> Iterator[Problem]:
    data, output = file.policy.data, file.policy.output
    if data.url is None and (data.table or data.query or data.sets):
        yield file.problem("data.table, query and sets are those of a database", "add data.url", at=("data",))
    if data.url is not None:
        if data.path is not None:
            yield file.problem("data.path and data.url exclude each other", "keep one", at=("data", "url"))
        if (data.table is None) == (data.query is None):
            what = "a database needs data.table or data.query, and not both"
            yield file.problem(what, "name what to read", at=("data", "url"))
        if data.long is not None:
            what = "data.long is for files; sets of a database are named under data.sets"
            yield file.problem(what, "see docs/databases.md", at=("data", "long"))
    if output.url is not None and output.table is None:
        yield file.problem("output.url needs output.table", "name the table", at=("output", "url"))
    if output.table is not None and output.url is None and data.url is None:
        yield file.problem("output.table needs a database", "add output.url", at=("output", "table"))
    for section, url in (("data", data.url), ("output", output.url)):
        if url is not None:
            yield from _url_problems(file, section, url)
    names = [("data", "table", data.table), ("output", "table", output.table)]
    names += [("data", "sets", child.table) for child in data.sets.values()]
    for section, key, name in names:
        if name is not None:
            yield from _name_problems(file, (section, key), name)


def _url_problems(file: PolicyFile, section: str, url: str) -> Iterator[Problem]:
    try:
        scheme_of(url)
    except BadInput as error:
        yield from (file.problem(each.what, each.remedy, at=(section, "url")) for each in error.problems)
    written = None if file.written is None else value_at(file.written.content, (section, "url"))
    held = secrets_in(written if isinstance(written, str) else url)
    if any(not _VARIABLES.fullmatch(secret) for secret in held):
        yield file.problem(_PASSWORD, _ELSEWHERE, at=(section, "url"))


def _name_problems(file: PolicyFile, at: tuple[str, str], name: str) -> Iterator[Problem]:
    try:
        name_parts(name)
    except BadInput as error:
        yield from (file.problem(each.what, each.remedy, at=at) for each in error.problems)
