"""How likely a published item stands for each of the items that it covers, from the published file alone.

Four estimators: by `items` each of n items is as likely as the others, 1/n. By `subsets` each of the 2^n - 1
ways to hold some of them is, which gives 2^(n-1) / (2^n - 1); it is that of papers, and far too much where n
is large. By `likelihood` each published item is shared out among its items in proportion to how often these
seem to occur in the whole file, which is estimated by the same shares, again and again. It overrates items
that are frequent elsewhere: where they were frequent they could be published alone, and did not have to hide.
`best` goes the middle way, half `items` and half `likelihood`, and has the least error (bench/estimators.py).
"""

from typing import Literal, get_args

import numpy as np

from shoal.errors import InvalidParameter
from shoal.kernels.arrays import Floats, Ints, SetArrays, owners

ItemEstimator = Literal["best", "items", "subsets", "likelihood"]
ITEM_ESTIMATORS: tuple[str, ...] = get_args(ItemEstimator)

_ROUNDS = 10  # more of them fit the file better, and the original worse


def check_estimator(name: str) -> None:
    """Refuse what is no estimator."""
    if name not in ITEM_ESTIMATORS:
        raise InvalidParameter("query", "estimator", name, f"one of {', '.join(ITEM_ESTIMATORS)}")


def uniform_shares(covered: SetArrays, widths: Floats | None = None) -> Floats:
    """1/n for each of the n items of a published one, in the order of `covered.items`.

    Where items are of different `widths`, as ranges are, their shares are in proportion to these.
    """
    if widths is None:
        return (1 / np.maximum(np.diff(covered.starts), 1).astype(np.float64))[owners(covered.starts)]
    code_of, of_items = owners(covered.starts), widths[covered.items]
    shares: Floats = of_items / np.bincount(code_of, of_items, len(covered.starts) - 1)[code_of]
    return shares


def likely_shares(covered: SetArrays, counts: Ints, widths: Floats | None = None) -> Floats:
    """Shares in proportion to how often the items seem to occur; `counts[c]` is how often code c does."""
    code_of, shares = owners(covered.starts), uniform_shares(covered, widths)
    for _ in range(_ROUNDS):
        supports = np.bincount(covered.items, shares * counts[code_of])
        of_codes = np.bincount(code_of, supports[covered.items], len(counts))[code_of]
        # A code that never occurs may cover items that never do: it keeps its shares.
        shares = np.divide(supports[covered.items], of_codes, out=shares, where=of_codes > 0)
    return shares


def best_shares(covered: SetArrays, counts: Ints) -> Floats:
    """Half of both."""
    return (uniform_shares(covered) + likely_shares(covered, counts)) / 2
