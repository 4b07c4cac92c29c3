"""What taking records apart cost, by the chunks alone and in one of the possible originals."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import SetArrays
from shoal.metrics.chunks import certain_sets, lost_terms
from shoal.metrics.pair_supports import FIRST_RANK, LAST_RANK, pair_error, pair_supports, terms_of_ranks
from shoal.metrics.top_itemsets import top_deviation
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.reconstruction import reconstructions
from shoal.table.columns import Sets

RANKS = {"re": (FIRST_RANK, LAST_RANK), "re_top": (0, 19)}


def measure_chunks(original: Sets, published: Disassociated, k: int) -> dict[str, float]:
    """Every measure of chunks by its name; measures that the data are too small for are left out.

    Terms of the publication have the codes of the original. The reconstruction is drawn with a seed of its
    own, so that the same chunks always measure the same.
    """
    (copy,) = reconstructions(published, 1, np.random.default_rng(0))
    views = {"_a": certain_sets(published), "": copy.arrays}
    losses: dict[str, float] = {}
    for ending, sets in views.items():
        losses[f"tkd{ending}"] = top_deviation(original.arrays, sets, len(original.domain))
        losses |= {f"{name}{ending}": error for name, error in _errors(original, sets).items()}
    supports = np.bincount(original.arrays.items, minlength=len(original.domain))
    codes = np.arange(len(original.domain), dtype=np.int64)
    losses["tlost"] = lost_terms(supports, published, codes, k)
    return losses


def _errors(original: Sets, published: SetArrays) -> dict[str, float]:
    errors: dict[str, float] = {}
    for name, (first, last) in RANKS.items():
        terms = terms_of_ranks(original.arrays, len(original.domain), first, last)
        found = pair_error(pair_supports(original.arrays, terms), [pair_supports(published, terms)])
        if found.error is not None:
            errors[name] = found.error
    return errors
