"""Which algorithm serves a promise, when the user leaves the choice to us."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from shoal.algorithms.catalogue import ALGORITHMS, takes
from shoal.algorithms.parameters import parameters_of
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem, UnknownName
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise

PATIENCE = 120.0  # seconds that a search should take at most when nobody set a limit
_FOR_BARE_SETS = "pcta"
_FOR_TABLES_WITH_SETS = "rmerge-rt"
_SECONDS_WITH_SETS = (
    6e-4  # that it takes for one record, with PCTA for the items, on a machine with two cores
)
_BOUNDS_TRIED = 8  # by delta = "frontier"
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

    @property
    def patience(self) -> float:
        """How long a search should be expected to take: estimates are rough, so half of what is allowed."""
        return PATIENCE if self.seconds is None else min(PATIENCE, self.seconds / 2)


@dataclass(frozen=True, slots=True)
class TableTask:
    """What decides how long a search on a table takes: equal records count once."""

    rows: int
    records: int
    columns: int
    k: int
    on_trees: bool
    diverse: bool

    @classmethod
    def of(cls, data: LocalData, models: Sequence[Model]) -> Self:
        """The size of a table and what is asked of its classes."""
        return cls(
            rows=data.row_count,
            records=len(data.classes(data.quasi)),
            columns=len(data.quasi),
            k=Promise(models).k,
            on_trees=all(name in data.trees for name in data.quasi),
            diverse=Promise(models).constrains_classes,
        )

    @property
    def closed_records(self) -> float:
        """About how many closed generalized records there are: twice as many with each further column."""
        return 2.0 * self.records * 2.0**self.columns / self.k

    @property
    def moving_is_cheap(self) -> bool:
        """Whether a local search soon ends."""
        return not self.diverse or self.records <= _MOST_RECORDS_TO_MOVE


def choose(
    name: str,
    models: Sequence[Model],
    *,
    options: Collection[str] = (),
    data: LocalData | None = None,
    affordable: Affordable | None = None,
) -> Choice:
    """The named algorithm if it serves all the models.

    "auto" is one that serves them all and takes all the options: for tables the one that usually loses least
    of those that should end soon, for tables with sets the item step and the search for a bound that should,
    for sets of items without a hierarchy one that needs none, otherwise the first of the catalogue. It
    depends on nothing but the arguments. Without data the choice is not final, but what cannot be searched
    for at all is refused.
    """
    serving, promise = _serving(models), str(Promise(models))
    if name == "auto":
        if not serving:
            raise BadInput(
                Problem(f"no algorithm of this version serves {promise}", "see `shoal algorithms`")
            )
        names = _taking(serving, options, promise)
        candidates = [candidate for candidate in _FOR_TABLES if candidate.name in names]
        if candidates and data is not None:
            task = TableTask.of(data, models)
            return choose_for_table(task, candidates, options, affordable or Affordable())
        if data is not None and _FOR_TABLES_WITH_SETS in names:
            return choose_for_table_with_sets(data.row_count, options, affordable or Affordable())
        bare = [name for name in data.quasi_sets if name not in data.trees] if data is not None else []
        if bare and _FOR_BARE_SETS in names:
            why = f"auto chose {_FOR_BARE_SETS}, because column {bare[0]!r} has no hierarchy of items"
            return Choice(_FOR_BARE_SETS, notices=(why,))
        taking = f" and takes {' and '.join(options)}" if options else ""
        why = f"auto chose {names[0]}, the first algorithm that serves {promise}{taking}"
        return Choice(names[0], notices=(why,))
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


def _anything(task: TableTask) -> bool:  # noqa: ARG001 - what most candidates suit
    return True


def _memory_of_rows(task: TableTask) -> float:
    return 300e6 + 500.0 * task.rows  # the first for the program itself


def _by_pairs(task: TableTask, seconds: float) -> float:
    """The time that grows with the pairs of records, given that of 30,000 records."""
    return seconds * (task.records / 30_000) ** 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """An algorithm for tables and what it takes, roughly, as measured on a machine with two cores."""

    name: str
    seconds: Callable[[TableTask], float]
    memory: Callable[[TableTask], float] = _memory_of_rows
    suits: Callable[[TableTask], bool] = _anything
    local_search: bool = False


# From the one that usually loses least on; the last one is the fastest.
_FOR_TABLES = (
    Candidate(
        "kanon-cf",
        seconds=lambda task: task.closed_records / 60_000 + _by_pairs(task, 15),
        memory=lambda task: 300 * task.closed_records + _memory_of_rows(task),
        suits=lambda task: task.on_trees,
        local_search=True,
    ),
    Candidate(
        "agglomerative",
        seconds=lambda task: _by_pairs(task, 25),
        suits=lambda task: task.on_trees,
        local_search=True,
    ),
    Candidate("hilbert", seconds=lambda task: _by_pairs(task, 15), local_search=True),
    Candidate("mondrian", seconds=lambda task: 2e-5 * task.rows),
)


def choose_for_table(
    task: TableTask, candidates: Sequence[Candidate], given: Collection[str], affordable: Affordable
) -> Choice:
    """The first candidate that should keep within what is affordable; if there is none the last.

    Options that are given are not ours to choose.
    """
    suited = [candidate for candidate in candidates if candidate.suits(task)] or candidates
    memory = affordable.memory or math.inf
    fitting = [
        each for each in suited if each.seconds(task) <= affordable.patience and each.memory(task) <= memory
    ]
    chosen = (fitting or suited[-1:])[0]
    options = {}
    if takes(chosen.name, "local_search") and "local_search" not in given:
        options["local_search"] = chosen.local_search and task.moving_is_cheap
    how = " with a local search" if options.get("local_search") else ""
    why = (
        f"which usually loses least of those that should end within {affordable.patience:.3g} s"
        if fitting
        else "the fastest there is, because every other may reach the limits"
    )
    where = f"{task.records:,} distinct records of {task.columns} columns"
    return Choice(chosen.name, options, (f"auto chose {chosen.name}{how} for {where}, {why}",))


def choose_for_table_with_sets(records: int, given: Collection[str], affordable: Affordable) -> Choice:
    """Items by what loses least if that should end in time, and the bound that loses least if there is time.

    Options that are given are not ours to choose.
    """
    seconds = _SECONDS_WITH_SETS * records
    options: dict[str, Any] = {}
    if "items" not in given and seconds <= affordable.patience:
        options["items"] = "pcta"
    if "delta" not in given and _BOUNDS_TRIED * seconds <= affordable.patience:
        options["delta"] = "frontier"
    choices = " and ".join(f'{name} = "{value}"' for name, value in options.items())
    why = (
        f"with {choices}, which usually loses least of what should end within {affordable.patience:.3g} s"
        if options
        else "as it is fastest, or as you asked for"
    )
    name = _FOR_TABLES_WITH_SETS
    return Choice(name, options, (f"auto chose {name} for {records:,} records, {why}",))
