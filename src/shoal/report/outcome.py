"""The facts of one run, of which the result file, the certificate and the report are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.engine.answers import SizeCounts
from shoal.explain.affected import AffectedValue
from shoal.explain.examples import Row
from shoal.explain.items import GeneralizedItem
from shoal.explain.levels import ColumnChange
from shoal.kernels.arrays import Ints, frozen_ints
from shoal.metrics.tasks.usefulness import Usefulness
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import Verdict
from shoal.report.clusters import DrawnCluster

_QUASI_SET = {"role": "quasi", "kind": "set"}


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """How many people stand behind the rows when one person can have several."""

    subjects: int
    smallest: int


@dataclass(frozen=True, slots=True)
class Attacks:
    """What readers find in a release all the same, in words and in figures."""

    words: tuple[str, ...] = ()
    figures: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


NO_ATTACKS = Attacks()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What was promised, and whether it holds.

    `verdicts` answers `promise` model by model. `roles` says of each published column what a check of the
    file must know of it. `attacks` says what readers of the published file find all the same.
    """

    promise: Promise
    verdicts: tuple[Verdict, ...]
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    publishable: bool
    roles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    people: People | None = None
    attacks: Attacks = NO_ATTACKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What it cost; for the publisher alone, as it compares with the original.

    `column_losses[column][measure]` is the loss of one column, `usefulness` what models learn from the
    release, if a task was named.
    """

    records: int
    published_records: int
    suppressed_records: int
    losses: Mapping[str, float]
    column_losses: Mapping[str, Mapping[str, float]]
    class_sizes_before: SizeCounts
    class_sizes_after: SizeCounts
    usefulness: Usefulness | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What became of the data, for the publisher alone, as far as it is known where the rows are.

    `examples` pairs a few original rows with the same rows as published, each with one text per name in
    `columns`. `chunks` counts what disassociated clusters consist of, some of which are `drawn`.
    """

    columns: tuple[str, ...]
    examples: tuple[tuple[Row, Row], ...] = ()
    by_column: tuple[ColumnChange, ...] = ()
    generalized_items: tuple[GeneralizedItem, ...] = ()
    affected: tuple[AffectedValue, ...] = ()
    chunks: Mapping[str, int] = field(default_factory=dict)
    drawn: tuple[DrawnCluster, ...] = ()
    cluster_sizes: Ints = field(default_factory=lambda: frozen_ints([]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """How the release came about; `figures` say what the search did, `notices` what the user should know.

    `options` are those of the algorithm that were given.
    """

    algorithm: str
    seconds: Mapping[str, float]
    peak_memory_mb: float
    notices: tuple[str, ...] = ()
    policy: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """All facts of a run."""

    claim: Claim
    cost: Cost
    changes: Changes
    provenance: Provenance

    def __repr__(self) -> str:
        return f"<Outcome: {self.model}, {self.cost.records:,} records, by {self.provenance.algorithm}>"

    @property
    def model(self) -> str:
        """The main model by its name."""
        return self.claim.promise.main.name

    @property
    def holds(self) -> bool:
        """Whether every promise holds, as a check or the way the release was made tells."""
        return bool(self.claim.verdicts) and all(verdict.holds for verdict in self.claim.verdicts)

    @property
    def sets(self) -> tuple[str, ...]:
        """The published quasi-identifiers that hold sets."""
        roles = self.claim.roles
        return tuple(name for name, about in roles.items() if _QUASI_SET.items() <= about.items())

    @property
    def by_construction(self) -> bool:
        """Whether a promise rests on how the release was made, and was not checked."""
        return any(verdict.by_construction for verdict in self.claim.verdicts)

    @property
    def smallest(self) -> int | None:
        """The smallest support that any of the checks found."""
        found = [verdict.smallest for verdict in self.claim.verdicts if verdict.smallest is not None]
        return min(found, default=None)
