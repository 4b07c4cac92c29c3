"""REFINE: clusters joined over terms that are rare in each of them, but not in all of them together."""

from dataclasses import dataclass

import numpy as np

from shoal.algorithms.sets.disassociation.verpart import Chunked
from shoal.kernels.arrays import Bools, Ints, SetArrays, owners, starts_of
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


def refine(chunked: Chunked, sizes: Ints, is_sensitive: Bools, k: int, progress: Progress) -> Refined:
    """Join neighbouring clusters until a pass over all of them changes nothing.

    Clusters are neighbours if their virtual term chunks are, in the order of a dictionary whose letters are
    the terms: first those in most term chunks. That order of terms stays as it was before anything was
    joined; with a new one for each pass more clusters are joined, which costs four times as much and places
    frequent pairs worse.
    """
    count, vocabulary = len(sizes), _vocabulary(chunked, len(is_sensitive))
    forest = JointForest(
        _nodes(chunked, sizes, is_sensitive, vocabulary.term_of_rank),
        _members(chunked, sizes, len(is_sensitive)),
        _room_for_shared_terms(count, len(chunked.held.terms)),
        np.empty((count, 2), dtype=np.int64),
    )
    nodes, rules = forest.nodes, RefineRules(k, DEEPEST)
    order = sort_nodes(nodes, np.arange(count, dtype=np.int64))
    joint_count, passes, end = 0, 0, int(nodes.list_ends[count - 1])
    while not progress.expired():
        progress.update(passes, None, f"{len(order):,} clusters")
        if end + len(nodes.lists) // _ROOM > len(
            nodes.lists
        ):  # a pass may need as much as there was at first
            end = gather_lists(nodes, order)
        order, new = join_neighbours(forest, order, vocabulary, rules, (joint_count, end))
        passes += 1
        if len(new) == 0:
            break
        joint_count += len(new)
        end = int(nodes.list_ends[count + joint_count - 1])
        order = insert_nodes(nodes, order, sort_nodes(nodes, new))
    parents = _parents(count, forest.children[:joint_count])
    return Refined(parents, _filled(forest.shared, joint_count), forest.members.out, passes)


def _vocabulary(chunked: Chunked, term_count: int) -> RefineTerms:
    """All terms, those in most term chunks first."""
    by_rank = np.argsort(-np.bincount(chunked.held.terms, minlength=term_count), kind="stable")
    return RefineTerms(by_rank, np.full(term_count, -1, dtype=np.int64))


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


def _nodes(chunked: Chunked, sizes: Ints, is_sensitive: Bools, term_of_rank: Ints) -> JointNodes:
    held, count = chunked.held, len(sizes)
    ranks = np.empty(len(term_of_rank), dtype=np.int64)
    ranks[term_of_rank] = np.arange(len(term_of_rank))
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
