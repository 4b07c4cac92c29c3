"""Parts of the result: figures with their data, values before and after, attackers, labels, questions."""

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from shoal.errors import BadInput, Problem
from shoal.study.count_groups import Bands, ends_of_bands
from shoal.web.pages import frame as page
from shoal.web.pages.frame import Place
from shoal.web.service.jobs import Job
from shoal.web.service.tables import ShownTable, attack_table, distribution_tables, figure_tables

_MOST_LABELS = 2_000
_ANSWER = "The answer"
_HEADS = ("At least", "Expected", "At most")


def data_link(place: Place, job: Job, table: ShownTable, words: str = "Download as CSV") -> None:
    """The way to a table as a file."""
    address = f"/api/v1/projects/{place.project.id}/jobs/{job.id}/tables/{table.name}"
    link = ui.link(words, address).props("download").classes("text-sm self-start")
    link.props["aria-label"] = f"Download as CSV: {table.title}"


def figures(place: Place, job: Job, view: Mapping[str, Any]) -> None:
    """Risk, class sizes and loss, each with its data."""
    with ui.element("div").classes("shoal-figures"):
        for drawn in figure_tables(view):
            with page.card(drawn.title):
                page.figure(drawn.svg, drawn.title)
                data_link(place, job, drawn)


def distributions(place: Place, job: Job, view: Mapping[str, Any]) -> None:
    """How often values occur before and after, of one column at a time."""
    columns = distribution_tables(view)
    if not columns:
        return
    with page.card("Values before and after"):
        page.paragraph(
            "How often each group of values occurs. What is published more coarsely than the groups counts"
            " evenly for all that it covers: the pale part.",
            quiet=True,
        )
        with ui.element("div").classes("shoal-fields"):
            column = ui.select(list(columns), value=next(iter(columns)), label="Values of")
            level = ui.select([], label="In groups")
        for choice in (column, level):
            choice.props("outlined dense options-dense")
        area = ui.column().classes("w-full")

        def show() -> None:
            area.clear()
            table = columns[str(column.value)].get(str(level.value))
            if table is None:
                return
            with area:
                page.figure(table.svg, f"Values before and after: {table.title}")
                page.plain_table(table.heads, _short(table.rows), height="260px", name=table.title)
                data_link(place, job, table)

        def choose() -> None:
            levels = list(columns[str(column.value)])
            level.set_options(levels, value=levels[0])
            show()

        column.on_value_change(choose)
        level.on_value_change(show)
        choose()


async def attackers(place: Place, job: Job) -> None:
    """What adversaries find, if somebody has tried."""
    with page.card("What attackers find"):
        attack = await page.ask(place.service.results.attack_on, place.project.id, job.id)
        if attack is None:
            page.paragraph(
                "Not tried yet. “Attack it” lets adversaries who know different things look for the people of"
                " the original in the release.",
                quiet=True,
            )
            return
        facts: Mapping[str, Any] = attack.result or {}
        holds = facts["within_promise"]
        told = "✓ Within the promise" if holds else "✗ The promise is broken"
        ui.label(told).classes("text-lg " + ("shoal-good" if holds else "shoal-bad"))
        with ui.element("div").classes("shoal-tiles"):
            _three_views(facts)
        table = attack_table(facts)
        page.plain_table(table.heads, table.rows, height="320px", name=table.title)
        page.bullets(facts["weaknesses"])
        with ui.row():
            data_link(place, job, table)
            ui.link("Its whole page", place.download(attack.id, "attack")).props("download").classes(
                "text-sm"
            )


def _three_views(facts: Mapping[str, Any]) -> None:
    """Who looks for one person of the file, for anybody of the population, for as many as possible."""
    promised = [each["after"] for each in facts["findings"] if each["promised"]]
    highest = [each["highest_risk"] for each in promised if each["highest_risk"] is not None]
    if highest:
        page.tile(
            "Prosecutor", page.percent(max(highest)), "highest risk of somebody known to be in the file"
        )
    journalist = facts["journalist"]
    if journalist is not None:
        of = "of the population" if journalist["population_given"] else "if the file is everybody"
        page.tile("Journalist", page.percent(journalist["highest_risk"]), f"highest risk of anybody {of}")
    if promised:
        mean = max(each["mean_risk"] for each in promised)
        page.tile("Marketer", page.percent(mean), "share of all records that guesses get right")


async def labels(place: Place, job: Job) -> None:
    """What the labels of the published file stand for."""
    table = await page.ask(place.service.results.codebook, place.project.id, job.id)
    if table is None or not table.rows:
        return
    with page.card(table.title):
        page.paragraph("Goes out with the file, so that readers know what a label covers.", quiet=True)
        columns = list(dict.fromkeys(row[0] for row in table.rows))
        column = ui.select(
            {"": "All columns", **{f"={each}": each for each in columns}}, value="", label="Column"
        )
        column.props("outlined dense options-dense")
        area = ui.column().classes("w-full")

        def show() -> None:
            area.clear()
            rows = [row for row in table.rows if column.value in ("", f"={row[0]}")]
            with area:
                page.plain_table(table.heads, rows[:_MOST_LABELS], height="320px", name=table.title)
                if len(rows) > _MOST_LABELS:
                    page.paragraph(f"The first {_MOST_LABELS:,} of {len(rows):,} labels.", quiet=True)

        column.on_value_change(show)
        show()
        data_link(place, job, table)


def questions(place: Place, job: Job) -> None:
    """How many records have certain values or items, as a reader of the release can tell."""
    entries = job.request["sections"]["columns"]
    sets = {
        name: entry.get("separator") or " " for name, entry in entries.items() if entry.get("kind") == "set"
    }
    published = [name for name, entry in entries.items() if entry.get("role") != "identifier"]
    with page.card("Ask the release"):
        page.paragraph(
            "How many records there are with certain values, as a reader can tell from the published file"
            " alone: no fewer, as expected, no more.",
            quiet=True,
        )
        single = [name for name in published if name not in sets]
        with ui.element("div").classes("shoal-fields"):
            column = ui.select(published, value=published[0] if published else None, label="Where")
            value = ui.input("Is, such as 30-39 or f", value="")
        grouped = [_Grouping(single, *titles) for titles in _GROUPINGS]
        for field in (column, value):
            field.props("outlined dense options-dense")
        trouble = ui.column().classes("w-full")
        answer = ui.column().classes("w-full").props('aria-live="polite"')

        def asked() -> ShownTable:
            name, text = str(column.value or ""), str(value.value or "").strip()
            by = list(dict.fromkeys(each.name for each in grouped if each.name))
            bands = {
                each.name: ends_of_bands(each.ends) for each in reversed(grouped) if each.name and each.ends
            }
            if name not in sets:
                return _count(place, job, {name: text} if text else {}, by, bands)
            items = [item for item in text.split(sets[name]) if item]
            if by:
                return _count(place, job, {name: items} if items else {}, by, bands)
            return _support(place, job, items)

        async def ask() -> None:
            answer.clear()
            counting = place.doing("Counting", (job.result or {}).get("published_records", 0))
            found = await page.patiently(trouble, counting, asked)
            if found is not None:
                with answer:
                    page.plain_table(found.heads, _short(found.rows), height="320px", name=found.title)
                    _own_link(found)

        page.other_button("Count", ask)


_GROUPINGS = (
    ("For each", "In bands with these ends, such as 20, 40, 60"),
    ("And for each", "Also in bands with these ends"),
)


class _Grouping:
    """A column for each value of which records are counted, or for each band of its numbers or days."""

    def __init__(self, offered: Sequence[str], title: str, bands: str) -> None:
        with ui.element("div").classes("shoal-fields"):
            self._column = ui.select(["", *offered], value="", label=title)
            self._ends = ui.input(bands, value="")
        for field in (self._column, self._ends):
            field.props("outlined dense options-dense")

    @property
    def name(self) -> str:
        return str(self._column.value or "")

    @property
    def ends(self) -> str:
        return str(self._ends.value or "").strip()


def _own_link(table: ShownTable) -> None:
    """The way to a table that is on the page alone."""
    content = table.as_csv().encode()
    button = page.quiet_button(
        "Download as CSV", lambda: ui.download.content(content, f"{table.name}.csv", "text/csv")
    )
    button.classes("self-start").props["aria-label"] = f"Download as CSV: {table.title}"


def _support(place: Place, job: Job, items: list[str]) -> ShownTable:
    if not items:
        raise BadInput(Problem("no items are asked for", "write one or more"))
    found = place.service.results.support(place.project.id, job.id, items)
    row = (" and ".join(items), found.lower, found.expected, found.upper, found.records)
    return ShownTable(
        "answer", _ANSWER, ("Records with", "At least", "Expected", "At most", "Of records"), (row,)
    )


def _count(
    place: Place, job: Job, where: Mapping[str, str | list[str]], by: list[str], bands: Bands
) -> ShownTable:
    if not where and not by:
        raise BadInput(Problem("nothing is asked", "write a value, or choose a column for each value"))
    found = place.service.results.count(place.project.id, job.id, where, by, bands)
    return ShownTable("answer", _ANSWER, (*by, *_HEADS), tuple(found.rows))


def _short(rows: Sequence[Sequence[Any]]) -> tuple[tuple[Any, ...], ...]:
    """Rows with numbers that are as exact as anybody reads them."""
    return tuple(tuple(f"{each:,.6g}" if isinstance(each, float) else each for each in row) for row in rows)
