"""Fields for what only some columns have: how they are written, what their items weigh, what is confirmed."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui

from shoal.errors import BadInput, Problem
from shoal.study.check import problems_of
from shoal.study.profile import ColumnProfile
from shoal.web.pages import frame as page

Change = Callable[[dict[str, Any]], Awaitable[None]]
_MISSING = {"own": "count as a value of their own", "reject": "are refused"}
_UNKNOWN = {
    "error": "are an error",
    "root": "become the coarsest label",
    "suppress": "are hidden",
}


def column_fields(known: ColumnProfile, entry: Mapping[str, Any], change: Change) -> None:
    """What a column's role and kind leave to say."""
    role, kind = entry.get("role"), entry.get("kind", "category")
    if role == "identifier":
        _switch("Keep a random pseudonym in its place", "pseudonym", entry, change)
    if role in ("quasi", "sensitive"):
        with ui.element("div").classes("shoal-fields"):
            _written(kind, entry, change)
    if role == "quasi":
        with ui.expansion("More about it").classes("w-full"):
            with ui.element("div").classes("shoal-fields"):
                _of_quasi(kind, entry, change)
            if kind == "set":
                _switch("An item may stand in a set more than once", "multiset", entry, change)
            _switch("The certificate shows its hierarchy", "publish_hierarchy", entry, change)
    if known.suspicious and role in ("quasi", "sensitive", "insensitive"):
        _switch("Publish it although it looks personal", "confirm", entry, change)
        _text(f"Why {known.name} may be published", "reason", entry, change)
    elif role == "insensitive":
        _switch(f"Publish it although it has {known.distinct:,} different values", "confirm", entry, change)


def _written(kind: str, entry: Mapping[str, Any], change: Change) -> None:
    if kind == "number":
        _choice(
            "Decimal sign", {".": "A point, as in 3.5", ",": "A comma, as in 3,5"}, "decimal", entry, change
        )
        _choice(
            "Between thousands",
            {"": "Nothing", ",": "A comma", ".": "A point", " ": "A blank", "'": "An apostrophe"},
            "thousands",
            entry,
            change,
        )
    if kind == "date":
        _text("Date format, such as %d.%m.%Y", "format", entry, change)
    if kind == "set":
        _text("Between items", "separator", entry, change, strip=False)
        _listed("Sensitive items, with | between", "sensitive", entry, change)


def _of_quasi(kind: str, entry: Mapping[str, Any], change: Change) -> None:
    weight = ui.number("Weight: how much its loss counts", value=entry.get("weight", 1), min=0)
    weight.props("outlined dense").on("change", lambda: change({"weight": _number(weight.value)}))
    _choice("Missing values", _MISSING, "missing", entry, change)
    _choice("Values that its hierarchy lacks", _UNKNOWN, "unknown", entry, change)
    for title, key in (
        ("Made coarser by at least so many levels", "min_level"),
        ("And at most", "max_level"),
    ):
        level = ui.number(title, value=entry.get(key), min=0, precision=0).props("outlined dense clearable")
        level.on("change", lambda level=level, key=key: change({key: _whole(level.value)}))
    _numbers("Only these levels of its hierarchy, as in 0, 2, 3", "levels", entry, change)
    if kind == "number" and entry.get("hierarchy") is None:
        _numbers("Least and greatest value to count with, as in 0, 120", "bounds", entry, change)
    if kind == "set":
        _weights(entry, change)


def _numbers(title: str, key: str, entry: Mapping[str, Any], change: Change) -> None:
    held = ", ".join(f"{each:g}" for each in entry.get(key) or ())
    field = ui.input(title, value=held).props("outlined dense")

    async def save() -> None:
        words = str(field.value or "").replace(",", " ").split()
        try:
            numbers = [_number(float(word)) for word in words]
        except ValueError:
            ui.notify(f"{field.value} are no numbers.", type="warning")
            return
        await change({key: numbers or None})

    field.on("change", save)


def _weights(entry: Mapping[str, Any], change: Change) -> None:
    held = "|".join(f"{item}={weight:g}" for item, weight in entry.get("item_weights", {}).items())
    field = ui.input("Weights of items, as in 250.00=3|401.9=2", value=held).props("outlined dense")
    trouble = ui.column().classes("w-full")

    async def save() -> None:
        trouble.clear()
        try:
            await change({"item_weights": weights_of(str(field.value or ""))})
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
        if not item or number < 0:
            problems.append(Problem(f"{part!r} is no item with its weight", "write it as in 250.00=3"))
        else:
            found[item.strip()] = int(number) if number.is_integer() else number
    if problems:
        raise BadInput(*problems)
    return found


def _choice(title: str, offered: dict[str, str], key: str, entry: Mapping[str, Any], change: Change) -> None:
    held = entry.get(key) or next(iter(offered))
    choice = ui.select({**offered, held: offered.get(held, held)}, value=held, label=title)
    choice.props("outlined dense options-dense").on_value_change(lambda event: change({key: event.value}))


def _text(title: str, key: str, entry: Mapping[str, Any], change: Change, *, strip: bool = True) -> None:
    field = ui.input(title, value=str(entry.get(key) or "")).props("outlined dense")

    async def save() -> None:
        text = str(field.value or "")
        await change({key: (text.strip() if strip else text) or None})

    field.on("change", save)


def _listed(title: str, key: str, entry: Mapping[str, Any], change: Change) -> None:
    field = ui.input(title, value="|".join(entry.get(key, []))).props("outlined dense")

    async def save() -> None:
        await change({key: [part.strip() for part in str(field.value).split("|") if part.strip()]})

    field.on("change", save)


def _switch(title: str, key: str, entry: Mapping[str, Any], change: Change) -> None:
    box = ui.checkbox(title, value=bool(entry.get(key))).props("dense")
    box.on_value_change(lambda event: change({key: event.value}))


def _number(value: float | None) -> float | None:
    return None if value is None else int(value) if float(value).is_integer() else value


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
