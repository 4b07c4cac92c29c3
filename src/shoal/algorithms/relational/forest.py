from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.algorithms.relational.clustering.clustering_algorithm import ClusteringAlgorithm, Found
from shoal.algorithms.relational.clustering.growing import steps_per_slice, with_leftovers
from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels import forest as kernels
from shoal.kernels.arrays import Bools, Ints
from shoal.kernels.generalized_records import Pool
from shoal.kernels.greedy_clusters import NO_CLUSTER
from shoal.kernels.grouping import members
from shoal.progress import Progress

_TIME_WAS_UP = "time was up: records whose neighbours were not found yet are grouped without a search"


@dataclass(frozen=True, slots=True)
class Forest(ClusteringAlgorithm):
    """Link records to their nearest ones until every tree has k, then cut the trees into parts of k or more.

    The distance of two records is the cost of publishing them alike. Each tree of fewer than k records is
    linked to the nearest record outside it, the cheapest links first. Then each link that has k records on
    both sides is cut, the dearest first, and a tree of more than max(2k - 1, 3k - 5) records that has no such
    link is divided around the record from which only branches of fewer than k hang.

    Contract
        needs:      rows; quasi-identifiers with trees
        gives:      one node per cluster and column
        guarantees: every cluster satisfies every model passed to find()
        cost:       O(distinct records^2 * columns), memory O(n + distinct records * k)

    After Aggarwal, Feder, Kenthapadi, Motwani, Panigrahy, Thomas, Zhu, Approximation algorithms for
    k-anonymity, Journal of Privacy Technology 2005.
    """

    name = "forest"
    turn = None
    paper = (
        "Aggarwal, Feder, Kenthapadi, Motwani, Panigrahy, Thomas, Zhu. Approximation algorithms for "
        "k-anonymity. Journal of Privacy Technology 2005."
    )
    guarantee = (
        "every class satisfies every model; for k-anonymity alone, one row per person and a monotone measure "
        "the loss is at most max(2k - 1, 3k - 5) times the least possible"
    )

    def clusters(self, records: Records, k: int, rng: np.random.Generator, progress: Progress) -> Found:
        """Grow the forest and publish its parts; uses no random numbers."""
        links = _nearest_links(records, k, progress)
        cluster_of_place = _parts(records, _forest(records, links, k), k)
        clustering = with_leftovers(records, cluster_of_place, k)
        return clustering, () if links.complete else (_TIME_WAS_UP,)


class _Links(NamedTuple):
    """Links in ascending order of their costs; complete if each record that needs links has them."""

    tails: Ints
    heads: Ints
    complete: bool


def _nearest_links(records: Records, k: int, progress: Progress) -> _Links:
    progress.stage("neighbours")
    pool = Pool(records.nodes, np.arange(len(records), dtype=np.int64), records.counts)
    union_costs = records.room_for_union_costs()
    slices = []
    complete, at_once = True, steps_per_slice(records)
    for begin in range(0, len(records), at_once):
        if progress.expired():
            complete = False
            break
        progress.update(begin, len(records))
        tails = pool.candidates[begin : begin + at_once]
        slices.append(kernels.nearest_links(records.trees, pool, k, tails, union_costs))
    none: Ints = np.empty(0, dtype=np.int64)
    tails = np.concatenate([none, *(tails for tails, _, _ in slices)])
    heads = np.concatenate([none, *(heads for _, heads, _ in slices)])
    order = np.argsort(np.concatenate([np.empty(0), *(costs for _, _, costs in slices)]), kind="stable")
    return _Links(tails[order], heads[order], complete)


def _forest(records: Records, links: _Links, k: int) -> kernels.ClusterForest:
    """The trees that remain when small ones were linked and links between large parts were cut."""
    useful = kernels.useful_links(links.tails, links.heads, records.counts, k)
    tails, heads = links.tails[useful], links.heads[useful]
    starts, ends = members(np.concatenate((tails, heads)), len(records))
    forest = kernels.rooted(starts, np.concatenate((heads, tails))[ends], records.counts)
    kernels.cut(forest, tails, heads, k)
    return forest


def _parts(records: Records, forest: kernels.ClusterForest, k: int) -> Ints:
    """The cluster of each place: a tree, or a part of one that is too large; none for trees below k."""
    hubs = kernels.hubs_of(forest, k)
    sizes = forest.sizes[hubs.root]
    whole_trees = np.where(sizes >= k, hubs.root, NO_CLUSTER)[records.record_of_place]
    too_large = (sizes > max(2 * k - 1, 3 * k - 5)) & (sizes > records.counts)
    parts = _parts_around_hubs(records, forest, hubs, too_large, k)
    part_of_place = np.where(parts == NO_CLUSTER, whole_trees, len(records) + parts)
    _, number = np.unique(part_of_place, return_inverse=True)
    return number.astype(np.int64) - int((part_of_place == NO_CLUSTER).any())


def _parts_around_hubs(
    records: Records, forest: kernels.ClusterForest, hubs: kernels.Hubs, too_large: Bools, k: int
) -> Ints:
    """The part of each place in the trees that are too large, NO_CLUSTER for all others."""
    everyone = np.arange(len(records), dtype=np.int64)
    hub_of = hubs.hub[hubs.root]
    divided = np.flatnonzero(too_large & (hub_of != everyone))
    branches = divided[hubs.branch[divided] == divided]
    leads_up = hubs.root[branches] == branches
    branch_sizes = forest.sizes[branches] - np.where(leads_up, forest.sizes[hub_of[branches]], 0)
    order = np.lexsort((branches, -branch_sizes, hub_of[branches]))
    branches, branch_sizes = branches[order], branch_sizes[order]
    used_hubs, branch_counts = np.unique(hub_of[branches], return_counts=True)
    starts = np.cumsum([0, *branch_counts], dtype=np.int64)
    part_of_branch, part_of_copy = kernels.divide(starts, branch_sizes, records.counts[used_hubs], k)

    part_of_record = np.full(len(records), NO_CLUSTER, dtype=np.int64)
    part_of_record[branches] = part_of_branch
    part_of_record[divided] = part_of_record[hubs.branch[divided]]
    part_of_place = part_of_record[records.record_of_place]
    part_of_place[np.isin(records.record_of_place, used_hubs)] = part_of_copy
    return part_of_place
