"""What rows are published as: the recoding of all algorithms that publish one record for each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.recoding.basis import Basis, Savable
from shoal.recoding.cuts import Cuts, ItemNodes
from shoal.recoding.generalized_clusters import GeneralizedClusters

ItemRecoding = Cuts | ItemNodes


@dataclass(frozen=True, slots=True, eq=False)
class RowRecoding(Savable):
    """What the rows are published as.

    `clusters` decide about single values, one generalized record per cluster; None where there are none to
    decide about. `items` decide about sets, column by column. Rows of one part of a cut are in one cluster;
    a cluster may have several parts. `notices` are for the user, and `figures` say what the search did and
    how far from the best it can be.
    """

    clusters: GeneralizedClusters | None = None
    items: tuple[ItemRecoding, ...] = ()
    notices: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    basis: Basis | None = None

    def __repr__(self) -> str:
        clusters = "no clusters" if self.clusters is None else f"{self.clusters.cluster_count:,} clusters"
        return f"<RowRecoding: {clusters}, {len(self.items):,} columns of sets>"

    @property
    def all_cuts(self) -> tuple[Cuts, ...]:
        """The set columns that are published by cuts."""
        return tuple(each for each in self.items if isinstance(each, Cuts))

    @property
    def cuts(self) -> Cuts:
        """The cuts of the only set column."""
        (cuts,) = self.all_cuts
        return cuts
