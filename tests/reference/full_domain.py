"""Every choice of one level per column, looked at one after the other.

A tree is a dict child -> parent; a row is a list of labels, None for a missing value. A published row is None
if it is suppressed.
"""

from itertools import product

from tests.reference.trees import ancestors_or_self, leaves_under


def height(parents, label):
    """Edges on the longest way down; above a root there is at least the missing value."""
    below = [height(parents, child) + 1 for child, parent in parents.items() if parent == label]
    return max(below, default=0)


def root_of(parents):
    return next(label for label in parents.values() if label not in parents)


def at_level(parents, value, level):
    """The highest label above a value whose subtree is at most so high."""
    root = root_of(parents)
    if value is None:
        return root if level >= height(parents, root) else None
    low = [label for label in ancestors_or_self(parents, value) if height(parents, label) <= level]
    return low[-1] if low else value  # a value that is the root itself stays it


def releases(trees, rows, failing, allowed):
    """All releases: per choice the rows at its levels, without those of failing classes, if these are few.

    failing(classes) gives the keys of classes that must not be published, from the rows of each class.
    """
    heights = [height(parents, root_of(parents)) for parents in trees]
    for levels in product(*(range(top + 1) for top in heights)):
        raised = [tuple(at_level(*of) for of in zip(trees, row, levels, strict=True)) for row in rows]
        kept = {key: [r for r, row in enumerate(raised) if row == key] for key in set(raised)}
        while dropped := failing(kept):
            kept = {key: members for key, members in kept.items() if key not in dropped}
        count = sum(map(len, kept.values()))
        if kept and len(rows) - count <= allowed:
            published = [None] * len(rows)
            for key, members in kept.items():
                for row in members:
                    published[row] = key
            yield published


def ncp(trees, weights, published):
    """The mean cost of a record; suppressed ones cost 1 in every column."""
    total = 0.0
    for row in published:
        for place, (parents, weight) in enumerate(zip(trees, weights, strict=True)):
            if row is None:
                total += weight
            elif row[place] is not None:
                leaves = len(leaves_under(parents, row[place]))
                everything = len(leaves_under(parents, root_of(parents)))
                total += weight * (leaves / everything if leaves > 1 else 0)
    return total / len(published)
