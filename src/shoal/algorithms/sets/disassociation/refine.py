"""REFINE: clusters joined over terms that are rare in each of them, but not in all of them together."""

import math
from dataclasses import dataclass

import numpy as np

from shoal.algorithms.sets.disassociation.verpart import Chunked
from shoal.kernels.arrays import Bools, Ints, Items, SetArrays, owners, starts_of
from shoal.kernels.distinct import distinct_in_groups
from shoal.kernels.refine import (
    SUPPORT_BITS,
    JointForest,
    JointNodes,
    Members,
    RefineRules,
    RefineTerms,
    gather_lists,
    insert_nodes,
    join_neighbours,
    sort_lists,
    sort_nodes,
)
from shoal.kernels.verpart import SharedTerms
from shoal.progress import Progress

# Readers of JSON take a few hundred levels at most; joints of joints of so many clusters gain little.
DEEPEST = 40
_ROOM = 4  # times what the lists of all clusters take

# Terms are ranked anew after a pass that left at most so many clusters for each one that it made. The paper
# ranks after every pass. "early" keeps most of what that brings: of 70 passes the last 50 join little.
RENEWED, EARLY, ONCE = "renewed", "early", "once"
TERM_ORDERS = {RENEWED: math.inf, EARLY: 100, ONCE: 0}


@dataclass(frozen=True, slots=True, eq=False)
class Refined:
    """The tree of clusters: simple ones first, then the joint ones, and what these share.

    parents[u] is the joint cluster above node u, or -1. Entries of the term chunks that are `out` stand in
    shared chunks instead.
    """

    parents: Ints
    shared: SharedTerms
    out: Bools
    passes: int


def not_refined(chunked: Chunked) -> Refined:
    """All clusters as they are."""
    count, no_children = len(chunked.enough), np.zeros((0, 2), dtype=np.int64)
    return Refined(
        _parents(count, no_children),
        _filled(_room_for_shared_terms(0, 0), 0),
        np.zeros(len(chunked.held.terms), dtype=np.bool_),
        0,
    )


def refine(
    chunked: Chunked, sizes: Ints, is_sensitive: Bools, k: int, progress: Progress, *, term_order: str
) -> Refined:
    """Join neighbouring clusters until a pass over all of them changes nothing.

    Clusters are neighbours if their virtual term chunks are, in the order of a dictionary whose letters are
    the terms: first those in most term chunks, by a count that is renewed after passes as TERM_ORDERS says.
    """
    count, vocabulary = len(sizes), _vocabulary(chunked.held.terms, len(is_sensitive))
    forest = JointForest(
        _nodes(chunked, sizes, is_sensitive, _ranks(vocabulary)),
        _members(chunked, sizes, len(is_sensitive)),
        _room_for_shared_terms(count, len(chunked.held.terms)),
        np.empty((count, 2), dtype=np.int64),
    )
    nodes, rules = forest.nodes, RefineRules(k, DEEPEST)
    order = sort_nodes(nodes, np.arange(count, dtype=np.int64))
    joint_count, passes, end = 0, 0, int(nodes.list_ends[count - 1])
    while not progress.expired():
        progress.update(passes, None, f"{len(order):,} clusters")
        # A pass may need as much room as there was at first.
        if end + len(nodes.lists) // _ROOM > len(nodes.lists):
            end = gather_lists(nodes, order)
        order, new = join_neighbours(forest, order, vocabulary, rules, (joint_count, end))
        passes += 1
        if len(new) == 0:
            break
        joint_count += len(new)
        if len(new) * TERM_ORDERS[term_order] >= len(order) + len(new):
            order = np.concatenate((order, new))
            end = gather_lists(nodes, order)
            vocabulary = _renewed(nodes, order, vocabulary, end)
            order = sort_nodes(nodes, order)
        else:
            end = int(nodes.list_ends[count + joint_count - 1])
            order = insert_nodes(nodes, order, sort_nodes(nodes, new))
    parents = _parents(count, forest.children[:joint_count])
    return Refined(parents, _filled(forest.shared, joint_count), forest.members.out, passes)


def _vocabulary(listed: Ints | Items, term_count: int) -> RefineTerms:
    """All terms, those that are listed most often first."""
    by_rank = np.argsort(-np.bincount(listed, minlength=term_count), kind="stable")
    return RefineTerms(by_rank, np.full(term_count, -1, dtype=np.int64))


def _renewed(nodes: JointNodes, order: Ints, before: RefineTerms, end: int) -> RefineTerms:
    """Rank the terms by the virtual term chunks of now, which fill the front, and rewrite these."""
    chunks = nodes.lists[:end]
    terms = before.term_of_rank[chunks >> SUPPORT_BITS]
    vocabulary = _vocabulary(terms, len(before.term_of_rank))
    chunks += (_ranks(vocabulary)[terms] - (chunks >> SUPPORT_BITS)) << SUPPORT_BITS
    sort_lists(np.append(nodes.list_starts[order], end), chunks)
    return vocabulary


def _ranks(vocabulary: RefineTerms) -> Ints:
    ranks = np.empty_like(vocabulary.term_of_rank)
    ranks[vocabulary.term_of_rank] = np.arange(len(ranks))
    return ranks


def _members(chunked: Chunked, sizes: Ints, term_count: int) -> Members:
    held = chunked.held
    return Members(
        sizes.copy(),
        held,
        _terms_in_chunks(chunked, term_count),
        chunked.enough,
        np.zeros(len(held.terms), dtype=np.bool_),
        np.diff(held.starts),
        np.full(len(sizes), -1, dtype=np.int64),
    )


def _nodes(chunked: Chunked, sizes: Ints, is_sensitive: Bools, ranks: Ints) -> JointNodes:
    held, count = chunked.held, len(sizes)
    plain = ~is_sensitive[held.terms]
    starts = starts_of(np.bincount(owners(held.starts)[plain], minlength=count))
    lists = np.empty(_ROOM * starts[-1], dtype=np.int64)
    lists[: starts[-1]] = (ranks[held.terms[plain]] << SUPPORT_BITS) + np.diff(held.row_starts)[plain]
    sort_lists(starts, lists)
    numbers, none = np.arange(count), np.zeros(count, dtype=np.int64)

    def with_room(column: Ints) -> Ints:
        return np.concatenate((column, none))

    return JointNodes(
        sizes=with_room(sizes),
        depths=with_room(none),
        first_members=with_room(numbers),
        last_members=with_room(numbers),
        list_starts=with_room(starts[:-1]),
        list_ends=with_room(starts[1:]),
        refused=with_room(none - 1),
        lists=lists,
    )


def _room_for_shared_terms(cluster_count: int, entry_count: int) -> SharedTerms:
    return SharedTerms(
        np.zeros(cluster_count + 1, dtype=np.int64),
        np.empty(entry_count, dtype=np.int64),
        np.zeros(entry_count + 1, dtype=np.int64),
        np.empty(entry_count, dtype=np.int64),
    )


def _filled(shared: SharedTerms, joint_count: int) -> SharedTerms:
    terms = shared.starts[joint_count]
    return SharedTerms(
        shared.starts[: joint_count + 1],
        shared.terms[:terms],
        shared.entry_starts[: terms + 1],
        shared.entries[: shared.entry_starts[terms]],
    )


def _terms_in_chunks(chunked: Chunked, term_count: int) -> SetArrays:
    """The terms of the record chunks of each cluster."""
    chunks = chunked.chunks
    first_chunks, first_subrecords, first_items = (
        starts_of(counts) for counts in (chunks.chunk_counts, chunks.subrecord_counts, chunks.item_counts)
    )
    return distinct_in_groups(first_items[first_subrecords[first_chunks]], chunks.items, term_count)


def _parents(simple_count: int, children: Ints) -> Ints:
    parents = np.full(simple_count + len(children), -1, dtype=np.int64)
    parents[children] = simple_count + np.arange(len(children))[:, np.newaxis]
    return parents
