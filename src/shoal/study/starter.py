"""A policy to start from, made of what a file looks like."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.errors import BadInput, Problem
from shoal.policy.policy_text import policy_text
from shoal.study.profile import ColumnProfile, Profile
from shoal.table.reading import HowRead

_WELL_BELOW_HALF = 0.4  # with at most one in two alike, every class still has room
_HARDLY_ANYTHING_ELSE = (
    0.95  # shares of records with one value, above which two values in a class cost too much
)

Sections = dict[str, dict[str, Any]]


def starter_sections(found: Profile, data: str) -> Sections:
    """The sections of a first policy for a file at the path `data`; columns to leave out are left out."""
    columns = [column for column in found.columns if column.role != "drop"]
    of_data: dict[str, Any] = {"path": data, "missing": list(dict.fromkeys(found.missing))}
    if len(columns) < len(found.columns):
        of_data["others"] = "drop"
    of_data |= read_as_given(found.read_as)
    of_data["subject"] = found.subject
    has_sets = any(column.kind == "set" and column.role == "quasi" for column in columns)
    has_table = any(column.kind != "set" and column.role == "quasi" for column in columns)
    model = "k-km-anonymity" if has_sets and has_table else "km-anonymity" if has_sets else "k-anonymity"
    return {
        "data": of_data,
        "columns": {column.name: column_entry(column) for column in columns},
        "privacy": {
            "model": model,
            "k": 5,
            "m": 2 if has_sets else None,
            **(promise_about([each for each in columns if each.role == "sensitive"]) if not has_sets else {}),
        },
        "algorithm": {"name": "auto"},
        "output": {"path": "published.csv"},
    }


def promise_about(sensitive: Sequence[ColumnProfile]) -> dict[str, Any]:
    """What a policy could promise about sensitive columns, as far as their values can keep it."""
    most = max((column.most_frequent for column in sensitive), default=1.0)
    if not sensitive or most > _HARDLY_ANYTHING_ELSE:
        return {}
    return {"l": 2} if most <= _WELL_BELOW_HALF else {"l": 2, "diversity": "distinct"}


def read_as_given(how: HowRead) -> dict[str, Any]:
    """How a policy says in which way a file is read, if not as is usual."""
    usual = {"encoding": ("utf-8", "utf-8-sig"), "delimiter": (",", "\t"), "sheet": ()}
    found = {name: getattr(how, name) for name in usual}
    return {name: value for name, value in found.items() if value is not None and value not in usual[name]}


def column_entry(column: ColumnProfile) -> dict[str, Any]:
    """What a policy could say about a column."""
    entry: dict[str, Any] = {"role": column.role}
    if column.role in ("quasi", "sensitive"):
        if column.kind != "category":
            entry["kind"] = column.kind
        entry |= written_as(column)
    if column.role == "quasi":
        if column.kind == "set" and column.separator is not None:
            entry["separator"] = column.separator
        entry["hierarchy"] = dict(column.recipe) or default_recipe(column.kind)
    return entry


def written_as(column: ColumnProfile) -> dict[str, Any]:
    """How a policy says in which way numbers or dates of a column are written, if not plainly."""
    if column.kind == "number":
        style = {"decimal": column.decimal, "thousands": column.thousands or None}
        return {} if (column.decimal, column.thousands) == (".", "") else style
    return {"format": column.date_format} if column.kind == "date" and column.date_format else {}


def default_recipe(kind: str) -> dict[str, Any]:
    """A recipe for a column of which only the kind is known."""
    recipes: dict[str, dict[str, Any]] = {
        "number": {"ranges": [5, 10, 20, 40]},
        "date": {"dates": ["month", "year", "decade"]},
        "set": {"fanout": 5},
    }
    return recipes.get(kind, {"flat": True})


def starter_policy(found: Profile, data: Path, policy: Path) -> None:
    """Write a policy to start from; an existing file is never overwritten."""
    if policy.exists():
        raise BadInput(
            Problem("exists already", "choose another name for the starter policy", file=str(policy))
        )
    sections = starter_sections(found, _relative(data, policy))
    of_file = sections["columns"]
    sections["columns"] = {column.name: of_file.get(column.name) for column in found.columns}
    remarks = {column.name: "; ".join((column.reason, *column.notes)) for column in found.columns}
    try:
        policy.write_text(policy_text(sections, remarks), encoding="utf-8")
    except OSError as error:
        raise BadInput(
            Problem(f"cannot be written: {error.strerror}", "choose another place", file=str(policy))
        ) from error


def _relative(data: Path, policy: Path) -> str:
    try:
        return str(data.resolve().relative_to(policy.resolve().parent))
    except ValueError:
        return str(data.resolve())
