"""Bags of items as sets of items with their counts."""

from collections import Counter


def with_counts(bags, once):
    """Items that some bag repeats are told apart by how often they are held, except those held `once`."""
    counts = [Counter(bag) for bag in bags]
    repeated = {item for bag in counts for item, count in bag.items() if count > 1} - set(once)
    return [
        {f"{item}({count})" if item in repeated else item for item, count in bag.items()} for bag in counts
    ]
