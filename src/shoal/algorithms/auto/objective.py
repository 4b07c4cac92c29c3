"""What `auto` keeps low: one number for what a recoding costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from shoal.engine.local import LocalData
from shoal.hierarchy.tree import Hierarchy
from shoal.metrics.catalogue import measure, measure_sets
from shoal.metrics.estimates import RecordsEstimator, drawn_error
from shoal.metrics.items import joint_item_ncp, joint_utility_loss
from shoal.metrics.relational import combined_cost, costs_of_columns, published_columns
from shoal.recoding.recoding import Recoding, apply_recoding
from shoal.recoding.rows import RowRecoding

QUERY_ERROR = "query-error"
OBJECTIVES = ("ncp", "lm", "tree", "entropy", "monotone_entropy", "ul", QUERY_ERROR)
_NOT_SUMS = ("ul", QUERY_ERROR)  # of what values and items lose


class DataShape(Protocol):
    """What a choice looks at before anything is searched, wherever the rows are."""

    @property
    def row_count(self) -> int:
        """How many records are searched at once, if they are not cut into blocks."""

    @property
    def quasi(self) -> tuple[str, ...]:
        """Quasi-identifiers with single values."""

    @property
    def quasi_sets(self) -> tuple[str, ...]:
        """Quasi-identifiers with sets."""

    @property
    def trees(self) -> Mapping[str, Hierarchy]:
        """The trees of columns that have one."""


def objectives_for(data: DataShape) -> tuple[str, ...]:
    """What can be measured of these data."""
    if not data.quasi:
        return ("ncp", "ul", QUERY_ERROR)
    return OBJECTIVES if data.quasi_sets else tuple(each for each in OBJECTIVES if each != "ul")


def default_objective(data: DataShape) -> str:
    """LM of a table, NCP of sets; of a table with sets NCP, to which the loss in items is added."""
    if not data.quasi:
        return "ncp"
    return "ncp" if data.quasi_sets else "lm"


def in_words(data: DataShape, objective: str) -> str:
    """What the number is called."""
    if objective == QUERY_ERROR:
        return "error of counts"
    both = data.quasi and data.quasi_sets and objective not in _NOT_SUMS
    return f"{objective.upper()} + loss in items" if both else objective.upper()


def loss_of(data: LocalData, recoding: Recoding, objective: str, k: int) -> float:
    """What a recoding costs; of a table with sets, values and items count alike.

    The loss in items is the larger of UL and NCP: UL forgives items published as the root beside others, and
    NCP what a label of many items does to combinations.
    """
    if not isinstance(recoding, RowRecoding):
        return next(iter(measure(data, recoding, k).values()))
    if objective == QUERY_ERROR:
        return query_error(data, recoding)
    if recoding.clusters is None:
        (items,) = recoding.items
        return measure_sets(data, items)[objective]
    in_items = joint_utility_loss(data, recoding.items) if recoding.items else 0.0
    if objective == "ul" and recoding.items:
        return in_items
    in_items = max(in_items, joint_item_ncp(data, recoding.items))
    columns = published_columns(data, recoding.clusters)
    of_columns = costs_of_columns(columns, recoding.clusters, objective)
    return combined_cost(of_columns, data, objective) + in_items


def query_error(data: LocalData, recoding: RowRecoding) -> float:
    """How wrong counts are that a reader estimates: ARE of queries of one and of two values and items.

    They are drawn from the data in the same way for every recoding.
    """
    released = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=1).table
    published = RecordsEstimator(data, released)
    drawn = [drawn_error(data, published, values=values, items=items) for values, items in _shapes(data)]
    errors = [error for error in drawn if error is not None]
    return float(np.mean(errors)) if errors else 0.0


def _shapes(data: LocalData) -> list[tuple[int, int]]:
    """How many values and items the queries are about."""
    if data.quasi and data.quasi_sets:
        return [(1, 0), (0, 1), (1, 1)]
    return [(1, 0), (2, 0)] if data.quasi else [(0, 1), (0, 2)]
