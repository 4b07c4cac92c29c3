"""The fifth step: search, with progress, and stop it if need be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from nicegui import ui

from shoal.algorithms.catalogue import describe_algorithms
from shoal.errors import Problem, ShoalError
from shoal.policy.policy_file import AlgorithmSection, bytes_of, seconds_of
from shoal.study.check import BRIEF
from shoal.web.pages import frame as page
from shoal.web.pages.confirming import Confirmation
from shoal.web.pages.draft import Draft
from shoal.web.pages.fields import Fields
from shoal.web.pages.frame import Place
from shoal.web.service.jobs import FINISHED, Job, JobKind, JobState
from shoal.web.service.policies import promise_in_short
from shoal.web.service.setting_words import in_words, problem_in_words

_EVERY = 0.7
_COLOURS = {"done": "shoal-good", "failed": "shoal-bad"}
_AUTO = "auto: several are tried, and the one that loses least is taken"
_ON_LIMIT = {"stop": "There is no release", "best": "The best that was found is published, if it is safe"}
_AS_READ = "as in the data file"
_BOM = {None: _AS_READ.capitalize(), True: "With it", False: "Without it"}


async def run_page(place: Place, _: str | None) -> None:
    """Choose an algorithm or none, check, run, and follow what runs."""
    service, project = place.service, place.project.id
    draft = await Draft.of(place)
    sections = draft.seen
    model = sections.get("privacy", {}).get("model")
    if model is None:
        page.first_do("Choose a promise first.", "To the promise", place.link("promise"))
        return
    trouble = ui.column().classes("w-full")

    async def check() -> None:
        if await page.attempt(trouble, service.jobs.check, project) is not None:
            await jobs.refresh()

    async def start() -> None:
        if await page.attempt(trouble, service.jobs.run, project) is not None:
            ui.navigate.to(place.link("run"))

    async def confirmed() -> None:
        weak.show(await page.ask(service.policies.get, project))

    with page.card("What will be promised"):
        page.paragraph(await page.ask(service.policies.summary, project))
        ui.link("Change the promise", place.link("promise"))
    weak = Confirmation(place, confirmed)
    await confirmed()
    with page.card("How it is searched for"):
        serving = [each for each in describe_algorithms() if model in each["models"]]
        _searched(serving, draft, _fields(draft, "algorithm", trouble))
    with page.card("What is published and measured"):
        _published(_fields(draft, "output", trouble))
        _target(sections.get("columns", {}), _fields(draft, "report", trouble))
    with ui.row():
        page.other_button("Check everything", check)
        page.main_button("Run", start)
    with page.card("Runs"):
        jobs = await jobs_list(place, trouble, kinds=("run", "comparison", "attack", "check"))


def _sound(found: Mapping[str, Any]) -> None:
    """Nothing is wrong, and what a run will cost."""
    page.paragraph(
        f"No problems found. {page.counted(found['records'], 'record')}. {time_of(found)} with"
        f" {found['algorithm']}, in about {found['memory_mb']:,.0f} MB of memory."
    )
    page.bullets(map(in_words, found["notices"]))


def time_of(found: Mapping[str, Any]) -> str:
    """How long a run takes, as far as that can be told before."""
    if found["seconds"] is None:
        return "How long a run takes cannot be told before"
    told = page.duration(max(1, found["seconds"]))
    if found.get("is_guess"):  # not told by checks of earlier versions
        return f"How long a run takes cannot be told well before: perhaps {told}"
    if found["seconds"] < BRIEF:
        return "A run takes less than a minute"
    return f"A run takes about {told}"


def _fields(draft: Draft, section: str, trouble: ui.element) -> Fields:
    """Fields for a section of the settings; what is still wrong with them is told after every change."""

    async def change(changed: dict[str, Any]) -> None:
        if await draft.save(trouble, {section: {**draft.seen.get(section, {}), **changed}}):
            problems = await page.ask(draft.problems)
            if problems:
                with trouble:
                    page.show_problems(problems, "Still to be settled")

    return Fields(draft.seen.get(section, {}), change)


def _searched(serving: list[dict[str, Any]], draft: Draft, fields: Fields) -> None:
    """Which algorithm searches, how long, and how."""
    held = str(fields.held.get("name", "auto"))
    names = {"auto": _AUTO, **{each["name"]: f"{each['name']}: {each['guarantee']}" for each in serving}}
    chosen = ui.select({**names, held: names.get(held, held)}, value=held, label="Algorithm")
    chosen.props("outlined dense").classes("w-full")
    options = ui.column().classes("w-full")

    async def choose() -> None:
        said = draft.seen.get("algorithm", {})
        options_before = {name: None for name in said if name not in AlgorithmSection.model_fields}
        await fields.change({**options_before, "name": chosen.value})
        _options(options, serving, str(chosen.value), Fields({}, fields.change))

    chosen.on_value_change(choose)
    _options(options, serving, held, fields)
    limits = ("time_limit", "memory_limit")
    usual = "stop" if any(fields.held.get(key) is not None for key in limits) else "best"

    async def limit(changed: dict[str, Any]) -> None:
        said = draft.seen.get("algorithm", {}).get("on_limit", usual)
        await fields.change({**changed, "on_limit": said})

    with ui.element("div").classes("shoal-fields"):
        limiting = Fields(fields.held, limit)
        _limit("Stop after so many minutes", "time_limit", "min", seconds_of, limiting)
        _limit("Memory for the search, in MB", "memory_limit", "MB", bytes_of, limiting)
        fields.choice("When a limit is reached", "on_limit", _ON_LIMIT, usual=usual)
        fields.number("Seed: the same number searches in the same way", "seed", whole=True)
    same = {None: "In each record as it loses least", "global": "Alike in all records"}
    fields.choice("What becomes of a value", "recoding", same)


def _limit(title: str, key: str, unit: str, read: Callable[[str], float], fields: Fields) -> None:
    """A limit in some unit; settings may have it as a number or as a text with another unit."""
    field = ui.number(title, value=_in_units(fields.held.get(key), unit, read), min=0.1)
    field.props("outlined dense clearable")

    async def save() -> None:
        await fields.change({key: f"{field.value:g} {unit}" if field.value else None})

    field.on("change", save)
    field.on("clear", save)


def _in_units(held: Any, unit: str, read: Callable[[str], float]) -> float | None:
    try:
        return None if held is None else (read(held) if isinstance(held, str) else held) / read(f"1 {unit}")
    except (ShoalError, TypeError):  # a draft may hold anything
        return None


def _published(fields: Fields) -> None:
    """How the published file is called, which tells its format, and how it is written."""
    fields.text(
        "Name of the published file; its ending tells the format", "path", hint="published.csv", strip=False
    )
    written = ui.expansion("Written in another way than the data file").classes("w-full")
    with written, ui.element("div").classes("shoal-fields"):
        for title, key in (
            ("Between cells", "delimiter"),
            ("Decimal sign", "decimal"),
            ("Encoding", "encoding"),
        ):
            fields.text(title, key, hint=_AS_READ, strip=False)
        fields.choice("Byte order mark, by which spreadsheets know UTF-8", "bom", _BOM)
    fields.switch(
        "Readers may open it in a spreadsheet: put a ' before values that would run as formulas",
        "neutralize_formulas",
    )
    fields.switch("Keep the order of the records, for tests: such a file must not be published", "keep_order")


def _target(columns: Mapping[str, Any], fields: Fields) -> None:
    """A column that models shall predict, to see what the release is good for."""
    offered = [name for name, entry in columns.items() if entry.get("role") != "identifier"]
    fields.choice(
        "What it is good for: how well models trained on it predict",
        "target",
        {None: "Nothing: this takes longer", **{name: name for name in offered}},
    )


def _options(area: ui.element, serving: list[dict[str, Any]], name: str, fields: Fields) -> None:
    """Fields for the options of the chosen algorithm, folded away."""
    area.clear()
    described = next((each for each in serving if each["name"] == name), None)
    if described is None:
        return
    with area, ui.expansion("Its options").classes("w-full"):
        page.paragraph(f"Paper: {described['paper']}", quiet=True)
        for option in described["parameters"]:
            _option(option, fields)


def _option(option: dict[str, Any], fields: Fields) -> None:
    name, default = option["name"], option["default"]
    value = fields.held.get(name, default)
    with ui.column().classes("gap-0 w-full"):
        field = (
            ui.input(f"{name} ({option['must_be']})", value=str(value))
            .props("outlined dense")
            .classes("w-full")
        )
        ui.label(option["help"]).classes("shoal-quiet text-sm")

    async def set_option() -> None:
        text = str(field.value)
        await fields.change({name: None if text == str(default) else _value(text, default)})

    field.on("change", set_option)


def _value(text: str, default: object) -> Any:
    """A text as the kind of value that the default is; if it is none, the algorithm says what is wrong."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float) if isinstance(default, int | float) else (float,):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


async def jobs_list(place: Place, trouble: ui.element, kinds: tuple[JobKind, ...]) -> JobsList:
    """The jobs of the project, which follow what goes on."""
    jobs = JobsList(place, trouble, kinds)
    jobs.timer = ui.timer(_EVERY, jobs.refresh, immediate=False)
    await jobs.refresh()
    return jobs


class JobsList:
    """Jobs as they come and go; while one runs only its progress is redrawn, so that buttons stay put."""

    timer: ui.timer

    def __init__(self, place: Place, trouble: ui.element, kinds: tuple[JobKind, ...]) -> None:
        self._place, self._trouble, self._kinds = place, trouble, kinds
        self._said = ui.label().classes("shoal-unseen").props('role="status"')
        self._area = ui.column().classes("w-full")
        self._states: dict[str, tuple[JobState | None, int]] | None = None
        self._progress: dict[str, ShownProgress] = {}

    async def refresh(self) -> None:
        """Ask how things stand, and show it."""
        everything = await page.ask(self._place.service.jobs.all, self._place.project.id)
        jobs = [job for job in everything if job.kind in self._kinds]
        states: dict[str, tuple[JobState | None, int]] = {job.id: (job.state, job.ahead) for job in jobs}
        if states != self._states:
            self._announce(jobs)
            self._states = states
            self._draw(jobs)
        for job in jobs:
            if job.id in self._progress:
                self._progress[job.id].show(job)
        self.timer.active = any(job.state not in FINISHED for job in jobs)

    def _announce(self, jobs: Sequence[Job]) -> None:
        if self._states is not None:
            known = self._states
            changed = [job for job in jobs if known.get(job.id, (None, 0))[0] != job.state]
            self._said.text = "; ".join(f"{job.title}: {job.state}" for job in changed)

    def _draw(self, jobs: Sequence[Job]) -> None:
        self._area.clear()
        self._progress.clear()
        with self._area:
            if not jobs:
                page.paragraph("None yet.", quiet=True)
            for job in jobs:
                self._line(job)

    def _line(self, job: Job) -> None:
        with ui.column().classes("w-full gap-1 shoal-line"):
            with ui.row().classes("items-center w-full"):
                with ui.column().classes("grow gap-0 shoal-any"):
                    ui.label(job.title)
                    ui.label(made_of(job)).classes("shoal-quiet text-sm")
                ui.label(job.state).classes(_COLOURS.get(job.state, "shoal-quiet"))
                self._action(job)
            if job.state == "running":
                self._progress[job.id] = ShownProgress(job)
            if job.state == "queued" and job.ahead:
                ui.label(f"{job.ahead} before it").classes("shoal-quiet text-sm")
            if job.kind == "check" and job.result is not None:
                _sound(job.result)
            if job.failure is not None:
                problems = job.failure.problems or (Problem(job.failure.sentence),)
                for sentence in map(problem_in_words, problems):
                    ui.label(sentence).classes("text-sm shoal-any")

    def _action(self, job: Job) -> None:
        """What can be done with a job: stop it, look at it, or try it again."""
        jobs, project = self._place.service.jobs, self._place.project.id

        async def cancel() -> None:
            await page.attempt(self._trouble, jobs.cancel, project, job.id)
            await self.refresh()

        async def repeat() -> None:
            await page.attempt(self._trouble, jobs.repeat, project, job.id, weaker=True)
            await self.refresh()

        async def again() -> None:
            found = await page.attempt(self._trouble, lambda: [jobs.weaker(project, job.id)])
            if found == [None]:
                await repeat()
            elif found:
                page.ask_first(
                    f"This would promise {found[0]}, which is not what the settings promise by now.",
                    "Run it nevertheless",
                    repeat,
                )

        if job.state not in FINISHED:
            page.quiet_button("Cancel", cancel, colour="negative").props["aria-label"] = (
                f"Cancel: {job.title}"
            )
        elif job.state != "done":
            page.quiet_button("Try again", again).props["aria-label"] = f"Try again: {job.title}"
        elif job.kind != "check":
            step = {"comparison": "compare"}.get(job.kind, "result")
            shown = job.request["release"] if job.kind == "attack" else job.id
            link = ui.link("Look at it", self._place.link(step, shown))
            link.props["aria-label"] = f"Look at it: {job.title}"
        if job.state in FINISHED:
            self._delete(job)

    def _delete(self, job: Job) -> None:
        jobs, project = self._place.service.jobs, self._place.project.id

        async def remove() -> None:
            await page.attempt(self._trouble, jobs.remove, project, job.id)
            await self.refresh()

        question = f"Delete “{job.title}” with everything it made, for good? This cannot be undone."
        button = page.quiet_button(
            "Delete", lambda: page.ask_first(question, "Delete for good", remove), colour="negative"
        )
        button.props["aria-label"] = f"Delete {job.title}"


def made_of(job: Job) -> str:
    """By which promise a job was made, when, and how long it took."""
    made = datetime.fromtimestamp(job.created).strftime("%Y-%m-%d %H:%M")
    took = (
        "" if job.started is None or job.ended is None else f"took {page.duration(job.ended - job.started)}"
    )
    promise = "" if job.kind == "check" else promise_in_short(job.request["sections"].get("privacy", {}))
    return ", ".join(part for part in (promise, made, took) if part)


class ShownProgress:
    """How far a running job is."""

    def __init__(self, job: Job) -> None:
        self._text = ui.label().classes("shoal-quiet text-sm")
        self._bar = ui.linear_progress(show_value=False).classes("w-full")
        self._bar.props["aria-label"] = f"Progress of {job.title}"

    def show(self, job: Job) -> None:
        """Draw what a job says of itself."""
        note = f": {job.note}" if job.note else ""
        left = (
            "; how long this part takes cannot be told"
            if job.remaining is None
            else f", about {page.duration(job.remaining)} left in this part"
        )
        self._text.text = f"{job.stage or 'starting'}{note}{left}"
        share = job.done / job.total if job.done is not None and job.total else None
        self._bar.value = share or 0
        if share is None:
            self._bar.props("indeterminate")
        else:
            self._bar.props(remove="indeterminate")
