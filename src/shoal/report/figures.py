"""The figures, the same in reports, notebooks and the web page: one function per figure.

Each takes plain facts and gives a drawing with the table of what it shows, which the button for CSV saves.
Colours are those of Okabe and Ito, which people with colour-blindness can tell apart; what tells of the
original data is hollow or dotted as well.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.explain.levels import CutNode, CutTree, Level
from shoal.report.chart import (
    SYMBOLS,
    Axis,
    Bars,
    Figure,
    Line,
    Marks,
    Series,
    Tick,
    chart,
    legend,
    mark,
    names_axis,
    numbers_axis,
    shares_axis,
)
from shoal.report.class_sizes import Band, Risk
from shoal.report.html import Html, tag
from shoal.report.tree_layout import TreeLayout, tree_layout

_LONGEST_LABEL = 22
_LONGEST_BRANCH = 30
_LONGEST_HOVER = 60
_COLOURS = 8
_NAMES = {"before": "original", "after": "published"}
_ROW, _STEP, _MARGIN = 24, 26, 14  # pixels of a drawn tree


def label(text: str, longest: int = _LONGEST_LABEL) -> str:
    """A text from the data on one line and not too long."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def loss_figure(losses: Mapping[str, float], title: str = "share of detail lost") -> Figure:
    """One bar per column, or per level of a column's tree, in the given order from the top."""
    bars = Bars(
        name="lost",
        look="after",
        values=list(losses.values()),
        hovers=[f"{label(name)}: {lost:.1%}" for name, lost in losses.items()],
        texts=[f"{lost:.0%}" for lost in losses.values()],
    )
    return _rows_figure(
        [bars],
        list(losses),
        shares_axis(title),
        row_height=34,
        columns=("name", "lost"),
        rows=losses.items(),
    )


def distribution_figure(level: Level) -> Figure:
    """How often each group occurs in the original, and how often by the release."""
    coarser = "published coarser, spread evenly"
    spread = Bars(
        name=coarser,
        look="coarser",
        values=level.spread,
        hovers=[f"published coarser: {text}" for text in _hovers(level, level.spread)],
        slot=1,
        starts=level.told,
    )
    series = [
        _side("before", level.before, _hovers(level, level.before), slot=0),
        _side("after", level.told, _hovers(level, level.told), slot=1),
        *([spread] if any(level.spread) else []),
    ]
    ends = [told + more for told, more in zip(level.told, level.spread, strict=True)]
    return _rows_figure(
        series,
        level.groups,
        numbers_axis("occurrences", [*level.before, *ends]),
        row_height=26,
        columns=("group", "original", "published", coarser),
        rows=zip(level.groups, level.before, level.told, level.spread, strict=True),
    )


def published_figure(counts: Mapping[str, int]) -> Figure:
    """How often each published label occurs, for readers who have the release only."""
    hovers = [f"{label(text)}: {count:,}" for text, count in counts.items()]
    return _rows_figure(
        [_side("after", list(counts.values()), hovers, slot=0)],
        list(counts),
        numbers_axis("occurrences", counts.values()),
        row_height=24,
        columns=("label", "occurrences"),
        rows=counts.items(),
    )


def cut_figure(cut: CutTree) -> Figure:
    """The tree of a column, one node per row, and the cut that publication made through it."""
    layout = tree_layout(cut.nodes)
    kinds = [kind for kind in _MARKS if any(map(kind.chosen, layout.nodes))]
    line = [_CUT_LINE] if cut.one_cut else []
    height = 8 + _ROW * len(layout.nodes)
    drawn = tag(
        "svg",
        _polyline(layout.branches(), "line branch"),
        _polyline(layout.cut(), "line cut") if cut.one_cut else None,
        *(_node(layout, row, kind) for kind in kinds for row in layout.rows_of(kind.chosen)),
        width="100%",
        height=str(height),
    )
    names: list[Series] = [*line, *(Marks(kind.name, kind.look, (), (), kind.symbol) for kind in kinds)]
    rows = [
        (
            node.label,
            cut.nodes[node.parent].label if node.parent >= 0 else "",
            node.values,
            node.occurrences,
            node.published,
        )
        for node in layout.nodes
    ]
    columns = ("node", "above", "values", "occurrences", "published so")
    return _figure(tag("div", legend(names), drawn, class_="chart"), height, columns, rows)


def _is_as_it_was(node: CutNode) -> bool:
    return node.folded or node.values == 1


@dataclass(frozen=True, slots=True)
class _Mark:
    """How nodes of one kind are drawn."""

    name: str
    look: str
    symbol: str
    chosen: Callable[[CutNode], bool]


_MARKS = (
    _Mark(
        "published under this label",
        "after",
        "circle",
        lambda node: node.published > 0 and not _is_as_it_was(node),
    ),
    _Mark(
        "as it is, or in more detail",
        "before",
        "diamond",
        lambda node: node.published > 0 and _is_as_it_was(node),
    ),
    _Mark("not published by itself", "quiet", "circle", lambda node: node.published == 0),
)
_CUT_LINE = Line("the cut", "cut", ())


def _node(layout: TreeLayout, row: int, kind: _Mark) -> Html:
    node = layout.nodes[row]
    x, y = _MARGIN + _STEP * layout.across[row], _MARGIN + _ROW * row
    text = tag("text", label(node.label, _LONGEST_BRANCH), x="11", dy="0.35em", class_="node")
    return tag(
        "svg",
        tag("title", _node_in_words(node)),
        mark(kind.symbol, kind.look, _mark_size(node)),
        text,
        x=str(x),
        y=str(y),
        class_="place",
    )


def _polyline(points: Sequence[Sequence[tuple[float, float]]], look: str) -> Html:
    paths = " ".join(
        "M" + "L".join(f"{_MARGIN + _STEP * x:g} {_MARGIN + _ROW * y:g}" for x, y in stretch)
        for stretch in points
    )
    return tag("g", tag("path", d=paths, class_=look), class_=look.rpartition(" ")[2])


def _node_in_words(node: CutNode) -> str:
    return (
        f"{label(node.label, _LONGEST_HOVER)}: {node.values:,} values, {node.occurrences:,} occurrences,"
        f" {node.published:,} published so"
    )


def _mark_size(node: CutNode) -> float:
    """Larger, the more of what is below a node is published as this node."""
    return round(8 + 6 * node.published / max(node.occurrences, 1), 1) if node.published else 7


def class_size_figure(
    bands: Sequence[Band], *, published_only: bool = False, title: str = "records in the class"
) -> Figure:
    """The share of records in classes, or clusters, of each size, before and after or after only."""
    counts = {
        "before": [band.records_before for band in bands],
        "after": [band.records_after for band in bands],
    }
    shown = ("after",) if published_only else ("before", "after")
    shares = {side: [records / max(sum(counts[side]), 1) for records in counts[side]] for side in shown}
    series = [
        _side(
            side,
            shares[side],
            [
                f"{records:,} records in classes of {band.label}"
                for records, band in zip(counts[side], bands, strict=True)
            ],
            slot=slot,
        )
        for slot, side in enumerate(shown)
    ]
    labels = [band.label for band in bands]
    values = [share for side in shown for share in shares[side]]
    height = 340
    drawing = chart(
        series,
        names_axis(labels, title),
        numbers_axis("share of all records", values, percent=True),
        height=height,
    )
    columns = ("size of class", *(f"records {_NAMES[side]}" for side in shown))
    return _figure(drawing, height, columns, zip(labels, *(counts[side] for side in shown), strict=True))


def risk_figure(before: Risk | None, after: Risk) -> Figure:
    """The highest and the mean chance of a right guess, before (if it may be told) and after."""
    sides = {"before": before, "after": after}
    known = {side: risk for side, risk in sides.items() if risk is not None}
    series = [
        _side(side, (risk.highest, risk.mean), _percentages(risk), slot=slot, texts=_percentages(risk))
        for slot, (side, risk) in enumerate(known.items())
    ]
    height = 300
    drawing = chart(
        series,
        names_axis(("least protected\nrecord", "average\nrecord")),
        shares_axis("chance of a right guess", room=0.1),
        height=height,
    )
    rows = [
        ("least protected record", *(risk.highest for risk in known.values())),
        ("average record", *(risk.mean for risk in known.values())),
    ]
    columns = ("chance of a right guess", *(_NAMES[side] for side in known))
    return _figure(drawing, height, columns, rows)


def frontier_figure(points: Sequence[Mapping[str, Any]]) -> Figure:
    """The loss in items over the loss in single values, one mark per bound."""
    ordered = sorted(points, key=lambda point: point["relational_loss"])
    option = "class_size" if "class_size" in points[0] else "delta"
    places = [(point["relational_loss"], point["utility_loss"]) for point in ordered]
    curve = Marks(
        name="bounds",
        look="after",
        points=places,
        hovers=[
            f"{option} {point[option]:.4g}: values {point['relational_loss']:.1%},"
            f" items {point['utility_loss']:.1%}"
            for point in ordered
        ],
        joined=True,
    )
    height = 340
    drawing = chart(
        [curve],
        numbers_axis("lost in single values (NCP)", [x for x, _ in places], percent=True, from_zero=False),
        numbers_axis("lost in items (UL)", [y for _, y in places], percent=True),
        height=height,
    )
    rows = [(point[option], point["relational_loss"], point["utility_loss"]) for point in ordered]
    return _figure(drawing, height, (option, "lost in single values", "lost in items"), rows)


def attack_figure(
    known: Sequence[int], before: Sequence[float], after: Sequence[float], promised: int | None
) -> Figure:
    """The share of records that do not hide among k, by number of known items, before and after."""
    series = [
        Marks(
            name=_NAMES[side],
            look=side,
            points=list(zip(known, shares, strict=True)),
            hovers=[f"{_NAMES[side]}: {share:.2%}" for share in shares],
            symbol=symbol,
            joined=True,
        )
        for side, shares, symbol in (("before", before, "diamond"), ("after", after, "circle"))
    ]
    low, high = 0.5, max(known) + 0.5
    height = 340
    drawing = chart(
        series,
        Axis(low, high, tuple(Tick(x, str(x)) for x in known), "items that are known", grid=False),
        shares_axis("records with fewer than k candidates", room=0.05),
        height=height,
        shaded=None if promised is None else (low, min(promised + 0.5, high)),
    )
    columns = ("items known", *(f"too few candidates, {name}" for name in _NAMES.values()))
    return _figure(drawing, height, columns, zip(known, before, after, strict=True))


Point = tuple[float, float, str]  # across, up, and what the run is called


def comparison_figure(
    lines: Mapping[str, Sequence[Point]],
    front: Sequence[tuple[float, float]],
    titles: tuple[str, str],
    *,
    percent: bool = False,
) -> Figure:
    """One line of marks per algorithm, and beneath them the runs that no other beats, if there are any."""
    series: list[Series] = [
        Marks(
            name=label(name),
            look=f"colour-{index % _COLOURS}",
            points=[(across, up) for across, up, _ in points],
            hovers=[f"{label(run, _LONGEST_HOVER)}: {up:.4g}" for _, up, run in points],
            symbol=SYMBOLS[index % len(SYMBOLS)],
            joined=not front,
        )
        for index, (name, points) in enumerate(lines.items())
    ]
    beneath = [Line("Pareto front", "front", front)] if front else []
    every = [point for points in lines.values() for point in points]
    height = 380
    drawing = chart(
        [*beneath, *series],
        numbers_axis(titles[0], [x for x, _, _ in every], from_zero=False, grid=False),
        numbers_axis(titles[1], [y for _, y, _ in every], percent=percent),
        height=height,
        legend_of_one=True,
    )
    rows = [(name, run, across, up) for name, points in lines.items() for across, up, run in points]
    return _figure(drawing, height, ("algorithm", "run", *titles), rows)


def _percentages(risk: Risk) -> list[str]:
    return [f"{100 * chance:.3g}%" for chance in (risk.highest, risk.mean)]


def _hovers(level: Level, counts: Sequence[float]) -> list[str]:
    return [f"{label(group)}: {count:,.6g}" for group, count in zip(level.groups, counts, strict=True)]


def _side(
    side: str,
    values: Sequence[float],
    hovers: Sequence[str],
    *,
    slot: int,
    texts: Sequence[str] | None = None,
) -> Bars:
    told = [f"{_NAMES[side]}: {text}" for text in hovers]
    return Bars(_NAMES[side], side, values, told, slot=slot, texts=texts)


def _rows_figure(
    series: Sequence[Series],
    names: Sequence[str],
    axis: Axis,
    *,
    row_height: int,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
) -> Figure:
    """Bars from the top, each row with its name; equal names stay apart."""
    height = 62 + row_height * len(names)
    down = names_axis([label(name) for name in names], from_top=True)
    return _figure(chart(series, axis, down, height=height, horizontal=True), height, columns, rows)


def _figure(drawing: Html, height: int, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Figure:
    return Figure(drawing, height, tuple(columns), tuple(tuple(row) for row in rows))
