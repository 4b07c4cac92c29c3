"""Questions to a published table: what a reader would estimate, beside what the original says."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shoal.engine.local import LocalData
from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.metrics.estimates import (
    DisassociatedEstimator,
    Errors,
    Estimator,
    RecordsEstimator,
    relative_errors,
)
from shoal.metrics.item_shares import ItemEstimator
from shoal.metrics.workloads import Query, generate_workload
from shoal.policy.plan import Plan
from shoal.privacy.model import Form
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.disassociated_file import read_clusters
from shoal.run.prepare import read
from shoal.run.release_codebook import dialect_beside
from shoal.table.columns import Table
from shoal.table.reading import read_published


@dataclass(frozen=True, slots=True)
class Shape:
    """Queries to be drawn from the data: about so many single values and items each."""

    values: int
    items: int
    count: int = 100
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, what the release lets expect, and the true count."""

    query: Query
    expected: float
    true: int


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to a workload, how far they are from the truth, and what they assume."""

    asked: tuple[Asked, ...]
    errors: Errors
    estimator: str


def ask(
    file: Path,
    plan: Plan,
    queries: Sequence[Query] | Shape,
    *,
    sanity: float = 1.0,
    keep_empty: bool = True,
    estimator: ItemEstimator = "best",
) -> Answers:
    """Put queries to a published file of any kind; the original of the plan gives domains and true counts."""
    data = read(plan.data_path, plan.roles, options=plan.read_options, subject=plan.subject).local
    truth, published = RecordsEstimator(data, data.table), _estimator(file, plan, data, estimator)
    if isinstance(queries, Shape):
        rng = np.random.default_rng(queries.seed)
        shape = {"values": queries.values, "items": queries.items, "count": queries.count}
        queries = generate_workload(data, rng, **shape)
    if not queries:
        raise BadInput(Problem("there is no query", "give values, an itemset, a workload or a shape"))
    return Answers(
        tuple(Asked(query, published.count(query), round(truth.count(query))) for query in queries),
        relative_errors(queries, truth, published, sanity=sanity, keep_empty=keep_empty),
        published.in_words,
    )


def drawn_errors(data: LocalData, released: Table | Disassociated, items: int) -> float | None:
    """The ARE of counts of so many items in a release; None if no record holds as many."""
    try:
        queries = generate_workload(data, np.random.default_rng(0), values=0, items=items)
    except InvalidParameter:
        return None
    published = (
        DisassociatedEstimator(released, data.quasi_sets[0])
        if isinstance(released, Disassociated)
        else RecordsEstimator(data, released)
    )
    return relative_errors(queries, RecordsEstimator(data, data.table), published).are


def _estimator(file: Path, plan: Plan, data: LocalData, items: ItemEstimator) -> Estimator:
    if plan.models.form is Form.CLUSTERS:
        return DisassociatedEstimator(read_clusters(file), data.quasi_sets[0])
    return RecordsEstimator(
        data, read_published(file, plan.roles, plan.read_options, dialect_beside(file)).table, items
    )
