"""Closed frequent generalized records and greedy covers by definition, and what a cover must be.

Trees are as in `clusterings`: parent[u] is the node above u, and a root is its own parent.
"""

from itertools import permutations, product

from tests.reference.clusterings import way_up


def support(parent, vector, rows):
    """The places of the rows that a vector of nodes stands for."""
    return frozenset(
        place
        for place, row in enumerate(rows)
        if all(node in way_up(parent, cell) for node, cell in zip(vector, row, strict=True))
    )


def closed_frequent(parent, columns, rows, k):
    """Every vector with at least k rows of which every narrower one stands for fewer, with its rows.

    columns[j] lists the nodes of column j.
    """
    found = {}
    for vector in product(*columns):
        supporting = support(parent, vector, rows)
        narrower = (
            (*vector[:j], child, *vector[j + 1 :])
            for j, nodes in enumerate(columns)
            for child in nodes
            if parent[child] == vector[j] and child != vector[j]
        )
        if len(supporting) >= k and all(support(parent, each, rows) < supporting for each in narrower):
            found[vector] = supporting
    return found


def gain(anew, k, frugal):
    """What it is worth to cover so many rows anew."""
    return min(anew, k) ** 2 if frugal else min(anew, 2 * k - 1)


def greedy_choice(supports, costs, covered, k, frugal):
    """The first support of the least ratio of its cost to its gain."""
    ratios = [
        (cost / gain(len(places - covered), k, frugal), number)
        for number, (places, cost) in enumerate(zip(supports, costs, strict=True))
        if places - covered
    ]
    return min(ratios)[1]


def is_part_to_take(part, places, covered, k, frugal):
    """Whether this part of a support is the one to take: in the paper's words, by Algorithm 4."""
    anew = places - covered
    if len(places) <= 2 * k - 1:
        return part == places
    if len(anew) >= 2 * k - 1:
        wanted = k if frugal and len(anew) >= 2 * k else 2 * k - 1
        return part <= anew and len(part) == wanted
    return anew <= part <= places and len(part) == max(k, len(anew))


def clusterings_of(cover, k):
    """Every clustering that Algorithm 2 may make of a cover, whatever it takes first."""
    start = frozenset(enumerate(map(frozenset, cover)))
    waiting, met, found = [start], {start}, set()
    while waiting:
        sets = waiting.pop()
        after = set(_next_of_algorithm_2(sets, k))
        if not after:
            found.add(frozenset(places for _, places in sets))
        waiting += after - met
        met |= after
    return found


def _next_of_algorithm_2(sets, k):
    """What one step may lead to: a place leaves a set of more than k, or two sets of k are united."""
    for (j, one), (l, other) in permutations(sets, 2):
        rest = sets - {(j, one), (l, other)}
        for place in one & other:
            if len(one) > k:
                yield rest | {(j, one - {place}), (l, other)}
            elif len(other) == k:
                yield rest | {(j, one | other)}
