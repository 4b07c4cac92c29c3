"""Questions to a published table: what a reader would estimate, beside what the original says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem
from shoal.metrics.estimates import (
    DisassociatedEstimator,
    Errors,
    RecordsEstimator,
    assumption,
    drawn_error,
    errors_of,
)
from shoal.metrics.item_shares import ItemEstimator
from shoal.metrics.workloads import Query, generate_workload
from shoal.policy.plan import Plan
from shoal.privacy.model import Form
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.disassociated_file import read_clusters
from shoal.report.certified import published_roles
from shoal.run.prepare import Data, read
from shoal.run.release_codebook import codebook_of_rows, dialect_beside
from shoal.study.count import count
from shoal.study.open_release import OpenedRelease, open_release
from shoal.study.release_query import has_codebook, published_file
from shoal.study.true_counts import OriginalRecords
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
    """A query, what the release says of it, and the true count; an estimator of papers gives no bounds."""

    query: Query
    lower: int | None
    expected: float
    upper: int | None
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
    estimator: ItemEstimator | None = None,
) -> Answers:
    """Put queries to a published file of any kind, beside the true counts of the original of the plan.

    They are counted as readers of the file count; with an `estimator` as papers do, who know which values
    the original has.
    """
    data = data_of(plan)
    if isinstance(queries, Shape):
        rng = np.random.default_rng(queries.seed)
        shape = {"values": queries.values, "items": queries.items, "count": queries.count}
        queries = generate_workload(data.local, rng, **shape)
    if not queries:
        raise BadInput(Problem("there is no query", "give values, an itemset, a workload or a shape"))
    answer, in_words = _answering(file, plan, data, estimator)
    asked = tuple(map(answer, queries))
    estimates = ((each.expected, each.true) for each in asked)
    return Answers(asked, errors_of(estimates, sanity=sanity, keep_empty=keep_empty), in_words)


def data_of(plan: Plan) -> Data:
    """The original of a plan."""
    return read(plan.data_path, plan.roles, options=plan.read_options, subject=plan.subject)


def refuse_clusters(plan: Plan) -> None:
    """Refuse tables of disassociated sets, which have no rows to group."""
    if plan.models.form is Form.CLUSTERS:
        raise BadInput(
            Problem("disassociated sets have no columns to group by", "ask for items with --itemset")
        )


def opened_with(file: Path, plan: Plan, data: Data) -> OpenedRelease:
    """A published table; where no codebook says what its labels stand for, the plan does."""
    if has_codebook(file):
        return open_release(file)
    dialect = dialect_beside(file)
    table = read_published(file, plan.roles, plan.read_options, dialect).table
    published = LocalData(table, data.local.roles)
    columns = published_roles(table.columns, data.local.roles, published.held)
    return OpenedRelease(
        file, table, codebook_of_rows(published, columns, data.local, dialect), dialect=dialect
    )


def drawn_errors(data: LocalData, released: Table | Disassociated, items: int) -> float | None:
    """The ARE of counts of so many items in a release; None if no record holds as many."""
    published = (
        DisassociatedEstimator(released, data.quasi_sets[0])
        if isinstance(released, Disassociated)
        else RecordsEstimator(data, released)
    )
    return drawn_error(data, published, values=0, items=items)


def _answering(
    file: Path, plan: Plan, data: Data, estimator: ItemEstimator | None
) -> tuple[Callable[[Query], Asked], str]:
    """What answers a query, and what it assumes."""
    if plan.models.form is Form.CLUSTERS:
        published = DisassociatedEstimator(read_clusters(published_file(file)), data.local.quasi_sets[0])
        original = OriginalRecords(data.original, data.local.trees, {})
        return partial(_of_clusters, published, original), published.in_words
    if estimator is not None:
        dialect = dialect_beside(file)
        table = read_published(published_file(file), plan.roles, plan.read_options, dialect).table
        estimates = RecordsEstimator(data.local, table, estimator)
        return partial(
            _estimated, estimates, RecordsEstimator(data.local, data.local.table)
        ), estimates.in_words
    opened = opened_with(file, plan, data)
    words = assumption("best", of_sets=bool(data.local.quasi_sets))
    return partial(_counted, opened, OriginalRecords.of(data, opened.codebook)), words


def _counted(opened: OpenedRelease, original: OriginalRecords, query: Query) -> Asked:
    where = dict(query.values)
    for name, items in query.items.items():
        where[name] = (*where.get(name, ()), *items)
    found = count(opened, where, original=original)
    (true,) = found.true or (0,)
    return Asked(query, found.lower[0], found.expected[0], found.upper[0], true)


def _of_clusters(published: DisassociatedEstimator, original: OriginalRecords, query: Query) -> Asked:
    itemset = query.items.get(published.column, ())
    return Asked(query, *published.answer(query), original.support(published.column, itemset))


def _estimated(published: RecordsEstimator, truth: RecordsEstimator, query: Query) -> Asked:
    return Asked(query, None, published.count(query), None, round(truth.count(query)))
