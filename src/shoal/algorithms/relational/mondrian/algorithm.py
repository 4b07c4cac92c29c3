from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.algorithms.interface import Algorithm, Distribution
from shoal.algorithms.parameters import OneOf, as_printed_parameter, parameter
from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.algorithms.relational.clustering.ends import Ends, derived_ends_notice, find_ends
from shoal.algorithms.relational.clustering.of_classes import OF_CLASSES
from shoal.algorithms.relational.mondrian.cutting import ROWS_OF_A_MATRIX, Cutting, cut_all, cut_in_threads
from shoal.algorithms.relational.mondrian.large_parts import Places
from shoal.algorithms.relational.mondrian.publishing import MondrianPartition, clusters_of
from shoal.engine.local import LocalData
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Floats, Ints
from shoal.kernels.constraint import ClassConstraint
from shoal.kernels.mondrian import (
    RELAXED,
    RELAXED_AS_PRINTED,
    STRICT,
    STRICT_AS_PRINTED,
    Ordered,
    PartTree,
    whole_table,
)
from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import Model
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding
from shoal.table.columns import Coded

_ABSENT = -1
_ROWS_FOR_THREADS = 20_000  # fewer are cut before threads are at work
_STAGES = {"strict": STRICT, "relaxed": RELAXED}
_STAGES_AS_PRINTED = {"strict": STRICT_AS_PRINTED, "relaxed": RELAXED_AS_PRINTED}


@dataclass(frozen=True, slots=True)
class Mondrian(Algorithm):
    """Cut the table in two, near the median of its widest column, until no cut keeps both sides admissible.

    Values have an order: leaves in tree order, numbers and dates their own. A part is wide in a column if the
    value it would be published as covers a large share of the domain, times the column's weight; a column of
    weight 0 is never cut. Of a part first the records whose value is missing, or suppressed, are split off.
    Then columns are tried from the widest on. A column with a tree is cut between two children of the node
    above the part where that is admissible, because only such cuts bring the published node down; otherwise
    between any two values; each time as near to the median as possible. In mode `relaxed`, a part that cannot
    be cut between values is cut in the middle of its rows, which may divide those of one value. With
    `as_printed` there is one cut in each column, behind the median, or relaxed in the middle of the rows.

    Contract
        needs:      rows; quasi-identifiers with a tree, or numbers and dates
        gives:      one node or range per cluster and column
        guarantees: every cluster satisfies every model passed to find()
        cost:       O(n log n) per level of cuts, memory O(n)

    After LeFevre, DeWitt, Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006.
    """

    name = "mondrian"
    turn = 4
    serves = OF_CLASSES
    paper = "LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006."
    guarantee = "every class satisfies every model; no bound on the loss"
    distributed = Distribution("blocks", (KAnonymity, LDiversity, AlphaKAnonymity))

    mode: str = parameter(
        "strict",
        OneOf(("strict", "relaxed")),
        "strict: equal values stay together; relaxed: records of one value may be divided",
    )
    as_printed: bool = as_printed_parameter()

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Cut until nothing can be cut, or time is up; parts that are published alike become one cluster."""
        constraint = class_constraint_of(data, models)
        ends = find_ends(data)
        stages = (_STAGES_AS_PRINTED if self.as_printed else _STAGES)[self.mode]
        cutting = cutting_of(data, ends, constraint, stages)
        parts = whole_table(data.row_count, constraint.k, narrow=cutting.places is not None)
        cut = cut_in_threads if data.row_count >= _ROWS_FOR_THREADS else cut_all
        finished = cut(cutting, parts, progress)
        clusters = clusters_of(MondrianPartition(data, ends, parts), constraint)
        return RowRecoding(clusters, notices=_notices(constraint, ends, parts, finished=finished))


def _notices(
    constraint: ClassConstraint, ends: Mapping[str, Ends], parts: PartTree, *, finished: bool
) -> tuple[str, ...]:
    notices = derived_ends_notice(ends)
    if constraint.k == 1:
        notices += ("no k is promised: a record may stand alone on its quasi-identifiers",)
    if not finished:
        still_open = parts.state[1] - parts.state[0]
        notices += (f"time was up: {still_open:,} parts are published that might have been cut further",)
    return notices


def cutting_of(
    data: LocalData, ends: Mapping[str, Ends], constraint: ClassConstraint, stages: Ints
) -> Cutting:
    """How a table is cut, gathered part by part if it has many rows."""
    if data.row_count <= ROWS_OF_A_MATRIX:
        return Cutting(ordered_columns(data, ends), constraint, stages)
    none = data.table.take(np.empty(0, dtype=np.int64))
    ordered = ordered_columns(replace(data, table=none), ends)
    return Cutting(ordered, constraint, stages, Places.of_columns(data))


def ordered_columns(data: LocalData, ends: Mapping[str, Ends]) -> Ordered:
    """The quasi-identifiers in table order; those without a tree have `ends`."""
    names = data.quasi
    columns = [data.table.coded(name) for name in names]
    trees = [data.trees.get(name) for name in names]
    known = [tree for tree in trees if tree is not None]
    numbers = [
        _numbers(column) if tree is None else np.empty(0) for column, tree in zip(columns, trees, strict=True)
    ]
    weights = data.weights()
    return Ordered(
        codes=Places.of_columns(data).matrix(np.arange(data.row_count)),
        value_counts=np.array([len(column.domain) for column in columns], dtype=np.int64),
        weights=np.array([weights[name] for name in names], dtype=np.float64),
        widths=np.array([_width(data.trees.get(name), ends.get(name)) for name in names], dtype=np.float64),
        tree_starts=_starts([0 if tree is None else tree.node_count for tree in trees]),
        parents=_joined([tree.arrays.parent for tree in known]),
        last_leaves=_joined([tree.arrays.last_leaf for tree in known]),
        node_sizes=_joined([tree.sizes for tree in known]),
        number_starts=_starts([len(part) for part in numbers]),
        numbers=np.concatenate([np.empty(0), *numbers]),
    )


def _numbers(column: Coded) -> Floats:
    return np.empty(0) if column.domain.numbers is None else column.domain.numbers


def _width(tree: Hierarchy | None, ends: Ends | None) -> float:
    if tree is not None:
        return float(tree.leaf_count)
    return ends.half_width if ends is not None and ends.half_width > 0 else 1.0


def _starts(lengths: Sequence[int]) -> Ints:
    """Where each piece begins when pieces are joined; absent where a piece is empty."""
    starts = np.cumsum([0, *lengths])[:-1]
    return np.where(np.array(lengths, dtype=np.int64) > 0, starts, _ABSENT).astype(np.int64)


def _joined(pieces: Sequence[Ints]) -> Ints:
    return np.concatenate([np.empty(0, dtype=np.int64), *pieces])
