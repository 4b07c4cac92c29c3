import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np

from shoal.algorithms.interface import Algorithm, Distribution
from shoal.algorithms.parameters import OneOf, Printed, Within, as_printed_parameter, parameter
from shoal.algorithms.relational.clustering.blocks import Blocks, may_be_cut
from shoal.algorithms.relational.clustering.clustering_algorithm import (
    block_parameter,
    find_in_blocks,
    finish,
    local_search_parameter,
    weight_parameter,
)
from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.algorithms.relational.clustering.diversify import diversify
from shoal.algorithms.relational.clustering.of_classes import OF_CLASSES, OF_CLASSES_ALONE
from shoal.algorithms.relational.clustering.records import MEASURES, Records
from shoal.algorithms.relational.full_domain.lattice_search import cheapest_levels
from shoal.algorithms.relational.hilbert.algorithm import runs_along_the_curve
from shoal.algorithms.relational.kanon_cf.closed_records import ClosedRecords, Mining
from shoal.algorithms.relational.kanon_cf.cover import BYTES_PER_CLOSED_RECORD, greedy_cover, least_cost
from shoal.engine.local import LocalData
from shoal.engine.memory import memory_of_machine
from shoal.errors import Cancelled, LimitReached
from shoal.kernels.constraint import ClassConstraint, classes_admissible
from shoal.privacy.model import Model
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding

_WHAT_TO_REDUCE = "leave out columns, give hierarchies fewer levels, or raise k"
_SHARE_OF_MINING = 0.3  # of the time there is: to cover by what was mined takes up to twice as long
_SHARE_WITH_COVERING = 0.6  # after that, records are rather moved
_TIMES_FINER = 3
_OTHER_WEIGHTS = (0.5, 0.9, 1.0)
_BYTES_OF_PROGRAM = 300e6
_BYTES_PER_CELL = 60


class _Kind(NamedTuple):
    """A way to cover the rows, what is said while that goes on, and the share of time after which it ends."""

    stage: str
    frugal: bool
    until: float = _SHARE_WITH_COVERING


_PROVEN = _Kind("covering the records", frugal=False)
_PRINTED = _PROVEN._replace(until=1.0)
_FRUGAL = _Kind("covering the records frugally", frugal=True)


@dataclass(frozen=True, slots=True)
class KAnonCF(Algorithm):
    """Cover the rows by closed frequent generalized records, the cheapest ones first.

    A generalized record is closed if no narrower one stands for the same rows, and frequent if it stands for
    k or more. All of them are mined. Then again and again the one is taken that costs least per row that it
    covers anew, with 2k - 1 rows at most. Last, rows that were taken several times are left with one set
    each, and every cluster is published as the narrowest generalized record that covers it. Beyond the paper,
    a second cover looks more at what rows cost, a third clustering is the best that one level per column
    gives, and the cheapest one of them is used; and records are moved and swapped afterwards while that
    lowers the loss. Where more than k rows are promised and records may be moved, covers by sets of k / 3
    rows and other weights than `w` are tried as well. If a limit stops the mining, runs along a Hilbert curve
    are the start. With `as_printed` none of this takes part: there is one cover, the paper's.

    Contract
        needs:      rows; quasi-identifiers with trees
        gives:      one node per cluster and column
        guarantees: every cluster satisfies every model passed to find(); for k-anonymity and a monotone
                    measure the loss is at most 2 (1 + ln 2k) times the least possible
        cost:       O(closed records * columns * rows) at most, and memory O(closed records): their number
                    grows exponentially with the columns

    After Kenig, Tassa, A practical approximation algorithm for optimal k-anonymity, Data Mining and Knowledge
    Discovery 25(1), 2012.
    """

    name = "kanon-cf"
    turn = 1
    needs_trees = True
    serves = OF_CLASSES
    paper = (
        "Kenig, Tassa. A practical approximation algorithm for optimal k-anonymity. "
        "Data Mining and Knowledge Discovery 25(1), 2012."
    )
    guarantee = (
        "every class satisfies every model; for k-anonymity and a monotone measure the loss is at most "
        "2 (1 + ln 2k) times the least possible, if no limit stopped the mining"
    )
    distributed = Distribution("blocks", OF_CLASSES_ALONE)

    measure: str = parameter("lm", OneOf(MEASURES), "the loss that is kept low; entropy is not monotone")
    local_search: bool = local_search_parameter(default=True)
    w: float = weight_parameter()
    block: int = block_parameter()
    most_closed: int = parameter(
        0,
        Within(0),
        "how many closed records are mined at most, the first ones met; 0 means all",
        Printed(0),
    )
    memory_limit: float = parameter(
        0.0, Within(0.0), "bytes that the whole program may take; 0 means as many as the machine has"
    )
    on_limit: str = parameter(
        "stop",
        OneOf(("stop", "best")),
        "when memory does not suffice for all closed records: stop, or go on with those that were found",
    )
    as_printed: bool = as_printed_parameter()

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Mine, cover, make disjoint and publish; LimitReached says what to reduce."""
        if may_be_cut(models, data.row_count, self.block):
            blocks = Blocks(self._find_on_a_block, self.block, self.measure, self.w)
            return find_in_blocks(blocks, data, models, rng, progress)
        constraint = class_constraint_of(data, models)
        records = Records.of(data, self.measure)
        if not data.quasi:  # nothing tells records apart, and there is nothing to mine
            alike = Clustering(np.zeros(data.row_count, dtype=np.int64))
            return finish(data, records, alike, models, progress, local_search=False, bound=0.0)
        mining = Mining(records, constraint.k)
        with _saying_what_to_reduce(mining):
            self._mine(mining, self._room(records, mining), progress)
            closed = mining.found()
            flaw = _flaw_of_the_proof(records, closed)
            bound = None if flaw else _lower_bound(records, closed, progress)
            wanted = self._covers_wanted(closed, progress, proven=not flaw)
            covers = _covers(records, closed, constraint.k, progress, wanted)
            if self.as_printed and not covers:
                raise LimitReached(
                    "time was up before the rows were covered, and as_printed has no other way"
                )
        if len(covers) < len(wanted):
            flaw = flaw or "time was up before the rows were covered"
        if not (self.as_printed or (closed.complete and covers)):
            # many columns may be covered worse than by a fast rival
            covers.append(runs_along_the_curve(records, data, constraint.k, progress)[0])
        cover = min(covers, key=lambda found: found.cost(records))
        if not classes_admissible(constraint, *cover.members()).all():
            flaw = flaw or "clusters of k rows were united to keep what else was promised"
            if self.local_search and closed.complete:
                covers += self._finer_covers(records, closed, constraint.k, progress)
        start = self._cheapest_start(data, records, constraint, covers, progress)
        recoding = finish(
            data, records, start, models, progress, local_search=self.local_search, w=self.w, bound=bound
        )
        factor = 2 * (1 + math.log(2 * constraint.k))
        return replace(
            recoding,
            notices=(*recoding.notices, _proven(self.measure, factor, flaw)),
            figures={
                **recoding.figures,
                "closed_records": len(closed),
                "mined_all": closed.complete,
                "cost_before_local_search": start.cost(records),
                "times_best_at_most": None if flaw else factor,
            },
        )

    def _find_on_a_block(
        self,
        data: LocalData,
        models: Sequence[Model],
        rng: np.random.Generator,
        progress: Progress,
    ) -> RowRecoding:
        """Clusters of a part of the table, of which nothing would be proven: one cover is enough."""
        constraint = class_constraint_of(data, models)
        records = Records.of(data, self.measure)
        mining = Mining(records, constraint.k)
        with _saying_what_to_reduce(mining):
            self._mine(mining, self._room(records, mining), progress)
            closed = mining.found()
            wanted = self._covers_wanted(closed, progress, proven=False)
            covers = _covers(records, closed, constraint.k, progress, wanted)
        if not closed.complete or not covers:
            covers.append(runs_along_the_curve(records, data, constraint.k, progress)[0])
        cover = min(covers, key=lambda found: found.cost(records))
        return finish(data, records, cover, models, progress, local_search=False, w=self.w, bound=0.0)

    def _cheapest_start(
        self,
        data: LocalData,
        records: Records,
        constraint: ClassConstraint,
        covers: Sequence[Clustering],
        progress: Progress,
    ) -> Clustering:
        """Of several clusterings that keep the models, the one that costs least.

        Closed records that cost the same are taken in the order of mining, and may not tile a table in which
        many do; one level per column always does.
        """
        progress.stage("diversity")
        weights = (self.w, *_OTHER_WEIGHTS) if self.local_search else (self.w,)
        starts = [diversify(records, cover, constraint, w, progress) for cover, w in product(covers, weights)]
        if not self.as_printed:
            progress.stage("levels")
            levels = cheapest_levels(data, records, constraint, progress)
            starts += [] if levels is None else [levels]
        return min(starts, key=lambda found: found.cost(records))

    def _finer_covers(
        self, records: Records, closed: ClosedRecords, k: int, progress: Progress
    ) -> list[Clustering]:
        """Covers by sets of fewer rows, which leave more choice where clusters have to be united anyway.

        None if a limit is near: `closed`, what was mined before, stays in memory.
        """
        finer = max(k // _TIMES_FINER, 2)
        if finer >= k:
            return []
        mining = Mining(records, finer)
        room = self._room(records, mining) - len(closed)
        progress.stage("mining finer closed records")
        while not mining.complete:
            mining.go_on()
            progress.update(mining.count, note=f"{mining.count:,} closed records")
            if mining.count > room or progress.expired(_SHARE_OF_MINING):
                return []
        return _covers(records, mining.found(), finer, progress, (_FRUGAL, _PROVEN))

    def _covers_wanted(self, closed: ClosedRecords, progress: Progress, *, proven: bool) -> tuple[_Kind, ...]:
        """A frugal cover, and the one that the proof is about if that is of use.

        None where time stopped the mining: it narrows the last columns first, so that millions that it found
        take long to cover with, and leave the first columns at their roots.
        """
        if self.as_printed:
            return (_PRINTED,)
        if not closed.complete and progress.expired(_SHARE_OF_MINING):
            return ()
        return (_FRUGAL, _PROVEN) if proven else (_FRUGAL,)

    def _room(self, records: Records, mining: Mining) -> int:
        """How many closed records memory holds beside the program and the data."""
        limit = self.memory_limit or memory_of_machine()
        taken = _BYTES_OF_PROGRAM + _BYTES_PER_CELL * records.row_count * (len(records.columns) + 1)
        return max(int((limit - taken) / (mining.bytes_per_record + BYTES_PER_CLOSED_RECORD)), 1)

    def _mine(self, mining: Mining, room: int, progress: Progress) -> None:
        progress.stage("mining closed records")
        while True:
            mining.go_on()
            if mining.complete or progress.expired(_SHARE_OF_MINING) or 0 < self.most_closed <= mining.count:
                return
            progress.update(mining.count, note=f"{mining.count:,} closed records")
            if mining.count > room:
                if self.on_limit == "best":
                    return
                raise LimitReached(
                    f"memory holds about {room:,} closed records; give it more by memory_limit"
                )


@contextmanager
def _saying_what_to_reduce(mining: Mining) -> Iterator[None]:
    try:
        yield
    except Cancelled:
        raise
    except LimitReached as error:
        raise LimitReached(
            f"{error}; {mining.count:,} closed generalized records were found by then, and there are fewer "
            f"of them if you {_WHAT_TO_REDUCE}"
        ) from error


def _flaw_of_the_proof(records: Records, closed: ClosedRecords) -> str:
    """Why the bound cannot be proven; empty if it can."""
    if not closed.complete:
        return "a limit stopped the mining of closed records"
    if not records.monotone:
        return f"by {records.measure} a coarser value may cost less than a finer one"
    return ""


def _lower_bound(records: Records, closed: ClosedRecords, progress: Progress) -> float:
    progress.stage("lower bound")
    return least_cost(records, closed, progress)


def _covers(
    records: Records, closed: ClosedRecords, k: int, progress: Progress, wanted: Sequence[_Kind]
) -> list[Clustering]:
    """The covers of these kinds that there was time for, as clusters."""
    covers = []
    for kind in wanted:
        progress.stage(kind.stage)
        cover = greedy_cover(records, closed, k, progress, frugal=kind.frugal, until=kind.until)
        if cover is not None:
            covers.append(cover.clustering(records))
    return covers


def _proven(measure: str, factor: float, flaw: str) -> str:
    if flaw:
        return f"no factor to the least possible loss is proven, because {flaw}"
    return f"the loss by {measure} is at most {factor:.3g} times the least possible: 2 (1 + ln 2k)"
