"""The Python script that does what a policy says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

from shoal.hierarchy.builders import Dates, Digits, Fanout, Flat, Mask, Ranges
from shoal.hierarchy.files import HierarchyFile
from shoal.policy.plan import Plan, plan_of
from shoal.policy.policy_file import Policy, PolicyFile
from shoal.table.dialect import PLAIN

_INDENT = "    "


def script_text(policy: Policy) -> str:
    """A script to be run beside the data; it writes the folder `out` and exits with an error if it cannot."""
    plan = plan_of(PolicyFile(policy, Path("policy.toml"), ""))
    roles = "".join(f"{_INDENT}{name!r}: {code(role)},\n" for name, role in plan.roles.items())
    models = ", ".join(map(code, plan.models))
    marking = ", neutralize_formulas=True" if plan.neutralize_formulas else ""
    if plan.partitioned:
        marking += ", partitioned=True"
    if plan.dialect != PLAIN:
        marking += f", dialect={code(plan.dialect)}"
    return (
        '"""Anonymize, verify and measure, as the policy says that this script was made from."""\n\n'
        "import shoal as sh\n\n"
        f"columns = {{\n{roles}}}\n"
        f"data = sh.read({_arguments(_reading(plan))})\n"
        f"result = sh.anonymize(data, {models if len(plan.models) == 1 else f'[{models}]'}"
        f"{''.join(f', {name}={code(value)}' for name, value in _search(plan).items())})\n"
        f"for verdict in result.verdicts:\n"
        f'{_INDENT}print(verdict.claim, "holds:", verdict.holds, verdict.evidence)\n'
        'print("loss:", result.loss)\n'
        f'result.save("out", published={plan.output_path!r}{marking})\n'
    )


def _reading(plan: Plan) -> dict[str, Any]:
    options = _given(plan.read_options)
    reading: dict[str, Any] = {"": _Code(f"{str(plan.data_path)!r}, columns")}
    if options:
        reading["options"] = _Code(f"sh.ReadOptions({_arguments(options)})")
    if plan.subject is not None:
        reading["subject"] = plan.subject
    return reading


def _search(plan: Plan) -> dict[str, Any]:
    search, limits = plan.search, plan.search.limits
    given: dict[str, Any] = {"algorithm": search.algorithm, "seed": search.seed, **search.options}
    given |= {"time_limit": limits.time, "memory_limit": limits.memory}
    if limits.on_limit != "stop":
        given["on_limit"] = limits.on_limit
    if search.recoding != "any":
        given["recoding"] = search.recoding
    if search.keep_order:
        given["keep_order"] = True
    if plan.task is not None:
        given["target"] = plan.task.target
    return {name: value for name, value in given.items() if value is not None}


class _Code(str):
    """Code that is written as it is."""

    __slots__ = ()


def code(value: Any) -> str:
    """A value as an expression of a script that has `import shoal as sh`."""
    match value:
        case _Code():
            return str(value)
        case Enum():
            return repr(value.value)
        case Fraction():
            return repr(int(value) if value.denominator == 1 else float(value))
        case Mapping():
            return "{" + ", ".join(f"{name!r}: {code(entry)}" for name, entry in value.items()) + "}"
        case list() | tuple():
            return _listed(value)
        case _:
            return _of_shoal(value) if is_dataclass(value) else repr(value)


def _listed(values: Sequence[Any]) -> str:
    entries = ", ".join(map(code, values))
    if isinstance(values, list):
        return f"[{entries}]"
    return f"({entries},)" if len(values) == 1 else f"({entries})"


def _of_shoal(value: Any) -> str:
    """A role, a model, options, or where a tree comes from."""
    if isinstance(value, HierarchyFile):
        return f"sh.HierarchyFile({str(value.path)!r})"
    if isinstance(value, Ranges):
        start = f", start={value.start!r}" if value.start else ""
        return f"sh.ranges({', '.join(map(repr, value.widths))}{start})"
    if isinstance(value, Mask):
        return f"sh.mask_{value.side}()"
    if isinstance(value, Dates):
        return f"sh.dates({', '.join(map(repr, value.levels))})"
    if isinstance(value, Fanout | Digits | Flat):
        return f"sh.{type(value).__name__.lower()}({_arguments(_given(value))})"
    return f"sh.{type(value).__name__}({_arguments(_given(value))})"


def _given(value: Any) -> dict[str, Any]:
    """The fields of a dataclass that differ from their defaults."""
    return {
        part.name: found
        for part in fields(value)
        if part.init and (found := getattr(value, part.name)) != part.default and found not in ({}, ())
    }


def _arguments(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={code(value)}" if name else code(value) for name, value in given.items())
