"""Which algorithm serves a promise, when the user leaves the choice to us."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shoal.algorithms.catalogue import ALGORITHMS, takes
from shoal.algorithms.parameters import parameters_of
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem, UnknownName
from shoal.privacy.verdict import Model

_PATIENCE = 120.0  # seconds that a search may be expected to take when nobody set a limit
_MOST_RECORDS_TO_MOVE = 5_000  # where moving a record asks whether classes stay diverse


@dataclass(frozen=True, slots=True)
class Choice:
    """An algorithm's name; if the choice was ours, also options that go with it, and why it was taken."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Affordable:
    """How many seconds and bytes a search may take, where that was said."""

    seconds: float | None = None
    memory: float | None = None


_WHATEVER = Affordable()


def choose(
    name: str,
    models: Sequence[Model],
    *,
    options: Collection[str] = (),
    data: LocalData | None = None,
    affordable: Affordable = _WHATEVER,
) -> Choice:
    """The named algorithm if it serves all the models.

    "auto" is one that serves them all and takes all the options: for tables the one that usually loses least
    of those that should end soon, otherwise the first of the catalogue. Without data it is any of them.
    """
    serving, promise = _serving(models), " with ".join(model.name for model in models)
    if name == "auto":
        if not serving:
            raise BadInput(
                Problem(f"no algorithm of this version serves {promise}", "see `shoal algorithms`")
            )
        names = _taking(serving, options, promise)
        candidates = [candidate for candidate in _FOR_TABLES if candidate.name in names]
        if candidates and data is not None:
            return _for_table(candidates, _Task.of(data, models), options, affordable)
        taking = f" and takes {' and '.join(options)}" if options else ""
        return Choice(
            names[0], notices=(f"auto chose {names[0]}, the first algorithm that serves {promise}{taking}",)
        )
    if name not in ALGORITHMS:
        raise UnknownName("Shoal", "algorithm", name, ("auto", *ALGORITHMS))
    if name not in serving:
        remedy = f"use one of {', '.join(serving)}" if serving else "see `shoal algorithms`"
        raise BadInput(Problem(f"the algorithm {name} does not serve {promise}", remedy))
    return Choice(name)


def _serving(models: Sequence[Model]) -> list[str]:
    return [
        algorithm.name
        for algorithm in ALGORITHMS.values()
        if all(isinstance(model, algorithm.serves) for model in models)
    ]


def _taking(serving: Sequence[str], options: Collection[str], promise: str) -> list[str]:
    """The algorithms that take all the options; an error if there is none."""
    known = dict.fromkeys(each.name for name in serving for each in parameters_of(ALGORITHMS[name]))
    for option in options:
        if option not in known:
            raise UnknownName("auto", "option", option, known)
    taking = [name for name in serving if all(takes(name, option) for option in options)]
    if not taking:
        raise BadInput(
            Problem(
                f"no algorithm that serves {promise} takes {' and '.join(options)} together",
                "name the algorithm, and give the options that it takes",
            )
        )
    return taking


@dataclass(frozen=True, slots=True)
class _Task:
    """What decides how long a search on a table takes: equal records count once."""

    rows: int
    records: int
    columns: int
    k: int
    on_trees: bool
    diverse: bool

    @classmethod
    def of(cls, data: LocalData, models: Sequence[Model]) -> _Task:
        return cls(
            rows=data.row_count,
            records=len(data.classes(data.quasi)),
            columns=len(data.quasi),
            k=max((int(getattr(model, "k", 1)) for model in models), default=1),
            on_trees=all(name in data.trees for name in data.quasi),
            diverse=any(hasattr(model, "requirement") for model in models),
        )

    @property
    def closed_records(self) -> float:
        """About how many closed generalized records there are: twice as many with each further column."""
        return 2.0 * self.records * 2.0**self.columns / self.k


def _anything(task: _Task) -> bool:  # noqa: ARG001
    return True


def _memory_of_rows(task: _Task) -> float:
    return 500.0 * task.rows


def _by_pairs(task: _Task, seconds: float) -> float:
    """The time that grows with the pairs of records, given that of 30,000 records."""
    return seconds * (task.records / 30_000) ** 2


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An algorithm and what it takes, roughly, as measured on a machine with two cores."""

    name: str
    seconds: Callable[[_Task], float]
    memory: Callable[[_Task], float] = _memory_of_rows
    suits: Callable[[_Task], bool] = _anything
    local_search: bool = False


# From the one that usually loses least on; the last one is the fastest.
_FOR_TABLES = (
    _Candidate(
        "kanon-cf",
        seconds=lambda task: task.closed_records / 60_000 + _by_pairs(task, 10),
        memory=lambda task: 300 * task.closed_records + _memory_of_rows(task),
        suits=lambda task: task.on_trees,
        local_search=True,
    ),
    _Candidate(
        "agglomerative",
        seconds=lambda task: _by_pairs(task, 25),
        suits=lambda task: task.on_trees,
        local_search=True,
    ),
    _Candidate("hilbert", seconds=lambda task: _by_pairs(task, 12), local_search=True),
    _Candidate("mondrian", seconds=lambda task: 2e-5 * task.rows, suits=lambda task: task.diverse),
    _Candidate("hilbert", seconds=lambda task: (1e-6 + 5e-8 * task.k) * task.rows * task.columns),
    _Candidate("mondrian", seconds=lambda task: 2e-5 * task.rows),
)


def _for_table(
    candidates: Sequence[_Candidate], task: _Task, given: Collection[str], affordable: Affordable
) -> Choice:
    """The first candidate that should need at most half of what is affordable; if there is none the last.

    Options that are given are not ours to choose.
    """
    suited = [candidate for candidate in candidates if candidate.suits(task)]
    patience = min(_PATIENCE, (affordable.seconds or math.inf) / 2)
    memory = (affordable.memory or math.inf) / 2
    fitting = [each for each in suited if each.seconds(task) <= patience and each.memory(task) <= memory]
    chosen = (fitting or suited[-1:] or candidates)[0]
    options = {}
    if takes(chosen.name, "local_search") and "local_search" not in given:
        few_or_plain = task.records <= _MOST_RECORDS_TO_MOVE or not task.diverse
        options["local_search"] = chosen.local_search and few_or_plain
    how = " with a local search" if options.get("local_search") else ""
    why = (
        f"which usually loses least of those that should end within {patience:.3g} s"
        if fitting
        else "the fastest there is, because all may reach the limits"
    )
    where = f"{task.records:,} distinct records of {task.columns} columns"
    return Choice(chosen.name, options, (f"auto chose {chosen.name}{how} for {where}, {why}",))
