"""All projects: open, make, delete; the bundled sample to try things out."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from nicegui import ui

from shoal.table.sample import sample_folder
from shoal.web.access import Access, ProgramKey
from shoal.web.pages import frame as page
from shoal.web.service.projects import Project
from shoal.web.service.service import Service

SAMPLES = {
    "table": ("Patients as a table", "table.toml", "patients.csv", None),
    "sets": ("Diagnoses as sets", "sets.toml", "diagnoses.txt", "diagnoses.csv"),
    "mixed": ("Patients with their diagnoses", "mixed.toml", "patients.csv", "diagnoses.csv"),
    "disassociation": ("Diagnoses, all as they are", "sets.toml", "diagnoses.txt", "diagnoses.csv"),
}
_DISASSOCIATION: dict[str, dict[str, Any]] = {
    "privacy": {"model": "disassociation", "k": 5, "m": 2},
    "algorithm": {"name": "auto"},
    "output": {"path": "published.jsonl"},
}


async def projects_page(service: Service, access: Access) -> None:
    """The list of projects and the ways to begin one."""
    page.paragraph(
        "A project holds a data file about people, what you say about its columns, and the releases that you"
        " made of it. Begin with your own file, or try the sample of invented patients."
    )
    trouble = ui.column().classes("w-full")

    async def create() -> None:
        made = await page.attempt(trouble, service.projects.create, name.value)
        if made is not None:
            ui.navigate.to(f"/projects/{made.id}/data")

    with page.card("A new project"), ui.row().classes("items-center w-full"):
        name = ui.input("Name").props("outlined dense").classes("grow").on("keydown.enter", create)
        page.main_button("Create", create)

    async def begin(kind: str) -> None:
        made = await page.attempt(trouble, begin_sample, service, kind)
        if made is not None:
            ui.navigate.to(f"/projects/{made.id}/data")

    with page.card("Try the sample"), ui.row():
        for kind, (title, *_) in SAMPLES.items():
            page.other_button(title, lambda kind=kind: begin(kind))

    with page.card("Existing projects"):
        existing = await page.ask(service.projects.all)
        if not existing:
            page.paragraph("There are none yet.", quiet=True)
        for project in existing:
            _entry(service, project, trouble)

    with page.card("Another browser"):
        page.paragraph(
            "Sessions belong to one browser. This makes a link that opens one more, once.", quiet=True
        )
        shown = ui.label("").classes("shoal-any").props('aria-live="polite"')

        def show_link() -> None:
            shown.text = f"Add this to the server's address: /?token={access.new_link()}"

        page.other_button("Make a link", show_link)
    with page.card("Keys for programs"):
        _keys(access, trouble)


def _keys(access: Access, trouble: ui.element) -> None:
    """Make keys of the REST interface, which are shown once, and take them back."""
    page.paragraph(
        "A program that uses the REST interface sends a key as “Authorization: Bearer …”. A key is good until"
        " it is revoked, and is shown only when it is made.",
        quiet=True,
    )
    shown = ui.column().classes("w-full").props('aria-live="polite"')
    listed = ui.column().classes("w-full")

    def show() -> None:
        listed.clear()
        with listed:
            for key in access.made_keys():
                _key(key, revoke)

    async def make() -> None:
        secret = await page.attempt(trouble, access.make_key, str(name.value or ""))
        if secret is not None:
            shown.clear()
            with shown:
                ui.label(f"The key of {name.value}, which will not be shown again:")
                ui.label(secret).classes("shoal-any font-semibold")
            name.value = ""
            show()

    async def revoke(key: str) -> None:
        await page.ask(access.revoke, key)
        show()

    with ui.row().classes("items-center w-full"):
        name = ui.input("What the key is for").props("outlined dense").classes("grow")
        page.other_button("Make a key", make)
    show()


def _key(key: ProgramKey, revoke: Callable[[str], Awaitable[None]]) -> None:
    used = "never used" if key.used is None else f"last used {_day(key.used)}"
    with ui.row().classes("items-center w-full shoal-line"):
        ui.label(key.name).classes("grow shoal-any")
        ui.label(f"made {_day(key.created)}, {used}").classes("shoal-quiet text-sm")
        button = page.quiet_button("Revoke", lambda: revoke(key.id), colour="negative")
        button.props["aria-label"] = f"Revoke the key of {key.name}"


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


def begin_sample(service: Service, kind: str) -> Project:
    """A project with files and settings of the bundled sample."""
    title, policy, data, tree = SAMPLES[kind]
    folder = sample_folder()
    project = service.projects.create(f"Sample: {title.lower()}")
    service.files.add(project.id, data, [(folder / data).read_bytes()])
    if tree is not None:
        service.files.add(project.id, tree, [(folder / tree).read_bytes()], "hierarchy")
    service.policies.take(project.id, (folder / policy).read_text(encoding="utf-8"))
    if kind == "disassociation":
        sections = service.policies.get(project.id)
        items = {**sections["columns"]["items"], "hierarchy": None}
        service.policies.replace(project.id, {**sections, **_DISASSOCIATION, "columns": {"items": items}})
    return project


def _entry(service: Service, project: Project, trouble: ui.element) -> None:
    made = _day(project.created)
    with ui.row().classes("items-center w-full"):
        with ui.column().classes("gap-0 grow shoal-any"):
            ui.link(project.name, f"/projects/{project.id}/data")
            counts = f"{page.counted(project.files, 'file')}, {page.counted(project.jobs, 'run')}"
            ui.label(f"Made {made}; {counts}").classes("shoal-quiet text-sm")
        with ui.dialog() as sure, ui.card():
            ui.label(f"Delete {project.name!r} with its data and everything made of them, for good?")
            with ui.row():
                page.main_button("Keep it", sure.close)

                async def delete() -> None:
                    sure.close()
                    await page.attempt(trouble, service.delete, project.id)
                    ui.navigate.to("/")

                page.quiet_button("Delete for good", delete, colour="negative")
        button = page.quiet_button("Delete", sure.open, colour="negative")
        button.props["aria-label"] = f"Delete {project.name}"
