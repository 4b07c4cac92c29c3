"""REFINE: neighbouring clusters are joined over the terms that stand in the term chunks of both.

The decision needs supports only, no records: a term that is in at least k records of two clusters always
finds a chunk of its own, if nothing else. The shared chunks are formed when all is decided.

A virtual term chunk is a list of numbers that ascend: the rank of a term in the upper half of each, its
support in the lower. So lists are compared, merged and intersected in one go.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Ints, SetArrays
from shoal.kernels.compile import kernel
from shoal.kernels.heap import sort_ascending
from shoal.kernels.verpart import SharedTerms, TermLists

SUPPORT_BITS = 32
_SUPPORT = 2**SUPPORT_BITS - 1
_OUT = -1
_MOVES_PER_KEY = 8


class Members(NamedTuple):
    """The simple clusters while they are joined.

    Cluster c has the entries of `held` as its term chunk, but those that are `out`; left[c] counts the
    others. Row c of `in_chunks` are the terms of its record chunks. `enough` tells whether it could do
    without a term chunk. next_member links the clusters of a joint one.
    """

    sizes: Ints
    held: TermLists
    in_chunks: SetArrays
    enough: Bools
    out: Bools
    left: Ints
    next_member: Ints


class JointNodes(NamedTuple):
    """All clusters, simple ones first, with room for the joint ones.

    Each is so many joints deep, holds the members from first_members[u] to last_members[u], and has the
    virtual term chunk lists[list_starts[u]:list_ends[u]], without sensitive terms. refused[u] is the node
    that u was last refused with: the same two need not be tried again.
    """

    sizes: Ints
    depths: Ints
    first_members: Ints
    last_members: Ints
    list_starts: Ints
    list_ends: Ints
    refused: Ints
    lists: Ints


class JointForest(NamedTuple):
    """The tree of clusters while it grows: joint cluster j joins the nodes children[j] over shared terms."""

    nodes: JointNodes
    members: Members
    shared: SharedTerms
    children: Ints


class RefineTerms(NamedTuple):
    """Terms by rank, and a number for each term that is in use by a pair, -1 otherwise."""

    term_of_rank: Ints
    number_of: Ints


class RefineRules(NamedTuple):
    """Terms may be shared by k records or more, and joint clusters be so many levels deep."""

    k: int
    deepest: int


class _Pair(NamedTuple):
    """What two neighbours could share: terms by falling support, and where these stand in term chunks.

    Term i occurs in the entries entries[starts[i]:starts[i + 1]] of the clusters `clusters`. `barred` are
    terms that stand in another chunk below, and afterwards all that are not taken out.
    """

    terms: Ints
    supports: Ints
    starts: Ints
    entries: Ints
    clusters: Ints
    barred: Bools


@kernel
def sort_lists(starts: Ints, lists: Ints) -> None:
    """Sort each lists[starts[c]:starts[c + 1]] in place. O(entries) where little is out of place."""
    for number in range(len(starts) - 1):
        keys = lists[starts[number] : starts[number + 1]]
        if not _sorted_by_few_moves(keys):
            sort_ascending(keys, len(keys))


@kernel(part=True)
def _sorted_by_few_moves(keys: Ints) -> bool:
    """Insert each key among those before it; give up, with the same keys, after a few moves per key."""
    moves_left = _MOVES_PER_KEY * len(keys)
    for index in range(1, len(keys)):
        key, place = keys[index], index
        while place > 0 and keys[place - 1] > key:
            keys[place] = keys[place - 1]
            place -= 1
        keys[place] = key
        moves_left -= index - place
        if moves_left < 0:
            return False
    return True


@kernel
def sort_nodes(nodes: JointNodes, order: Ints) -> Ints:
    """The given nodes by their virtual term chunks, compared term by term; equals stay as they are."""
    count = len(order)
    merged = np.empty(count, dtype=np.int64)
    width = 1
    while width < count:
        for first in range(0, count, 2 * width):
            middle, last = min(first + width, count), min(first + 2 * width, count)
            left, right = first, middle
            for index in range(first, last):
                if right == last or (left < middle and not _comes_before(nodes, order[right], order[left])):
                    merged[index] = order[left]
                    left += 1
                else:
                    merged[index] = order[right]
                    right += 1
        order, merged = merged, order
        width *= 2
    return order


@kernel
def insert_nodes(nodes: JointNodes, order: Ints, added: Ints) -> Ints:
    """Put sorted nodes among others that are sorted, behind their equals."""
    together = np.empty(len(order) + len(added), dtype=np.int64)
    done = 0
    for index in range(len(added)):
        low, high = done, len(order)
        while low < high:
            middle = (low + high) // 2
            if _comes_before(nodes, added[index], order[middle]):
                high = middle
            else:
                low = middle + 1
        for between in range(done, low):
            together[between + index] = order[between]
        together[low + index] = added[index]
        done = low
    for between in range(done, len(order)):
        together[between + len(added)] = order[between]
    return together


@kernel
def _comes_before(nodes: JointNodes, one: int, other: int) -> bool:
    first, second = nodes.list_starts[one], nodes.list_starts[other]
    length, other_length = nodes.list_ends[one] - first, nodes.list_ends[other] - second
    for offset in range(min(length, other_length)):
        difference = (nodes.lists[first + offset] >> SUPPORT_BITS) - (
            nodes.lists[second + offset] >> SUPPORT_BITS
        )
        if difference != 0:
            return difference < 0
    return length < other_length


@kernel
def join_neighbours(
    forest: JointForest, order: Ints, vocabulary: RefineTerms, rules: RefineRules, made: tuple[int, int]
) -> tuple[Ints, Ints]:
    """Go once through the nodes in order and join each with the next where that pays: who is left, who new.

    `made` tells how many joint clusters there are already, and where their lists end; the new ones are put
    behind them.
    """
    nodes, members = forest.nodes, forest.members
    joint_count, list_end = made
    simple_count = len(members.sizes)
    kept, kept_count = np.empty(len(order), dtype=np.int64), 0
    joint, end, index = joint_count, list_end, 0
    while index < len(order):
        one = order[index]
        if index + 1 < len(order):
            other = order[index + 1]
            if max(nodes.depths[one], nodes.depths[other]) < rules.deepest and nodes.refused[one] != other:
                pair = _shareable(forest, one, other, vocabulary, rules.k)
                if _accept(pair, nodes.sizes[one] + nodes.sizes[other], members):
                    _take_out(pair, joint, forest)
                    end = _join(forest, (one, other), joint, vocabulary, end)
                    forest.children[joint, 0], forest.children[joint, 1] = one, other
                    joint += 1
                    index += 2
                    continue
                nodes.refused[one] = other
        kept[kept_count] = one
        kept_count += 1
        index += 1
    return kept[:kept_count].copy(), np.arange(simple_count + joint_count, simple_count + joint)


@kernel(part=True)
def _shareable(forest: JointForest, one: int, other: int, vocabulary: RefineTerms, k: int) -> _Pair:
    """The terms in both virtual term chunks that k records or more hold."""
    nodes, (term_of_rank, number_of) = forest.nodes, vocabulary
    left, right = nodes.list_starts[one], nodes.list_starts[other]
    left_end, right_end = nodes.list_ends[one], nodes.list_ends[other]
    size, term_count = nodes.sizes[one] + nodes.sizes[other], len(term_of_rank)
    keys, count = np.empty(min(left_end - left, right_end - right), dtype=np.int64), int(np.int64(0))
    while left < left_end and right < right_end:
        rank, other_rank = nodes.lists[left] >> SUPPORT_BITS, nodes.lists[right] >> SUPPORT_BITS
        if rank == other_rank:
            support = (nodes.lists[left] & _SUPPORT) + (nodes.lists[right] & _SUPPORT)
            if support >= k:
                keys[count] = (size - support) * term_count + term_of_rank[rank]
                count += 1
        left += rank <= other_rank
        right += rank >= other_rank
    sort_ascending(keys, count)
    terms, supports = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    room = 0
    for number in range(count):
        terms[number] = keys[number] % term_count
        supports[number] = size - keys[number] // term_count
        room += supports[number]
        number_of[terms[number]] = number
    pair = _Pair(
        terms,
        supports,
        np.zeros(count + 2, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.zeros(count, dtype=np.bool_),
    )
    if count > 0:
        _find_entries(forest, one, other, number_of, pair)
    for number in range(count):
        number_of[terms[number]] = _OUT
    return pair


@kernel(part=True)
def _find_entries(forest: JointForest, one: int, other: int, number_of: Ints, pair: _Pair) -> None:
    """List where the terms stand in the term chunks of two nodes, and bar those in any other chunk."""
    nodes, members = forest.nodes, forest.members
    found, found_count = np.empty((len(pair.entries), 3), dtype=np.int64), 0
    for node in (one, other):
        cluster = nodes.first_members[node]
        while True:
            for index in range(members.in_chunks.starts[cluster], members.in_chunks.starts[cluster + 1]):
                if number_of[members.in_chunks.items[index]] != _OUT:
                    pair.barred[number_of[members.in_chunks.items[index]]] = True
            for entry in range(members.held.starts[cluster], members.held.starts[cluster + 1]):
                number = number_of[members.held.terms[entry]]
                if number == _OUT:
                    continue
                if members.out[entry]:  # it stands in a shared chunk
                    pair.barred[number] = True
                    continue
                found[found_count, 0], found[found_count, 1], found[found_count, 2] = entry, number, cluster
                found_count += 1
                pair.starts[number + 2] += 1
            if cluster == nodes.last_members[node]:
                break
            cluster = members.next_member[cluster]
    for number in range(len(pair.terms)):
        pair.starts[number + 2] += pair.starts[number + 1]
    for index in range(found_count):
        start = found[index, 1] + 1
        pair.entries[pair.starts[start]] = found[index, 0]
        pair.clusters[pair.starts[start]] = found[index, 2]
        pair.starts[start] += 1


@kernel(part=True)
def _accept(pair: _Pair, size: int, members: Members) -> bool:
    """Bar the terms that some simple cluster cannot spare, and say whether joining over the others pays.

    It does if the terms are at least as likely for a record of the joint cluster, by their supports, as they
    were for a record of the clusters with them, which told no more than that they occur. The counts of what
    is left in term chunks are changed only if it does.
    """
    total_support, chunk_places, chunk_records = 0, 0, 0
    for number in range(len(pair.terms)):
        for index in range(pair.starts[number], pair.starts[number + 1]):
            cluster = pair.clusters[index]
            if members.left[cluster] == 1 and not members.enough[cluster]:
                pair.barred[number] = True
        if not pair.barred[number]:
            total_support += pair.supports[number]
            chunk_places += pair.starts[number + 1] - pair.starts[number]
            for index in range(pair.starts[number], pair.starts[number + 1]):
                cluster = pair.clusters[index]
                members.left[cluster] -= 1
                if members.sizes[cluster] > 0:  # each cluster counts once
                    chunk_records += members.sizes[cluster]
                    members.sizes[cluster] = -members.sizes[cluster]
    pays = total_support > 0 and total_support * chunk_records >= chunk_places * size
    for number in range(len(pair.terms)):
        if not pair.barred[number]:
            for index in range(pair.starts[number], pair.starts[number + 1]):
                cluster = pair.clusters[index]
                members.sizes[cluster] = abs(members.sizes[cluster])
                members.left[cluster] += 0 if pays else 1
    return pays


@kernel(part=True)
def _take_out(pair: _Pair, joint: int, forest: JointForest) -> None:
    members, shared = forest.members, forest.shared
    term_place = shared.starts[joint]
    entry_place = shared.entry_starts[term_place]
    for number in range(len(pair.terms)):
        if not pair.barred[number]:
            shared.terms[term_place] = pair.terms[number]
            for index in range(pair.starts[number], pair.starts[number + 1]):
                members.out[pair.entries[index]] = True
                shared.entries[entry_place] = pair.entries[index]
                entry_place += 1
            term_place += 1
            shared.entry_starts[term_place] = entry_place
    shared.starts[joint + 1] = term_place


@kernel(part=True)
def _join(forest: JointForest, joined: tuple[int, int], joint: int, vocabulary: RefineTerms, end: int) -> int:
    """Make the node of a joint cluster, its list from `end` on; where that ends."""
    nodes, members, shared = forest.nodes, forest.members, forest.shared
    (one, other), (term_of_rank, number_of) = joined, vocabulary
    node = len(members.sizes) + joint
    nodes.sizes[node] = nodes.sizes[one] + nodes.sizes[other]
    nodes.depths[node] = max(nodes.depths[one], nodes.depths[other]) + 1
    members.next_member[nodes.last_members[one]] = nodes.first_members[other]
    nodes.first_members[node] = nodes.first_members[one]
    nodes.last_members[node] = nodes.last_members[other]
    for index in range(shared.starts[joint], shared.starts[joint + 1]):
        number_of[shared.terms[index]] = 0
    nodes.list_starts[node] = end
    left, right = nodes.list_starts[one], nodes.list_starts[other]
    left_end, right_end = nodes.list_ends[one], nodes.list_ends[other]
    while left < left_end or right < right_end:
        rank = nodes.lists[left] >> SUPPORT_BITS if left < left_end else len(term_of_rank)
        other_rank = nodes.lists[right] >> SUPPORT_BITS if right < right_end else len(term_of_rank)
        if number_of[term_of_rank[min(rank, other_rank)]] == _OUT:
            nodes.lists[end] = min(rank, other_rank) << SUPPORT_BITS
            if rank <= other_rank:
                nodes.lists[end] += nodes.lists[left] & _SUPPORT
            if other_rank <= rank:
                nodes.lists[end] += nodes.lists[right] & _SUPPORT
            end += 1
        left, right = left + (rank <= other_rank), right + (other_rank <= rank)
    nodes.list_ends[node] = end
    for index in range(shared.starts[joint], shared.starts[joint + 1]):
        number_of[shared.terms[index]] = _OUT
    return end


@kernel
def gather_lists(nodes: JointNodes, order: Ints) -> int:
    """Move the lists of the given nodes, and no others, to the front; where they end."""
    room = 0
    for node in order:
        room += nodes.list_ends[node] - nodes.list_starts[node]
    moved, end = np.empty(room, dtype=np.int64), 0
    for node in order:
        start = end
        for index in range(nodes.list_starts[node], nodes.list_ends[node]):
            moved[end] = nodes.lists[index]
            end += 1
        nodes.list_starts[node], nodes.list_ends[node] = start, end
    for index in range(end):
        nodes.lists[index] = moved[index]
    return end
