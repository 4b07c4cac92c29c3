"""The seventh step: runs side by side, and sweeps over algorithms and parameters."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from shoal.algorithms.catalogue import describe_algorithms
from shoal.algorithms.parameters import AS_PRINTED
from shoal.errors import BadInput, Problem
from shoal.policy.promise import keys_of, named_models
from shoal.privacy.catalogue import MODELS
from shoal.report.figures import Point, comparison_figure
from shoal.report.wording import sentence
from shoal.study.comparison import AUTO
from shoal.study.standing import Standing
from shoal.web.pages import frame as page
from shoal.web.pages.frame import Place
from shoal.web.pages.result import chosen_job, found_by, main_loss, parameters_of
from shoal.web.pages.running import jobs_list
from shoal.web.service.jobs import Job
from shoal.web.service.results import PromiseChange

_BESIDE: dict[Standing, str] = {
    "weaker": "weaker than the policy",
    "another": "another promise than the policy's",
}
_SWEPT = ("k", "m", "l", "t", "alpha", "epsilon")


async def compare_page(place: Place, job_id: str | None) -> None:
    """Past runs, the form of a sweep, and what sweeps found."""
    trouble = ui.column().classes("w-full")
    everything = await page.ask(place.service.jobs.all, place.project.id)
    runs = [job for job in everything if job.kind == "run" and job.state == "done"]
    with page.card("Past runs side by side"):
        if runs:
            _past(runs)
        else:
            page.paragraph("Nothing has been run to its end yet.", quiet=True)
    await _sweep_form(place, trouble)
    job = await chosen_job(place, "comparison", "compare", job_id)
    if job is not None:
        _found(place, job, await page.ask(place.service.results.changes, place.project.id, job.id), trouble)
    with page.card("Sweeps"):
        await jobs_list(place, trouble, kinds=("comparison",))


def _past(runs: Sequence[Job]) -> None:
    page.plain_table(
        ("Promise", "Parameters", "Algorithm", "Holds", "Loss", "Highest risk", "Seconds"),
        [_row(job) for job in runs],
        name="Past runs",
    )
    lines: dict[str, list[Point]] = {}
    for job in runs:
        if (point := _point(job)) is not None:
            lines.setdefault(found_by(job.result or {}), []).append(point)
    if sum(map(len, lines.values())) > 1:
        _plot(lines, [])


def _row(job: Job) -> tuple[str, ...]:
    result: Mapping[str, Any] = job.result or {}
    risk = result["risk"]["after"]
    return (
        str(job.request["sections"]["privacy"]["model"]),
        parameters_of(job),
        found_by(result),
        "yes" if result["verdict"]["holds"] else "no",
        page.percent(main_loss(result["loss"])),
        "" if risk is None else page.percent(risk["highest"]),
        f"{result['seconds']['total']:,.1f}",
    )


def _point(job: Job) -> Point | None:
    result: Mapping[str, Any] = job.result or {}
    risk, loss = result["risk"]["after"], main_loss(result["loss"])
    if risk is None or loss is None:
        return None
    return float(risk["highest"]), float(loss), parameters_of(job)


def _plot(
    lines: Mapping[str, Sequence[Point]],
    front: Sequence[tuple[float, float]],
    pick: Callable[[str], None] | None = None,
) -> None:
    """Loss against risk; `pick` hears which run was clicked."""
    drawn = comparison_figure(lines, front, ("highest risk of a record", "loss"))
    runs = [[run for _, _, run in points] for points in lines.values()]
    first = 1 if front else 0  # the front is drawn beneath

    def pick_mark(curve: int, mark: int) -> None:
        if pick is not None and curve >= first:
            pick(runs[curve - first][mark])

    page.figure(
        drawn.drawing,
        "Loss of runs against the highest risk of a record",
        pick_mark if pick is not None else None,
    )


async def _sweep_form(place: Place, trouble: ui.element) -> None:
    sections = await page.ask(place.service.policies.get, place.project.id)
    privacy = sections.get("privacy", {})
    offered = models_beside(privacy.get("model"))
    serving = [each["name"] for each in describe_algorithms() if set(offered) & set(each["models"])]
    if not serving:
        page.first_do(
            "Choose a promise first; then ways to it can be compared.",
            "To the promise",
            place.link("promise"),
        )
        return
    with page.card("Try several at once"):
        page.paragraph(
            "Every algorithm is run with every combination of the values; nothing is published.", quiet=True
        )
        algorithms = ui.select([AUTO, *serving], value=[AUTO], multiple=True, label="Algorithms")
        algorithms.props("outlined dense use-chips").classes("w-full")
        printed = ui.checkbox("Each also as its paper prints it, without what we added")
        models = ui.select(offered, value=offered[:1], multiple=True, label="Promises")
        models.props("outlined dense use-chips").classes("w-full")
        values = {
            name: ui.input(f"Values of {name}", value=value).props("outlined dense")
            for name, value in values_offered(privacy, offered).items()
        }

        async def start() -> None:
            chosen = list(models.value or offered[:1])
            taken = {key.name for model in chosen for key in keys_of(model)}
            texts = {name: str(field.value) for name, field in values.items() if name in taken}
            numbers = await page.attempt(trouble, sweep_of, texts)
            if numbers is None:
                return
            sweep: dict[str, Any] = numbers if chosen == offered[:1] else {"model": chosen, **numbers}
            if printed.value:
                sweep[AS_PRINTED] = [False, True]
            names = list(algorithms.value or [])
            compare = place.service.jobs.compare
            if (
                await page.attempt(trouble, compare, place.project.id, algorithms=names, sweep=sweep)
                is not None
            ):
                ui.navigate.to(place.link("compare"))

        page.main_button("Compare", start)


def models_beside(own: str | None) -> list[str]:
    """The policy's model, and those that protect columns of the same kind."""
    named = named_models()
    if own not in named:
        return []
    return [own, *(name for name in named if name != own and MODELS[name].covers == MODELS[own].covers)]


def values_offered(privacy: Mapping[str, Any], models: Sequence[str]) -> dict[str, str]:
    """The parameters to sweep: as the policy has them, and what the other models need beside."""
    needed = {key.name: key.safe for model in models for key in keys_of(model) if key.needed}
    given = {name: value for name, value in privacy.items() if value is not None}
    found = {**needed, **given}
    return {name: str(found[name]) for name in _SWEPT if found.get(name) is not None}


def sweep_of(texts: Mapping[str, str]) -> dict[str, list[float]]:
    """The values of each parameter to try; BadInput lists all texts that are none."""
    found: dict[str, list[float]] = {}
    problems = []
    for name, text in texts.items():
        try:
            found[name] = [
                int(word) if word.isdecimal() else float(word) for word in text.replace(",", " ").split()
            ]
        except ValueError:
            problems.append(
                Problem(f"the values of {name} are no numbers", "write them as in 3, 5, 10", value=text)
            )
    if problems:
        raise BadInput(*problems)
    return {name: values for name, values in found.items() if values}


def _found(place: Place, job: Job, changes: Mapping[str, PromiseChange], trouble: ui.element) -> None:
    """What a sweep found: loss against risk with the Pareto front, and each run to take over."""
    result: Mapping[str, Any] = job.result or {}
    loss = result["loss"]
    usable = [
        row
        for row in result["runs"]
        if row["holds"] and row.get(loss) is not None and row["risk"] is not None
    ]

    def found_run(row: Mapping[str, Any]) -> None:
        _found_run(place, job, row, changes[row["run"]], trouble)

    def pick(run: str) -> None:
        chosen.clear()
        with chosen:
            found_run(next(row for row in usable if row["run"] == run))

    with page.card(f"Found by the {job.title}"):
        page.paragraph(sentence(result["reason"]))
        for words in result.get("left_out", []):
            page.paragraph(sentence(words), quiet=True)
        _other_promises(result)
        if usable:
            lines: dict[str, list[Point]] = {}
            for row in usable:
                variant = row.get("variant", row["algorithm"])  # not told by sweeps of earlier versions
                lines.setdefault(variant, []).append((row["risk"], row[loss], row["run"]))
            front = sorted((row["risk"], row[loss]) for row in usable if row["run"] in result["front"])
            _plot(lines, front, pick)
            page.paragraph("Click a mark to choose its run.", quiet=True)
            chosen = ui.column().classes("w-full").props('aria-live="polite"')
        for row in result["runs"]:
            found_run(row)


def _other_promises(result: Mapping[str, Any]) -> None:
    """What a stricter, weaker or other promise would cost; sweeps of earlier versions do not tell."""
    costs = result.get("cost_table", {"rows": []})
    if len(costs["rows"]) > 1:
        page.heading("What other promises would cost", 3)
        page.paragraph(sentence(result["costs"]))
        page.plain_table(costs["heads"], costs["rows"], name="What other promises would cost")


def _found_run(
    place: Place, job: Job, row: Mapping[str, Any], change: PromiseChange, trouble: ui.element
) -> None:
    """One run of a sweep, to be taken over into the settings; a change of the promise is said first."""
    result: Mapping[str, Any] = job.result or {}

    async def adopt() -> None:
        await page.attempt(trouble, place.service.results.adopt, place.project.id, job.id, row["run"])
        ui.navigate.to(place.link("run"))

    def ask_first() -> None:
        with ui.dialog(value=True) as sure, ui.card():
            ui.label(f"This changes the promise from {change.before} to {change.after}.")
            if change.standing in _BESIDE:
                ui.label(sentence(_BESIDE[change.standing])).classes("shoal-bad")
            with ui.row():
                page.main_button("Keep the promise as it is", sure.close)
                page.quiet_button("Change the promise", adopt, colour="negative")

    with ui.row().classes("items-center w-full shoal-line"):
        ui.label(row["run"]).classes("grow font-semibold shoal-any")
        if row["run"] == result["recommended"] and change.standing in ("own", "stricter"):
            ui.label("recommended").classes("shoal-good")
        if change.standing in _BESIDE:
            ui.label(_BESIDE[change.standing]).classes("shoal-bad")
        ui.label(_figures_of(row, result["loss"])).classes("shoal-quiet")
        take = page.quiet_button("Take it", adopt if change.standing == "own" else ask_first)
        changed = "" if change.standing == "own" else f", which changes the promise to {change.after}"
        take.props["aria-label"] = f"Take {row['run']}{changed}"


def _figures_of(row: Mapping[str, Any], loss: str) -> str:
    if not row["holds"]:
        return "no release"
    took = "" if row.get("took") in (None, row["algorithm"]) else f"{row['took']}, "
    loss_and_risk = f"loss {page.percent(row.get(loss))}, risk {page.percent(row['risk'])}"
    return f"{took}{loss_and_risk}, {row['seconds']:,.1f} s"
