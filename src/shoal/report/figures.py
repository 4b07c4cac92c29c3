"""The Plotly figures, the same in reports, notebooks and the web page: one function per figure.

Each takes plain facts and gives a figure that carries its own data, as a table under `layout.meta`, which the
button for CSV saves. Colours are those of Okabe and Ito, which people with colour-blindness can tell apart;
bars of the original data are hatched as well. Plotly reads labels as markup, so texts from the data go
through `label`. A trace whose `meta` names a colour of the page (`before`, `after`, `quiet`, `line`) takes it
from there, light or dark.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import plotly.graph_objects as go

from shoal.explain.levels import CutNode, CutTree, Level
from shoal.report.class_sizes import Band, Risk
from shoal.report.tree_layout import TreeLayout, tree_layout

BEFORE, AFTER, QUIET = "#E69F00", "#0072B2", "#767676"
_LONGEST_LABEL = 22
_LONGEST_BRANCH = 30
_LONGEST_HOVER = 60


def label(text: str, longest: int = _LONGEST_LABEL) -> str:
    """A text from the data as Plotly shows it unchanged, on one line and not too long."""
    line = " ".join(text.split())
    short = line if len(line) <= longest else f"{line[: longest - 1]}…"
    return escape(short, quote=False).replace("$", "&#36;")  # which would begin a formula


def loss_figure(losses: Mapping[str, float], title: str = "share of detail lost") -> go.Figure:
    """One bar per column, or per level of a column's tree, in the given order from the top."""
    names = list(losses)
    bars = go.Bar(
        x=[losses[name] for name in names],
        y=list(range(len(names))),
        orientation="h",
        meta="after",
        marker={"color": AFTER},
        text=[f"{losses[name]:.0%}" for name in names],
        textposition="outside",
        cliponaxis=False,
        hovertext=[f"{label(name)}: {losses[name]:.1%}" for name in names],
        hoverinfo="text",
    )
    figure = _figure(bars, height=90 + 34 * len(names), columns=("name", "lost"), rows=losses.items())
    figure.update_xaxes(title_text=title, tickformat=".0%", range=[0, 1.08], tickvals=_QUARTERS)
    _name_rows(figure, names)
    return figure


def distribution_figure(level: Level) -> go.Figure:
    """How often each group occurs in the original, and how often by the publication."""
    places = list(range(len(level.groups)))
    told = _side("after", level.told, places, _hovers(level, level.told), horizontal=True)
    told.offsetgroup = "after"
    original = _side("before", level.before, places, _hovers(level, level.before), horizontal=True)
    original.offsetgroup = "before"
    spread = go.Bar(
        x=level.spread,
        y=places,
        base=level.told,
        orientation="h",
        offsetgroup="after",
        name="published coarser, spread evenly",
        meta="after",
        opacity=0.4,
        marker={"color": AFTER},
        hovertext=[f"published coarser: {text}" for text in _hovers(level, level.spread)],
        hoverinfo="text",
    )
    figure = _figure(
        original,
        told,
        *([spread] if any(level.spread) else []),
        height=120 + 26 * len(places),
        columns=("group", "original", "published", "published coarser, spread evenly"),
        rows=zip(level.groups, level.before, level.told, level.spread, strict=True),
    )
    figure.update_xaxes(title_text="occurrences", rangemode="tozero")
    _name_rows(figure, level.groups)
    return figure


def published_figure(counts: Mapping[str, int]) -> go.Figure:
    """How often each published label occurs, for readers who have the publication only."""
    labels = list(counts)
    bars = _side(
        "after",
        [counts[text] for text in labels],
        list(range(len(labels))),
        [f"{label(text)}: {counts[text]:,}" for text in labels],
        horizontal=True,
    )
    figure = _figure(
        bars, height=90 + 24 * len(labels), columns=("label", "occurrences"), rows=counts.items()
    )
    figure.update_xaxes(title_text="occurrences", rangemode="tozero")
    _name_rows(figure, labels)
    return figure


def cut_figure(cut: CutTree) -> go.Figure:
    """The tree of a column, one node per row, and the cut that publication made through it."""
    layout = tree_layout(cut.nodes)
    across, down = layout.branches()
    branches = go.Scatter(
        x=across,
        y=down,
        mode="lines",
        meta="line",
        line={"color": "#BBBBBB", "width": 1.5},
        hoverinfo="skip",
        showlegend=False,
    )
    marks = [_marks(layout, kind) for kind in _MARKS if any(map(kind.chosen, layout.nodes))]
    figure = _figure(
        branches,
        *([_cut_line(layout)] if cut.one_cut else []),
        *marks,
        height=110 + 24 * len(layout.nodes),
        columns=("node", "above", "values", "occurrences", "published so"),
        rows=[
            (
                node.label,
                cut.nodes[node.parent].label if node.parent >= 0 else "",
                node.values,
                node.occurrences,
                node.published,
            )
            for node in layout.nodes
        ],
    )
    hidden = {"visible": False, "fixedrange": True}
    figure.update_xaxes(**hidden, range=[-0.5, max(layout.across, default=0) + 10])
    figure.update_yaxes(**hidden, range=[len(layout.nodes) - 0.4, -0.6])
    figure.update_layout(showlegend=True)
    return figure


def _is_as_it_was(node: CutNode) -> bool:
    return node.folded or node.values == 1


@dataclass(frozen=True, slots=True)
class _Mark:
    """How nodes of one kind are drawn."""

    name: str
    role: str
    colour: str
    symbol: str
    chosen: Callable[[CutNode], bool]


_MARKS = (
    _Mark(
        "published under this label",
        "after",
        AFTER,
        "circle",
        lambda node: node.published > 0 and not _is_as_it_was(node),
    ),
    _Mark(
        "as it is, or in more detail",
        "before",
        BEFORE,
        "diamond",
        lambda node: node.published > 0 and _is_as_it_was(node),
    ),
    _Mark("not published by itself", "quiet", QUIET, "circle-open", lambda node: node.published == 0),
)


def _marks(layout: TreeLayout, kind: _Mark) -> go.Scatter:
    rows = [row for row, node in enumerate(layout.nodes) if kind.chosen(node)]
    nodes = [layout.nodes[row] for row in rows]
    return go.Scatter(
        x=[layout.across[row] for row in rows],
        y=rows,
        mode="markers+text",
        name=kind.name,
        meta=kind.role,
        marker={
            "color": kind.colour,
            "symbol": kind.symbol,
            "size": [_mark_size(node) for node in nodes],
            "opacity": 1,
        },
        text=[f" {label(node.label, _LONGEST_BRANCH)}" for node in nodes],
        textposition="middle right",
        textfont={"size": 12},
        cliponaxis=False,
        hovertext=[_node_in_words(node) for node in nodes],
        hoverinfo="text",
    )


def _cut_line(layout: TreeLayout) -> go.Scatter:
    across, down = layout.cut()
    return go.Scatter(
        x=across,
        y=down,
        mode="lines",
        name="the cut",
        meta="after",
        opacity=0.3,
        line={"color": AFTER, "width": 10},
        hoverinfo="skip",
    )


def _node_in_words(node: CutNode) -> str:
    return (
        f"{label(node.label, _LONGEST_HOVER)}: {node.values:,} values, {node.occurrences:,} occurrences,"
        f" {node.published:,} published so"
    )


def _mark_size(node: CutNode) -> float:
    """Larger, the more of what is below a node is published as this node."""
    return 8 + 6 * node.published / max(node.occurrences, 1) if node.published else 6


def class_size_figure(
    bands: Sequence[Band], *, published_only: bool = False, title: str = "records in the class"
) -> go.Figure:
    """The share of records in classes, or clusters, of each size, before and after or after only."""
    places = list(range(len(bands)))
    counts = {
        "before": [band.records_before for band in bands],
        "after": [band.records_after for band in bands],
    }
    shown = ("after",) if published_only else ("before", "after")
    figure = _figure(
        *(
            _side(
                side,
                places,
                [records / max(sum(counts[side]), 1) for records in counts[side]],
                [
                    f"{records:,} records in classes of {band.label}"
                    for records, band in zip(counts[side], bands, strict=True)
                ],
            )
            for side in shown
        ),
        height=340,
        columns=("size of class", *(f"records {_NAMES[side]}" for side in shown)),
        rows=zip([band.label for band in bands], *(counts[side] for side in shown), strict=True),
    )
    figure.update_xaxes(
        title_text=title, tickvals=places, ticktext=[band.label for band in bands], showgrid=False
    )
    figure.update_yaxes(title_text="share of all records", tickformat=".0%", rangemode="tozero")
    return figure


def risk_figure(before: Risk | None, after: Risk) -> go.Figure:
    """The highest and the mean chance of a right guess, before (if it may be told) and after."""
    sides = {"before": before, "after": after}
    known = {side: risk for side, risk in sides.items() if risk is not None}
    figure = _figure(
        *(
            _side(side, [0, 1], [risk.highest, risk.mean], _percentages(risk)).update(text=_percentages(risk))
            for side, risk in known.items()
        ),
        height=300,
        columns=("chance of a right guess", *(_NAMES[side] for side in known)),
        rows=[
            ("least protected record", *(risk.highest for risk in known.values())),
            ("average record", *(risk.mean for risk in known.values())),
        ],
    )
    figure.update_traces(textposition="outside", cliponaxis=False, textangle=0, constraintext="none")
    figure.update_xaxes(
        tickvals=[0, 1],
        ticktext=["least protected<br>record", "average<br>record"],
        tickangle=0,
        showgrid=False,
    )
    figure.update_yaxes(
        title_text="chance of a right guess", tickformat=".0%", range=[0, 1.1], tickvals=_QUARTERS
    )
    return figure


def frontier_figure(points: Sequence[Mapping[str, Any]]) -> go.Figure:
    """The loss in items over the loss in single values, one mark per bound."""
    ordered = sorted(points, key=lambda point: point["relational_loss"])
    option = "class_size" if "class_size" in points[0] else "delta"
    curve = go.Scatter(
        x=[point["relational_loss"] for point in ordered],
        y=[point["utility_loss"] for point in ordered],
        mode="lines+markers",
        meta="after",
        marker={"color": AFTER, "size": 9},
        hovertext=[
            f"{option} {point[option]:.4g}: values {point['relational_loss']:.1%},"
            f" items {point['utility_loss']:.1%}"
            for point in ordered
        ],
        hoverinfo="text",
    )
    figure = _figure(
        curve,
        height=340,
        columns=(option, "lost in single values", "lost in items"),
        rows=[(point[option], point["relational_loss"], point["utility_loss"]) for point in ordered],
    )
    figure.update_xaxes(title_text="lost in single values (NCP)", tickformat=".0%")
    figure.update_yaxes(title_text="lost in items (UL)", tickformat=".0%", rangemode="tozero")
    return figure


def attack_figure(
    known: Sequence[int], before: Sequence[float], after: Sequence[float], promised: int | None
) -> go.Figure:
    """The share of records that do not hide among k, by number of known items, before and after."""
    figure = _figure(
        *(
            go.Scatter(
                x=known,
                y=shares,
                mode="lines+markers",
                name=_NAMES[side],
                meta=side,
                line={"color": _COLOURS[side], "dash": "dot" if side == "before" else "solid"},
                marker={"color": _COLOURS[side], "size": 9, "symbol": symbol},
                hovertext=[f"{_NAMES[side]}: {share:.2%}" for share in shares],
                hoverinfo="text",
            )
            for side, shares, symbol in (("before", before, "diamond"), ("after", after, "circle"))
        ),
        height=340,
        columns=("items known", *(f"too few candidates, {name}" for name in _NAMES.values())),
        rows=zip(known, before, after, strict=True),
    )
    if promised is not None:
        figure.add_vrect(x0=0.5, x1=promised + 0.5, fillcolor=AFTER, opacity=0.08, line_width=0)
    figure.update_xaxes(
        title_text="items that are known", tickvals=list(known), range=[0.5, max(known) + 0.5], showgrid=False
    )
    figure.update_yaxes(
        title_text="records with fewer than k candidates",
        tickformat=".0%",
        range=[-0.02, 1.05],
        tickvals=_QUARTERS,
    )
    return figure


Point = tuple[float, float, str]  # across, up, and what the run is called


def comparison_figure(
    lines: Mapping[str, Sequence[Point]],
    front: Sequence[tuple[float, float]],
    titles: tuple[str, str],
    *,
    percent: bool = False,
) -> go.Figure:
    """One line of marks per algorithm, and beneath them the runs that no other beats, if there are any."""
    traces = [
        go.Scatter(
            x=[across for across, _, _ in points],
            y=[up for _, up, _ in points],
            mode="markers" if front else "lines+markers",
            name=label(name),
            line={"color": _PALETTE[index % len(_PALETTE)]},
            marker={
                "color": _PALETTE[index % len(_PALETTE)],
                "size": 10,
                "symbol": _SYMBOLS[index % len(_SYMBOLS)],
            },
            hovertext=[f"{label(run, _LONGEST_HOVER)}: {up:.4g}" for _, up, run in points],
            hoverinfo="text",
        )
        for index, (name, points) in enumerate(lines.items())
    ]
    if front:
        traces.insert(
            0,
            go.Scatter(
                x=[across for across, _ in front],
                y=[up for _, up in front],
                mode="lines",
                name="Pareto front",
                line={"color": "#999999", "width": 6},
                hoverinfo="skip",
            ),
        )
    figure = _figure(
        *traces,
        height=380,
        columns=("algorithm", "run", *titles),
        rows=[(name, run, across, up) for name, points in lines.items() for across, up, run in points],
    )
    figure.update_layout(showlegend=True)
    figure.update_xaxes(title_text=titles[0], showgrid=False)
    figure.update_yaxes(title_text=titles[1], rangemode="tozero", tickformat=".1~%" if percent else None)
    return figure


_PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#999999")
_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "cross", "star", "triangle-down")
_QUARTERS = [0, 0.25, 0.5, 0.75, 1]
_NAMES = {"before": "original", "after": "published"}
_COLOURS = {"before": BEFORE, "after": AFTER}
_HATCHES = {"before": "/", "after": ""}


def _percentages(risk: Risk) -> list[str]:
    return [f"{100 * chance:.3g}%" for chance in (risk.highest, risk.mean)]


def _hovers(level: Level, counts: Sequence[float]) -> list[str]:
    return [f"{label(group)}: {count:,.6g}" for group, count in zip(level.groups, counts, strict=True)]


def _name_rows(figure: go.Figure, names: Sequence[str]) -> None:
    """Rows of bars from the top, each with its name; equal names stay apart."""
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[label(name) for name in names],
        autorange="reversed",
        showgrid=False,
    )


def _side(
    side: str, x: Sequence[float], y: Sequence[float], hover: Sequence[str], *, horizontal: bool = False
) -> go.Bar:
    return go.Bar(
        x=x,
        y=y,
        orientation="h" if horizontal else "v",
        name=_NAMES[side],
        meta=side,
        marker={
            "color": _COLOURS[side],
            "pattern": {
                "shape": _HATCHES[side],
                "size": 7,
                "solidity": 0.3,
                "fgopacity": 0.35,
                "fillmode": "overlay",
            },
        },
        hovertext=[f"{_NAMES[side]}: {text}" for text in hover],
        hoverinfo="text",
    )


def _figure(
    *traces: go.Bar | go.Scatter, height: int, columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> go.Figure:
    """A figure in the style of all, with the table of what it shows."""
    quiet = {
        "automargin": True,
        "fixedrange": True,
        "zeroline": False,
        "title": {"font": {"size": 13}, "standoff": 12},
    }
    return go.Figure(
        traces,
        layout={
            "meta": {"columns": list(columns), "rows": [list(row) for row in rows]},
            "template": "none",
            "height": height,
            "margin": {"l": 8, "r": 36, "t": 36, "b": 16},
            "barmode": "group",
            "bargap": 0.28,
            "bargroupgap": 0.06,
            "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"},
            "showlegend": len(traces) > 1,
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"size": 13},
            "dragmode": False,
            "xaxis": quiet,
            "yaxis": quiet,
        },
    )
