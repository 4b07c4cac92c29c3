"""Fields for what only some columns have: how they are written, what their items weigh, what is confirmed."""

from datetime import date, timedelta
from typing import Any

from nicegui import ui

from shoal.errors import BadInput, Problem
from shoal.study.check import problems_of
from shoal.study.profile import ColumnProfile
from shoal.web.pages import frame as page
from shoal.web.pages.fields import DECIMALS, THOUSANDS, Fields, plain_number

_MISSING = {None: "count as a value of their own", "reject": "are refused"}
_UNKNOWN = {
    None: "are an error",
    "root": "become the coarsest label",
    "suppress": "are hidden",
}
_DAY_ZERO = date(1970, 1, 1)


def column_fields(known: ColumnProfile, fields: Fields) -> None:
    """What a column's role and kind leave to say."""
    role, kind = fields.held.get("role"), fields.held.get("kind", "category")
    if role == "identifier":
        fields.switch("Keep a random pseudonym in its place", "pseudonym")
    if role in ("quasi", "sensitive"):
        with ui.element("div").classes("shoal-fields"):
            _written(kind, fields)
            if kind != "set":
                fields.choice("Missing values", "missing", _MISSING)
    if role == "quasi":
        with ui.expansion("More about it").classes("w-full"):
            with ui.element("div").classes("shoal-fields"):
                _of_quasi(kind, fields)
            if kind == "set":
                fields.switch("An item may stand in a set more than once", "multiset")
            fields.switch("The codebook shows its whole hierarchy", "publish_hierarchy")
    if role == "insensitive" and known.kind == "set":
        fields.text("Between the items of a list", "separator", strip=False)
    if role == "insensitive" and known.kind == "number":
        _unit(fields)
    if known.suspicious and role in ("quasi", "sensitive", "insensitive"):
        fields.switch("Publish it although it looks personal", "confirm")
        fields.text(f"Why {known.name} may be published", "reason")
    elif role == "insensitive":
        fields.switch(f"Publish it although it has {known.distinct:,} different values", "confirm")


def _written(kind: str, fields: Fields) -> None:
    if kind == "number":
        fields.choice("Decimal sign", "decimal", {None: "As the whole file has it", **DECIMALS})
        thousands = {None: "As the whole file has it", "": "Nothing", **THOUSANDS}
        fields.choice("Between thousands", "thousands", thousands)
        _unit(fields)
    if kind == "date":
        fields.text("Date format, such as %d.%m.%Y", "format")
    if kind == "set":
        fields.text("Between items", "separator", strip=False)
        fields.listed("Sensitive items, with | between", "sensitive")


def _unit(fields: Fields) -> None:
    fields.text("What its numbers count, such as EUR", "unit")


def _of_quasi(kind: str, fields: Fields) -> None:
    fields.number("Weight: how much its loss counts", "weight", usual=1)
    fields.choice("Values that its hierarchy lacks", "unknown", _UNKNOWN)
    fields.number("Made coarser by at least so many levels", "min_level", whole=True)
    fields.number("And at most", "max_level", whole=True)
    fields.numbers("Only these levels of its hierarchy, as in 0, 2, 3", "levels")
    if fields.held.get("hierarchy") is None and kind == "number":
        fields.numbers("Least and greatest value to count with, as in 0, 120", "bounds")
    if fields.held.get("hierarchy") is None and kind == "date":
        _days(fields)
    if kind == "set":
        _weights(fields)


def _days(fields: Fields) -> None:
    held = " ".join(str(_DAY_ZERO + timedelta(days=day)) for day in fields.held.get("bounds") or ())
    field = ui.input("First and last day to count with, as in 1990-01-01 2025-12-31", value=held)
    field.props("outlined dense")

    async def save() -> None:
        try:
            days = [
                (date.fromisoformat(word) - _DAY_ZERO).days
                for word in str(field.value or "").replace(",", " ").split()
            ]
        except ValueError:
            ui.notify("Days are written as in 1990-01-01.", type="warning")
            return
        await fields.change({"bounds": days or None})

    field.on("change", save)


def _weights(fields: Fields) -> None:
    entry: dict[str, Any] = fields.held.get("item_weights") or {}
    held = "|".join(f"{item}={weight:g}" for item, weight in entry.items())
    field = ui.input("Weights of items, from 0 to 1, as in 250.00=0.5|401.9=0", value=held)
    field.props("outlined dense")
    trouble = ui.column().classes("w-full")

    async def save() -> None:
        trouble.clear()
        try:
            await fields.change({"item_weights": weights_of(str(field.value or ""))})
        except BadInput as error:
            with trouble:
                page.show_problems(problems_of(error))

    field.on("change", save)


def weights_of(text: str) -> dict[str, float]:
    """Items with their weights; BadInput lists the parts that are none."""
    found: dict[str, float] = {}
    problems = []
    for part in filter(None, (part.strip() for part in text.split("|"))):
        item, _, weight = part.rpartition("=")
        try:
            number = float(weight)
        except ValueError:
            number = -1.0
        if not item or not 0 <= number <= 1:
            remedy = "write it as in 250.00=0.5, with a weight from 0 to 1"
            problems.append(Problem(f"{part!r} is no item with its weight", remedy))
        else:
            found[item.strip()] = plain_number(number) or 0
    if problems:
        raise BadInput(*problems)
    return found
