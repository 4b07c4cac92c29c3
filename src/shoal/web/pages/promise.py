"""The fourth step: what is promised, chosen by what somebody may know."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from shoal.web.pages.frame import (
    Place,
    ask,
    attempt,
    bullets,
    card,
    first_do,
    heading,
    onward,
    paragraph,
    show_problems,
)
from shoal.web.service.files import ending_of


@dataclass(frozen=True, slots=True)
class Knowledge:
    """An answer to the question what somebody may know, and the promise that holds against it."""

    model: str
    answer: str
    parameters: tuple[str, ...]
    table: bool
    sets: bool


ANSWERS = (
    Knowledge("k-anonymity", "All the single values of a person", ("k",), table=True, sets=False),
    Knowledge(
        "k-km-anonymity", "All the single values, and some of the items", ("k", "m"), table=True, sets=True
    ),
    Knowledge("km-anonymity", "Some of a person's items", ("k", "m"), table=False, sets=True),
    Knowledge("set-k-anonymity", "All of a person's items", ("k",), table=False, sets=True),
    Knowledge(
        "disassociation",
        "Some of a person's items, and every item must stay as it is",
        ("k", "m"),
        table=False,
        sets=True,
    ),
    Knowledge(
        "differential-privacy",
        "Anything: publish new records that depend little on any one person",
        ("epsilon",),
        table=False,
        sets=True,
    ),
)
_LEARNING = {
    "none": "Nothing more is promised about it",
    "l": "Among those whom a person hides with, no value makes up more than one in l (l-diversity)",
    "t": "Among them it is spread as in the whole file, up to a distance of t (t-closeness)",
    "alpha": "Among them no value makes up more than the share alpha",
}
_SLIDERS = {  # what a number means; the least, the most and the steps of its slider
    "m": ("Somebody knows up to so many items of a person (m)", (1, 5, 1)),
    "k": ("A person hides among at least so many (k)", (2, 100, 1)),
    "epsilon": ("How much may depend on one person, the smaller the less (epsilon)", (0.1, 5, 0.1)),
    "l": ("At most one in so many (l)", (2, 10, 1)),
    "t": ("The distance, from 0 for the same to 1 for nothing alike (t)", (0.05, 1, 0.05)),
    "alpha": ("The share, from 0 to 1 (alpha)", (0.05, 1, 0.05)),
}
_SAFE = {"k": 5, "m": 2, "epsilon": 1.0, "l": 2, "t": 0.2, "alpha": 0.5}
_DIVERSITY = ("l", "t", "alpha", "diversity", "distance", "c")
Change = Callable[[], Awaitable[None]]


async def promise_page(place: Place, _: str | None) -> None:
    """Questions, and below them what the answers promise, which changes with every one."""
    sections = await ask(place.service.policies.get, place.project.id)
    entries = sections.get("columns", {})
    fitting = fitting_answers(entries)
    if not fitting:
        sentence = "No column is one that somebody could know: choose roles first."
        first_do(sentence, "To the columns", place.link("columns"))
        return
    privacy: dict[str, Any] = dict(sections.get("privacy", {}))
    if privacy.get("model") not in [each.model for each in fitting]:
        privacy = {"model": fitting[0].model, "k": privacy.get("k", _SAFE["k"])}
    _complete(privacy)
    trouble = ui.column().classes("w-full")

    async def changed() -> None:
        _complete(privacy)
        await _save(place, privacy, trouble)
        await _explain(place, privacy, meaning)

    async def choose(model: str) -> None:
        wanted = (*_answer(model).parameters, "l")
        kept = {name: privacy[name] for name in wanted if name in privacy}
        privacy.clear()
        privacy.update(model=model, **kept)
        _complete(privacy)
        _numbers(numbers, privacy, changed)
        _learning(learning, sensitive, privacy, changed)
        await changed()

    with card("What might somebody know about a person in this file?"):
        answers = ui.radio({each.model: each.answer for each in fitting}, value=privacy["model"])
        answers.props("dense").on_value_change(lambda event: choose(event.value))
    sensitive = _sensitive(entries)
    numbers = ui.column().classes("w-full")
    learning = ui.column().classes("w-full")
    _numbers(numbers, privacy, changed)
    _learning(learning, sensitive, privacy, changed)
    with ui.column().classes("shoal-soft"):
        heading("What this promises")
        meaning = ui.column().classes("w-full").props('aria-live="polite"')
    await changed()
    onward("On to the run", place, "run")


def fitting_answers(entries: Mapping[str, Mapping[str, Any]]) -> list[Knowledge]:
    """What somebody may know of such columns."""
    kinds = [each.get("kind", "category") for each in entries.values() if each.get("role") == "quasi"]
    table, sets = any(kind != "set" for kind in kinds), "set" in kinds
    return [each for each in ANSWERS if (each.table, each.sets) == (table, sets)]


def _answer(model: str) -> Knowledge:
    return next(each for each in ANSWERS if each.model == model)


def _sensitive(entries: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What nobody should learn: sensitive columns, and sensitive items of sets."""
    columns = [name for name, entry in entries.items() if entry.get("role") == "sensitive"]
    items = [f"{item} in {name}" for name, entry in entries.items() for item in entry.get("sensitive", [])]
    return columns + items


def _complete(privacy: dict[str, Any]) -> None:
    """Give every parameter of the chosen promise a safe value."""
    for name in _answer(privacy["model"]).parameters:
        if privacy.get(name) is None:
            privacy[name] = _SAFE[name]


def _numbers(area: ui.element, privacy: dict[str, Any], changed: Change) -> None:
    wanted = _answer(privacy["model"]).parameters
    area.clear()
    with area, card("How well shall a person hide?"):
        for name in ("m", "k", "epsilon"):
            if name in wanted:
                _slider(privacy, name, changed)


def _slider(privacy: dict[str, Any], name: str, changed: Change) -> None:
    title, (least, most, step) = _SLIDERS[name]
    ui.label(title)
    with ui.row().classes("items-center w-full no-wrap"):
        slider = ui.slider(min=least, max=max(most, privacy[name]), step=step, value=privacy[name])
        slider.classes("grow").props["aria-label"] = title
        whole = 0 if name in ("k", "m") else None
        number = ui.number(value=privacy[name], min=0, step=step, precision=whole).props("outlined dense")
        number.classes("w-24").bind_value(slider)
        number.props["aria-label"] = f"{title}, as a number"

    async def set_value() -> None:
        if slider.value is not None and slider.value != privacy[name]:
            privacy[name] = int(slider.value) if float(slider.value).is_integer() else slider.value
            await changed()

    slider.on("change", set_value)
    number.on("change", set_value)


def _learning(area: ui.element, sensitive: list[str], privacy: dict[str, Any], changed: Change) -> None:
    """What shall stay hidden of sensitive values, if there are any."""
    area.clear()
    if not sensitive or "k" not in _answer(privacy["model"]).parameters:
        return
    wider = privacy["model"] == "k-anonymity"
    offered = {key: text for key, text in _LEARNING.items() if wider or key in ("none", "l")}
    current = next((name for name in ("l", "t", "alpha") if privacy.get(name) is not None), "none")

    async def choose(kind: str) -> None:
        for name in _DIVERSITY:
            privacy.pop(name, None)
        if kind != "none":
            privacy[kind] = _SAFE[kind]
        show(kind)
        await changed()

    def show(kind: str) -> None:
        value.clear()
        if kind != "none":
            with value:
                _slider(privacy, kind, changed)

    with area, card(f"And what may be learned about {', '.join(sensitive)}?"):
        radio = ui.radio(offered, value=current if current in offered else "none").props("dense")
        radio.on_value_change(lambda event: choose(event.value))
        value = ui.column().classes("w-full")
        show(str(radio.value))


async def _save(place: Place, privacy: Mapping[str, Any], trouble: ui.element) -> None:
    service, project = place.service, place.project.id
    sections = await ask(service.policies.get, project)
    model_changed = sections.get("privacy", {}).get("model") != privacy["model"]
    kept = {"privacy": dict(privacy)}
    if model_changed:
        kept["algorithm"] = {"name": "auto"}
        kept["output"] = {"path": _published_name(privacy["model"], sections.get("data", {}).get("path", ""))}
    await attempt(trouble, service.policies.replace, project, {**sections, **kept})


def _published_name(model: str, data: str) -> str:
    """A name for the published file, in the form that the release has."""
    if model == "disassociation":
        return "published.jsonl"
    return "published.txt" if ending_of(data).startswith((".txt", ".dat")) else "published.csv"


async def _explain(place: Place, privacy: Mapping[str, Any], area: ui.element) -> None:
    meaning = await attempt(area, place.service.policies.meaning, place.project.id, privacy)
    problems = await ask(place.service.policies.problems, place.project.id)
    if meaning is None:
        return
    with area:
        for sentence in meaning.promises:
            paragraph(sentence)
        heading("What it does not stop", level=3)
        bullets(f"{limit.title}: {limit.text}" for limit in meaning.limits)
        if problems:
            show_problems(problems, "Still to be settled")
