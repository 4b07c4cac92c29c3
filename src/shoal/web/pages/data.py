"""The first step: which file, and what is in it."""

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from shoal.report.explanations import listed
from shoal.study.profile import Profile
from shoal.table.reading import HowRead
from shoal.web.pages import frame as page
from shoal.web.pages.fields import DECIMALS, THOUSANDS, Change, Fields
from shoal.web.pages.frame import Place
from shoal.web.pages.uploading import file_button
from shoal.web.service.data import options_of
from shoal.web.service.files import StoredFile, ending_of
from shoal.web.service.policies import Brought, files_of

Use = Callable[[StoredFile], Awaitable[None]]
_PREVIEWED = 200
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabulators", "|": "bars"}
_BETWEEN = {sign: name.capitalize() for sign, name in _DELIMITERS.items()}
_ENCODINGS = (
    "utf-8",
    "cp1252",
    "latin-1",
    "iso8859-15",
    "cp1250",
    "cp1251",
    "cp1253",
    "utf-16",
    "shift_jis",
    "gb18030",
)
_AS_SHOWN = "As each column shows"
_QUOTES = {None: "Found out", '"': "Double quotes", "'": "Single quotes", "": "Nothing: quotes are letters"}
_LINES = (".txt", ".dat")
_TEXTS = (".csv", ".tsv", *_LINES)


async def data_page(place: Place, _: str | None) -> None:
    """Upload or pick a file, and look at it."""
    service, project = place.service, place.project.id
    page.paragraph(
        "Bring the file that you want to publish. Every row should be one person; where it is one visit, name"
        " the column that tells people apart in the next step."
    )
    trouble = ui.column().classes("w-full")

    async def use(stored: StoredFile) -> None:
        looking = place.doing(f"Looking at {stored.name}", stored.size)
        brought = await page.patiently(trouble, looking, service.policies.bring, project, stored.id)
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
    files = await page.ask(service.files.all, project)
    sections = await page.ask(service.policies.get, project)
    used = sections.get("data", {}).get("path")
    named = files_of(sections)
    if files:
        with page.card("Files of this project"):
            for file in files:
                _file(place, file, use, trouble, in_use=file.name in named)
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
        size = next((each.size for each in offered if each.place == chosen.value), 0)
        taking = place.doing(f"Taking {chosen.value}", size)
        stored = await page.patiently(
            trouble, taking, place.service.files.pick, place.project.id, str(chosen.value or "")
        )
        if stored is not None:
            await use(stored)

    page.other_button("Take this one", pick)


def _file(place: Place, file: StoredFile, use: Use, trouble: ui.element, *, in_use: bool) -> None:
    async def remove() -> None:
        removed = await page.attempt(trouble, place.service.remove_file, place.project.id, file.id)
        if removed is not None:
            ui.navigate.to(place.link("data"))

    with ui.row().classes("items-center w-full shoal-line"):
        ui.label(file.name).classes("grow shoal-any")
        ui.label(page.size(file.size)).classes("shoal-quiet")
        if in_use:
            ui.label("in use").classes("shoal-good")
        elif file.kind == "data":
            button = page.quiet_button("Use it", lambda: use(file))
            button.props["aria-label"] = f"Use {file.name}"
        link = ui.link("Download", f"/api/v1/projects/{place.project.id}/files/{file.id}").props("download")
        link.props["aria-label"] = f"Download {file.name}"
        question = f"Delete {file.name!r} for good? This cannot be undone."
        delete = page.quiet_button(
            "Delete", lambda: page.ask_first(question, "Delete for good", remove), colour="negative"
        )
        delete.props["aria-label"] = f"Delete {file.name}"


async def _look(place: Place, file: StoredFile, sections: dict[str, Any], trouble: ui.element) -> None:
    service, project = place.service, place.project.id
    with page.card("What is in it"):
        waiting = ui.column().classes("w-full")
        looking = place.doing(f"Looking at {file.name}", file.size)
        profile_as, data = service.data.profile_as, sections["data"]
        profile = await page.patiently(waiting, looking, profile_as, project, file.id, data)
        if profile is not None:
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
                height="420px",
                name="What is in the columns",
            )
        await _written(place, file, sections["data"], profile, trouble)
    if profile is None:
        return
    with page.card("The first records"):
        options = options_of(sections["data"])
        waiting = ui.column().classes("w-full")
        reading = place.doing(f"Reading {file.name}", file.size)
        shown = await page.patiently(
            waiting, reading, service.data.preview, project, file.id, count=_PREVIEWED, options=options
        )
        if shown is not None:
            rows = [["missing" if value is None else value for value in row] for row in shown.rows]
            page.plain_table(shown.columns, rows, height="420px", wrap=False, name="The first records")
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


async def _written(
    place: Place, file: StoredFile, data: dict[str, Any], profile: Profile | None, trouble: ui.element
) -> None:
    """How the file is written, where that was not found out rightly; what is shown changes with it."""
    seen = profile.read_as if profile is not None else HowRead()
    ending = ending_of(file.name).removesuffix(".gz")

    async def save(changed: dict[str, Any]) -> None:
        read_as = place.service.policies.read_as
        reading = place.doing(f"Reading {file.name}", file.size)
        brought = await page.patiently(trouble, reading, read_as, place.project.id, changed)
        if brought is not None:
            ui.navigate.to(place.link("data"))

    words = ui.input(
        "Words that stand for a missing value, with | between",
        value="|".join(word for word in data.get("missing", [""]) if word),
        placeholder="such as ?|NA",
    ).props('outlined dense hint="An empty cell always counts as missing."')
    words.classes("w-full q-mb-md")

    async def save_words() -> None:
        missing = list(dict.fromkeys(["", *(word.strip() for word in str(words.value).split("|"))]))
        if missing != data.get("missing", [""]):
            await save({"missing": missing})

    words.on("change", save_words)
    with ui.expansion("Read it differently").classes("w-full"):
        with ui.element("div").classes("shoal-fields"):
            _signs(ending, seen, Fields(data, save))
        if ending not in _LINES:
            await _one_row_per_item(place, file, data, trouble, save)


def _signs(ending: str, seen: HowRead, fields: Fields) -> None:
    """What stands between, around and in the cells."""
    if ending in _TEXTS:
        found = f"Found out: {_named_delimiter(seen.delimiter)}"
        fields.choice("Between cells", "delimiter", {None: found, **_BETWEEN})
        fields.choice("Around cells", "quote", _QUOTES)
        encodings = {each: each for each in _ENCODINGS}
        fields.choice("Encoding", "encoding", {None: f"Found out: {seen.encoding or 'unknown'}", **encodings})
    if ending == ".xlsx":
        fields.text("Sheet", "sheet", hint=seen.sheet or "the first one")
    fields.choice("Decimal sign", "decimal", {None: _AS_SHOWN, **DECIMALS})
    fields.choice("Between thousands", "thousands", {None: _AS_SHOWN, **THOUSANDS})
    fields.text("Date format", "date_format", hint="such as %d.%m.%Y")


async def _one_row_per_item(
    place: Place, file: StoredFile, data: dict[str, Any], trouble: ui.element, save: Change
) -> None:
    """For a file of pairs: whose item a row is, and which; each person then has one set of items."""
    plain = {**data, "long": None}
    rows = await page.also(trouble, place.service.data.profile_as, place.project.id, file.id, plain)
    names = [] if rows is None else [column.name for column in rows.columns]
    if len(names) < 2:
        return
    held = data.get("long") or {}
    page.paragraph("If every row is one item of a person, such as one purchase, say which columns these are.")
    with ui.element("div").classes("shoal-fields"):
        person = ui.select(names, value=held.get("id"), label="Column that names the person")
        item = ui.select(names, value=held.get("item"), label="Column that names the item")

    async def chosen() -> None:
        if person.value is None and item.value is None and held:
            await save({"long": None})
        elif person.value is not None and item.value is not None:
            await save({"long": {"id": person.value, "item": item.value}})

    for choice in (person, item):
        choice.props("outlined dense options-dense clearable").on_value_change(chosen)


def _named_delimiter(delimiter: str | None) -> str:
    return _DELIMITERS.get(delimiter or "", repr(delimiter)) if delimiter else "unknown"
