"""What the models about items mean, over lists of Python sets; counting is done by trying everything.

`sets` are the items of each record, sensitive ones included; `columns` are sensitive columns, each a list of
one value per record, None where it is missing.
"""

from fractions import Fraction
from itertools import combinations


def itemsets(sets, m):
    """Every set of 0..m items that stands in a record, in order of size, then of its items."""
    found = {
        itemset for items in sets for size in range(m + 1) for itemset in combinations(sorted(items), size)
    }
    return sorted(found, key=lambda itemset: (len(itemset), itemset))


def support(sets, itemset):
    return sum(set(itemset) <= items for items in sets)


def rarest(sets, m, sensitive=frozenset()):
    """The smallest support over sets of 1..m items and the first itemset to attain it; None without items."""
    known = [items - sensitive for items in sets]
    supports = {itemset: support(known, itemset) for itemset in itemsets(known, m) if itemset}
    if not supports:
        return None
    first = min(supports, key=supports.get)
    return supports[first], first


def below(sets, m, k):
    return sum(support(sets, itemset) < k for itemset in itemsets(sets, m) if itemset)


def largest_share(sets, m, sensitive=frozenset(), columns=()):
    """The best chance to guess a sensitive item or value from at most m items that are not sensitive."""
    known = [items - sensitive for items in sets]
    shares = [Fraction(0)]
    for itemset in itemsets(known, m):
        holding = [row for row, items in enumerate(known) if set(itemset) <= items]
        shares += [Fraction(sum(item in sets[row] for row in holding), len(holding)) for item in sensitive]
        for column in columns:
            values = [column[row] for row in holding if column[row] is not None]
            shares += [Fraction(values.count(value), len(values)) for value in values]
    return max(shares)


def likeliest_guess(sets, secrets, m):
    """The first itemset and secret of the largest share, with both counts of rows; None without secrets."""
    guesses = []
    for itemset in itemsets(sets, m):
        held = [secrets[row] for row, items in enumerate(sets) if set(itemset) <= items]
        guesses += [
            (itemset, secret, sum(secret in some for some in held), len(held))
            for secret in sorted(set().union(*secrets))
        ]
    return max(guesses, key=lambda guess: Fraction(guess[2], guess[3]), default=None)


def equal_sets(sets, sensitive=frozenset()):
    """The records of each published set, without the sensitive items."""
    groups = {}
    for row, items in enumerate(sets):
        groups.setdefault(frozenset(items - sensitive), []).append(row)
    return list(groups.values())


def equal_values(keys):
    groups = {}
    for row, key in enumerate(keys):
        groups.setdefault(key, []).append(row)
    return list(groups.values())


def km_anonymity(sets, k, m, sensitive=frozenset()):
    found = rarest(sets, m, sensitive)
    return (True, None) if found is None else (found[0] >= k, found[0])


def lm_diversity(sets, l, m, sensitive=frozenset(), columns=()):
    return largest_share(sets, m, sensitive, columns) * l <= 1


def set_k_anonymity(sets, k, sensitive=frozenset()):
    smallest = min(map(len, equal_sets(sets, sensitive)))
    return smallest >= k, smallest


def set_l_diversity(sets, l, sensitive=frozenset(), columns=()):
    return all(
        largest_share(*_part(sets, columns, rows, 0, sensitive)) * l <= 1
        for rows in equal_sets(sets, sensitive)
    )


def k_km_anonymity(keys, sets, k, m, sensitive=frozenset()):
    smallest = len(sets)
    for rows in equal_values(keys):
        found = rarest([sets[row] for row in rows], m, sensitive)
        smallest = min(smallest, len(rows), found[0] if found else len(rows))
    return smallest >= k, smallest


def k_lm_diversity(keys, sets, k, l, m, *, sensitive=frozenset(), columns=()):
    safe, smallest = k_km_anonymity(keys, sets, k, m, sensitive)
    diverse = all(
        largest_share(*_part(sets, columns, rows, m, sensitive)) * l <= 1 for rows in equal_values(keys)
    )
    return safe and diverse, smallest


def _part(sets, columns, rows, m, sensitive):
    return [sets[row] for row in rows], m, sensitive, [[column[row] for row in rows] for column in columns]
