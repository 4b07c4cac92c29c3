"""Groups of rows, each published as the finest set that all its rows have in common, and merging them."""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Ints, SetArrays
from shoal.kernels.common_sets import (
    CostTree,
    TwoSets,
    add_to_left,
    common_set,
    loss_as,
    publish_as,
    published_set,
    room_for_two_sets,
)
from shoal.kernels.compile import kernel
from shoal.kernels.shares import ShareLimit, count_row, exceeds

_NONE = -1
_NEVER = 2**62


class RowGroups(NamedTuple):
    """Rows in groups; the rows of group g are first[g], next[first[g]], and so on to -1.

    `group[r]`, `size[g]` and `loss[g]`, the loss of all occurrences in the group, are kept up to date, and
    so is `node[p]`, what the occurrence sets.items[p] is published as. Groups may be empty. `two` is
    memory for one step.
    """

    sets: SetArrays
    tree: CostTree
    node: Ints
    group: Ints
    first: Ints
    next: Ints
    size: Ints
    loss: Ints
    two: TwoSets


def row_groups(sets: SetArrays, tree: CostTree, group: Ints) -> RowGroups:
    """The given groups, numbered from 0; no row is empty."""
    row_count, group_count = len(sets.starts) - 1, int(group.max(initial=_NONE)) + 1
    groups = RowGroups(
        sets=sets,
        tree=tree,
        node=np.empty(len(sets.items), dtype=np.int64),
        group=group.copy(),
        first=np.full(group_count, _NONE, dtype=np.int64),
        next=np.full(row_count, _NONE, dtype=np.int64),
        size=np.zeros(group_count, dtype=np.int64),
        loss=np.zeros(group_count, dtype=np.int64),
        two=room_for_two_sets(sets),
    )
    _fill(groups)
    return groups


@kernel
def _fill(groups: RowGroups) -> None:
    for row in range(len(groups.group) - 1, -1, -1):
        _link(groups, row, groups.group[row])
    for number in range(len(groups.first)):
        if groups.size[number] > 0:
            _publish(groups, number)


@kernel
def merge_until_diverse(groups: RowGroups, limit: ShareLimit, start: int, end: int) -> int:
    """Merge each group start..end-1 in which a sensitive item has too large a share; returns how many were.

    A group is merged with the group that makes it safe at least added loss, or if none does, with the one of
    least added loss, and so on. All rows together must be safe.
    """
    merged = 0
    for number in range(start, end):
        while groups.size[number] > 0 and _unsafe(groups, limit, number, _NONE):
            other = _best_partner(groups, limit, number)
            _move_all(groups, other, number)
            merged += 1
    return merged


@kernel
def merge_all(groups: RowGroups) -> None:
    """Make one group of all rows."""
    for number in range(1, len(groups.first)):
        groups.first[number] = _NONE
        groups.size[number] = 0
        groups.loss[number] = 0
    groups.first[0] = _NONE
    groups.size[0] = 0
    for row in range(len(groups.group)):
        _link(groups, row, 0)
    _publish(groups, 0)


@kernel
def _best_partner(groups: RowGroups, limit: ShareLimit, number: int) -> int:
    best, least, nearest, least_of_all = _NONE, _NEVER, _NONE, _NEVER
    for other in range(len(groups.first)):
        if other == number or groups.size[other] == 0:
            continue
        added = _added_by_merging(groups, number, other, least)
        if added < least and not _unsafe(groups, limit, number, other):
            best, least = other, added
        if added < least_of_all:
            nearest, least_of_all = other, added
    return best if best != _NONE else nearest


@kernel
def _unsafe(groups: RowGroups, limit: ShareLimit, number: int, other: int) -> bool:
    """Whether a sensitive item has too large a share of one group, or of two together."""
    rows, distinct = 0, 0
    for group in (number, other):
        row = groups.first[group] if group != _NONE else _NONE
        while row != _NONE:
            distinct = count_row(limit, row, distinct)
            rows += 1
            row = groups.next[row]
    return exceeds(limit, rows, distinct)


@kernel
def _added_by_merging(groups: RowGroups, number: int, other: int, bound: int) -> int:
    """The loss that uniting two groups adds; where it is no less than the bound only that is certain."""
    count = published_set(groups.sets, groups.first[number], groups.node, groups.two.left)
    other_count = published_set(groups.sets, groups.first[other], groups.node, groups.two.right)
    common_set(groups.tree, groups.two, count, other_count)
    added = _group_loss(groups, number, groups.two.common) - groups.loss[number]
    if added < bound:
        added += _group_loss(groups, other, groups.two.common) - groups.loss[other]
    return added


@kernel
def _move_all(groups: RowGroups, old: int, new: int) -> None:
    row = groups.first[old]
    while row != _NONE:
        following = groups.next[row]
        _link(groups, row, new)
        row = following
    groups.first[old] = _NONE
    groups.size[old] = 0
    groups.loss[old] = 0
    _publish(groups, new)


@kernel
def _publish(groups: RowGroups, number: int) -> None:
    """Publish the rows of a group as the finest set that they have in common."""
    _common_set_of(groups, number)
    row = groups.first[number]
    while row != _NONE:
        publish_as(groups.tree, groups.sets, row, groups.two.left, groups.node)
        row = groups.next[row]
    groups.loss[number] = _group_loss(groups, number, groups.two.left)


@kernel
def _common_set_of(groups: RowGroups, number: int) -> None:
    """Put the finest common set of a group's rows into `two.left`."""
    count, row = 0, groups.first[number]
    while row != _NONE:
        start, own = groups.sets.starts[row], groups.sets.starts[row + 1] - groups.sets.starts[row]
        for place in range(own):
            groups.two.right[place] = groups.sets.items[start + place]
        count = add_to_left(groups.tree, groups.two, count, own)
        row = groups.next[row]


@kernel
def _group_loss(groups: RowGroups, number: int, nodes: Ints) -> int:
    """What the rows of a group cost together when they are published as the given set."""
    loss, row = 0, groups.first[number]
    while row != _NONE:
        loss += loss_as(groups.tree, groups.sets, row, nodes)
        row = groups.next[row]
    return loss


@kernel
def _link(groups: RowGroups, row: int, number: int) -> None:
    groups.group[row] = number
    groups.next[row] = groups.first[number]
    groups.first[number] = row
    groups.size[number] += 1
