"""How likely a published item stands for each of the items that it covers, from the published file alone.

Three estimators: by `items` each of n items is as likely as the others, 1/n. By `subsets` each of the 2^n - 1
ways to hold some of them is, which gives 2^(n-1) / (2^n - 1); it is that of papers, and far too much where n
is large. By `likelihood` each published item is shared out among its items in proportion to how often these
seem to occur in the whole file, which is estimated by the same shares, again and again. Where records were
generalized by parts or clusters, what shows in one tells about the others, and `likelihood` is mostly better
than `items`; where occurrences were generalized one by one, the rare hide more often than the frequent, and
it is mostly worse. `best` goes by that. Both are close; `subsets` is far off (bench/estimators.py).
"""

from typing import Literal, get_args

import numpy as np

from shoal.errors import InvalidParameter
from shoal.kernels.arrays import Floats, Ints, SetArrays, owners, starts_of, taken_rows

ItemEstimator = Literal["best", "items", "subsets", "likelihood"]
ITEM_ESTIMATORS: tuple[str, ...] = get_args(ItemEstimator)

_MEMBERS_LOOKED_AT = 1 << 22
_ROUNDS = 10  # more of them fit the file better, and the original worse


def check_estimator(name: str) -> None:
    """Refuse what is no estimator."""
    if name not in ITEM_ESTIMATORS:
        raise InvalidParameter("query", "estimator", name, f"one of {', '.join(ITEM_ESTIMATORS)}")


def best_estimator(covered: SetArrays, published: SetArrays) -> ItemEstimator:
    """The estimator that usually has the least error for such a file.

    Row c of `covered` are the items that the published code c stands for. A record that shows an item twice,
    say by itself and within a wider one, tells that occurrences were generalized one by one.
    """
    sizes = np.diff(covered.starts)
    members = np.diff(starts_of(sizes[published.items])[published.starts])
    labels = np.diff(published.starts)
    telling = np.flatnonzero((labels > 1) & (members > labels))
    telling = telling[np.cumsum(members[telling]) <= _MEMBERS_LOOKED_AT]
    looked_at = taken_rows(published, telling)
    shown = taken_rows(covered, looked_at.items)
    rows = owners(looked_at.starts)[owners(shown.starts)]
    keys = rows * (int(covered.items.max(initial=0)) + 1) + shown.items
    return "likelihood" if len(np.unique(keys)) == len(keys) else "items"


def uniform_shares(covered: SetArrays) -> Floats:
    """1/n for each of the n items of a published one, in the order of `covered.items`."""
    return (1 / np.maximum(np.diff(covered.starts), 1).astype(np.float64))[owners(covered.starts)]


def likely_shares(covered: SetArrays, counts: Ints) -> Floats:
    """Shares in proportion to how often the items seem to occur; `counts[c]` is how often code c does."""
    code_of, shares = owners(covered.starts), uniform_shares(covered)
    for _ in range(_ROUNDS):
        supports = np.bincount(covered.items, shares * counts[code_of])
        of_codes = np.bincount(code_of, supports[covered.items], len(counts))[code_of]
        # A code that never occurs may cover items that never do: it keeps its shares.
        shares = np.divide(supports[covered.items], of_codes, out=shares, where=of_codes > 0)
    return shares
