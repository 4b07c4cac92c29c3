"""Tables of docs/measurements.md that list releases as `bench/paper.py` kept them, a row for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from measuring.kept_tables import KeptTable
from papers.printed_rows import kept_release
from papers.release import QUERY_SHAPES, Measured, Release
from papers.rt import PRINTED, RUM, TUM, K

SHAPES = tuple(shape for shape in QUERY_SHAPES if shape != (1, 2))
COLUMNS = (
    *("", "NCP", "UL", "largest cluster", "unions"),
    *(f"ARE ({values},{items})" for values, items in SHAPES),
)


@dataclass(frozen=True)
class Sweep:
    """Algorithms for tables with sets over delta."""

    data: str
    algorithms: Mapping[str, str]
    deltas: Sequence[float]
    promise: Mapping[str, float] = field(default_factory=dict)

    def table(self) -> KeptTable:
        """A row for each algorithm and delta."""
        rows = []
        for algorithm in self.algorithms.values():
            for delta in self.deltas:
                found = kept_release(self._release(algorithm, delta))
                if found is None:
                    raise KeyError(f"{self.data}, {algorithm}, delta = {delta}: run bench/paper.py rt")
                rows.append([f"`{algorithm}`, delta = {delta:g}", *_cells(found[1])])
        return KeptTable("python bench/paper.py rt", "", COLUMNS, rows)

    def _release(self, algorithm: str, delta: float) -> Release:
        promise = {"k": K["informs-rt"], "m": 2, **self.promise}
        options = {**PRINTED["options"], "delta": delta}
        return Release(self.data, algorithm, promise, options, queries=True)


def _cells(found: Measured) -> list[str]:
    losses = [f"{found.figure(name):.3f}" for name in ("ncp", "ul")]
    counts = [f"{found.figure(name):,.0f}" for name in ("largest_cluster", "merges")]
    errors = (found.figure(f"are_{values}_{items}") for values, items in SHAPES)
    return [*losses, *counts, *(f"{error:.2f}" if error < 1 else f"{error:.3g}" for error in errors)]


SWEEPS: Mapping[str, Sweep] = {
    "rum-informs": Sweep("informs-rt", RUM, (0.35, 0.65, 0.95)),
    "tum-informs": Sweep("informs-rt", TUM, (0.3, 0.4, 0.6)),
    "rt-diversity": Sweep("informs-rt:sensitive", RUM, (0.45, 0.65, 0.85), {"l": 2}),
}
