"""The second step: what each column means."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from nicegui import ui

from shoal.study.profile import ColumnProfile, Profile
from shoal.study.starter import column_entry
from shoal.web.pages import frame as page
from shoal.web.pages.data import KINDS
from shoal.web.pages.draft import Draft
from shoal.web.pages.frame import Place
from shoal.web.service.files import StoredFile

ROLES = {
    "identifier": "Names a person: is left out",
    "quasi": "Somebody could know it",
    "sensitive": "Nobody should learn it",
    "insensitive": "Neither: published as it is",
    "drop": "Is left out",
}
_WRITTEN = ("decimal", "thousands", "format")
_ONLY_FOR = {
    **dict.fromkeys(("separator", "sensitive", "multiset"), "set"),
    **dict.fromkeys(("decimal", "thousands"), "number"),
    "format": "date",
}
Change = Callable[[dict[str, Any]], Awaitable[None]]
Save = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]


async def columns_page(place: Place, _: str | None) -> None:
    """A role for every column, with what speaks for it."""
    service, project = place.service, place.project.id
    file = await used_file(place)
    if file is None:
        page.first_do("Choose a data file first.", "To the data", place.link("data"))
        return
    trouble = ui.column().classes("w-full")
    profile = await page.attempt(trouble, service.data.profile, project, file.id)
    if profile is None:
        return
    page.paragraph(
        "Only you know what others could know about the people in this file. When in doubt, “Somebody could"
        " know it” is the safe answer."
    )
    draft = await Draft.of(place)
    sections = draft.seen

    async def save(columns: dict[str, Any], data: dict[str, Any]) -> None:
        if not await draft.save(trouble, {"columns": columns, "data": data}):
            return
        problems = await page.ask(service.policies.problems, project)
        findings.clear()
        if problems:
            with findings:
                page.show_problems(problems, "Still to be settled, here or in later steps")

    async def save_column(name: str, change: dict[str, Any]) -> dict[str, Any]:
        columns = dict(draft.seen.get("columns", {}))
        if change.get("role") == "drop":
            columns.pop(name, None)
        else:
            known = next(each for each in profile.columns if each.name == name)
            columns[name] = changed(columns.get(name), known, change)
        dropping = any(each.name not in columns for each in profile.columns)
        await save(columns, {**draft.seen["data"], "others": "drop" if dropping else "error"})
        return dict(draft.seen.get("columns", {}).get(name, {}))

    async def save_subject(name: str | None) -> None:
        columns = dict(draft.seen.get("columns", {}))
        if name is not None:
            columns[name] = {"role": "identifier"}
        await save(columns, {**draft.seen["data"], "subject": name})

    with page.card("What each column is"):
        for each in profile.columns:
            _column(each, sections.get("columns", {}).get(each.name), save_column)
    findings = ui.column().classes("w-full")
    _subject(profile, sections["data"].get("subject"), save_subject)
    await _uniqueness(place, file, profile, trouble)
    page.onward("On to the hierarchies", place, "hierarchies")


def _subject(profile: Profile, subject: str | None, save: Callable[[str | None], Awaitable[None]]) -> None:
    with page.card("One person, several rows?"):
        page.paragraph(
            "If rows can belong to the same person, people are counted rather than rows.", quiet=True
        )
        names = [each.name for each in profile.columns]
        offered = {"": "No: every row is another person"}
        offered |= {f"={name}": f"Rows with the same {name} are one person" for name in names}
        choice = ui.select(offered, value=f"={subject}" if subject in names else "", label="Who is who")
        choice.props("outlined dense").classes("w-full")

        async def choose() -> None:
            await save(str(choice.value)[1:] if choice.value else None)
            if choice.value:
                ui.notify("That column names people: it is used to count them, and is left out.")

        choice.on_value_change(choose)


async def used_file(place: Place) -> StoredFile | None:
    """The data file that the settings name."""
    sections = await page.ask(place.service.policies.get, place.project.id)
    files = await page.ask(place.service.files.all, place.project.id, "data")
    used = sections.get("data", {}).get("path")
    return next((file for file in files if file.name == used), None)


def changed(entry: dict[str, Any] | None, known: ColumnProfile, change: dict[str, Any]) -> dict[str, Any]:
    """A column's settings after a change: without what no longer fits its role or kind, with what is due."""
    merged = {**(entry or {"kind": known.kind}), **change}
    role, kind = merged.get("role", known.role), merged.get("kind", known.kind)
    if "kind" in change and change["kind"] != (entry or {}).get("kind", "category"):
        merged.pop("hierarchy", None)
    kept = {"role": role, "kind": kind}
    if role == "identifier":
        return {"role": role, **({"pseudonym": True} if merged.get("pseudonym") else {})}
    confirmed = {name: merged[name] for name in ("confirm", "reason") if merged.get(name)}
    if role == "insensitive":
        return {"role": role, **confirmed}
    meant = replace(known, kind=kind, role=role, separator=known.separator or " ")
    if kind != known.kind:
        meant = replace(meant, recipe={})
    if role == "sensitive":
        return (
            {**column_entry(meant), **confirmed}
            if kind in ("number", "date")
            else {"role": role, **confirmed}
        )
    suggested = {**column_entry(meant), **confirmed}
    for name in (
        "hierarchy",
        "separator",
        "sensitive",
        "missing",
        "unknown",
        "weight",
        "multiset",
        *_WRITTEN,
    ):
        only_for = _ONLY_FOR.get(name)
        if name in merged and (only_for is None or kind == only_for):
            kept[name] = merged[name]
    return {**suggested, **kept}


def _column(known: ColumnProfile, entry: dict[str, Any] | None, save: Save) -> None:
    entry = entry or {}
    with ui.element("div").classes("shoal-column"):
        with ui.column().classes("gap-0"):
            ui.label(known.name).classes("font-semibold")
            ui.label(f"{known.distinct:,} values, {known.missing:,} missing").classes("shoal-quiet text-sm")
        held = entry.get("kind", "category" if entry else known.kind)
        kind = ui.select(KINDS, value=held, label=f"Kind of {known.name}")
        role = ui.select(ROLES, value=entry.get("role", "drop"), label=f"Role of {known.name}")
        for choice in (kind, role):
            choice.props("outlined dense options-dense")
        with ui.column().classes("gap-1"):
            suggestion = ROLES.get(known.role, known.role)
            ui.label(f"Suggested: “{suggestion}” ({known.reason}).").classes("text-sm")
            alone = (
                f"{page.percent(known.unique_share)} of the records have a value here that nobody else has."
            )
            ui.label(alone).classes("shoal-quiet text-sm")
            for note in known.notes:
                ui.label(f"{note[0].upper()}{note[1:]}.").classes("text-sm")
            extras = ui.column().classes("gap-1 w-full")

    async def change(what: dict[str, Any]) -> None:
        _extras(extras, known, await save(known.name, what), change)

    _extras(extras, known, entry, change)
    role.on_value_change(lambda event: change({"role": event.value}))
    kind.on_value_change(lambda event: change({"kind": event.value}))


def _extras(area: ui.element, known: ColumnProfile, entry: dict[str, Any], change: Change) -> None:
    """What only some columns have."""
    area.clear()
    with area:
        if entry.get("kind") == "set" and entry.get("role") == "quasi":
            held = "|".join(entry.get("sensitive", []))
            sensitive = ui.input("Sensitive items, with | between", value=held).props("outlined dense")

            async def mark() -> None:
                items = [item.strip() for item in str(sensitive.value).split("|") if item.strip()]
                await change({"sensitive": items})

            sensitive.on("change", mark)
        if entry.get("role") == "identifier":
            _switch("keep a random pseudonym in its place", "pseudonym", entry, change)
        if known.suspicious and entry.get("role") in ("quasi", "sensitive", "insensitive"):
            _switch("publish it although it looks personal", "confirm", entry, change)
            why = ui.input("Why it may be published", value=entry.get("reason", "")).props("outlined dense")
            why.props["aria-label"] = f"Why {known.name} may be published"
            why.on("change", lambda: change({"reason": str(why.value).strip()}))
        elif entry.get("role") == "insensitive":
            many = f"publish it although it has {known.distinct:,} different values"
            _switch(many, "confirm", entry, change)


def _switch(title: str, key: str, entry: dict[str, Any], change: Change) -> None:
    box = ui.checkbox(title, value=bool(entry.get(key))).props("dense")
    box.on_value_change(lambda event: change({key: event.value}))


async def _uniqueness(place: Place, file: StoredFile, profile: Profile, trouble: ui.element) -> None:
    with page.card("Who could be singled out"):
        page.paragraph(
            "How many of the records are the only one of their kind, for somebody who knows these columns."
        )
        if profile.uniqueness:
            page.plain_table(
                ("Who knows", "singles out"),
                [(" and ".join(names), page.percent(share)) for names, share in profile.uniqueness],
                height="300px",
            )
        known = ui.select(
            [each.name for each in profile.columns], multiple=True, label="Try other columns together"
        ).props("outlined dense use-chips")
        known.classes("w-full")
        answer = ui.label("").props('aria-live="polite"')

        async def count() -> None:
            share = await page.attempt(
                trouble, place.service.data.uniqueness, place.project.id, file.id, list(known.value or [])
            )
            if share is not None and known.value:
                answer.text = (
                    f"Who knows {' and '.join(known.value)} singles out {page.percent(share)} of the records."
                )

        known.on_value_change(count)
