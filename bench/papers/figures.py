"""What a paper shows, as releases to be made and claims to be judged."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from papers.release import Measured, Release

Form = Literal["printed", "sound", "ours"]
FORMS: tuple[Form, ...] = ("printed", "sound", "ours")
TIME, TIME_TITLE = "search_processor_seconds", "Processor seconds of the search"

Lines = Mapping[str, Sequence[float]]  # by algorithm, over the points of a panel
Judge = Callable[[Lines], bool]


@dataclass(frozen=True)
class Line:
    """An algorithm in one of its forms, and what it is asked with.

    printed    the steps of the paper, with only its errata mended
    sound      the same, where the printed steps break the promise and something had to be added
    ours       with what we added to lose less
    """

    name: str
    form: Form
    algorithm: str
    asked: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What stands above its column."""
        return f"{self.name}, {self.form}"


@dataclass(frozen=True)
class Claim:
    """What the paper says of its figure, judged for each form of its algorithm."""

    text: str
    holds: Judge


@dataclass(frozen=True)
class Panel:
    """One figure of every line at every point."""

    title: str
    figure: str
    over: str
    points: Mapping[str, Mapping[str, Any]]
    lines: Sequence[Line]
    claims: Sequence[Claim] = ()
    percent: bool = False

    def release(self, line: Line, point: str) -> Release:
        """The release behind a number."""
        return _release(line.algorithm, self.points[point], line.asked)

    def releases(self) -> Iterator[Release]:
        """All of them."""
        return (self.release(line, point) for point in self.points for line in self.lines)

    def forms(self) -> list[Form]:
        """The forms that differ here."""
        return [form for form in FORMS if any(line.form == form for line in self.lines)]

    def seen_as(self, form: Form, value: Callable[[Line, str], float]) -> Lines:
        """The values of every algorithm in this form, or in the form nearest to it."""
        chosen: dict[str, Line] = {}
        for line in sorted(self.lines, key=lambda line: _distance(line.form, form), reverse=True):
            chosen[line.name] = line
        return {name: [value(line, point) for point in self.points] for name, line in chosen.items()}


def _release(algorithm: str, point: Mapping[str, Any], asked: Mapping[str, Any]) -> Release:
    promise = {**point.get("promise", {}), **asked.get("promise", {})}
    if asked.get("whole_sets"):
        promise.pop("m", None)
    options = {**point.get("options", {}), **asked.get("options", {})}
    rest = {**point, **asked, "promise": promise, "options": options}
    return Release(algorithm=algorithm, **rest)


def _distance(form: Form, wanted: Form) -> int:
    return abs(FORMS.index(form) - FORMS.index(wanted))


@dataclass(frozen=True)
class Figure:
    """A figure or table of a paper.

    `said` is what the text of the paper states; `why` explains what differs, or where an example is held in
    place. A figure is judged by its claims, or `kind` says how it stands: examples, and what tables that
    other commands kept show. `missing` are data of the paper that are not here, `on` what was taken instead.
    """

    name: str
    shows: str
    said: str = ""
    panels: Sequence[Panel] = ()
    why: str = ""
    kind: Literal["judged", "reproduced", "differs", "not possible", "ours"] = "judged"
    missing: str = ""
    on: str = "a stand-in"
    tables: Sequence[str] = ()


@dataclass(frozen=True)
class Paper:
    """A paper, and everything that it shows."""

    name: str
    title: str
    setting: str
    figures: Sequence[Figure]

    def releases(self) -> Iterator[Release]:
        """Everything that has to be measured."""
        for figure in self.figures:
            for panel in figure.panels:
                yield from panel.releases()


def lowest(name: str) -> Judge:
    """The line is nowhere above another one."""
    return lambda lines: all(
        _at_most(mine, other)
        for rival, values in lines.items()
        if rival != name
        for mine, other in zip(lines[name], values, strict=True)
    )


def highest(name: str) -> Judge:
    """The line is nowhere below another one."""
    return lambda lines: all(
        _at_most(other, mine)
        for rival, values in lines.items()
        if rival != name
        for mine, other in zip(lines[name], values, strict=True)
    )


def below(name: str, other: str) -> Judge:
    """One line is nowhere above another."""
    return lambda lines: all(map(_at_most, lines[name], lines[other]))


def at_most_times(factor: float, name: str, other: str) -> Judge:
    """One line is nowhere above so many times another."""
    return lambda lines: all(
        mine <= factor * theirs for mine, theirs in zip(lines[name], lines[other], strict=True)
    )


def at_most(limit: float, *names: str) -> Judge:
    """These lines never exceed a value, wherever they have one."""
    return lambda lines: all(
        known and all(_at_most(value, limit) for value in known)
        for known in ([value for value in lines[name] if not math.isnan(value)] for name in names)
    )


def at_least(limit: float, *names: str) -> Judge:
    """These lines are never below a value."""
    return lambda lines: all(_at_most(limit, value) for name in names for value in lines[name])


def so_many_times(factor: float, name: str, other: str) -> Judge:
    """One line is everywhere so many times another, or more."""
    return lambda lines: all(
        _at_most(factor * theirs, mine) for mine, theirs in zip(lines[name], lines[other], strict=True)
    )


def above_at_the_end(name: str, *others: str) -> Judge:
    """Other lines end above this one."""
    return lambda lines: all(lines[other][-1] > lines[name][-1] + 1e-9 for other in others)


def highest_at(place: int, *names: str) -> Judge:
    """These lines are highest at one of their points, or at the last one if they have fewer."""
    return lambda lines: all(
        _at_most(value, lines[name][: place + 1][-1]) for name in names for value in lines[name]
    )


def crosses(name: str, other: str) -> Judge:
    """A line begins below another and ends above it."""
    return lambda lines: lines[name][0] < lines[other][0] and lines[name][-1] > lines[other][-1]


def grows_less(name: str, other: str) -> Judge:
    """A line grows by a smaller factor than another, from the first point to the last."""
    return lambda lines: _growth(lines, name) < _growth(lines, other)


def within(difference: float, *names: str) -> Judge:
    """The largest value of each line is above its smallest by so much at most."""
    return lambda lines: all(max(lines[name]) - min(lines[name]) <= difference for name in names)


def same(*names: str, by: float = 0.005) -> Judge:
    """These lines differ by a part of themselves at most."""
    return lambda lines: all(
        math.isclose(value, first, rel_tol=by, abs_tol=1e-9)
        for name in names[1:]
        for first, value in zip(lines[names[0]], lines[name], strict=True)
    )


def within_factor(factor: float, *names: str) -> Judge:
    """The largest value of each line is at most so many times its smallest."""
    return lambda lines: all(max(lines[name]) <= factor * min(lines[name]) for name in names)


def rises(*names: str) -> Judge:
    """These lines end above where they begin."""
    return lambda lines: all(first <= last for first, last in _ends(lines, names))


def falls(*names: str) -> Judge:
    """These lines end below where they begin."""
    return lambda lines: all(first >= last for first, last in _ends(lines, names))


def power_between(low: float, high: float, sizes: Sequence[float], *names: str) -> Judge:
    """These lines grow with a power of the sizes, from the first to the last, that lies between two."""
    steps = math.log(sizes[-1] / sizes[0])
    return lambda lines: all(
        low <= math.log(last / first) / steps <= high for first, last in _ends(lines, names)
    )


def all_of(*judges: Judge) -> Judge:
    """Every one of them."""
    return lambda lines: all(judge(lines) for judge in judges)


def _growth(lines: Lines, name: str) -> float:
    """By what factor a line grows; no number if it has none, or begins with nothing."""
    growths = [last / first for first, last in _ends(lines, [name]) if first]
    return growths[0] if growths else math.nan


def _ends(lines: Lines, names: Sequence[str]) -> Iterator[tuple[float, float]]:
    """The first and the last number of each line, where it has any."""
    for name in names:
        numbers = [value for value in lines[name] if not math.isnan(value)]
        if numbers:
            yield numbers[0], numbers[-1]


def _at_most(one: float, other: float) -> bool:
    return math.isnan(other) or one <= other + 1e-9


Known = Callable[[Release], Measured | None]
