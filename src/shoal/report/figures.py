"""The Plotly figures, the same in reports and notebooks.

Colours are those of Okabe and Ito, which people with colour-blindness can tell apart; bars of the original
data are hatched as well. Plotly reads labels as markup, so texts from the data go through `label`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from shoal.report.class_sizes import Band, Risk

BEFORE, AFTER = "#E69F00", "#0072B2"
_LONGEST_LABEL = 22


def label(text: str) -> str:
    """A text from the data as Plotly shows it unchanged, on one line and not too long."""
    line = " ".join(text.split())
    short = line if len(line) <= _LONGEST_LABEL else f"{line[: _LONGEST_LABEL - 1]}…"
    return escape(short, quote=False)


def loss_figure(losses: Mapping[str, float]) -> go.Figure:
    """One bar per column, the dearest on top."""
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
    figure = _figure(bars, height=90 + 34 * len(names))
    figure.update_xaxes(
        title_text="share of detail lost", tickformat=".0%", range=[0, 1.08], tickvals=_QUARTERS
    )
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[label(name) for name in names],
        autorange="reversed",
        showgrid=False,
    )
    return figure


def class_size_figure(bands: Sequence[Band]) -> go.Figure:
    """The share of records in classes of each size, before and after."""
    totals = [sum(band.records_before for band in bands), sum(band.records_after for band in bands)]
    places = list(range(len(bands)))
    figure = _figure(
        *(
            _side(
                side,
                places,
                [records / max(total, 1) for records in counts],
                [
                    f"{records:,} records in classes of {band.label}"
                    for records, band in zip(counts, bands, strict=True)
                ],
            )
            for side, total, counts in (
                ("before", totals[0], [band.records_before for band in bands]),
                ("after", totals[1], [band.records_after for band in bands]),
            )
        ),
        height=340,
    )
    figure.update_xaxes(
        title_text="records in the class",
        tickvals=places,
        ticktext=[band.label for band in bands],
        showgrid=False,
    )
    figure.update_yaxes(title_text="share of all records", tickformat=".0%", rangemode="tozero")
    return figure


def risk_figure(before: Risk, after: Risk) -> go.Figure:
    """The highest and the mean chance of a right guess, before and after."""
    figure = _figure(
        *(
            _side(side, [0, 1], [risk.highest, risk.mean], [f"{risk.highest:.2%}", f"{risk.mean:.2%}"])
            for side, risk in (("before", before), ("after", after))
        ),
        height=300,
    )
    figure.update_traces(
        texttemplate="%{y:.1%}", textposition="outside", cliponaxis=False, textangle=0, constraintext="none"
    )
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
    curve = go.Scatter(
        x=[point["relational_loss"] for point in ordered],
        y=[point["utility_loss"] for point in ordered],
        mode="lines+markers",
        meta="after",
        marker={"color": AFTER, "size": 9},
        hovertext=[
            f"delta {point['delta']:.4g}: values {point['relational_loss']:.1%},"
            f" items {point['utility_loss']:.1%}"
            for point in ordered
        ],
        hoverinfo="text",
    )
    figure = _figure(curve, height=340)
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
    lines: Mapping[str, Sequence[Point]], front: Sequence[tuple[float, float]], titles: tuple[str, str]
) -> go.Figure:
    """One line of marks per algorithm, and beneath them the runs that no other beats, if there are any."""
    traces = [
        go.Scatter(
            x=[across for across, _, _ in points],
            y=[up for _, up, _ in points],
            mode="markers" if front else "lines+markers",
            name=label(name),
            line={"color": _PALETTE[place % len(_PALETTE)]},
            marker={
                "color": _PALETTE[place % len(_PALETTE)],
                "size": 10,
                "symbol": _SYMBOLS[place % len(_SYMBOLS)],
            },
            hovertext=[f"{escape(run, quote=False)}: {up:.4g}" for _, up, run in points],
            hoverinfo="text",
        )
        for place, (name, points) in enumerate(lines.items())
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
    figure = _figure(*traces, height=380)
    figure.update_layout(showlegend=True)
    figure.update_xaxes(title_text=titles[0], showgrid=False)
    figure.update_yaxes(title_text=titles[1], rangemode="tozero")
    return figure


_PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#999999")
_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "cross", "star", "triangle-down")
_QUARTERS = [0, 0.25, 0.5, 0.75, 1]
_NAMES = {"before": "original", "after": "published"}
_COLOURS = {"before": BEFORE, "after": AFTER}
_HATCHES = {"before": "/", "after": ""}


def _side(side: str, x: Sequence[float], y: Sequence[float], hover: Sequence[str]) -> go.Bar:
    return go.Bar(
        x=x,
        y=y,
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


def _figure(*bars: go.Bar | go.Scatter, height: int) -> go.Figure:
    figure = go.Figure(
        bars,
        layout={
            "template": "none",
            "height": height,
            "margin": {"l": 8, "r": 36, "t": 36, "b": 16},
            "barmode": "group",
            "bargap": 0.28,
            "bargroupgap": 0.06,
            "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
            "showlegend": len(bars) > 1,
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"size": 13},
            "dragmode": False,
        },
    )
    quiet = {
        "automargin": True,
        "fixedrange": True,
        "zeroline": False,
        "title": {"font": {"size": 13}, "standoff": 12},
    }
    figure.update_xaxes(**quiet)
    figure.update_yaxes(**quiet)
    return figure
