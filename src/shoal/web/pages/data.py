"""The first step: which file, and what is in it."""

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from shoal.report.explanations import listed
from shoal.table.reading import HowRead
from shoal.web.pages import frame as page
from shoal.web.pages.draft import Draft
from shoal.web.pages.frame import Place
from shoal.web.pages.uploading import file_button
from shoal.web.service.files import StoredFile
from shoal.web.service.policies import Brought

Use = Callable[[StoredFile], Awaitable[None]]
KINDS = {"category": "words", "number": "numbers", "date": "dates", "set": "a set of items"}
_PREVIEWED = 200
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabulators", "|": "bars"}


async def data_page(place: Place, _: str | None) -> None:
    """Upload or pick a file, and look at it."""
    service, project = place.service, place.project.id
    page.paragraph(
        "Bring the file that you want to publish. Every row should be one person; where it is one visit, name"
        " the column that tells people apart in the next step."
    )
    trouble = ui.column().classes("w-full")

    async def use(stored: StoredFile) -> None:
        waiting = ui.notification("Looking at the file …", spinner=True, timeout=None)
        brought = await page.attempt(trouble, service.policies.bring, project, stored.id)
        waiting.dismiss()
        if brought is not None and brought.kept:
            with trouble:
                _kept(place, stored, brought)
        elif brought is not None:
            ui.navigate.to(place.link("data"))

    with page.card("Bring a file"):
        file_button("Choose a file", place, "data", trouble, use)
        page.paragraph(
            "CSV, TSV, text with one set per line, JSON lines, Parquet, Arrow or Excel; texts may be packed"
            " with gzip.",
            quiet=True,
        )
        await _server_folder(place, trouble, use)
    files = await page.ask(service.files.all, project, "data")
    sections = await page.ask(service.policies.get, project)
    used = sections.get("data", {}).get("path")
    if files:
        with page.card("Files of this project"):
            for file in files:
                _file(file, use, in_use=file.name == used)
    current = next((file for file in files if file.name == used), None)
    if current is not None:
        await _look(place, current, sections, trouble)


def _kept(place: Place, file: StoredFile, brought: Brought) -> None:
    """What was said before and holds for the new file, with a way to begin anew."""
    told = [
        f"Roles and hierarchies were kept of {listed(brought.kept)}.",
        f"Kept as well: {listed(brought.sections)}." if brought.sections else "",
        f"New, with a suggestion: {listed(brought.new)}." if brought.new else "",
        f"No longer there: {listed(brought.gone)}." if brought.gone else "",
    ]

    async def anew() -> None:
        await page.ask(place.service.policies.start, place.project.id, file.id)
        ui.navigate.to(place.link("data"))

    with page.card(f"{file.name} is in use now"):
        page.bullets(each for each in told if each)
        with ui.row():
            page.main_button("Go on with these", lambda: ui.navigate.to(place.link("data")))
            page.other_button("Begin anew with suggestions", anew)


async def _server_folder(place: Place, trouble: ui.element, use: Use) -> None:
    """Files that lie on the server already, if it was started with a folder."""
    offered = await page.ask(place.service.files.offered)
    if not offered:
        return
    chosen = ui.select([each.place for each in offered], label="Or a file of the server's folder")
    chosen.props("outlined dense").classes("w-full")

    async def pick() -> None:
        stored = await page.attempt(
            trouble, place.service.files.pick, place.project.id, str(chosen.value or "")
        )
        if stored is not None:
            await use(stored)

    page.other_button("Take this one", pick)


def _file(file: StoredFile, use: Use, *, in_use: bool) -> None:
    with ui.row().classes("items-center w-full"):
        ui.label(file.name).classes("grow shoal-any")
        ui.label(f"{file.size / 1e6:,.1f} MB").classes("shoal-quiet")
        if in_use:
            ui.label("in use").classes("shoal-good")
        else:
            button = page.quiet_button("Use it", lambda: use(file))
            button.props["aria-label"] = f"Use {file.name}"


async def _look(place: Place, file: StoredFile, sections: dict[str, Any], trouble: ui.element) -> None:
    service, project = place.service, place.project.id
    with page.card("What is in it"):
        profile = await page.attempt(trouble, service.data.profile, project, file.id)
        if profile is None:
            return
        size = f"{profile.records:,} records, {len(profile.columns)} columns"
        page.paragraph(f"{size}{_read_as(profile.read_as)}.")
        page.plain_table(
            ("Column", "Looks like", "Different values", "Missing", "Values that only one record has"),
            [
                (
                    each.name,
                    each.looks_like,
                    f"{each.distinct:,}",
                    f"{each.missing:,}",
                    page.percent(each.unique_share),
                )
                for each in profile.columns
            ],
        )
        _missing(place, sections, trouble)
    with page.card("The first records"):
        shown = await page.attempt(trouble, service.data.preview, project, file.id, count=_PREVIEWED)
        if shown is not None:
            rows = [["missing" if value is None else value for value in row] for row in shown.rows]
            page.plain_table(shown.columns, rows, height="420px", wrap=False)
    page.onward("On to the columns", place, "columns")


def _read_as(how: HowRead) -> str:
    """What was found out about the file, to be checked by eye."""
    found = [
        f"the encoding {how.encoding}" if how.encoding else "",
        f"{_DELIMITERS.get(how.delimiter, repr(how.delimiter))} between cells" if how.delimiter else "",
        f"the sheet {how.sheet}" if how.sheet else "",
    ]
    told = [each for each in found if each]
    return f"; read with {', '.join(told)}" if told else ""


def _missing(place: Place, sections: dict[str, Any], trouble: ui.element) -> None:
    draft = Draft(place, sections)
    words = ui.input(
        "Words that stand for a missing value, with | between",
        value="|".join(word for word in sections["data"].get("missing", [""]) if word),
        placeholder="such as ?|NA",
    ).props('outlined dense hint="An empty cell always counts as missing."')
    words.classes("w-full q-mb-md")

    async def save() -> None:
        missing = list(dict.fromkeys(["", *(word.strip() for word in str(words.value).split("|"))]))
        if await draft.save(trouble, {"data": {**draft.seen["data"], "missing": missing}}):
            ui.notify("Saved.")

    words.on("blur", save)
