"""From settings that name files as people do to a policy that a run can read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import BadInput, Problem
from shoal.policy.plan import Plan, plan_of
from shoal.policy.policy_file import Policy, PolicyFile, parse_policy
from shoal.policy.policy_text import policy_text
from shoal.web.service.wording import Names

POLICY_NAME = "policy.toml"
REQUEST, OUT = "request.json", "out"  # of a job, in its folder


@dataclass(frozen=True, slots=True)
class BoundPolicy:
    """A policy with the paths of stored files in the places of their names, and how to name them again."""

    file: PolicyFile
    names: Names


def bound_policy(sections: Mapping[str, Mapping[str, Any]], names: Names, place: Path) -> BoundPolicy:
    """The policy with stored paths; its text keeps the names that people gave.

    BadInput lists everything that keeps the sections from being a policy of these files.
    """
    text = sections_text(sections)
    shown = parse_policy(text, file=POLICY_NAME)
    _refuse_unknown_files(shown, names)
    return BoundPolicy(PolicyFile(_with_paths(shown, names), place, text), names)


def plan_of_job(request: Mapping[str, Any], folder: Path) -> Plan:
    """What the request of a job asks for."""
    return plan_of(bound_policy(request["sections"], Names(request["names"]), folder / POLICY_NAME).file)


def stored_text(sections: Mapping[str, Mapping[str, Any]], names: Names) -> str:
    """The text of the policy with stored paths, for what reads it from a file."""
    columns = {
        name: {**column, "hierarchy": names.path_of(column["hierarchy"])}
        if isinstance(column.get("hierarchy"), str)
        else column
        for name, column in sections["columns"].items()
    }
    data = {**sections["data"], "path": names.path_of(sections["data"]["path"])}
    return sections_text({**sections, "data": data, "columns": columns})


def sections_text(sections: Mapping[str, Mapping[str, Any]]) -> str:
    """The sections as TOML; BadInput for what could never be a policy."""
    try:
        json.dumps(sections, ensure_ascii=False, allow_nan=False).encode()  # as programs are told them
        return policy_text(sections)
    except UnicodeEncodeError as error:
        what = "the settings hold half of a character, which no file can hold"
        raise BadInput(Problem(what, "write that text anew")) from error
    except (TypeError, AttributeError, ValueError, RecursionError) as error:
        raise BadInput(Problem(f"is no policy: {error}", "give sections with plain values")) from error


def _refuse_unknown_files(policy: Policy, names: Names) -> None:
    if policy.data.url is not None or policy.output.table is not None:
        what = "the web page reads and writes files of a project, not databases"
        raise BadInput(Problem(what, "use the command line"))
    path = policy.data.path or ""
    problems = [] if names.knows(path) else [_no_such_file(path, "data")]
    problems += [
        _no_such_file(column.hierarchy, f"columns.{name}")
        for name, column in policy.columns.items()
        if isinstance(column.hierarchy, str) and not names.knows(column.hierarchy)
    ]
    if problems:
        raise BadInput(*problems)


def _no_such_file(name: str, where: str) -> Problem:
    return Problem(f"{where} names {name!r}, which is no file of this project", "upload it, or name another")


def _with_paths(policy: Policy, names: Names) -> Policy:
    """The policy with stored paths in the places of file names; they are absolute."""
    columns = {
        name: column.model_copy(update={"hierarchy": names.path_of(column.hierarchy)})
        if isinstance(column.hierarchy, str)
        else column
        for name, column in policy.columns.items()
    }
    data = policy.data.model_copy(update={"path": names.path_of(policy.data.path or "")})
    return policy.model_copy(update={"data": data, "columns": columns})
