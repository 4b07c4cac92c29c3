from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from shoal.algorithms.parameters import OneOf, Within, YesOrNo, check_parameters, parameter
from shoal.algorithms.relational.finishing import WEIGHT_OF_LOSS, finish
from shoal.algorithms.relational.leftovers import with_leftovers
from shoal.algorithms.relational.needs import needs_of
from shoal.algorithms.relational.records import MEASURES, Records
from shoal.engine.local import LocalData
from shoal.kernels.agglomerative import EXCESS, GROWTH, RATIO, SCALED, Mergers, Rules, unite_closest
from shoal.kernels.arrays import Ints
from shoal.kernels.closures import NOTHING, vector_costs
from shoal.kernels.greedy_clusters import NO_CLUSTER
from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.privacy.verdict import Model
from shoal.progress import Progress
from shoal.recoding.groups import Groups

DISTANCES = {"growth": GROWTH, "excess": EXCESS, "scaled": SCALED, "ratio": RATIO}

_STEPS_PER_SLICE = 200

_TIME_WAS_UP = "time was up: records that had no cluster of k yet are grouped in the order of values"


@dataclass(frozen=True, slots=True)
class Agglomerative:
    """Unite the two closest clusters until all have k records.

    At first every distinct record is a cluster. With d(C) the cost of a record in cluster C, the distance of
    A and B is one of

        growth  |A u B| d(A u B) - |A| d(A) - |B| d(B)
        excess  d(A u B) - d(A) - d(B)
        scaled  (d(A u B) - d(A) - d(B)) / log2 |A u B|
        ratio   d(A u B) / (d(A) + d(B) + 0.1)

    A cluster of k records is ripe and is united no more; if `modified`, it expels the records that are
    furthest from the rest of it until it has k, and they are clusters again. Fewer than k records that are
    left go each to the cluster where they add least to the cost.

    Contract
        needs:      rows; quasi-identifiers with trees
        gives:      one node per group and column
        guarantees: every group satisfies every model passed to find()
        cost:       O(distinct records^2 * columns) as a rule, memory O(n * columns)

    After Gionis, Mazza, Tassa, k-anonymization revisited, ICDE 2008.
    """

    name: ClassVar[str] = "agglomerative"
    serves: ClassVar[tuple[type[Model], ...]] = (KAnonymity, LDiversity, TCloseness, AlphaKAnonymity)
    paper: ClassVar[str] = "Gionis, Mazza, Tassa. k-anonymization revisited. ICDE 2008."
    guarantee: ClassVar[str] = "every class satisfies every model; no bound on the loss"
    needs: ClassVar[Literal["rows", "counts"]] = "rows"

    distance: str = parameter("scaled", OneOf(tuple(DISTANCES)), "how near two clusters are")
    modified: bool = parameter(
        default=True, rule=YesOrNo(), help="clusters above k records expel the most distant ones"
    )
    measure: str = parameter("ncp", OneOf(MEASURES), "the loss that is kept low")
    local_search: bool = parameter(
        default=False, rule=YesOrNo(), help="afterwards move and swap records while that lowers the loss"
    )
    w: float = parameter(
        WEIGHT_OF_LOSS, Within(0.0, 1.0), "weight of loss against diversity when clusters are united for it"
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    def find(
        self,
        data: LocalData,
        models: Sequence[Model],
        rng: np.random.Generator,  # noqa: ARG002
        progress: Progress,
    ) -> Groups:
        """Unite clusters until all are ripe; uses no random numbers."""
        k = needs_of(data, models).k
        records = Records.of(data, self.measure)
        mergers = _records_as_clusters(records, k)
        rules = Rules(DISTANCES[self.distance], k, self.modified)
        complete = _unite_all(records, mergers, rules, progress)
        clustering = with_leftovers(records, _cluster_of_place(mergers), k)
        groups = finish(data, records, clustering, models, progress, local_search=self.local_search, w=self.w)
        return groups if complete else replace(groups, notices=(_TIME_WAS_UP, *groups.notices))


def _unite_all(records: Records, mergers: Mergers, rules: Rules, progress: Progress) -> bool:
    """Unite until at most one cluster is below k; False if time was up before."""
    progress.stage("clusters")
    unripe = int(mergers.state[0])
    while not progress.expired():
        progress.update(unripe - int(mergers.state[0]), unripe)
        if unite_closest(mergers, rules, records.nodes, records.trees, _STEPS_PER_SLICE) < _STEPS_PER_SLICE:
            return True
    return int(mergers.state[0]) < 2


def _records_as_clusters(records: Records, k: int) -> Mergers:
    """Each record is an entry; those of k rows are ripe clusters, all others are in a slot of their own."""
    unripe = np.flatnonzero(records.counts < k)
    ripe = np.flatnonzero(records.counts >= k)
    rows_left = int(records.counts[unripe].sum())
    # Each union takes one slot, and each cluster that becomes ripe expels fewer than k rows of its own.
    slots = 2 * len(unripe) + 2 * rows_left
    entries = len(records) + rows_left
    mergers = Mergers(
        state=np.array([len(unripe), len(unripe), len(records), len(ripe)], dtype=np.int64),
        alive=_room(np.arange(len(unripe), dtype=np.int64), slots),
        sizes=_room(records.counts[unripe], slots),
        vectors=np.zeros((slots, len(records.columns)), dtype=np.int64),
        costs=np.zeros(slots, dtype=np.float64),
        nearest=np.full(slots, NOTHING, dtype=np.int64),
        distances=np.full(slots, -np.inf),
        gone=np.zeros(slots, dtype=np.bool_),
        heads=_room(unripe, slots),
        tails=_room(unripe, slots),
        records=_room(np.arange(len(records), dtype=np.int64), entries),
        copies=_room(records.counts, entries),
        after=np.full(entries, NOTHING, dtype=np.int64),
        cluster_of=np.full(entries, NO_CLUSTER, dtype=np.int64),
        tolls=records.room_for_tolls(),
    )
    mergers.vectors[: len(unripe)] = records.nodes[unripe]
    mergers.costs[: len(unripe)] = vector_costs(records.trees, records.nodes[unripe])
    mergers.cluster_of[ripe] = np.arange(len(ripe))
    return mergers


def _room(values: Ints, size: int) -> Ints:
    return np.concatenate((values, np.zeros(size - len(values), dtype=np.int64)))


def _cluster_of_place(mergers: Mergers) -> Ints:
    """Deal the places of each record to the entries that hold it; those without a cluster come last."""
    used = int(mergers.state[2])
    holder, cluster, copies = mergers.records[:used], mergers.cluster_of[:used], mergers.copies[:used]
    order = np.lexsort((cluster, cluster == NO_CLUSTER, holder))
    return np.repeat(cluster[order], copies[order])
