"""A policy to start from, made of what a file looks like."""

import re
from pathlib import Path
from typing import Any

from shoal.errors import BadInput, Problem
from shoal.policy.policy_text import policy_text
from shoal.study.profile import ColumnProfile, Profile

MANY = 20  # distinct values from which a tree helps more than a list
POSTAL = re.compile(r"(zip|postal|postcode|plz)", re.I)

Sections = dict[str, dict[str, Any]]


def starter_sections(found: Profile, data: str) -> Sections:
    """The sections of a first policy for a file at the path `data`; columns to leave out are left out."""
    columns = [column for column in found.columns if column.role != "drop"]
    of_data: dict[str, Any] = {"path": data, "missing": list(dict.fromkeys(found.missing))}
    if len(columns) < len(found.columns):
        of_data["others"] = "drop"
    has_sets = any(column.kind == "set" and column.role == "quasi" for column in columns)
    has_table = any(column.kind != "set" and column.role == "quasi" for column in columns)
    model = "k-km-anonymity" if has_sets and has_table else "km-anonymity" if has_sets else "k-anonymity"
    return {
        "data": of_data,
        "columns": {column.name: column_entry(column) for column in columns},
        "privacy": {"model": model, "k": 5, "m": 2 if has_sets else None},
        "algorithm": {"name": "auto"},
        "output": {"path": "published.csv"},
    }


def column_entry(column: ColumnProfile) -> dict[str, Any]:
    """What a policy could say about a column."""
    entry: dict[str, Any] = {"role": column.role}
    if column.role in ("quasi", "sensitive") and column.kind != "category":
        entry["kind"] = column.kind
    if column.role == "quasi":
        if column.kind == "set" and column.separator is not None:
            entry["separator"] = column.separator
        entry["hierarchy"] = suggested_recipe(column)
    return entry


def suggested_recipe(column: ColumnProfile) -> dict[str, Any]:
    """A recipe for the hierarchy of a column."""
    if POSTAL.search(column.name) and column.kind in ("number", "category"):
        return {"mask": "right"}
    if column.kind == "date":
        return {"dates": ["month", "year", "decade"]}
    many = column.kind in ("number", "set") or column.distinct > MANY
    return {"fanout": 5} if many else {"flat": True}


def starter_policy(found: Profile, data: Path, policy: Path) -> None:
    """Write a policy to start from; an existing file is never overwritten."""
    if policy.exists():
        raise BadInput(
            Problem("exists already", "choose another name for the starter policy", file=str(policy))
        )
    sections = starter_sections(found, _relative(data, policy))
    remarks = {column.name: column.reason for column in found.columns}
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
