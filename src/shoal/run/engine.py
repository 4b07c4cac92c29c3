"""What a run asks of the place where its rows are: it searches there and applies there.

Nothing else may differ between places: what is refused, verified, noticed and told is written once, against
the port of the data (`engine.port`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.search import Search
from shoal.engine.answers import SizeCounts
from shoal.engine.port import Port
from shoal.errors import Problem
from shoal.metrics.tasks.usefulness import Task, Usefulness
from shoal.privacy.promise import Promise
from shoal.progress import Progress
from shoal.report.outcome import NO_ATTACKS, Attacks, Changes, Outcome, People


@dataclass(frozen=True, slots=True)
class Losses:
    """What a release cost by each measure, over all and by column, and what there is to say about it."""

    losses: Mapping[str, float]
    by_column: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Release:
    """What leaves, wherever it is: `port` answers questions about it, `content` is what is written.

    `held` tells which of some labels it shows in a column of sets. `original_rows` says which row of the
    original each published row came from, where that is known, and `pseudonym_key` what pseudonyms were made
    with. `together` answers questions about what somebody has who also has an earlier release.
    """

    content: Any
    port: Any
    columns: Sequence[str]
    sensitive: tuple[str, ...]
    published_records: int
    suppressed_records: int
    class_sizes: SizeCounts
    held: Callable[[str, Collection[str]], set[str]]
    people: People | None = None
    attacks: Attacks = NO_ATTACKS
    original_rows: Any = None
    pseudonym_key: bytes | None = None
    together: Any = None


Result_co = TypeVar("Result_co", covariant=True)


class Engine(Protocol[Result_co]):
    """Where the rows of a run are."""

    @property
    def port(self) -> Port:
        """The original, as far as it may be asked about."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What reading the data noticed."""

    @property
    def figures(self) -> Mapping[str, Any]:
        """What the place itself adds to the figures of a search."""

    def problems(self, promise: Promise, search: Search) -> list[Problem]:
        """What cannot be done here, or only with other data."""

    def algorithm_for(self, search: Search, promise: Promise) -> tuple[Algorithm, tuple[str, ...]]:
        """The algorithm that shall search, with its options, and why it was chosen if nobody named it."""

    def search(self, algorithm: Algorithm, promise: Promise, search: Search, progress: Progress) -> Any:
        """Decide how the records are published."""

    def publish(self, found: Any, promise: Promise, search: Search) -> Release:
        """Apply what was decided, in an order that says nothing about the original."""

    def cost(self, found: Any, released: Release, promise: Promise) -> Losses:
        """What the release cost by every measure that can be computed here."""

    def class_sizes(self) -> SizeCounts:
        """The classes that the original records form on all quasi-identifiers."""

    def changes(self, found: Any, released: Release, promise: Promise) -> Changes:
        """What became of the data, as far as it can be told from here."""

    def task_problems(self, task: Task, promise: Promise) -> list[Problem]:
        """Why the usefulness of a release for a task cannot be measured here."""

    def usefulness(self, task: Task, released: Release, progress: Progress) -> Usefulness:
        """How useful the release is for a task."""

    def result(self, outcome: Outcome, found: Any, released: Release) -> Result_co:
        """What a caller gets."""
