"""re: how far the supports of pairs of terms in a release are from the true ones.

A record of a release counts for a term with a weight: 1 if it holds the term, 1 / n if it holds a node of
n leaves above it, and for a pair of terms with the product of both weights. In sets without generalized items
that is the support; under a cut it divides the support of two nodes evenly among all pairs of their leaves.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import InvalidParameter
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import AnySets, Floats, Ints, SetArrays, counts_of, in_pieces, owners, piece_of

# The range of the published experiments.
FIRST_RANK, LAST_RANK = 200, 219
_ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True)
class PairError:
    """The mean error over the pairs of some terms, or why there is none."""

    error: float | None
    pairs: int
    why_absent: str = ""


def ranked_terms(original: AnySets, item_count: int) -> Ints:
    """The terms that occur, by falling support, then by code."""
    supports = counts_of(original.items, item_count)
    order = np.argsort(-supports, kind="stable")
    return order[supports[order] > 0].astype(np.int64, copy=False)


def terms_of_ranks(original: AnySets, item_count: int, first: int, last: int) -> Ints:
    """The terms of the ranks first..last, the most frequent term having rank 0; none if there are fewer."""
    if not 0 <= first < last:
        raise InvalidParameter("re", "ranks", (first, last), "two numbers of 0 or more, the smaller first")
    ranked = ranked_terms(original, item_count)
    return ranked[first : last + 1] if last < len(ranked) else ranked[:0]


def pair_supports(sets: AnySets, terms: Ints) -> Floats:
    """How many sets hold terms i and j, in row i and column j."""
    column_of = np.full(int(max(sets.items.max(initial=0), terms.max(initial=0))) + 1, -1, dtype=np.int64)
    column_of[terms] = np.arange(len(terms))
    all_rows, all_columns = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for first, behind in in_pieces(sets.starts):
        piece = piece_of(sets, first, behind)
        columns = column_of[piece.items]
        all_rows.append(first + owners(piece.starts)[columns >= 0])
        all_columns.append(columns[columns >= 0])
    rows = np.concatenate(all_rows)
    return _products(rows, np.concatenate(all_columns), np.ones(len(rows)), len(terms))


def generalized_pair_supports(tree: Hierarchy, sets: SetArrays, terms: Ints) -> Floats:
    """The same of sets of nodes, each of which counts for the terms below it."""
    first, last = tree.arrays.first_leaf[sets.items], tree.arrays.last_leaf[sets.items]
    sizes = tree.sizes[sets.items]
    order = np.argsort(terms)
    ascending = terms[order]
    begin, end = np.searchsorted(ascending, first), np.searchsorted(ascending, last, side="right")
    # One entry for every occurrence of a node and every term below it.
    counts = end - begin
    occurrences = np.repeat(np.arange(len(sets.items)), counts)
    offsets = np.arange(len(occurrences)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = np.searchsorted(sets.starts, occurrences, side="right") - 1
    return _products(rows, order[begin[occurrences] + offsets], 1 / sizes[occurrences], len(terms))


def _products(rows: Ints, columns: Ints, weights: Floats, term_count: int) -> Floats:
    """The sum over rows of the products of their weights; of two weights in one place the larger counts."""
    total = np.zeros((term_count, term_count))
    distinct, places = np.unique(rows, return_inverse=True)
    for start in range(0, len(distinct), _ROWS_AT_ONCE):
        stop = min(start + _ROWS_AT_ONCE, len(distinct))
        begin, end = (
            np.searchsorted(rows, distinct[start]),
            np.searchsorted(rows, distinct[stop - 1], "right"),
        )
        block = np.zeros((stop - start, term_count))
        np.maximum.at(block, (places[begin:end] - start, columns[begin:end]), weights[begin:end])
        total += block.T @ block
    return total


def pair_error(original: Floats, published: Sequence[Floats]) -> PairError:
    """The mean over pairs of |so - sp| / ((so + sp) / 2), sp being the mean over several releases.

    Each is a matrix of `pair_supports`. Pairs that nobody holds on either side are skipped.
    """
    if len(original) < 2:
        return PairError(None, 0, "the data have too few terms for these ranks")
    upper = np.triu_indices(len(original), k=1)
    true = original[upper]
    estimate = np.mean([supports[upper] for supports in published], axis=0)
    held = true + estimate > 0
    if not held.any():
        return PairError(None, 0, "no record holds two of these terms")
    true, estimate = true[held], estimate[held]
    return PairError(float(np.mean(2 * np.abs(true - estimate) / (true + estimate))), len(true))
