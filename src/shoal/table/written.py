"""How numbers and dates of a column are written: as its role says, or else as the options for all columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.table.columns import Kind
from shoal.table.number_style import NumberStyle
from shoal.table.options import ReadOptions
from shoal.table.roles import Quasi, Role, Sensitive


@dataclass(frozen=True, slots=True)
class HowWritten:
    """The style of numbers and the format of dates; None for both as they are published."""

    style: NumberStyle | None = None
    date_format: str | None = None


PUBLISHED = HowWritten()


def as_options_say(roles: Mapping[str, Role], options: ReadOptions) -> dict[str, Role]:
    """The roles with the style of numbers and the format of dates that they leave to the options.

    Raises BadInput for a style that a role and the options make together and that cannot be.
    """
    told: dict[str, Role] = {}
    problems = []
    for name, role in roles.items():
        try:
            told[name] = _told(role, options)
        except InvalidParameter as error:
            what = f"{error.name} must be {error.must_be}, got {error.value!r} from role and options together"
            problems.append(Problem(what, "give the column both decimal and thousands", column=name))
    if problems:
        raise BadInput(*problems)
    return told


def how_written(role: Role) -> HowWritten:
    """How an original writes the values of a column."""
    if not isinstance(role, Quasi | Sensitive):
        return HowWritten(NumberStyle())
    return HowWritten(NumberStyle(role.decimal or ".", role.thousands or ""), role.date_format)


def how_published(role: Role) -> HowWritten:
    """How a published file writes the values of a column: in one way only, but for its decimal mark."""
    decimal = role.decimal if isinstance(role, Quasi | Sensitive) else None
    return PUBLISHED if decimal in (None, ".") else HowWritten(NumberStyle(decimal))


def as_published(role: Quasi | Sensitive) -> Quasi | Sensitive:
    """The role of published values, which are written in one way only."""
    return replace(role, date_format=None, decimal=None, thousands=None)


def _told(role: Role, options: ReadOptions) -> Role:
    if isinstance(role, Quasi | Sensitive) and role.kind == Kind.NUMBER:
        return replace(
            role,
            decimal=options.decimal if role.decimal is None else role.decimal,
            thousands=options.thousands if role.thousands is None else role.thousands,
        )
    if isinstance(role, Quasi | Sensitive) and role.kind == Kind.DATE:
        return replace(role, date_format=role.date_format or options.date_format)
    return role
