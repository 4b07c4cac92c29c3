"""What the chunks of a disassociated publication say by themselves, without reconstruction."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from shoal.kernels.arrays import Ints, SetArrays, frozen_ints, frozen_sets, owners
from shoal.recoding.disassociated import Disassociated
from shoal.table.columns import Domain


def codes_in(domain: Domain, published: Disassociated) -> Ints:
    """The code of every published term in the domain of the original, or the next free code after it."""
    codes = pc.index_in(published.terms.labels, value_set=domain.labels).to_numpy(zero_copy_only=False)
    unknown = np.isnan(codes)
    codes = np.where(unknown, len(domain) + np.cumsum(unknown) - 1, codes)
    return frozen_ints(codes.astype(np.int64))


def recoded(sets: SetArrays, codes: Ints) -> SetArrays:
    """The same sets under other codes, ascending again."""
    if np.array_equal(codes, np.arange(len(codes))):
        return sets
    rows = owners(sets.starts)
    items = codes[sets.items]
    return frozen_sets(sets.starts, items[np.lexsort((items, rows))])


def certain_sets(published: Disassociated) -> SetArrays:
    """What stands in every original: the subrecords, and each term of a term chunk once, as sets alone.

    Itemsets of them have the lower bounds of their supports as supports. They are what tKd-a and re-a compare
    with the original.
    """
    terms = published.term_chunks.items
    starts = np.concatenate(
        (published.subrecords.starts, published.subrecords.starts[-1] + 1 + np.arange(len(terms)))
    )
    return frozen_sets(starts, np.concatenate((published.subrecords.items, terms)))


def lost_terms(supports: Ints, published: Disassociated, codes: Ints, k: int) -> float:
    """tlost: of the terms with a support above k, the share that are in term chunks only; 0 without any.

    `supports` are those of the original, and `codes` the codes there of published terms.
    """
    frequent = np.flatnonzero(supports > k)
    in_chunks = codes[np.unique(published.subrecords.items)]
    in_term_chunks = codes[np.unique(published.term_chunks.items)]
    lost = np.setdiff1d(np.intersect1d(frequent, in_term_chunks), in_chunks)
    return len(lost) / len(frequent) if len(frequent) else 0.0
