"""Anonymizing parts of transactions or of their items, with plain sets and fractions.

Trees, transactions and cuts are those of `km`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import comb

from tests.reference import km


def gray_rank(items, item_count):
    """The place of a set in the Gray code: item 0 is the first and most significant bit."""
    rank, bit = 0, 0
    for item in range(item_count):
        bit ^= item in items
        rank = 2 * rank + bit
    return rank


def gray_order(sets, item_count):
    return sorted(range(len(sets)), key=lambda row: (gray_rank(sets[row], item_count), row))


def balanced_borders(weights, parts):
    """For each share of the whole the place whose weight before it comes nearest, the lighter if two do.

    Of places with the same weight before them, the one nearest to those on the other side of the share.
    """
    parts = min(parts, len(weights))
    before = [sum(weights[:place]) for place in range(len(weights) + 1)]
    nearest = set()
    for part in range(1, parts):
        share = Fraction(before[-1] * part, parts)
        lighter = [place for place, weight in enumerate(before) if weight < share]
        heavier = [place for place, weight in enumerate(before) if weight >= share]
        ends = [*lighter[-1:], heavier[0]]
        nearest.add(min(ends, key=lambda place, share=share: abs(before[place] - share)))
    return sorted(nearest - {0, len(weights)})


def moved_border(sets, border, flexibility):
    """The place near a border of ordered sets where neighbours differ most."""
    near = [place for place in range(1, len(sets)) if abs(place - border) <= flexibility]
    return min(near, key=lambda place: (-len(sets[place - 1] ^ sets[place]), abs(place - border), place))


def united(parts, can_stand_alone):
    """Unite the first part that cannot stand alone with the next, or the last with the one before."""
    parts = [list(part) for part in parts]
    while len(parts) > 1:
        weak = next((place for place, part in enumerate(parts) if not can_stand_alone(part)), None)
        if weak is None:
            break
        other = weak + 1 if weak + 1 < len(parts) else weak - 1
        first = min(weak, other)
        parts[first : first + 2] = [parts[first] + parts[first + 1]]
    return parts


def parts_of_rows(transactions, item_count, can_stand_alone, *, m, parts, flexibility):
    """The rows of each part of LRA."""
    order = gray_order(transactions, item_count)
    sets = [transactions[row] for row in order]
    borders = {
        moved_border(sets, border, flexibility)
        for border in balanced_borders([comb(len(each), m) for each in sets], parts)
    }
    places = [0, *sorted(borders), len(order)]
    divided = [order[start:end] for start, end in pairwise(places)]
    return united(divided, can_stand_alone)


def subtrees_of_level(above, leaves, level):
    """The highest nodes with at most so many levels below them, by their first leaf."""
    height = {}
    for leaf in leaves:
        for levels, node in enumerate(km.path(above, leaf)):
            height[node] = max(height.get(node, 0), levels)
    tops = {node for node in height if height[node] <= level}
    tops = {node for node in tops if above[node] == node or above[node] not in tops}
    below = km.leaves_below(above, leaves)
    return sorted(tops, key=lambda node: min(below[node]))


def mended(above, leaves, transactions, cut, itemset, *, k, inside):
    """The cheapest way of km.mended to nodes that cover inner leaves only; None if there is none."""
    below = km.leaves_below(above, leaves)
    ways = []
    for moved, image in km.replacements(above, leaves, cut, itemset):
        support = sum(set(image) <= each for each in km.published(transactions, moved))
        if support >= k and all(below[node] <= inside for node in image):
            loss = km.ncp(above, leaves, transactions, moved)
            ways.append(((loss, sum(len(below[node]) for node in image), image), moved))
    return min(ways, key=lambda way: way[0])[1] if ways else None


def generalized(above, leaves, transactions, cut, *, k, m, inside):
    """AA from a given cut, moving it up only to nodes whose leaves are all inside; the rest is left."""
    left = set()
    for size in range(1, m + 1):
        while True:
            counts = km.supports(km.published(transactions, cut), size)
            rare = sorted(itemset for itemset, count in counts.items() if count < k and itemset not in left)
            if not rare:
                break
            for itemset in rare:
                if set(itemset) <= set(cut.values()):
                    way = mended(above, leaves, transactions, cut, itemset, k=k, inside=inside)
                    cut = cut if way is None else way
                    left |= {itemset} if way is None else set()
    return cut


def vertical(above, leaves, transactions, *, k, m, level, parts, way_up=generalized):
    """The cut of VPA before it is made minimal; `way_up` is the AA that it uses."""
    subtrees = subtrees_of_level(above, leaves, level)
    below = km.leaves_below(above, leaves)
    weights = [sum(len(each & below[node]) for each in transactions) for node in subtrees]
    places = [0, *balanced_borders(weights, parts), len(subtrees)]
    cut = {leaf: leaf for leaf in leaves}
    for start, end in pairwise(places):
        inside = set().union(*(below[node] for node in subtrees[start:end]))
        projected = [each & inside for each in transactions]
        alone = way_up(above, leaves, projected, {leaf: leaf for leaf in leaves}, k=k, m=m, inside=inside)
        cut |= {leaf: alone[leaf] for leaf in inside}
    return way_up(above, leaves, transactions, cut, k=k, m=m, inside=set(leaves))


def may_leave(transactions, cut, k):
    """The transactions of one item that can be published apart, node by node of the cut."""
    images = km.published(transactions, cut)
    leaving = set()
    for node in set().union(*images):
        alone = {row for row, items in enumerate(transactions) if len(items) == 1 and images[row] == {node}}
        others = [row for row, image in enumerate(images) if node in image and row not in alone]
        if len(alone) >= k and (not others or len(others) >= k):
            leaving |= alone
    return leaving
