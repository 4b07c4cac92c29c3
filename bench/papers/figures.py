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

    `said` is what the text of the paper states; `why` explains what differs, or where else an example or a
    look into a search is held in place; `tables` are kept ones of other commands that show it.
    """

    name: str
    shows: str
    said: str = ""
    panels: Sequence[Panel] = ()
    why: str = ""
    kind: Literal["measured", "example", "elsewhere"] = "measured"
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


def below(name: str, other: str) -> Judge:
    """One line is nowhere above another."""
    return lambda lines: all(map(_at_most, lines[name], lines[other]))


def at_most_times(factor: float, name: str, other: str) -> Judge:
    """One line is nowhere above so many times another."""
    return lambda lines: all(
        mine <= factor * theirs for mine, theirs in zip(lines[name], lines[other], strict=True)
    )


def at_most(limit: float, *names: str) -> Judge:
    """These lines never exceed a value."""
    return lambda lines: all(_at_most(value, limit) for name in names for value in lines[name])


def same(*names: str, by: float = 0.005) -> Judge:
    """These lines differ by a part of themselves at most."""
    return lambda lines: all(
        math.isclose(value, first, rel_tol=by, abs_tol=1e-9)
        for name in names[1:]
        for first, value in zip(lines[names[0]], lines[name], strict=True)
    )


def within_twice(name: str) -> Judge:
    """The largest value of a line is at most twice the smallest."""
    return lambda lines: max(lines[name]) <= 2 * min(lines[name])


def rises(*names: str) -> Judge:
    """These lines end above where they begin."""
    return lambda lines: all(first <= last for first, last in _ends(lines, names))


def falls(*names: str) -> Judge:
    """These lines end below where they begin."""
    return lambda lines: all(first >= last for first, last in _ends(lines, names))


def all_of(*judges: Judge) -> Judge:
    """Every one of them."""
    return lambda lines: all(judge(lines) for judge in judges)


def _ends(lines: Lines, names: Sequence[str]) -> Iterator[tuple[float, float]]:
    """The first and the last number of each line, where it has any."""
    for name in names:
        numbers = [value for value in lines[name] if not math.isnan(value)]
        if numbers:
            yield numbers[0], numbers[-1]


def _at_most(one: float, other: float) -> bool:
    return math.isnan(other) or one <= other + 1e-9


Known = Callable[[Release], Measured | None]
