"""What all pages share: the head with the path through the steps, and how answers and errors are shown."""

import asyncio
import math
import re
import threading
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Any, ParamSpec, TypeVar

from nicegui import app, events, ui

from shoal.errors import Problem, ShoalError
from shoal.report.wording import share as in_percent
from shoal.study.check import problems_of
from shoal.web.gate import LEAVING
from shoal.web.service.pace import Pace
from shoal.web.service.projects import Project
from shoal.web.service.service import Service
from shoal.web.service.setting_words import problem_in_words
from shoal.web.service.stopping import cancelled_by

P = ParamSpec("P")
T = TypeVar("T")
Fill = Callable[[], Awaitable[None]]
Act = Callable[[], Awaitable[None]] | Callable[[], object]

STEPS = {
    "data": "Data",
    "columns": "Columns",
    "hierarchies": "Hierarchies",
    "promise": "Promise",
    "run": "Run",
    "result": "Result",
    "compare": "Compare",
    "export": "Export",
}
_HIGHEST_FIGURE = 560
_LONG_WORD = re.compile(r"\S{30}")  # such as (A|B|C|..), in which browsers break no line
_LONG_TEXT = 80
_DOUBLE_CLICK = 0.7  # seconds
_LEAVE = f"""() => fetch("{LEAVING}", {{method: "POST"}}).then(() => {{ location.href = "/"; }})"""
_TOLD_CHANGES = 2
_TWICE = 2
# While somebody types, the browser itself takes letters back.
_KEYS_OF_UNDO = """<script>
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  const what = key === "y" || (key === "z" && event.shiftKey) ? "redo" : key === "z" ? "undo" : null;
  const choices = "[type=checkbox], [type=radio], [type=range], [readonly], [role=combobox]";
  const types = event.target.matches("input, textarea") && !event.target.matches(choices);
  const button = what && !types && document.querySelector(".shoal-" + what);
  if (button) { event.preventDefault(); button.click(); }
});
</script>"""
# Parts of Quasar's tables and trees take no attributes, but must be reached by the keyboard and have names.
_REACHED_AND_NAMED = """<script>
new MutationObserver(() => {
  for (const box of document.querySelectorAll(".q-tree__tickbox:not([aria-label])")) {
    box.setAttribute("aria-label", "Tick " + box.closest(".q-tree__node-header").innerText);
  }
  for (const box of document.querySelectorAll("[data-name] .q-table__middle:not([tabindex])")) {
    box.setAttribute("tabindex", "0");
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", box.closest("[data-name]").dataset.name);
  }
}).observe(document, {childList: true, subtree: true});
</script>"""
_MARK_OF = """(event) => {
  const mark = event.target.closest("[data-mark]");
  if (mark) emit(...mark.dataset.mark.split(","));
}"""


@dataclass(frozen=True, slots=True)
class Doing:
    """Something that people wait for: what it is, how much of it there is, and how long that took before."""

    words: str
    amount: float
    pace: Pace


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page is: the service behind it, and the project that it is about."""

    service: Service
    project: Project

    def doing(self, words: str, amount: float) -> Doing:
        """Something that people wait for, with so many bytes or records."""
        return Doing(words, amount, self.service.pace)

    def link(self, step: str, job: str | None = None) -> str:
        """The address of a step of this project, of one job if one is given."""
        return f"/projects/{self.project.id}/{step}" + (f"/{job}" if job else "")

    def download(self, job: str, what: str) -> str:
        """The address of something that a job made."""
        return f"/api/v1/projects/{self.project.id}/jobs/{job}/results/{what}"


async def ask(function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Ask the service in a thread, so that other pages go on."""
    return await asyncio.to_thread(function, *args, **options)


@contextmanager
def frame(
    title: str,
    place: Place | None = None,
    step: str | None = None,
    done: Collection[str] = (),
    fill: Fill | None = None,
) -> Iterator[None]:
    """The page around its content; steps that are done have a mark.

    `fill` draws the content again when a change was undone or redone.
    """
    ui.add_css(_style())
    ui.add_body_html(_KEYS_OF_UNDO + _REACHED_AND_NAMED)
    ui.colors(primary="#0b5c7a", positive="#0a7a4b", negative="#b3261e")
    ui.page_title(f"{title} · Shoal")
    dark = ui.dark_mode(app.storage.user.get("dark"))  # None, until somebody decides: as the system is
    with ui.context.client.layout:  # beside the page's `main`, not within it
        head = ui.element("header").classes("shoal-top")
    head.move(target_index=0)
    with head:
        with ui.row().classes("shoal-top-in"):
            ui.link("Shoal", "/").classes("shoal-name")
            if place is not None:
                ui.label(place.project.name).classes("shoal-quiet shoal-any grow")
            else:
                ui.space()
            with ui.row().classes("no-wrap gap-3"):
                if place is not None and fill is not None:
                    undoing = Undoing(place, fill)
                    undoing.buttons()
                turn = ui.button("Light or dark").props("no-caps flat dense")
                turn.on("click", partial(_turn, dark), js_handler="() => emit(Quasar.Dark.isActive)")
                quiet_button("Log out", lambda: None).on("click", js_handler=_LEAVE)
        if place is not None:
            _path(place, step, done)
    begin = ui.element("div").props('tabindex="-1"').classes("w-full")
    ui.skip_link("Go to the content", target=begin)
    with begin, ui.column().classes("shoal-main"):
        heading(title, level=1)
        content = ui.column().classes("w-full").style("gap: 18px")
        if place is not None and fill is not None:
            undoing.content = content
        paragraph(
            "Everything stays on the machine that serves this page: nothing is sent elsewhere.", quiet=True
        )
    with content:
        yield


def _turn(dark: ui.dark_mode, event: events.GenericEventArguments) -> None:
    """Light becomes dark and dark becomes light, on this page and on all that follow."""
    dark.value = app.storage.user["dark"] = not event.args


class Undoing:
    """Buttons and keys that take changes of the settings back, and make them again."""

    content: ui.element

    def __init__(self, place: Place, fill: Fill) -> None:
        self._place, self._fill = place, fill
        self._one_at_a_time = asyncio.Lock()

    def buttons(self) -> None:
        """Draw the buttons; keys press them."""
        policies = self._place.service.policies
        for title, change in (("Undo", policies.undo), ("Redo", policies.redo)):
            button = ui.button(title, on_click=partial(self._go, title, change))
            button.props("no-caps flat dense").classes(f"shoal-{title.lower()}")

    async def _go(self, title: str, change: Callable[[str], tuple[str, ...]]) -> None:
        async with self._one_at_a_time:  # every press counts, also of a key that is held
            await self._gone(title, change)

    async def _gone(self, title: str, change: Callable[[str], tuple[str, ...]]) -> None:
        changed = await ask(change, self._place.project.id)
        if not changed:
            ui.notify(f"There is nothing to {title.lower()}.")
            return
        more = f"; and {counted(len(changed) - _TOLD_CHANGES, 'more change')}"
        told = "; ".join(changed[:_TOLD_CHANGES]) + (more if len(changed) > _TOLD_CHANGES else "")
        self.content.clear()
        with self.content:
            with ui.element("p").props('role="status"').classes("shoal-quiet"):
                ui.label(f"{title}: {told}.").classes("shoal-any")
            await self._fill()


def _path(place: Place, step: str | None, done: Collection[str]) -> None:
    with (
        ui.element("nav").props('aria-label="Steps"').classes("shoal-top-in"),
        ui.element("ol").classes("shoal-steps"),
    ):
        for number, (name, title) in enumerate(STEPS.items(), start=1):
            with ui.element("li"):
                link = ui.link(f"{number} {title}", place.link(name))
                if name == step:
                    link.props('aria-current="step"')
                elif name in done:
                    link.classes("shoal-done")


def settled_steps(place: Place) -> set[str]:
    """The steps that have nothing left to do."""
    sections = place.service.policies.get(place.project.id)
    known = [each for each in sections.get("columns", {}).values() if each.get("role") == "quasi"]
    bare = [
        each for each in known if each.get("hierarchy") is None and each.get("kind") in (None, "category")
    ]
    settled = {
        "data": "data" in sections,
        "columns": bool(known),
        "hierarchies": bool(known) and not bare,
        "promise": "privacy" in sections,
        "run": any(
            job.state == "done" and job.kind == "run" for job in place.service.jobs.all(place.project.id)
        ),
    }
    return {step for step, is_settled in settled.items() if is_settled}


def heading(text: str, level: int = 2) -> None:
    """A heading that screen readers find."""
    with ui.element(f"h{level}"):
        ui.label(text)


def paragraph(text: str, *, quiet: bool = False) -> None:
    """A paragraph of plain text."""
    with ui.element("p").classes("shoal-quiet" if quiet else ""):
        ui.label(text)


def bullets(texts: Iterable[str]) -> None:
    """A list of sentences."""
    with ui.element("ul").classes("shoal-list"):
        for text in texts:
            with ui.element("li"):
                ui.label(text)


def main_button(title: str, act: Act) -> ui.button:
    """What most people want to do next."""
    return ui.button(title, on_click=_once(act)).props("no-caps unelevated").classes("self-start")


def other_button(title: str, act: Act) -> ui.button:
    """Something else that can be done here."""
    return ui.button(title, on_click=_once(act)).props("no-caps outline").classes("self-start")


def _once(act: Act) -> Callable[[], Awaitable[None]]:
    """Of several clicks in a row the first counts: what it does may not have changed the page yet."""
    deaf_until = 0.0

    async def acted() -> None:
        nonlocal deaf_until
        clicked = time.monotonic()
        if clicked < deaf_until:
            return
        deaf_until = math.inf
        try:
            doing = act()
            if asyncio.iscoroutine(doing):  # a dialog that is closed could be awaited, too, which opens it
                await doing
        finally:
            deaf_until = clicked + _DOUBLE_CLICK

    return acted


def quiet_button(title: str, act: Act, *, colour: str = "primary") -> ui.button:
    """Something small beside a line."""
    return ui.button(title, on_click=act, color=colour).props("no-caps flat dense")


def ask_first(question: str, title: str, act: Act) -> None:
    """Ask before something is done that is not easily mended."""

    async def acted() -> None:
        sure.close()
        doing = act()
        if asyncio.iscoroutine(doing):
            await doing

    with ui.dialog(value=True) as sure, ui.card():
        ui.label(question).classes("shoal-any")
        with ui.row():
            main_button("Leave it as it is", sure.close)
            quiet_button(title, acted, colour="negative")


def onward(title: str, place: Place, step: str) -> None:
    """The way to the next step."""
    main_button(title, lambda: ui.navigate.to(place.link(step)))


def first_do(sentence: str, title: str, link: str) -> None:
    """Why there is nothing here yet, and where to go."""
    with card():
        paragraph(sentence)
        ui.link(title, link)


@contextmanager
def card(title: str | None = None) -> Iterator[None]:
    """A box around things that belong together."""
    with ui.element("section").classes("shoal-card column"):
        if title is not None:
            heading(title)
        yield


def tile(name: str, value: str, note: str = "") -> None:
    """One figure with its name."""
    with ui.column().classes("shoal-tile"):
        ui.label(name).classes("shoal-quiet text-sm")
        ui.label(value).classes("shoal-value")
        if note:
            ui.label(note).classes("shoal-quiet text-sm")


def show_problems(problems: Sequence[Problem], title: str = "This has to be mended first") -> None:
    """A list of problems, announced to screen readers."""
    with ui.element("section").classes("shoal-card shoal-wrong column").props('role="alert"'):
        heading(title)
        bullets(map(problem_in_words, problems))


async def attempt(area: ui.element, function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
    """Ask the service; what goes wrong is listed in the area, which is empty otherwise."""
    area.clear()
    return await also(area, function, *args, **options)


async def also(area: ui.element, function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
    """As `attempt`, but what the area lists already stays."""
    try:
        return await ask(function, *args, **options)
    except ShoalError as error:
        with area:
            show_problems(problems_of(error))
        return None


async def patiently(
    area: ui.element, doing: Doing, function: Callable[P, T], *args: P.args, **options: P.kwargs
) -> T | None:
    """As `attempt`, for what can take long: the area tells what is done, how long it takes, and ends it."""
    area.clear()
    stop, began, what = threading.Event(), time.monotonic(), function.__qualname__
    expected = doing.pace.expected(what, doing.amount)
    with area, ui.row().classes("items-center shoal-waiting").props('role="status"') as waiting:
        ui.spinner()
        told = ui.label(f"{doing.words} …")
        ui.timer(1.0, lambda: told.set_text(f"{doing.words} … {waited(time.monotonic() - began, expected)}"))
        quiet_button("Cancel", stop.set, colour="negative").props["aria-label"] = f"Cancel: {doing.words}"
    try:
        with cancelled_by(stop):
            found = await ask(function, *args, **options)
        doing.pace.remember(what, doing.amount, time.monotonic() - began)
        return found
    except ShoalError as error:
        with area:
            if stop.is_set():
                paragraph("Cancelled; nothing was changed.", quiet=True)
            else:
                show_problems(problems_of(error))
        return None
    finally:
        waiting.delete()


def waited(seconds: float, expected: float | None) -> str:
    """How long something has taken by now, and how long it takes in all, as far as that can be told."""
    if expected is None:
        return f"{duration(seconds)}; how long it takes cannot be told before"
    if seconds > _TWICE * expected:
        return f"{duration(seconds)}; it takes longer than the last times, and how long cannot be told"
    return f"{duration(seconds)} of about {duration(max(expected, 1))}"


def plain_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    name: str,
    height: str | None = None,
    wrap: bool = True,
) -> None:
    """A table of texts with a name; what does not fit scrolls in its box, which is one stop of Tab."""
    described = described_columns(columns, rows)
    filled = [
        {"id": number, **{str(place): value for place, value in enumerate(row)}}
        for number, row in enumerate(rows)
    ]
    with scrolled(name):
        table = ui.table(columns=described, rows=filled, row_key="id")
        table.props("flat dense bordered :rows-per-page-options=[0] hide-bottom")
        if wrap:
            table.props("wrap-cells")
        if height is not None:
            table.props("virtual-scroll").style(f"max-height: {height}")


def described_columns(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """Columns as tables of the page take them, named by their places; long values in them become lines."""
    return [
        {
            "name": str(place),
            "label": name,
            "field": str(place),
            "align": "left",
            "classes": "shoal-long" if any(is_long(row[place]) for row in rows) else "",
        }
        for place, name in enumerate(columns)
    ]


def is_long(value: Any) -> bool:
    """Whether a value makes a table wider than anybody wants to scroll, unless it is broken into lines."""
    return isinstance(value, str) and (len(value) > _LONG_TEXT or _LONG_WORD.search(value) is not None)


def scrolled(name: str) -> ui.element:
    """A box for a table that may be wider than the page: it scrolls in itself, with the keyboard, too."""
    box = ui.element("div").classes("shoal-scroll")
    box.props["data-name"] = name
    return box


def size(count: int) -> str:
    """A number of bytes as people say it."""
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count / 1e3:,.1f} kB"


def figure(drawing: str, name: str, pick: Callable[[int, int], None] | None = None) -> None:
    """A drawn figure with a name; `pick` hears of clicks on series and mark.

    One with a bar for each of very many columns is scrolled in its box.
    """
    box = ui.html(drawing, sanitize=False).classes("w-full shoal-figure-box")
    box.style(f"max-height: {_HIGHEST_FIGURE}px").props('role="figure" tabindex="0"')
    box.props["aria-label"] = name
    if pick is not None:
        box.classes("shoal-picked").on(
            "click", lambda event: pick(*map(int, event.args)), js_handler=_MARK_OF
        )


def counted(count: int, noun: str) -> str:
    """A number of things in words."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def duration(seconds: float) -> str:
    """Some time as people say it."""
    if seconds < 90:
        return f"{seconds:,.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 5400 else f"{seconds / 3600:,.1f} h"


def percent(share: float | None) -> str:
    """A share as people write it."""
    return "unknown" if share is None else in_percent(share)


@cache
def _style() -> str:
    charts = files("shoal.report").joinpath("chart.css").read_text(encoding="utf-8")
    return files(__package__).joinpath("page.css").read_text(encoding="utf-8") + charts
