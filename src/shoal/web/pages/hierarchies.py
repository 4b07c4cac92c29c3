"""The third step: how the values of a column become coarser."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from nicegui import events, ui

from shoal.errors import BadInput, Problem
from shoal.hierarchy.builders import DATE_LEVELS, LETTERS
from shoal.web.pages import frame as page
from shoal.web.pages.columns import used_file
from shoal.web.pages.frame import Place
from shoal.web.pages.uploading import file_button
from shoal.web.service.editing import Dissolve, Edit, Group, Move, Rename
from shoal.web.service.files import StoredFile
from shoal.web.service.questions import TreeView

RECIPES = {
    "ranges": "Ranges of numbers, such as 20-24, 20-29",
    "mask": "Hide letters from the right, such as 021**",
    "dates": "Day, month, year, decade",
    "order": "Neighbours on a scale, such as low..medium",
    "keep": "Frequent values alone, the others together",
    "prefixes": "Codes by beginnings, such as E11*, E*",
    "continents": "Countries by continent",
    "fanout": "Neighbours in groups of equal size, named by values of the data",
    "digits": "Codes by their first letters",
    "flat": "Keep a value or hide it",
    "file": "A hierarchy file",
    "none": "No hierarchy: numbers and dates become ranges, items are united with others or hidden",
}
FITTING = {
    "number": ("ranges", "fanout", "mask", "flat", "file", "none"),
    "date": ("dates", "fanout", "flat", "file", "none"),
    "category": ("mask", "order", "keep", "prefixes", "continents", "fanout", "digits", "flat", "file"),
    "set": ("order", "keep", "prefixes", "continents", "fanout", "digits", "flat", "file", "none"),
}
_NO_TREE: dict[str, Any] = {}
_DRAWN = 3_000
# The tree's tick boxes swallow every key, also those that lead on to the next thing.
_LET_GO = """(event) => {
    if (!["Tab", "Escape"].includes(event.key)) return;
    event.stopPropagation();
    if (event.key === "Tab") return;
    const tree = event.currentTarget;
    const isBehind = (each) => tree.compareDocumentPosition(each) === Node.DOCUMENT_POSITION_FOLLOWING;
    const stops = [...document.querySelectorAll("a[href], button, input")];
    stops.find((each) => isBehind(each) && each.offsetParent)?.focus();
}"""
_TICK = (
    "Tick labels in the tree, from which Escape leads on, write a label if one is needed, and say what to do."
)


async def hierarchies_page(place: Place, number: str | None) -> None:
    """One hierarchy per quasi-identifier: recipe or file, with the tree that comes of it."""
    sections = await page.ask(place.service.policies.get, place.project.id)
    columns = {
        name: entry for name, entry in sections.get("columns", {}).items() if entry.get("role") == "quasi"
    }
    if not columns:
        sentence = "No column is one that somebody could know: choose roles first."
        page.first_do(sentence, "To the columns", place.link("columns"))
        return
    page.paragraph(
        "A hierarchy says how a value may become coarser: 23, then 20-24, then 20-29, at last hidden. The"
        " more levels it has, the more can be kept."
    )
    names = list(columns)
    chosen = names[_place(number, len(names))]
    with ui.element("nav").props('aria-label="Columns"'), ui.element("ul").classes("shoal-steps"):
        for order, name in enumerate(names):
            with ui.element("li"):
                link = ui.link(name, place.link("hierarchies", str(order)))
                if name == chosen:
                    link.props('aria-current="step"')
    here = place.link("hierarchies", str(names.index(chosen)))
    await Editor(place, chosen, columns[chosen], here).show()
    page.onward("On to the promise", place, "promise")


def _place(number: str | None, count: int) -> int:
    """Columns go by number in addresses, where their names might mean something else."""
    return int(number) if number is not None and number.isdecimal() and int(number) < count else 0


class Editor:
    """The hierarchy of one column: how it is made, what comes of it, and changes by hand."""

    def __init__(self, place: Place, name: str, entry: Mapping[str, Any], here: str) -> None:
        self._place, self._name, self._here = place, name, here
        self._saved = entry.get("hierarchy")
        self._kind = str(entry.get("kind", "category"))
        usual = "none" if "none" in FITTING[self._kind] else "flat"
        self._current = "file" if isinstance(self._saved, str) else next(iter(self._saved or {usual: True}))
        self._trouble = ui.column().classes("w-full")
        self._read: Callable[[], Any] = dict
        self._size = 0

    async def show(self) -> None:
        """Draw everything."""
        used = await used_file(self._place)
        self._size = 0 if used is None else used.size
        files = [
            file.name
            for file in await page.ask(self._place.service.files.all, self._place.project.id, "hierarchy")
        ]
        with page.card(f"Hierarchy of {self._name}"):
            self._recipe(files)
            page.main_button("Save", self._save)
        with page.card("Or bring a file"):
            page.paragraph(
                "One line per value, from the value to the coarsest label, as ARX and Amnesia write them.",
                quiet=True,
            )
            file_button("Choose a hierarchy file", self._place, "hierarchy", self._trouble, self._use_file)
        with page.card("The tree"):
            self._area = ui.column().classes("w-full")
            if self._saved is None:
                self._without_tree()
            else:
                await self._draw(self._saved, editable=True)

    def _without_tree(self) -> None:
        told = "There is none. Choose how values become coarser; the tree that comes of it is drawn here."
        self._area.clear()
        with self._area:
            page.paragraph(told, quiet=True)

    def _recipe(self, files: Sequence[str]) -> None:
        offered = {key: RECIPES[key] for key in dict.fromkeys((*FITTING[self._kind], self._current))}
        recipe = ui.select(offered, value=self._current, label="How").props("outlined dense")
        recipe.classes("w-full")
        details = ui.row().classes("items-end w-full")

        def ask_for_details() -> None:
            details.clear()
            saved = self._saved if recipe.value == self._current else None
            with details:
                self._read = _details(str(recipe.value), saved, files, self._look)

        async def choose() -> None:
            ask_for_details()
            if recipe.value != "file":  # which one is asked first
                await self._look()

        ask_for_details()
        recipe.on_value_change(choose)

    async def _look(self) -> None:
        """Draw what would come of the fields as they are."""
        hierarchy = await page.attempt(self._trouble, self._read)
        if hierarchy == _NO_TREE:
            self._without_tree()
        elif hierarchy is not None:
            await self._draw(hierarchy, editable=hierarchy == self._saved)

    async def _save(self) -> None:
        if (hierarchy := await page.attempt(self._trouble, self._read)) is not None:
            await self._take(hierarchy)

    async def _use_file(self, stored: StoredFile) -> None:
        await self._take(stored.name)

    async def _take(self, hierarchy: Any) -> None:
        """Save a hierarchy that is a tree over the column's values; else say everything that is wrong."""
        trees, project = self._place.service.trees, self._place.project.id
        if hierarchy == _NO_TREE:
            await page.ask(trees.choose, project, self._name, None)
            ui.navigate.to(self._here)
        elif await self._is_tree(hierarchy):
            await page.ask(trees.choose, project, self._name, hierarchy)
            ui.navigate.to(self._here)

    async def _is_tree(self, hierarchy: Any) -> bool:
        lint, project, trouble = self._place.service.trees.lint, self._place.project.id, self._trouble
        checking = self._place.doing("Checking the tree", self._size)
        findings = await page.patiently(trouble, checking, lint, project, self._name, hierarchy)
        if findings is None:
            return False
        errors = [each.problem for each in findings if each.severity == "error"]
        if errors:
            with self._trouble:
                page.show_problems(errors, "This is no hierarchy for these values")
        return not errors

    async def _draw(self, hierarchy: Any, *, editable: bool) -> None:
        trees, project = self._place.service.trees, self._place.project.id
        drawing = self._place.doing("Drawing the tree", self._size)
        view = await page.patiently(self._trouble, drawing, trees.view, project, self._name, hierarchy)
        self._area.clear()
        if view is None:
            return
        with self._area:
            _findings(view)
            noun = "occurrence" if self._kind == "set" else "record"  # a record can hold several items
            tree = _drawn(view, noun, ticks=editable)
            if editable:
                _editing(tree, self._change)
            else:
                page.paragraph("Save it to change it by hand.", quiet=True)

    async def _change(self, edits: Sequence[Edit]) -> None:
        trees, project = self._place.service.trees, self._place.project.id
        changing = self._place.doing("Changing the tree", self._size)
        if await page.patiently(self._trouble, changing, trees.edit, project, self._name, edits) is not None:
            ui.navigate.to(self._here)


def _details(  # noqa: PLR0911  (one return per recipe)
    recipe: str, saved: Any, files: Sequence[str], changed: Callable[[], Awaitable[None]]
) -> Callable[[], Any]:
    """The fields of a recipe, which tell when they change; the function gives what they say."""
    given = saved if isinstance(saved, Mapping) else {}
    match recipe:
        case "ranges":
            widths = (
                ui.input(
                    "Widths, each a multiple of the one before",
                    value=", ".join(map(str, given.get("ranges", [5, 10, 20, 40]))),
                )
                .props("outlined dense")
                .classes("grow")
            )
            start = ui.number("Beginning at", value=given.get("start", 0)).props("outlined dense")
            bottom = ui.number("All below", value=given.get("bottom")).props("outlined dense clearable")
            top = ui.number("All from", value=given.get("top")).props("outlined dense clearable")
            for field in (widths, start, bottom, top):
                field.on("change", changed)
            return lambda: {
                "ranges": _numbers(widths.value),
                "start": _number(start.value or 0),
                **_given_ends(bottom=bottom.value, top=top.value),
            }
        case "mask":
            side = ui.select(
                {"right": "from the right", "left": "from the left"},
                value=given.get("mask", "right"),
                label="Letters are hidden",
            )
            side.props("outlined dense").on_value_change(changed)
            return lambda: {"mask": side.value}
        case "dates":
            levels = ui.select(
                list(DATE_LEVELS),
                value=given.get("dates", ["month", "year", "decade"]),
                multiple=True,
                label="Levels",
            ).props("outlined dense use-chips")
            levels.on_value_change(changed)
            return lambda: {"dates": sorted(levels.value, key=DATE_LEVELS.index)}
        case "order" | "keep":
            title = (
                "The scale, step by step, with | between"
                if recipe == "order"
                else "Kept values, with | between"
            )
            listed = ui.input(title, value="|".join(given.get(recipe, []))).props("outlined dense")
            listed.classes("grow").on("change", changed)
            return lambda: {recipe: [part.strip() for part in str(listed.value).split("|") if part.strip()]}
        case "prefixes":
            lengths = ui.input(
                "Lengths of the beginnings, from long to short; -3 for all but the last 3; letters",
                value=", ".join(map(str, given.get("prefixes", [3, 1]))),
            ).props("outlined dense")
            lengths.on("change", changed)
            return lambda: {"prefixes": _lengths(lengths.value)}
        case "fanout":
            size = ui.number("Values in a group", value=given.get("fanout", 5), min=2, precision=0)
            size.props("outlined dense").on("change", changed)
            return lambda: {"fanout": int(size.value or 0)}
        case "file":
            name = ui.select(list(files), value=saved if saved in files else None, label="File")
            name.props("outlined dense").classes("grow").on_value_change(changed)
            return lambda: _chosen(name.value)
        case "none":
            return lambda: _NO_TREE
        case _:
            return lambda: {recipe: True}


def _given_ends(**ends: float | None) -> dict[str, float]:
    return {name: _number(end) for name, end in ends.items() if end is not None}


def _chosen(name: str | None) -> str:
    if not name:
        raise BadInput(Problem("no hierarchy file is chosen", "bring one below, or choose another way"))
    return name


def _numbers(text: object) -> list[float]:
    try:
        return [_number(float(word)) for word in str(text).replace(",", " ").split()]
    except ValueError as error:
        raise BadInput(Problem(f"{text!r} are no numbers", "write them as in 5, 10, 20")) from error


def _lengths(text: object) -> list[float | str]:
    words = str(text).replace(",", " ").split()
    numbers = words[:-1] if words[-1:] == [LETTERS] else words
    return [*_numbers(" ".join(numbers)), *words[len(numbers) :]]


def _number(value: float) -> float:
    return int(value) if float(value).is_integer() else value


def _findings(view: TreeView) -> None:
    upper = "" if view.whole else " Only the upper levels are drawn."
    page.paragraph(
        f"{page.counted(view.values[-1], 'value')} in {page.counted(view.height, 'level')}.{upper}"
    )
    if errors := [each.problem for each in view.findings if each.severity == "error"]:
        page.show_problems(errors, "This has to be mended")
    hints = [str(each.problem) for each in view.findings if each.severity != "error"]
    if hints := [*hints, *view.notices]:
        with ui.column().classes("shoal-soft"):
            ui.label("Worth a look").classes("font-semibold")
            page.bullets(hints)


def _drawn(view: TreeView, noun: str, *, ticks: bool) -> ui.tree:
    nodes, is_whole = tree_nodes(view, noun)
    with ui.element("div").classes("shoal-tree").on("keydown.capture", js_handler=_LET_GO):
        tree = ui.tree(
            nodes, node_key="id", label_key="label", tick_strategy="strict" if ticks else None
        ).props("no-transition dense")
        tree.expand([view.labels[-1]])
    if not is_whole:
        page.paragraph("The tree is large: only its upper levels are drawn.", quiet=True)
    return tree


def tree_nodes(view: TreeView, noun: str) -> tuple[list[dict[str, Any]], bool]:
    """The tree as nested nodes, the largest first levels of it if it is very large; whether all is there."""
    children: dict[int, list[int]] = {}
    root = len(view.labels) - 1
    for node, parent in enumerate(view.parents):
        if node != parent:
            children.setdefault(parent, []).append(node)
    level, drawn = [root], {root}
    while level:
        below = [child for node in level for child in children.get(node, ())]
        if len(drawn) + len(below) > _DRAWN:
            break
        drawn.update(below)
        level = below

    def shown(number: int) -> dict[str, Any]:
        label, values, records = view.labels[number], view.values[number], view.records[number]
        count = page.counted(records, noun)
        if number in children:
            count = f"{page.counted(values, 'value')}, {count}"
        below = [shown(child) for child in children.get(number, ()) if child in drawn]
        return {"id": label, "label": f"{label} ({count})", "children": below}

    return [shown(root)], len(drawn) == len(view.labels)


def _editing(tree: ui.tree, change: Callable[[Sequence[Edit]], Awaitable[None]]) -> None:
    """Tick labels, and say what shall become of them."""
    ticked: list[str] = []

    def remember(event: events.ValueChangeEventArguments[list[str]]) -> None:
        ticked[:] = event.value or []
        said.text = f"Ticked: {', '.join(ticked)}" if ticked else _TICK

    tree.on_tick(remember)
    said = ui.label(_TICK).classes("shoal-quiet shoal-any").props('aria-live="polite"')
    label = ui.input("Label").props("outlined dense").classes("w-full")

    async def apply(edits: Callable[[], Sequence[Edit]]) -> None:
        if ticked:
            await change(edits())
        else:
            ui.notify("Tick at least one label first.", type="warning")

    actions: dict[str, Callable[[], Sequence[Edit]]] = {
        "Group under a new label": lambda: [Group(tuple(ticked), str(label.value))],
        "Rename": lambda: [Rename(ticked[0], str(label.value))],
        "Move under this label": lambda: [Move(each, str(label.value)) for each in ticked],
        "Dissolve": lambda: [Dissolve(each) for each in ticked],
    }
    with ui.row():
        for title, edits in actions.items():
            page.other_button(title, lambda edits=edits: apply(edits))
