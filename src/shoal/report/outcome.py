"""The facts of one run, of which the result file, the certificate and the report are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, cast

from shoal.explain.affected import AffectedValue
from shoal.explain.examples import Row
from shoal.explain.items import GeneralizedItem
from shoal.explain.levels import ColumnChange
from shoal.kernels.arrays import Ints, frozen_ints
from shoal.privacy.verdict import Model, Verdict
from shoal.report.class_sizes import ClassSizes
from shoal.report.clusters import DrawnCluster

_QUASI_SET = {"role": "quasi", "kind": "set"}


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
