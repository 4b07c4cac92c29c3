"""The sixth step: is it safe, what did it cost, what became of the records."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from nicegui import events, ui

from shoal.metrics.catalogue import MEASURES, in_headlines
from shoal.privacy.catalogue import MODELS
from shoal.report.wording import capitalized, measure, sentence, with_options
from shoal.web.pages import findings
from shoal.web.pages import frame as page
from shoal.web.pages.frame import Place
from shoal.web.service.jobs import Job, JobKind
from shoal.web.service.policies import promise_in_short
from shoal.web.service.setting_words import in_words
from shoal.web.service.tables import measured_tables

_CLUSTERS = 12
_SUBRECORDS = 8
_ITEMS = 6
_PLACES = 3
_TREE_LINES = 400
_RECORD_HEIGHT = (
    54  # pixels of two lines; taken for one line, thrice as many records are drawn as can be seen
)
# All cells are one stop of the Tab key: arrows go on from there.
_CELL = """
<q-td :props="props" class="shoal-cell">
  <button type="button" :tabindex="props.rowIndex === 0 && props.col.name === '0' ? 0 : -1"
          :data-row="props.row.id" :data-column="props.col.name">
    <span class="shoal-quiet" v-if="props.row.was[props.col.name] !== props.value">
      {{ props.row.was[props.col.name] }}
    </span>
    <span :class="{ 'shoal-changed': props.row.was[props.col.name] !== props.value }">{{ props.value }}</span>
  </button>
</q-td>
"""
_ARROWS = """(event) => {
  const cell = event.target.closest("td"), row = cell && cell.parentElement;
  const along = {ArrowLeft: cell?.previousElementSibling, ArrowRight: cell?.nextElementSibling}[event.key];
  const across = {ArrowUp: row?.previousElementSibling, ArrowDown: row?.nextElementSibling}[event.key];
  const next = along || (across && across.children[cell.cellIndex]);
  if (next && next.querySelector("button")) { event.preventDefault(); next.querySelector("button").focus(); }
}"""
# A click anywhere in the table is one on the cell around it, if there is one.
_CELL_OF = """(event) => {
  const cell = event.target.closest('[data-row]');
  if (cell) emit(cell.dataset.row, cell.dataset.column);
}"""


async def result_page(place: Place, job_id: str | None) -> None:
    """The newest run, or the one that was asked for."""
    job = await chosen_job(place, "run", "result", job_id)
    if job is None:
        page.first_do("Nothing has been run to its end yet.", "To the run", place.link("run"))
        return
    view = await page.ask(place.service.results.view, place.project.id, job.id)
    trouble = ui.column().classes("w-full")
    outdated_notice(await page.ask(place.service.results.outdated, place.project.id, job.id))
    page.paragraph(made_by(job), quiet=True)
    _verdict(job.result or {}, view)
    _actions(place, job, trouble)
    findings.figures(place, job, view)
    findings.distributions(place, job, view)
    await findings.attackers(place, job)
    if view["rows"]:
        ShownRecords(place, job, view).show()
    if view["chunks"]:
        await _clusters(place, job, trouble)
    if view["generalized_items"]:
        _generalized(view["generalized_items"])
    if view["trees"]:
        _trees(view["trees"])
    await findings.labels(place, job)
    findings.questions(place, job)
    if view.get("usefulness"):  # not in views of earlier versions
        with ui.element("div").classes("shoal-card shoal-told"):
            ui.html(view["usefulness"], sanitize=False)
            with ui.row():
                for table in measured_tables(view):
                    findings.data_link(place, job, table, f"{table.title} as CSV")
    with page.card("What it does not stop"):
        page.bullets(f"{limit['title']}: {limit['text']}" for limit in view["limits"])


def made_by(job: Job) -> str:
    """By which settings a run was made, and when, in one sentence."""
    sections: Mapping[str, Any] = job.request["sections"]
    made = datetime.fromtimestamp(job.created).strftime("%Y-%m-%d %H:%M")
    promised = promise_in_short(sections["privacy"])
    return (
        f"Made {made} from {sections['data']['path']} with {found_by(job.result or {})};"
        f" it promises {promised}."
    )


def _actions(place: Place, job: Job, trouble: ui.element) -> None:
    """What can be done with a result, before all that there is to see of it."""

    async def attack() -> None:
        if await page.attempt(trouble, place.service.jobs.attack, place.project.id, job.id) is not None:
            ui.navigate.to(place.link("run"))

    with ui.row():
        page.main_button("Export", lambda: ui.navigate.to(place.link("export", job.id)))
        page.other_button("Attack it", attack)
        page.other_button("Compare with others", lambda: ui.navigate.to(place.link("compare")))


def outdated_notice(differences: Sequence[str]) -> None:
    """Say that a result was made by other settings than those of now, and by which."""
    if differences:
        with ui.element("section").classes("shoal-card shoal-wrong column"):
            page.heading("Outdated: made with other settings than those of now")
            page.bullets(sentence(each) for each in differences)


def _generalized(items: Sequence[Mapping[str, Any]]) -> None:
    with page.card("Items that were generalized, and why"):
        page.plain_table(
            ("Published as", "Items", "Occurrences", "Because"),
            [(each["label"], each["items"], each["occurrences"], each["because"]) for each in items],
            height="360px",
            name="Generalized items",
        )


async def chosen_job(place: Place, kind: JobKind, step: str, job_id: str | None) -> Job | None:
    """The finished job that was asked for, else the newest of its kind; a list to choose others from."""
    jobs = [
        job
        for job in await page.ask(place.service.jobs.all, place.project.id)
        if job.kind == kind and job.state == "done"
    ]
    job = next((job for job in jobs if job.id == job_id), jobs[0] if jobs and job_id is None else None)
    if job is not None and len(jobs) > 1:
        names = {each.id: f"{each.title} ({listed_as(each)})" for each in jobs}
        choice = ui.select(names, value=job.id, label="Which run").props("outlined dense").classes("w-full")
        choice.on_value_change(lambda event: ui.navigate.to(place.link(step, event.value)))
    return job


def listed_as(job: Job) -> str:
    """What tells a job from others of its title."""
    losses = (job.result or {}).get("loss", {})
    loss = (
        main_loss(losses) if isinstance(losses, Mapping) else None
    )  # a comparison names the one it ranks by
    shown = "" if loss is None else f"loss {page.percent(loss)}"
    made = datetime.fromtimestamp(job.created).strftime("%Y-%m-%d %H:%M")
    return ", ".join(part for part in (parameters_of(job), shown, made) if part)


def parameters_of(job: Job) -> str:
    """The parameters of a job's promise."""
    privacy: Mapping[str, Any] = job.request.get("sections", {}).get("privacy", {})
    return ", ".join(
        f"{name} = {value}" for name, value in privacy.items() if name != "model" and value is not None
    )


def main_loss(losses: Mapping[str, Any]) -> float | None:
    """The loss that runs are compared by: the first of those that a release has."""
    return next((loss for loss in in_headlines(losses).values() if loss is not None), None)


def _verdict(result: Mapping[str, Any], view: Mapping[str, Any]) -> None:
    holds = result["verdict"]["holds"]
    with ui.column().classes("shoal-soft"):
        told = "by construction" if result["verdict"]["by_construction"] else "checked on the published file"
        ui.label(f"{'✓ Holds' if holds else '✗ Does not hold'}, {told}").classes(
            "text-lg " + ("shoal-good" if holds else "shoal-bad")
        )
        for check in result["verdict"]["checks"]:
            page.paragraph(f"It {check['claim']}.")
            page.paragraph(sentence(check["evidence"]), quiet=True)
        for promise in view["promises"]:
            page.paragraph(promise)
    risk, loss = result["risk"], result["loss"]
    with ui.element("div").classes("shoal-tiles"):
        page.tile("Records published", f"{result['published_records']:,}", f"of {result['records']:,}")
        if risk["after"] is not None:
            before = page.percent(risk["before"]["highest"]) if risk["before"] else "unknown"
            knowing = ", if all items are known" if MODELS[result["model"]].bounded else ""
            page.tile(
                f"Highest risk of a record{knowing}",
                page.percent(risk["after"]["highest"]),
                f"{before} before",
            )
        for name, lost in in_headlines(loss).items():
            if lost is not None:
                page.tile(capitalized(MEASURES[name].label), measure(name, lost), "0 is nothing lost")
        page.tile("Algorithm", found_by(result), f"{result['seconds']['total']:,.1f} s")
    if notes := [sentence(in_words(each)) for each in (*view["notices"], *view["attacks"])]:
        with page.card("Worth knowing"):
            page.bullets(notes)


def found_by(result: Mapping[str, Any]) -> str:
    """The algorithm of a run and its options; runs of earlier versions do not tell these."""
    return with_options(str(result["algorithm"]), result.get("options", {}))


class ShownRecords:
    """Records before and after; a click on a value tells why it is published as it is."""

    def __init__(self, place: Place, job: Job, view: Mapping[str, Any]) -> None:
        self._place, self._job = place, job
        self._columns: Sequence[str] = view["columns"]
        self._rows: Sequence[Mapping[str, Any]] = view["rows"]
        entries = job.request["sections"]["columns"]
        self._separators = {
            name: entry.get("separator") or " "
            for name, entry in entries.items()
            if entry.get("kind") == "set"
        }

    def show(self) -> None:
        """Draw the table, and the place for answers."""
        is_new = self._rows[0]["before"] is None
        with page.card("New records" if is_new else "Records before and after"):
            if is_new:
                page.paragraph("These are drawn anew: none belongs to a person of the original.", quiet=True)
            else:
                page.paragraph(
                    "Where a value has changed, the original stands above what is published. Click a value to"
                    " see why. Originals are shown to you alone.",
                    quiet=True,
                )
            self._table()
            self._waiting = ui.column().classes("w-full")
            self._answer = ui.column().classes("w-full").props('aria-live="polite"')

    def _table(self) -> None:
        rows = [
            {"id": number, **self._texts(row["after"]), "was": self._texts(row["before"] or row["after"])}
            for number, row in enumerate(self._rows)
        ]
        shown = [values for row in self._rows for values in (row["before"], row["after"]) if values]
        described = page.described_columns(self._columns, shown)
        with page.scrolled("Records before and after") as area:
            table = ui.table(columns=described, rows=rows, row_key="id").style("max-height: 460px")
            table.props(
                "flat dense bordered wrap-cells virtual-scroll :rows-per-page-options=[0] hide-bottom"
                f" :virtual-scroll-item-size={_RECORD_HEIGHT}"
            )
            table.add_slot("body-cell", _CELL)
        area.on("click", self._why, js_handler=_CELL_OF)
        area.on("keydown", js_handler=_ARROWS)

    async def _why(self, event: events.GenericEventArguments) -> None:
        row, at = self._rows[int(event.args[0])], int(event.args[1])
        self._answer.clear()
        if row["before"] is None:
            return
        column = self._columns[at]
        self._show_whole(column, row["before"][at], row["after"][at])
        asking = self._place.doing(f"Looking up {column}", (self._job.result or {}).get("records", 0))
        for value in self._asked(column, row["before"][at]):
            found = await page.patiently(
                self._waiting,
                asking,
                self._place.service.results.explain,
                self._place.project.id,
                self._job.id,
                column,
                row=row["row"],
                value=value,
            )
            if found is None:
                return
            with self._answer:
                for explained in found[:_PLACES]:
                    page.paragraph(f"{column}: {sentence(explained.place + explained.sentence)}")

    def _show_whole(self, column: str, before: str, after: str) -> None:
        """What the table itself may show only the first lines of."""
        if page.is_long(before) or page.is_long(after):
            told = f"was {before or 'nothing'} and is published as {after or 'nothing'}"
            with self._answer:
                page.paragraph(
                    f"{column} {told if after != before else f'is published as it was: {before}'}."
                )

    def _texts(self, values: Sequence[str]) -> dict[str, str]:
        empty = ["no items" if name in self._separators else "missing" for name in self._columns]
        return {str(at): value or empty[at] for at, value in enumerate(values)}

    def _asked(self, column: str, value: str) -> Sequence[str]:
        """A single value, or the first items of a set."""
        if column not in self._separators:
            return (value,)
        return [item for item in value.split(self._separators[column]) if item][:_ITEMS]


async def _clusters(place: Place, job: Job, trouble: ui.element) -> None:
    """Clusters and chunks of a disassociated release, drawn as such."""
    clusters = await page.attempt(
        trouble, place.service.results.clusters, place.project.id, job.id, count=_CLUSTERS
    )
    if not clusters:
        return
    with page.card("Clusters and their chunks, as published"):
        shown = "" if len(clusters) < _CLUSTERS else f" These are the first {_CLUSTERS} clusters of the file."
        told = "Within a cluster nobody can tell which subrecords belong to one record."
        page.paragraph(told + shown, quiet=True)
        ui.link(
            "Download one of the originals that it can come from", place.download(job.id, "reconstruction")
        )
        with ui.column().classes("shoal-clusters").props('tabindex="0" role="group" aria-label="Clusters"'):
            for cluster in clusters:
                _cluster(cluster)


def _cluster(cluster: Mapping[str, Any]) -> None:
    with ui.column().classes("shoal-soft"):
        ui.label(page.counted(int(cluster["size"]), "record")).classes("font-semibold")
        with ui.element("div").classes("shoal-chunks"):
            for chunk in cluster.get("shared", ()):
                _chunk(chunk, "shared by the clusters below")
            for chunk in cluster.get("chunks", ()):
                _chunk(chunk, "subrecords")
            if cluster.get("terms"):
                with ui.column().classes("shoal-chunk gap-0"):
                    ui.label("items that stand alone").classes("shoal-quiet text-sm")
                    ui.label(" ".join(cluster["terms"])).classes("shoal-any")
        for child in cluster.get("children", ()):
            _cluster(child)


def _chunk(chunk: Mapping[str, Any], title: str) -> None:
    with ui.column().classes("shoal-chunk gap-0"):
        ui.label(title).classes("shoal-quiet text-sm")
        for subrecord in chunk["subrecords"][:_SUBRECORDS]:
            ui.label(" ".join(subrecord)).classes("shoal-any")
        if len(chunk["subrecords"]) > _SUBRECORDS:
            more = len(chunk["subrecords"]) - _SUBRECORDS
            ui.label(f"and {more:,} more").classes("shoal-quiet text-sm")


def _trees(trees: Mapping[str, Mapping[str, Any]]) -> None:
    with page.card("Hierarchies with what was published"):
        name = ui.select(list(trees), value=next(iter(trees)), label="Column").props("outlined dense")
        area = ui.element("div").classes("shoal-tree")

        def show() -> None:
            area.clear()
            with area:
                tree = ui.tree(cut_nodes(trees[str(name.value)]), node_key="id", label_key="label")
                tree.props("dense no-transition").expand()

        name.on_value_change(show)
        show()


def cut_nodes(tree: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The part of a tree that was published: its labels in use, and the way to them from the root."""
    labels, parents, published = tree["labels"], tree["parents"], tree["published"]
    used = [node for node, label in enumerate(labels) if published.get(label)]
    used.sort(key=lambda node: -published[labels[node]])
    shown: set[int] = set()
    for node in used:
        way = _way_up(node, parents)
        if len(shown | way) > _TREE_LINES:
            break
        shown |= way
    children: dict[int, list[int]] = {}
    for node in sorted(shown):
        if parents[node] != node:
            children.setdefault(parents[node], []).append(node)

    def drawn(node: int) -> dict[str, Any]:
        count = published.get(labels[node], 0)
        text = f"● {labels[node]} ({count:,} times)" if count else labels[node]
        return {
            "id": labels[node],
            "label": text,
            "children": [drawn(child) for child in children.get(node, ())],
        }

    return [drawn(node) for node in sorted(shown) if parents[node] == node]


def _way_up(node: int, parents: Sequence[int]) -> set[int]:
    way = {node}
    while parents[node] != node:
        node = parents[node]
        way.add(node)
    return way
