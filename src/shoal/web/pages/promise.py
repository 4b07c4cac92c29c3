"""The fourth step: what is promised, chosen by what somebody may know."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from shoal.algorithms.catalogue import ALGORITHMS
from shoal.policy.promise import added_to, keys_of, named_models
from shoal.privacy.catalogue import MODELS
from shoal.privacy.model import SETS, VALUES, Form, Key, Model
from shoal.web.pages import frame as page
from shoal.web.pages.confirming import Confirmation
from shoal.web.pages.draft import Draft
from shoal.web.pages.frame import Place
from shoal.web.service.files import ending_of
from shoal.web.service.setting_words import WAYS_OF_COUNTING

_USUAL_C = 3
_NOTHING_MORE = "Nothing more is promised about it."
Change = Callable[[], Awaitable[None]]


async def promise_page(place: Place, _: str | None) -> None:
    """Questions, and below them what the answers promise, which changes with every one."""
    draft = await Draft.of(place)
    sections = draft.seen
    entries = sections.get("columns", {})
    fitting = fitting_answers(entries)
    if not fitting:
        sentence = "No column is one that somebody could know: choose roles first."
        page.first_do(sentence, "To the columns", place.link("columns"))
        return
    privacy: dict[str, Any] = dict(sections.get("privacy", {}))
    if privacy.get("model") not in fitting:
        privacy = {"model": next(iter(fitting)), "k": privacy.get("k")}
    _complete(privacy)
    trouble = ui.column().classes("w-full")

    async def changed() -> None:
        _complete(privacy)
        await _save(draft, privacy, trouble)
        await explain()

    async def explain() -> None:
        await _explain(place, privacy, meaning)
        saved = await page.ask(place.service.policies.get, place.project.id)
        weak.show(saved)

    async def choose(model: str) -> None:
        kept = {key.name: privacy[key.name] for key in keys_of(model) if key.name in privacy}
        privacy.clear()
        privacy.update(model=model, **kept)
        _complete(privacy)
        _numbers(numbers, privacy, changed)
        _learning(learning, sensitive, privacy, changed)
        await changed()

    with page.card("What might somebody know about a person in this file?"):
        answers = ui.radio(fitting, value=privacy["model"])
        answers.props("dense").on_value_change(lambda event: choose(event.value))
    sensitive = _sensitive(entries)
    numbers = ui.column().classes("w-full")
    learning = ui.column().classes("w-full")
    _numbers(numbers, privacy, changed)
    _learning(learning, sensitive, privacy, changed)
    weak = Confirmation(place, explain)
    with ui.column().classes("shoal-soft"):
        page.heading("What this promises")
        meaning = ui.column().classes("w-full").props('aria-live="polite"')
    await changed()
    page.onward("On to the run", place, "run")


def fitting_answers(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """What somebody may know of such columns, by the model that holds against it."""
    kinds = [each.get("kind", "category") for each in entries.values() if each.get("role") == "quasi"]
    table, sets = any(kind != "set" for kind in kinds), "set" in kinds
    covered = (VALUES if table else frozenset()) | (SETS if sets else frozenset())
    return {name: named.knowledge for name, named in named_models().items() if MODELS[name].covers == covered}


def offered_about_sensitive(model: str) -> dict[str, str]:
    """What can be promised about sensitive values beside a model, by the key that asks for it."""
    named = named_models()[model]
    own = {"l": named.sensitive} if named.sensitive else {}
    beside = {
        each.beside.keys[0].name: each.beside.sensitive
        for each in MODELS.values()
        if each.beside and model in each.beside.models and _served_together(MODELS[model], each)
    }
    return own | beside


def _served_together(*models: type[Model]) -> bool:
    return any(set(models) <= set(algorithm.serves) for algorithm in ALGORITHMS.values())


def _sensitive(entries: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What nobody should learn: sensitive columns, and sensitive items of sets."""
    columns = [name for name, entry in entries.items() if entry.get("role") == "sensitive"]
    items = [f"{item} in {name}" for name, entry in entries.items() for item in entry.get("sensitive", [])]
    return columns + items


def _complete(privacy: dict[str, Any]) -> None:
    """Give every parameter of the chosen promise a safe value."""
    for key in named_models()[privacy["model"]].keys:
        if key.needed and privacy.get(key.name) is None:
            privacy[key.name] = key.safe


def _numbers(area: ui.element, privacy: dict[str, Any], changed: Change) -> None:
    area.clear()
    with area, page.card("How well shall a person hide?"):
        for key in reversed(named_models()[privacy["model"]].keys):
            if key.needed:
                _slider(privacy, key, changed)
        for key in named_models()[privacy["model"]].keys:
            if key.kind is bool:
                _switch(privacy, key, changed)


def _switch(privacy: dict[str, Any], key: Key, changed: Change) -> None:
    box = ui.checkbox(key.help, value=bool(privacy.get(key.name)))

    async def turn() -> None:
        privacy.pop(key.name, None)
        if box.value:
            privacy[key.name] = True
        await changed()

    box.on_value_change(turn)


def _slider(privacy: dict[str, Any], key: Key, changed: Change) -> None:
    name, title, step = key.name, key.help, key.step
    ui.label(title)
    with ui.row().classes("items-center w-full no-wrap"):
        slider = ui.slider(min=key.least, max=max(key.most, privacy[name]), step=step, value=privacy[name])
        slider.classes("grow").props["aria-label"] = title
        whole = 0 if key.kind is int else None
        number = ui.number(value=privacy[name], min=0, step=step, precision=whole).props("outlined dense")
        number.classes("shoal-number").bind_value(slider)
        number.props["aria-label"] = f"{title}, as a number"

    async def set_value() -> None:
        if slider.value is not None and slider.value != privacy[name]:
            privacy[name] = int(slider.value) if float(slider.value).is_integer() else slider.value
            await changed()

    slider.on("change", set_value)
    number.on("change", set_value)


def _learning(area: ui.element, sensitive: list[str], privacy: dict[str, Any], changed: Change) -> None:
    """What shall stay hidden of sensitive values, if there are any; several promises hold together."""
    area.clear()
    offered = offered_about_sensitive(privacy["model"])
    if not sensitive or not offered:
        return
    with area, page.card(f"And what may be learned about {', '.join(sensitive)}?"):
        nothing = ui.label(_NOTHING_MORE).classes("shoal-quiet").props('aria-live="polite"')

        def tell() -> None:
            nothing.visible = all(privacy.get(name) is None for name in offered)

        async def told() -> None:
            tell()
            await changed()

        tell()

        for name, words in offered.items():
            _learned(name, words, privacy, told)


def _learned(name: str, words: str, privacy: dict[str, Any], changed: Change) -> None:
    """One promise about sensitive values, and how it counts if it is made."""
    keys = {key.name: key for key in keys_of(privacy["model"])}
    more = _more_about(privacy["model"], name)

    async def turn() -> None:
        for key in (name, *(key.name for key in more)):
            privacy.pop(key, None)
        if box.value:
            privacy[name] = keys[name].safe
        show()
        await changed()

    async def count_so() -> None:
        if privacy.get("diversity") == "recursive":
            privacy.setdefault("c", _USUAL_C)
        else:
            privacy.pop("c", None)
        show()
        await changed()

    def show() -> None:
        value.clear()
        if privacy.get(name) is not None:
            with value:
                _slider(privacy, keys[name], changed)
                for key in more:
                    if isinstance(key.kind, tuple):
                        _words(privacy, key, count_so)
                    elif privacy.get(key.name) is not None:
                        _slider(privacy, key, changed)

    box = ui.checkbox(words, value=privacy.get(name) is not None).props("dense")
    box.on_value_change(turn)
    value = ui.column().classes("w-full q-pl-lg")
    show()


def _more_about(model: str, kind: str) -> Sequence[Key]:
    """What else can be said of a promise about sensitive values."""
    return next((beside.keys[1:] for beside in added_to(model) if beside.keys[0].name == kind), ())


def _words(privacy: dict[str, Any], key: Key, changed: Change) -> None:
    """A choice among words, of which the first is meant if nothing is said."""
    words = key.kind if isinstance(key.kind, tuple) else ()
    choice = ui.select(
        {word: WAYS_OF_COUNTING.get(word, word) for word in words},
        value=privacy.get(key.name) or words[0],
        label=key.help,
    )
    choice.props("outlined dense options-dense").classes("w-full")

    async def choose() -> None:
        privacy[key.name] = choice.value
        await changed()

    choice.on_value_change(choose)


async def _save(draft: Draft, privacy: Mapping[str, Any], trouble: ui.element) -> None:
    sections = draft.seen
    kept: dict[str, Mapping[str, Any]] = {"privacy": dict(privacy)}
    if sections.get("privacy", {}).get("model") != privacy["model"]:
        path = _published_name(privacy["model"], sections.get("data", {}).get("path", ""))
        kept |= {"algorithm": {"name": "auto"}, "output": {"path": path}}
    await draft.save(trouble, kept)


def _published_name(model: str, data: str) -> str:
    """A name for the published file, in the form that the release has."""
    if MODELS[model].form is Form.CLUSTERS:
        return "published.jsonl"
    return "published.txt" if ending_of(data).startswith((".txt", ".dat")) else "published.csv"


async def _explain(place: Place, privacy: Mapping[str, Any], area: ui.element) -> None:
    meaning = await page.attempt(area, place.service.policies.meaning, place.project.id, privacy)
    problems = await page.ask(place.service.policies.problems, place.project.id)
    if meaning is None:
        return
    with area:
        for sentence in meaning.promises:
            page.paragraph(sentence)
        page.heading("What it does not stop", level=3)
        page.bullets(f"{limit.title}: {limit.text}" for limit in meaning.limits)
        if problems:
            page.show_problems(problems, "Still to be settled")
