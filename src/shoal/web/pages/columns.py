"""The second step: what each column means."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nicegui import events, ui

from shoal.policy.plan import KEYS_OF_ROLE
from shoal.study.profile import ColumnProfile, Profile
from shoal.study.starter import column_entry, promise_about
from shoal.table.reading import ReadOptions
from shoal.web.pages import frame as page
from shoal.web.pages.column_fields import column_fields
from shoal.web.pages.draft import Draft
from shoal.web.pages.fields import Fields
from shoal.web.pages.frame import Place
from shoal.web.service.data import options_of
from shoal.web.service.files import StoredFile
from shoal.web.service.setting_words import KINDS, ROLES

_ONLY_FOR = {
    **dict.fromkeys(("separator", "sensitive", "multiset", "item_weights"), ("set",)),
    **dict.fromkeys(("decimal", "thousands", "unit"), ("number",)),
    "bounds": ("number", "date"),
    "format": ("date",),
}
_ORDERS = {
    "file": "As in the file",
    "name": "By name",
    "alone": "Most telling first",
    "role": "By role",
    "look": "What needs a look first",
}
_SHORT_ROLES = {
    "identifier": "that name people",
    "quasi": "that somebody could know",
    "sensitive": "that nobody should learn",
    "insensitive": "published as they are",
    "drop": "left out",
}
_HEADS = {
    "name": "Column",
    "role": "Role",
    "kind": "Holds",
    "distinct": "Different values",
    "missing": "Missing",
    "alone": "Nobody else has it",
}
# One row is one stop; arrows go from row to row, Space ticks, Enter opens. Boxes are for the mouse.
_ROW = """
<q-tr :props="props" class="shoal-pick" :tabindex="props.rowIndex === 0 ? 0 : -1"
      :class="{ 'shoal-here': props.row.here }" :data-name="props.row.id"
      @click="$parent.$emit('open', props.row.id)"
      @keydown.enter.prevent="$parent.$emit('open', props.row.id)"
      @keydown.space.prevent="props.selected = !props.selected"
      @keydown.down.prevent="$event.currentTarget.nextElementSibling?.focus()"
      @keydown.up.prevent="$event.currentTarget.previousElementSibling?.focus()">
  <q-td auto-width @click.stop>
    <q-checkbox dense v-model="props.selected" :tabindex="-1" :aria-label="'Choose ' + props.row.name" />
  </q-td>
  <q-td v-for="col in props.cols" :key="col.name" :props="props">
    {{ col.value }}
    <span v-if="col.name === 'role' && props.row.look" class="shoal-bad"> ({{ props.row.look }})</span>
  </q-td>
</q-tr>
"""
_CHOOSE_ALL = """
<span class="shoal-unseen">Chosen</span>
<q-checkbox dense v-model="props.selected" aria-label="Choose all that are shown" />
"""


async def columns_page(place: Place, _: str | None) -> None:
    """A role for every column, with what speaks for it."""
    file = await used_file(place)
    if file is None:
        page.first_do("Choose a data file first.", "To the data", place.link("data"))
        return
    trouble = ui.column().classes("w-full")
    draft = await Draft.of(place)
    looking = place.doing(f"Looking at {file.name}", file.size)
    profile_as, data = place.service.data.profile_as, draft.seen["data"]
    profile = await page.patiently(trouble, looking, profile_as, place.project.id, file.id, data)
    if profile is None:
        return
    page.paragraph(
        "Only you know what others could know about the people in this file. When in doubt, “Somebody could"
        " know it” is the safe answer."
    )
    table = ColumnTable(place, profile, draft, trouble)
    table.show()
    _subject(profile, draft.seen["data"].get("subject"), table.name_people_by)
    await _uniqueness(place, file, profile, options_of(draft.seen["data"]), trouble)
    page.onward("On to the hierarchies", place, "hierarchies")


class ColumnTable:
    """All columns as one table to search, filter and sort, and what was chosen in it, to be changed."""

    def __init__(self, place: Place, profile: Profile, draft: Draft, trouble: ui.element) -> None:
        self._place, self._profile, self._draft, self._trouble = place, profile, draft, trouble
        self._known = {each.name: each for each in profile.columns}
        self._open: str | None = None
        self._before: dict[str, dict[str, Any]] = {}
        self._shown_for: list[str] = []
        self._changed_last = ""

    @property
    def _entries(self) -> Mapping[str, Any]:
        return self._draft.seen.get("columns", {})

    def show(self) -> None:
        """Draw the table, and the fields for what is chosen in it."""
        with page.card("What each column is"):
            self._said = ui.label().props('aria-live="polite"')
            with ui.element("div").classes("shoal-fields"):
                self._search = ui.input("Find a column").props("outlined dense clearable")
                self._role = ui.select({"": "All roles", **ROLES}, value="", label="Show")
                self._order = ui.select(_ORDERS, value="file", label="Sorted")
                for field in (self._search, self._role, self._order):
                    field.props("outlined dense options-dense").on_value_change(self._narrowed)
            self._table = ui.table(columns=_heads(), rows=[], row_key="id", selection="multiple")
            self._table.props("flat dense bordered wrap-cells :rows-per-page-options=[0] hide-bottom")
            self._table.classes("shoal-columns").props["aria-label"] = "Columns"
            self._table.add_slot("header-selection", _CHOOSE_ALL)
            self._table.add_slot("body", _ROW)
            self._table.on("open", self._opened)
            self._table.on_select(self._ticked)
            self._panel = (
                ui.column().classes("shoal-soft").props('role="group" aria-label="The chosen columns"')
            )
        self._findings = ui.column().classes("w-full")
        self._draw()
        self._fields()

    async def name_people_by(self, name: str | None) -> None:
        """Take a column for what tells people apart; the one before becomes what it was."""
        columns, now = dict(self._entries), self._draft.seen["data"].get("subject")
        if now in self._known:
            columns[now] = self._before.pop(now, None) or _suggested(self._known[now])
        if name is not None:
            self._before[name] = columns.get(name, {})
            columns[name] = {"role": "identifier"}
        await self._save({each: entry for each, entry in columns.items() if entry}, {"subject": name})
        self._fields()

    def _draw(self) -> None:
        wanted, role = str(self._search.value or "").casefold(), self._role.value
        shown = [
            each
            for each in self._profile.columns
            if wanted in each.name.casefold() and role in ("", self._role_of(each.name))
        ]
        shown.sort(key=self._sorting())
        names = {each.name for each in shown}  # what nobody sees is not changed
        self._table.selected = [row for row in self._table.selected if row["id"] in names]
        self._table.rows[:] = [self._row(each) for each in shown]
        self._table.update()
        counts = [
            f"{count} {_SHORT_ROLES[role]}"
            for role in ROLES
            if (count := sum(self._role_of(name) == role for name in self._known))
        ]
        hidden = len(self._known) - len(shown)
        found = f" Shown: {len(shown)}." if hidden else ""
        self._said.text = f"{page.counted(len(self._known), 'column')}: {', '.join(counts)}.{found}"

    def _sorting(self) -> Callable[[ColumnProfile], Any]:
        places = {name: place for place, name in enumerate(self._known)}
        roles = list(ROLES)
        orders: dict[str, Callable[[ColumnProfile], Any]] = {
            "file": lambda each: places[each.name],
            "name": lambda each: each.name.casefold(),
            "alone": lambda each: -each.unique_share,
            "role": lambda each: roles.index(self._role_of(each.name)),
            "look": lambda each: (not self._look_at(each), places[each.name]),
        }
        return orders[str(self._order.value)]

    def _row(self, known: ColumnProfile) -> dict[str, Any]:
        role = self._role_of(known.name)
        return {
            "id": known.name,
            "name": known.name,
            "role": ROLES[role],
            "kind": KINDS[self._kind_of(known)],
            "distinct": f"{known.distinct:,}",
            "missing": f"{known.missing:,}",
            "alone": page.percent(known.unique_share),
            "look": self._look_at(known),
            "here": known.name == self._open,
        }

    def _role_of(self, name: str) -> str:
        return str(self._entries.get(name, {}).get("role", "drop"))

    def _kind_of(self, known: ColumnProfile) -> str:
        return kind_of(self._entries.get(known.name), known)

    def _look_at(self, known: ColumnProfile) -> str:
        """Why somebody should look at a column; nothing if there is no reason."""
        entry, role = self._entries.get(known.name, {}), self._role_of(known.name)
        if known.suspicious and role not in ("identifier", "drop") and not entry.get("confirm"):
            return "looks personal"
        if known.ambiguous and role in ("quasi", "sensitive"):
            return "can be read in two ways"
        return "" if role == known.role else "not as suggested"

    def _opened(self, event: events.GenericEventArguments) -> None:
        self._open, self._changed_last = str(event.args), ""
        self._table.selected = [{"id": self._open}]
        self._draw()
        self._fields()

    def _narrowed(self) -> None:
        self._draw()
        self._ticked()

    def _ticked(self) -> None:
        if self._chosen() != self._shown_for:
            self._fields()

    def _chosen(self) -> list[str]:
        return [row["id"] for row in self._table.selected if row["id"] in self._known]

    def _fields(self) -> None:
        """Fields for the chosen columns: everything of one, role and kind of several."""
        chosen = self._shown_for = self._chosen()
        self._panel.clear()
        with self._panel:
            if not chosen:
                page.paragraph(
                    "Choose a column to see why its role is suggested and to change it, or tick several to"
                    " change them together.",
                    quiet=True,
                )
            elif len(chosen) == 1:
                self._one(self._known[chosen[0]])
            else:
                self._several(chosen)

    def _one(self, known: ColumnProfile) -> None:
        page.heading(known.name, level=3)
        suggestion = ROLES.get(known.role, known.role)
        page.paragraph(f"Suggested: “{suggestion}” ({known.reason}).")
        page.paragraph(
            f"Looks like {known.looks_like or 'words'}; {known.distinct:,} different values,"
            f" {known.missing:,} missing. {page.percent(known.unique_share)} of the records have a value here"
            " that nobody else has.",
            quiet=True,
        )
        page.bullets(f"{note[0].upper()}{note[1:]}." for note in known.notes)
        self._role_and_kind(
            f"Role of {known.name}",
            f"Kind of {known.name}",
            [known.name],
            (self._role_of(known.name), self._kind_of(known)),
        )

        async def change(what: dict[str, Any]) -> None:
            await self._change([known.name], what)

        column_fields(known, Fields(self._entries.get(known.name, {}), change))

    def _several(self, chosen: Sequence[str]) -> None:
        names = ", ".join(chosen[:8]) + (f" and {len(chosen) - 8} more" if len(chosen) > 8 else "")
        page.heading(f"{len(chosen)} columns", level=3)
        page.paragraph(names, quiet=True)
        roles = {self._role_of(name) for name in chosen}
        kinds = {self._kind_of(self._known[name]) for name in chosen}
        same = (roles.pop() if len(roles) == 1 else None, kinds.pop() if len(kinds) == 1 else None)
        self._role_and_kind("Role of the chosen columns", "Kind of the chosen columns", chosen, same)

        async def as_suggested() -> None:
            await self._replace({name: _suggested(self._known[name]) for name in chosen})
            self._fields()

        page.other_button("Take the suggestions", as_suggested)

    def _role_and_kind(
        self, role_title: str, kind_title: str, chosen: Sequence[str], held: tuple[str | None, str | None]
    ) -> None:
        with ui.element("div").classes("shoal-fields"):
            role = ui.select(ROLES, value=held[0], label=role_title)
            kind = ui.select(KINDS, value=held[1], label=kind_title)
        for choice, key in ((role, "role"), (kind, "kind")):
            choice.props("outlined dense options-dense")
            choice.on_value_change(lambda event, key=key: self._change(chosen, {key: event.value}))
            if key == self._changed_last:  # it was drawn anew under somebody's keyboard
                choice.run_method("focus")

    async def _change(self, names: Sequence[str], change: dict[str, Any]) -> None:
        entries = {
            name: None
            if change.get("role") == "drop"
            else changed(self._entries.get(name), self._known[name], change)
            for name in names
        }
        saved = await self._replace(entries)
        turning = [key for key in ("role", "kind") if key in change]
        if turning or not saved:  # else everything stays where it is, also the keyboard's focus
            self._changed_last = "".join(turning)
            self._fields()

    async def _replace(self, entries: Mapping[str, dict[str, Any] | None]) -> bool:
        columns = {**self._entries, **entries}
        in_order = {name: entry for name in self._known if (entry := columns.get(name))}
        return await self._save(in_order, {})

    async def _save(self, columns: dict[str, Any], data: dict[str, Any]) -> bool:
        dropping = any(name not in columns for name in self._known)
        sections = {
            "columns": columns,
            "data": {**self._draft.seen["data"], **data, "others": "drop" if dropping else "error"},
            **self._promise_about(columns),
        }
        saved = await self._draft.save(self._trouble, sections)
        if saved:
            problems = await page.ask(self._draft.problems)
            self._findings.clear()
            if problems:
                with self._findings:
                    page.show_problems(problems, "Still to be settled, here or in later steps")
        self._draw()
        return saved

    def _promise_about(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """When the first column becomes sensitive, something is promised about it, as a default."""
        privacy = self._draft.seen.get("privacy", {})
        sensitive = [name for name, entry in columns.items() if entry["role"] == "sensitive"]
        had = any(entry["role"] == "sensitive" for entry in self._entries.values())
        said = any(privacy.get(key) is not None for key in ("l", "t", "alpha"))
        if not sensitive or had or said or privacy.get("model") != "k-anonymity":
            return {}
        return {"privacy": {**privacy, **promise_about([self._known[name] for name in sensitive])}}


def _heads() -> list[dict[str, Any]]:
    return [{"name": name, "label": label, "field": name, "align": "left"} for name, label in _HEADS.items()]


def _suggested(known: ColumnProfile) -> dict[str, Any] | None:
    return None if known.role == "drop" else column_entry(known)


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


def kind_of(entry: Mapping[str, Any] | None, known: ColumnProfile) -> str:
    """What a column holds, as it is said or, where a role leaves it open, as it looks."""
    if entry is None or entry.get("role") not in ("quasi", "sensitive"):
        return known.kind
    return str(entry.get("kind", "category"))


def changed(entry: dict[str, Any] | None, known: ColumnProfile, change: dict[str, Any]) -> dict[str, Any]:
    """A column's settings after a change: without what no longer fits its role or kind, with what is due."""
    before = kind_of(entry, known)
    merged = {"role": known.role, "kind": before, **(entry or {}), **change}
    role, kind = merged["role"], merged["kind"]
    turns = entry is None or (role, kind) != (entry.get("role"), before)
    if turns:
        merged = {name: value for name, value in merged.items() if name not in ("hierarchy", "bounds")}
    meant = replace(known, kind=kind, role=role, separator=known.separator or " ")
    if kind != known.kind:
        meant = replace(meant, recipe={})
    due = column_entry(meant) if turns else {}
    said = {**due, **{name: value for name, value in merged.items() if not _is_unsaid(value)}}
    return {name: value for name, value in said.items() if name == "role" or _takes(role, kind, name)}


def _is_unsaid(value: Any) -> bool:
    return value is None or value is False or value in ([], {})


def _takes(role: str, kind: str, key: str) -> bool:
    """Whether something can be said of columns of a role and kind."""
    is_plain = kind == "category" or role == "insensitive"
    if key == "kind" and role != "quasi" and is_plain:
        return False
    fits_kind = role == "insensitive" or kind in _ONLY_FOR.get(key, (kind,))
    return fits_kind and key in KEYS_OF_ROLE["quasi set" if role == "quasi" and kind == "set" else role]


async def _uniqueness(
    place: Place, file: StoredFile, profile: Profile, options: ReadOptions, trouble: ui.element
) -> None:
    with page.card("Who could be singled out"):
        page.paragraph(
            "How many of the records are the only one of their kind, for somebody who knows these columns."
        )
        if profile.uniqueness:
            page.plain_table(
                ("Who knows", "singles out"),
                [(" and ".join(names), page.percent(share)) for names, share in profile.uniqueness],
                height="300px",
                name="Who could be singled out",
            )
        known = ui.select(
            [each.name for each in profile.columns], multiple=True, label="Try other columns together"
        ).props("outlined dense use-chips")
        known.classes("w-full")
        answer = ui.label("").props('aria-live="polite"')

        async def count() -> None:
            counted, project, names = place.service.data.uniqueness, place.project.id, list(known.value or [])
            counting = place.doing("Counting", file.size)
            share = await page.patiently(trouble, counting, counted, project, file.id, names, options)
            if share is not None and known.value:
                answer.text = (
                    f"Who knows {' and '.join(known.value)} singles out {page.percent(share)} of the records."
                )

        known.on_value_change(count)
