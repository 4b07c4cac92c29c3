"""Charts as SVG that needs no script: bars, lines and marks over two axes.

Across, everything is placed in percent of the box, so that a chart fits any width with letters of one size;
down, in pixels. Colours are classes of `chart.css`, which goes with light and dark. What a mark stands for is
told when the pointer rests on it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import Any, NamedTuple

from shoal.report.html import Html, join, tag

_LETTER = 7.4  # pixels of an average letter, from which margins follow
_LINE = 15
_TICKS = 5
_BAND = 0.72  # of the room of a row that its bars take
_CROWDED = 36  # letters under a chart that still fit a telephone side by side
_SLANT = -35
_TOP, _RIGHT = 12, 34


class Tick(NamedTuple):
    """A value of an axis and how it is written; a line break makes two lines."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Axis:
    """From which value to which an axis goes, which of them are written, and whether the first is on top."""

    low: float
    high: float
    ticks: tuple[Tick, ...]
    title: str = ""
    grid: bool = True
    from_top: bool = False

    def share(self, value: float) -> float:
        """How far along the axis a value is, from 0 to 1."""
        return (value - self.low) / (self.high - self.low)


def names_axis(names: Sequence[str], title: str = "", *, from_top: bool = False) -> Axis:
    """An axis with a room for each name."""
    ticks = tuple(Tick(index, name) for index, name in enumerate(names))
    return Axis(-0.5, len(names) - 0.5, ticks, title, grid=False, from_top=from_top)


def shares_axis(title: str, *, room: float = 0.08) -> Axis:
    """An axis of all shares from nothing to everything, with some room for what is written above."""
    quarters = (0.0, 0.25, 0.5, 0.75, 1.0)
    return Axis(0, 1 + room, tuple(Tick(share, f"{share:.0%}") for share in quarters), title)


def numbers_axis(
    title: str, values: Iterable[float], *, percent: bool = False, from_zero: bool = True, grid: bool = True
) -> Axis:
    """An axis over all values, with round numbers at its ticks."""
    given = list(values)
    low, high = (min(given), max(given)) if given else (0.0, 1.0)
    low = min(low, 0.0) if from_zero else low
    step = _round_step((high - low) or abs(high) or 1.0)
    first, last = floor(low / step), max(ceil(high / step), floor(low / step) + 1)
    ticks = tuple(
        Tick(step * index, _written(step * index, percent=percent)) for index in range(first, last + 1)
    )
    return Axis(step * first, step * last, ticks, title, grid)


def _round_step(span: float) -> float:
    size = 10.0 ** floor(log10(span / _TICKS))
    return next(size * factor for factor in (1, 2, 5, 10) if span <= size * factor * _TICKS)


def _written(value: float, *, percent: bool) -> str:
    return f"{100 * value:.4g}%" if percent else f"{value:,.6g}"


@dataclass(frozen=True, slots=True)
class Bars:
    """One bar at each index of the axis of names; bars of one slot stand on each other."""

    name: str
    look: str
    values: Sequence[float]
    hovers: Sequence[str]
    slot: int = 0
    starts: Sequence[float] | None = None
    texts: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points; None among them breaks it."""

    name: str
    look: str
    points: Sequence[tuple[float, float] | None]


@dataclass(frozen=True, slots=True)
class Marks:
    """A mark at each point, and a line through them if they are `joined`."""

    name: str
    look: str
    points: Sequence[tuple[float, float]]
    hovers: Sequence[str]
    symbol: str = "circle"
    joined: bool = False


Series = Bars | Line | Marks


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing, and the table of what it shows."""

    drawing: Html
    height: int
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def table(self) -> dict[str, Any]:
        """What the figure shows, for JSON."""
        return {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}


@dataclass(frozen=True, slots=True)
class _Box:
    """Where things are drawn: the two axes, the height in pixels, the way of the bars."""

    x: Axis
    y: Axis
    height: float
    horizontal: bool
    slots: int

    def across(self, value: float) -> str:
        return f"{100 * self.x.share(value):.2f}%"

    def down(self, value: float) -> float:
        share = self.y.share(value)
        return self.height * (share if self.y.from_top else 1 - share)


def chart(
    series: Sequence[Series],
    x: Axis,
    y: Axis,
    *,
    height: int,
    horizontal: bool = False,
    shaded: tuple[float, float] | None = None,
    legend_of_one: bool = False,
) -> Html:
    """Draw all series over both axes, the first at the bottom; what is `shaded` lies beneath."""
    crowded = not horizontal and sum(len(tick.text) for tick in x.ticks) > _CROWDED
    below = _room_below(x, crowded=crowded)
    left = _room_beside(y)
    slots = 1 + max((each.slot for each in series if isinstance(each, Bars)), default=0)
    box = _Box(x, y, height - _TOP - below, horizontal, slots)
    beneath = (
        None
        if shaded is None
        else tag(
            "rect",
            x=box.across(shaded[0]),
            width=f"{100 * (x.share(shaded[1]) - x.share(shaded[0])):.2f}%",
            y="0",
            height=_px(box.height),
            class_="shade",
        )
    )
    titles = join(
        tag("text", x.title, x="50%", y=_px(box.height + below - 4), class_="title middle")
        if x.title
        else None,
        tag(
            "text",
            y.title,
            transform=f"translate({13 - left} {_px(box.height / 2)}) rotate(-90)",
            class_="title middle",
        )
        if y.title
        else None,
    )
    drawing = tag(
        "svg",
        _grid(box),
        beneath,
        *(_drawn(each, index, box) for index, each in enumerate(series)),
        _ticks_below(box, crowded=crowded),
        _ticks_beside(box),
        titles,
        width="100%",
        height=_px(box.height),
    )
    # What is written around the axes stands outside of the drawing, in the margins that HTML gives it.
    framed = tag("div", drawing, class_="plot", style=f"padding: {_TOP}px {_RIGHT}px {below}px {left}px")
    named = legend_of_one or len(series) > 1
    return tag("div", legend(series) if named else None, framed, class_="chart")


def legend(series: Sequence[Series]) -> Html:
    """The names of the series, each with what it looks like."""
    entries = [tag("li", _sample(each), each.name) for each in series]
    return tag("ul", *entries, class_="legend")


def mark(symbol: str, look: str, size: float, hover: str | None = None, **place: str) -> Html:
    """A symbol around a place, whose coordinates may be percentages."""
    shape = tag("path", d=_outline(symbol, size), class_=f"mark {look}")
    told = None if hover is None else tag("title", hover)
    return tag("svg", told, shape, class_="place", **place)


def _sample(series: Series) -> Html:
    match series:
        case Bars():
            inside = tag("rect", x="1", y="2", width="12", height="10", class_=f"bar {series.look}")
        case Line():
            inside = tag("line", x1="0", x2="14", y1="7", y2="7", class_=f"line {series.look}")
        case Marks():
            inside = mark(series.symbol, series.look, 9, x="7", y="7")
    return tag("svg", inside, width="14", height="14", aria_hidden="true")


def _room_below(axis: Axis, *, crowded: bool) -> int:
    longest = max((len(tick.text) for tick in axis.ticks), default=0)
    lines = max((tick.text.count("\n") + 1 for tick in axis.ticks), default=1)
    ticks = 14 + round(longest * _LETTER * 0.6) if crowded else 8 + _LINE * lines
    return ticks + (_LINE + 6 if axis.title else 0)


def _room_beside(axis: Axis) -> int:
    longest = max((len(tick.text) for tick in axis.ticks), default=0)
    return round(10 + _LETTER * longest) + (24 if axis.title else 0)


def _grid(box: _Box) -> Html:
    upright = [
        tag("line", x1=box.across(tick.at), x2=box.across(tick.at), y1="0", y2=_px(box.height), class_="grid")
        for tick in (box.x.ticks if box.x.grid else ())
    ]
    level = [
        tag("line", x1="0", x2="100%", y1=_px(box.down(tick.at)), y2=_px(box.down(tick.at)), class_="grid")
        for tick in (box.y.ticks if box.y.grid else ())
    ]
    return join(*upright, *level)


def _ticks_below(box: _Box, *, crowded: bool) -> Html:
    return join(*(_tick_below(box, tick, crowded=crowded) for tick in box.x.ticks))


def _tick_below(box: _Box, tick: Tick, *, crowded: bool) -> Html:
    place = {"x": box.across(tick.at), "y": _px(box.height)}
    if crowded:
        slanted = tag("text", tick.text, transform=f"translate(3 14) rotate({_SLANT})", class_="tick end")
        return tag("svg", slanted, class_="place", **place)
    lines = [
        tag("text", line, x="0", y=str(_LINE * (index + 1) + 2), class_="tick middle")
        for index, line in enumerate(tick.text.split("\n"))
    ]
    return tag("svg", *lines, class_="place", **place)


def _ticks_beside(box: _Box) -> Html:
    return join(
        *(
            tag("text", tick.text, x="-8", y=_px(box.down(tick.at)), dy="0.35em", class_="tick end beside")
            for tick in box.y.ticks
        )
    )


def _drawn(series: Series, index: int, box: _Box) -> Html:
    match series:
        case Bars():
            return join(*_bars(series, box))
        case Line():
            return tag("g", *_segments(series.points, series.look, box), class_=series.look)
        case Marks():
            joined = _segments(series.points, series.look, box) if series.joined else ()
            marks = (
                mark(
                    series.symbol,
                    series.look,
                    10,
                    hover,
                    x=box.across(x),
                    y=_px(box.down(y)),
                    data_mark=f"{index},{number}",
                )
                for number, ((x, y), hover) in enumerate(zip(series.points, series.hovers, strict=True))
            )
            return join(*joined, *marks)


def _bars(bars: Bars, box: _Box) -> Iterable[Html]:
    thickness = _BAND / box.slots
    for index, (value, hover) in enumerate(zip(bars.values, bars.hovers, strict=True)):
        start = 0.0 if bars.starts is None else bars.starts[index]
        near = index - _BAND / 2 + bars.slot * thickness
        told = tag("title", hover)
        yield tag(
            "rect", told, class_=f"bar {bars.look}", **_extent(box, near, thickness * 0.94, start, value)
        )
        if bars.texts is not None:
            yield _text_at_end(bars.texts[index], box, near + thickness / 2, start + value)


def _extent(box: _Box, near: float, thickness: float, start: float, value: float) -> dict[str, str]:
    if box.horizontal:
        down = box.down(near)
        width = 100 * (box.x.share(start + value) - box.x.share(start))
        return {
            "x": box.across(start),
            "width": f"{width:.2f}%",
            "y": _px(down),
            "height": _px(box.down(near + thickness) - down),
        }
    top = box.down(start + value)
    width = 100 * (box.x.share(near + thickness) - box.x.share(near))
    return {
        "x": box.across(near),
        "width": f"{width:.2f}%",
        "y": _px(top),
        "height": _px(box.down(start) - top),
    }


def _text_at_end(text: str, box: _Box, middle: float, end: float) -> Html:
    if box.horizontal:
        return tag(
            "text", text, x=box.across(end), dx="5", y=_px(box.down(middle)), dy="0.35em", class_="value"
        )
    return tag("text", text, x=box.across(middle), y=_px(box.down(end)), dy="-5", class_="value middle")


def _segments(points: Sequence[tuple[float, float] | None], look: str, box: _Box) -> list[Html]:
    return [
        tag(
            "line",
            x1=box.across(one[0]),
            x2=box.across(other[0]),
            y1=_px(box.down(one[1])),
            y2=_px(box.down(other[1])),
            class_=f"line {look}",
        )
        for one, other in pairwise(points)
        if one is not None and other is not None
    ]


def _px(pixels: float) -> str:
    return f"{pixels:.1f}".removesuffix(".0")


def _outline(symbol: str, size: float) -> str:
    """The outline of a symbol around the origin."""
    r = size / 2
    if symbol == "circle":
        return f"M{-r:g} 0a{r:g} {r:g} 0 1 0 {size:g} 0a{r:g} {r:g} 0 1 0 {-size:g} 0z"
    corners = " ".join(f"{x * r:.3g},{y * r:.3g}" for x, y in _CORNERS[symbol])
    return f"M{corners}z"


_CORNERS = {
    "diamond": ((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)),
    "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "triangle-up": ((0, -1.1), (1.1, 0.9), (-1.1, 0.9)),
    "triangle-down": ((0, 1.1), (1.1, -0.9), (-1.1, -0.9)),
    "cross": (
        (-0.35, -1.1), (0.35, -1.1), (0.35, -0.35), (1.1, -0.35), (1.1, 0.35), (0.35, 0.35),
        (0.35, 1.1), (-0.35, 1.1), (-0.35, 0.35), (-1.1, 0.35), (-1.1, -0.35), (-0.35, -0.35),
    ),
    "x": (
        (-1.0, -0.5), (-0.5, -1.0), (0, -0.5), (0.5, -1.0), (1.0, -0.5), (0.5, 0),
        (1.0, 0.5), (0.5, 1.0), (0, 0.5), (-0.5, 1.0), (-1.0, 0.5), (-0.5, 0),
    ),
    "hexagon": ((-1, 0), (-0.5, -0.87), (0.5, -0.87), (1, 0), (0.5, 0.87), (-0.5, 0.87)),
}  # fmt: skip
SYMBOLS = ("circle", *_CORNERS)
