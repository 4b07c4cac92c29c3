"""The facts of one run, of which the result file, the certificate and the report are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, cast

from shoal.kernels.arrays import Ints, frozen_ints
from shoal.privacy.verdict import Model, Verdict
from shoal.report.changes import ColumnChange
from shoal.report.class_sizes import ClassSizes
from shoal.report.clusters import DrawnCluster

Row = tuple[str, ...]

_QUASI_SET = {"role": "quasi", "kind": "set"}
_LONGEST_LABEL = 30


def shortened(label: str, longest: int = _LONGEST_LABEL) -> str:
    """The beginning of a label that names many items."""
    return label if len(label) <= longest else f"{label[: longest - 1]}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """How many people stand behind the rows when one person can have several."""

    subjects: int
    smallest: int


@dataclass(frozen=True, slots=True)
class Promise:
    """A model by its name, with the parameters it was made with."""

    model: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, model: Model) -> Promise:
        """The promise of a model; parameters that were not given are left out."""
        values = {part.name: getattr(model, part.name) for part in fields(cast("Any", model))}
        return cls(model.name, {name: value for name, value in values.items() if value is not None})


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizedItem:
    """A published item that stands for several, and the itemset that would break if it were expanded.

    It would be held by too few records, or, if `sensitive`, too many of them would share something sensitive;
    `among` so many, where a part of the records has to keep the promise alone.
    """

    label: str
    items: int
    occurrences: int
    itemset: tuple[str, ...]
    support: int
    absent: tuple[str, ...] = ()
    part: int = 0
    sensitive: bool = False
    among: int | None = None

    def because(self) -> str:
        """The reason for people."""
        known = ", ".join(map(shortened, self.itemset)) or "none of its items"
        without = f" and not {', '.join(map(shortened, self.absent))}" if self.absent else ""
        records = "1 record" if self.support == 1 else f"{self.support:,} records"
        records += "" if self.among is None else f" among the {self.among:,} of its cluster"
        shared = ", too many of which share something sensitive" if self.sensitive else ""
        return f"in more detail, whoever knows {known}{without} would find {records}{shared}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedValue:
    """A value that lost much: what it was published as where it cost most, how often, and why.

    An empty `published_as` means that it was not published there.
    """

    column: str
    value: str
    occurrences: int
    published_as: str
    times: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was promised, whether it holds, and what it cost.

    `verdicts` answers `promises` one by one. `column_losses[column][measure]` is the cost of one column.
    `examples` pairs a few original rows with the same rows as published, each with one text per name in
    `columns`; with the losses, the original class sizes and the notices it is for the publisher alone.
    `roles` says of each published column what a check of the file must know of it.
    `attacks` says what readers of the published file find, and `attack_figures` counts it.
    """

    model: str
    algorithm: str
    verdicts: tuple[Verdict, ...]
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    records: int
    published_records: int
    suppressed_records: int
    losses: Mapping[str, float]
    column_losses: Mapping[str, Mapping[str, float]]
    class_sizes_before: ClassSizes
    class_sizes_after: ClassSizes
    columns: tuple[str, ...]
    examples: tuple[tuple[Row, Row], ...]
    seconds: Mapping[str, float]
    peak_memory_mb: float
    publishable: bool
    people: People | None = None
    notices: tuple[str, ...] = ()
    policy: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)
    promises: tuple[Promise, ...] = ()
    roles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    generalized_items: tuple[GeneralizedItem, ...] = ()
    changes: tuple[ColumnChange, ...] = ()
    affected: tuple[AffectedValue, ...] = ()
    pieces: Mapping[str, int] = field(default_factory=dict)
    clusters: tuple[DrawnCluster, ...] = ()
    cluster_sizes: Ints = field(default_factory=lambda: frozen_ints([]))
    attacks: tuple[str, ...] = ()
    attack_figures: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether every promise holds, as a check or the way the release was made tells."""
        return bool(self.verdicts) and all(verdict.holds for verdict in self.verdicts)

    @property
    def sets(self) -> tuple[str, ...]:
        """The published quasi-identifiers that hold sets."""
        return tuple(name for name, about in self.roles.items() if _QUASI_SET.items() <= about.items())

    @property
    def by_construction(self) -> bool:
        """Whether a promise rests on how the release was made, and was not checked."""
        return any(verdict.by_construction for verdict in self.verdicts)

    @property
    def smallest(self) -> int | None:
        """The smallest support that any of the checks found."""
        found = [verdict.smallest for verdict in self.verdicts if verdict.smallest is not None]
        return min(found, default=None)
