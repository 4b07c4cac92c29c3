"""Clusters in which a sensitive item has too large a share are united with others until none has.

As Algorithm 8 of Kenig, Tassa, A practical approximation algorithm for optimal k-anonymity, 2012, does it for
sensitive columns: see `algorithms.relational.clustering.diversify`. No generalization of items changes these
shares.
"""

from fractions import Fraction

import numpy as np

from shoal.algorithms.mixed.joint_search.clusters import JointClusters
from shoal.algorithms.relational.clustering.clustering_algorithm import WEIGHT_OF_LOSS
from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.transactions import Transactions
from shoal.engine.local import LocalData
from shoal.errors import Infeasible
from shoal.kernels.arrays import Bools, Floats, Ints
from shoal.kernels.grouping import members
from shoal.kernels.itemset_supports import NEVER_GUESSED, SHARE_OF_ROWS
from shoal.privacy.items import guess_in_words
from shoal.progress import Progress


class Shares:
    """How many records of each cluster hold each sensitive item, and of how many that is a share."""

    def __init__(self, transactions: Transactions, cluster_of_row: Ints, clusters: int, l: Fraction) -> None:
        self._l = l
        sensitive = transactions.sensitive
        self._whole_of = transactions.whole_of
        self._guessed: Bools = self._whole_of != NEVER_GUESSED
        of_occurrence = np.repeat(cluster_of_row, np.diff(sensitive.starts))
        self._counts = np.zeros((clusters, len(self._whole_of)), dtype=np.int64)
        np.add.at(self._counts, (of_occurrence, sensitive.items), 1)
        starts, _ = members(cluster_of_row, clusters)
        self._sizes = np.diff(starts)

    def gaps(self, clusters: Ints) -> Floats:
        """How much too small 1 / the largest share of each cluster is; 0 or less for those that are fine."""
        return self._gaps(self._counts[clusters], self._sizes[clusters])

    def gaps_of_unions(self, cluster: int, others: Ints) -> Floats:
        """The same for the union of a cluster with each of the others."""
        counts = self._counts[others] + self._counts[cluster]
        return self._gaps(counts, self._sizes[others] + self._sizes[cluster])

    def unite(self, cluster: int, other: int) -> None:
        """Take note of a union."""
        self._counts[cluster] += self._counts[other]
        self._sizes[cluster] += self._sizes[other]

    def _gaps(self, counts: Ints, sizes: Ints) -> Floats:
        """Exact where it is 0: whole numbers are compared, not shares."""
        holding = counts[:, self._guessed]
        whole_of = self._whole_of[self._guessed]
        wholes = np.where(whole_of == SHARE_OF_ROWS, sizes[:, np.newaxis], counts[:, whole_of])
        exceeds = (holding * self._l.numerator > wholes * self._l.denominator).any(axis=1)
        shares = (holding / np.maximum(wholes, 1)).max(axis=1, initial=0.0)
        missing = float(self._l) - 1 / np.maximum(shares, 1e-300)
        return np.where(exceeds, np.maximum(missing, 1e-12), 0.0)


def require_possible(data: LocalData, constraint: ItemConstraint) -> None:
    """Raise Infeasible when a sensitive item has too large a share of all records."""
    guess = data.joined_sets().likeliest_guess(0) if constraint.diverse_m else None
    if guess is None or guess.share * constraint.l <= 1:
        return
    raise Infeasible(
        f"(k,l^m)-diversity with l={constraint.l} cannot be met: {guess_in_words(data, guess)}, and no"
        f" generalization changes that; l can be at most {1 / guess.share}",
        largest_l=float(1 / guess.share),
        records=data.row_count,
    )


def unite_for_diversity(
    transactions: Transactions, clusters: JointClusters, constraint: ItemConstraint, progress: Progress
) -> None:
    """Unite clusters until no sensitive item has more than 1/l of the records of one.

    In all records together none may have; see `require_possible`. When time is up, clusters that are not fine
    are united with those after them.
    """
    if constraint.diverse_m == 0:
        return
    cluster_of_row = clusters.clustering().cluster_of_row
    count = len(clusters.alive)
    shares = Shares(transactions, cluster_of_row, count, constraint.l)
    while True:
        alive = clusters.alive
        gaps = shares.gaps(alive)
        if gaps.max(initial=0.0) == 0:
            return
        progress.update(count - len(alive), count, "uniting clusters for diversity")
        if progress.expired():
            _unite_neighbours(clusters, shares)
            return
        worst = int(alive[np.argmax(gaps)])
        others = clusters.others(worst)
        losses = clusters.losses_with(worst, others, clusters.union_costs(worst, others))
        added = (losses - clusters.loss) * clusters.records.row_count
        price = WEIGHT_OF_LOSS * added + (1 - WEIGHT_OF_LOSS) * shares.gaps_of_unions(worst, others)
        partner = int(others[np.argmin(price)])
        clusters.unite(worst, partner)
        shares.unite(worst, partner)


def _unite_neighbours(clusters: JointClusters, shares: Shares) -> None:
    """Unite each cluster that is not fine with those after it until it is, the last with those before."""
    kept: list[int] = []
    for cluster in clusters.alive.tolist():
        if kept and shares.gaps(np.array(kept[-1:]))[0] > 0:
            clusters.unite(kept[-1], cluster)
            shares.unite(kept[-1], cluster)
        else:
            kept.append(cluster)
    while len(kept) > 1 and shares.gaps(np.array(kept[-1:]))[0] > 0:
        last = kept.pop()
        clusters.unite(kept[-1], last)
        shares.unite(kept[-1], last)
