"""How many records a query counts, as a reader of the release estimates it, and how wrong that is.

A published value stands for each of the original values it covers with the same probability; for published
items see `item_shares`. Different values and items are taken as independent, but by `subsets` a published
item contains j given ones of its n with probability 2^(n-j) / (2^n - 1). All estimators answer the same
queries, so that releases of any kind can be compared.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.engine.local import LocalData
from shoal.errors import InvalidParameter, UnknownName
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Floats, Ints, SetArrays, frozen_sets, starts_of
from shoal.metrics.answers import support_of
from shoal.metrics.item_shares import (
    ItemEstimator,
    best_shares,
    check_estimator,
    likely_shares,
    uniform_shares,
)
from shoal.metrics.workloads import Query, generate_workload
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.label_meaning import items_of_labels, spans_of_labels
from shoal.table.arrow_form import text_column
from shoal.table.columns import Carried, Coded, Domain, Sets, Table


class Estimator(Protocol):
    """Answers COUNT queries; `in_words` says how."""

    @property
    def in_words(self) -> str:
        """What is assumed."""

    def count(self, query: Query) -> float:
        """How many records the query counts, or is expected to."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelMeaning:
    """The original values that each published code of a column stands for: row c of `covered`.

    `codes` numbers the original values by label.
    """

    codes: Mapping[str, int]
    covered: SetArrays

    def hits(self, labels: Sequence[str], column: str) -> Ints:
        """How many of the given original values each published code covers."""
        for label in labels:
            if label not in self.codes:
                raise UnknownName(f"column {column!r}", "value", label, sorted(self.codes)[:20])
        wanted: Bools = np.zeros(len(self.codes), dtype=np.bool_)
        wanted[[self.codes[label] for label in labels]] = True
        before = starts_of(wanted[self.covered.items])
        return np.diff(before[self.covered.starts])

    def shares_of(self, label: str, column: str, shares: Floats) -> Floats:
        """How likely each published code stands for an original value; 0 where it does not cover it."""
        if label not in self.codes:
            raise UnknownName(f"column {column!r}", "value", label, sorted(self.codes)[:20])
        places = np.flatnonzero(self.covered.items == self.codes[label])
        of_codes = np.zeros(len(self.covered.starts) - 1)
        of_codes[np.searchsorted(self.covered.starts, places, side="right") - 1] = shares[places]
        return of_codes

    @property
    def sizes(self) -> Ints:
        """How many original values each published code stands for."""
        return np.diff(self.covered.starts)


class RecordsEstimator:
    """Answers from published records: tables, generalized sets, and both together.

    The domains and hierarchies of the original are public; nothing else of it is used. `items` is how a
    published item is shared out among those that it covers, by default as is best for the file.
    """

    def __init__(self, original: LocalData, published: Table, items: ItemEstimator = "best") -> None:
        check_estimator(items)
        self._table = published
        self._meanings = {
            name: meaning_of(
                name, _coded(published, name), _coded(original.table, name).domain, original.trees.get(name)
            )
            for name in (*original.quasi, *original.quasi_sets)
        }
        self._estimator: ItemEstimator = items
        self._shares = (
            {} if items == "subsets" else {name: self._item_shares(name) for name in original.quasi_sets}
        )
        self._has_sets = bool(original.quasi_sets)

    @property
    def in_words(self) -> str:
        """What is assumed of published items."""
        return assumption(self._estimator, of_sets=self._has_sets)

    def count(self, query: Query) -> float:
        """The sum over records of the probability that the query counts them."""
        chances = np.ones(self._table.row_count)
        for name, labels in query.values.items():
            chances *= self._chances_of_value(name, labels)
        for name, items in query.items.items():
            chances *= self._chances_of_items(name, items)
        return float(chances.sum())

    def _chances_of_value(self, name: str, labels: Sequence[str]) -> Floats:
        if name in self._table.columns and name not in self._meanings:  # published as it is
            texts = text_column(self._table.column(name), 0, self._table.row_count)
            fits: Floats = pc.is_in(texts, pa.array(labels, texts.type)).to_numpy(zero_copy_only=False)
            return fits.astype(np.float64)
        meaning = self._meaning(name)
        of_codes = meaning.hits(labels, name) / np.maximum(meaning.sizes, 1)
        return np.append(of_codes, 0.0)[self._table.coded(name).codes]  # a missing value is none of these

    def _chances_of_items(self, name: str, items: Sequence[str]) -> Floats:
        wanted = tuple(dict.fromkeys(items))
        meaning, sets = self._meaning(name), self._table.sets(name).arrays
        if self._estimator == "subsets":
            return self._chances_of_subsets(name, wanted)
        chances = np.ones(self._table.row_count)
        for item in wanted:
            of_codes = meaning.shares_of(item, name, self._shares[name])
            held = np.flatnonzero(of_codes[sets.items])
            rows = np.searchsorted(sets.starts, held, side="right") - 1
            lacking = np.ones(len(chances))
            np.multiply.at(lacking, rows, 1 - of_codes[sets.items[held]])
            chances *= 1 - lacking
        return chances

    def _chances_of_subsets(self, name: str, wanted: Sequence[str]) -> Floats:
        meaning, sets = self._meaning(name), self._table.sets(name)
        hits = meaning.hits(wanted, name)
        logs = -hits * math.log(2) - np.log1p(-np.exp2(-np.maximum(meaning.sizes, 1).astype(np.float64)))
        held = np.flatnonzero(hits[sets.narrow])
        rows = np.searchsorted(sets.starts, held, side="right") - 1
        codes = sets.narrow[held]
        found = np.bincount(rows, hits[codes], len(sets))
        exponents = np.bincount(rows, logs[codes], len(sets))
        return np.where(found == len(wanted), np.exp(exponents), 0.0)

    def _item_shares(self, name: str) -> Floats:
        covered, sets = self._meanings[name].covered, self._table.sets(name).arrays
        if self._estimator == "items":
            return uniform_shares(covered)
        shares = likely_shares if self._estimator == "likelihood" else best_shares
        return shares(covered, np.bincount(sets.items, minlength=len(covered.starts) - 1))

    def _meaning(self, name: str) -> LabelMeaning:
        if name not in self._meanings:
            raise UnknownName("the release", "column", name, self._meanings)
        return self._meanings[name]


_OF_VALUES = "each value that a published one covers is as likely as the others"
_IN_WORDS: Mapping[ItemEstimator, str] = {
    "best": "a published item is shared out among those that it covers, half of it evenly and half of it by"
    " how often they seem to occur",
    "items": "each of the n items that a published one covers is held with probability 1/n",
    "subsets": "each way to hold some of the items that a published one covers is as likely as the others",
    "likelihood": "a published item is shared out among those that it covers by how often they seem to occur",
}


def assumption(items: ItemEstimator, *, of_sets: bool) -> str:
    """What is assumed of what a published value or item stands for."""
    return _IN_WORDS[items] if of_sets else _OF_VALUES


class DisassociatedEstimator:
    """Answers from disassociated sets: what is expected over all reconstructions."""

    def __init__(self, published: Disassociated, column: str = "items") -> None:
        self._published, self.column = published, column

    @property
    def in_words(self) -> str:
        """What is assumed of chunks."""
        return "the mean of all reconstructions, chunks of a cluster combined by chance"

    def count(self, query: Query) -> float:
        """The expected support of the query's items; there are no single values to ask for."""
        return self.answer(query)[1]

    def answer(self, query: Query) -> tuple[int, float, int]:
        """Bounds and expectation of the support of the query's items."""
        if query.values or set(query.items) - {self.column}:
            raise InvalidParameter(
                "query", "columns", [*query.values, *query.items], f"{self.column!r} alone in these data"
            )
        if not query.items:
            records = self._published.record_count
            return records, float(records), records
        found = support_of(self._published, query.items[self.column])
        return found.lower, found.expected, found.upper


def _coded(table: Table, name: str) -> Coded | Sets:
    column = table.column(name)
    if isinstance(column, Carried):
        raise TypeError(f"column {name!r} is carried through and has no domain")
    return column


def meaning_of(name: str, published: Coded | Sets, original: Domain, tree: Hierarchy | None) -> LabelMeaning:
    """What the labels of a published column stand for: nodes, ranges, unions, or original values."""
    labels = published.domain.texts()
    if isinstance(published, Sets):
        covered = [np.array(items, dtype=np.int64) for items in items_of_labels(name, labels, original, tree)]
    else:
        first, last = spans_of_labels(name, labels, original, tree)
        behind = np.minimum(last + 1, len(original))  # a cell that hides all hides missing values, too
        covered = [np.arange(*ends) for ends in zip(first[:-1].tolist(), behind[:-1].tolist(), strict=True)]
    codes = {label: code for code, label in enumerate(original.texts())}
    starts = starts_of([len(each) for each in covered])
    return LabelMeaning(codes, frozen_sets(starts, np.concatenate([np.empty(0, dtype=np.int64), *covered])))


@dataclass(frozen=True, slots=True)
class Errors:
    """The average relative error of a workload, and of how many queries; `empty` ones truly count nothing."""

    are: float
    queries: int
    empty: int


def relative_errors(
    queries: Sequence[Query],
    truth: Estimator,
    published: Estimator,
    *,
    sanity: float = 1.0,
    keep_empty: bool = True,
) -> Errors:
    """ARE: the mean of |true - estimate| / max(true, sanity), 0 of no queries.

    Queries that truly count nothing are kept, which the sanity bound makes possible, or dropped.
    """
    counts = [truth.count(query) for query in queries]
    kept = [(query, count) for query, count in zip(queries, counts, strict=True) if count > 0 or keep_empty]
    return errors_of(((published.count(query), count) for query, count in kept), sanity=sanity)


def errors_of(
    estimates: Iterable[tuple[float, float]], *, sanity: float = 1.0, keep_empty: bool = True
) -> Errors:
    """ARE of estimates, each with the true count."""
    if not sanity > 0:
        raise InvalidParameter("ARE", "sanity", sanity, "a number above 0")
    kept = [(expected, true) for expected, true in estimates if true > 0 or keep_empty]
    errors = [relative_error(expected, true, sanity) for expected, true in kept]
    empty = sum(true == 0 for _, true in kept)
    return Errors(math.fsum(errors) / max(1, len(errors)), len(errors), empty)


def relative_error(expected: float, true: float, sanity: float = 1.0) -> float:
    """How far an estimate is from the truth, by the truth or by `sanity` where that is more."""
    return abs(expected - true) / max(true, sanity)


def drawn_error(data: LocalData, published: Estimator, *, values: int, items: int) -> float | None:
    """The ARE of drawn counts of so many values and items; None if no record has as many."""
    try:
        queries = generate_workload(data, np.random.default_rng(0), values=values, items=items)
    except InvalidParameter:
        return None
    return relative_errors(queries, RecordsEstimator(data, data.table), published).are
