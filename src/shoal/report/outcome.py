"""The facts of one run, of which the result file, the certificate and the report are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.kernels.arrays import Ints
from shoal.privacy.verdict import Verdict

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """How many people stand behind the rows when one person can have several."""

    subjects: int
    smallest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was promised, whether it holds, and what it cost.

    `examples` pairs a few original rows with the same rows as published; with the losses, the original class
    sizes and the notices it is for the publisher alone.
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
    class_sizes_before: Ints
    class_sizes_after: Ints
    columns: tuple[str, ...]
    examples: tuple[tuple[Row, Row], ...]
    seconds: Mapping[str, float]
    peak_memory_mb: float
    publishable: bool
    people: People | None = None
    notices: tuple[str, ...] = ()
    policy: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether every promise holds."""
        return all(verdict.holds for verdict in self.verdicts)

    @property
    def smallest(self) -> int | None:
        """The smallest support that any of the checks found."""
        found = [verdict.smallest for verdict in self.verdicts if verdict.smallest is not None]
        return min(found, default=None)
