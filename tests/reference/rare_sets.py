"""Sets of numbers, by trying all of them."""

from itertools import combinations


def broken_sets(rows, weight, k, *, weights, fresh, anchors, nested=frozenset(), lighter=False, breaks=None):
    """Sets of the given total weight, or of at most it, that fewer than k rows hold, in lexicographic order.

    `nested` are pairs of numbers, the first above the second, that may not stand together. `breaks`, if
    given, judges the rows that hold a set in place of k.
    """
    numbers = sorted(set().union(*rows)) if rows else []
    found = []
    for size in range(1, weight + 1):
        for numbers_of_set in combinations(numbers, size):
            total = sum(weights[number] for number in numbers_of_set)
            holding = [row for row, items in enumerate(rows) if set(numbers_of_set) <= items]
            if (
                (total == weight or (lighter and total < weight))
                and holding
                and (breaks(holding) if breaks else len(holding) < k)
                and any(fresh[number] for number in numbers_of_set)
                and numbers_of_set[0] < anchors
                and not any(pair in nested for pair in combinations(numbers_of_set, 2))
            ):
                found.append((numbers_of_set, len(holding)))
    return sorted(found)


def recoded(rows, number_of_item):
    return [sorted({number_of_item[item] for item in items} - {-1}) for items in rows]


def rows_holding(rows, present, absent):
    """Rows with a leaf of every present interval and none of an absent one."""
    return [
        row
        for row, items in enumerate(rows)
        if all(any(first <= item <= last for item in items) for first, last in present)
        and not any(first <= item <= last for first, last in absent for item in items)
    ]
