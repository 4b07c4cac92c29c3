"""Published sets that fit the known items of an original one.

Sets of kinds of items are followed depth-first, as far as they occur in the attacked records. The candidates
of a set's first kind are laid out as bits, one word for 64 of them, so that every longer set costs a few
words however coarse the published labels are.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.arrays import Bools, Floats, Ints, Items, SetArrays
from shoal.kernels.compile import kernel
from shoal.kernels.growable import with_room
from shoal.kernels.itemset_supports import GroupedRows

Words = NDArray[np.uint64]


class SetLinks(NamedTuple):
    """Published sets of labels, and what can be known of the sets of original records.

    Items that the same labels stand for cannot be told apart, so they are one kind: an item of kind t is
    published as one of the labels kinds[t]. An original record holds the kinds of `known`, ascending; at
    place p of them copies[p] items of that kind. `row_of_label` and `row_of_kind` tell the row around each
    place of `published` and `known`.
    """

    published: SetArrays
    row_of_label: Ints
    kinds: SetArrays
    known: SetArrays
    row_of_kind: Ints
    copies: Ints
    label_count: int


class LinkTally(NamedTuple):
    """By number of known items and record: the `fewest` candidates, and sums over all such sets of items.

    `found` counts the sets that fit a candidate at all, `below` those that fit fewer than k, and `success`
    adds up the chances of a right guess, 1 / candidates.
    """

    fewest: Ints
    found: Floats
    below: Floats
    success: Floats


class _Scratch(NamedTuple):
    """Slots of labels and kinds, all -1 between two uses, and rows, all unmarked between two uses."""

    pool_label: Ints
    near_label: Ints
    group_kind: Ints
    later_kind: Ints
    marked: Bools


class _Listed(NamedTuple):
    """The distinct items of some rows; item distinct[s] stands at places[starts[s]:starts[s + 1]]."""

    distinct: Ints
    starts: Ints
    places: Ints


class _Attack(NamedTuple):
    """All that stays the same during an attack."""

    links: SetLinks
    tally: LinkTally
    scratch: _Scratch
    most: int
    k: int


class _Search(NamedTuple):
    """The sets that begin with one kind: level d holds what is known of a set of d kinds.

    Its records are the entries first[d]..last[d] - 1: the set's last kind stands at places[d, e], and
    ways[d, e, j] is the number of ways to choose j items of its kinds, one of each at least. Branch b adds
    the later kind in slot branch_kinds[d, b] and has the entries from branch_starts[d, b] on; branches from
    cursor[d] to stop[d] are to be followed. so_far[d] are the candidates of the set, bits[s] those of the
    later kind in slot s. `supports` is all -1 between two uses.
    """

    first: Ints
    last: Ints
    places: Ints
    ways: Floats
    branch_kinds: Ints
    branch_starts: Ints
    cursor: Ints
    stop: Ints
    so_far: Words
    bits: Words
    supports: Ints


@kernel
def knowing_items(links: SetLinks, attacked: GroupedRows, pools: GroupedRows, most: int, k: int) -> LinkTally:
    """Attack the records of each group with every set of 1..most of their items, among the rows of its pool.

    Exact, and fast when kinds with few candidates have small numbers. Reads only. The work is the number of
    sets of kinds times the candidates of their first kind / 64, and the occurrences of the sets.
    """
    attack = _Attack(links, _empty_tally(most, len(links.known.starts) - 1), _new_scratch(links), most, k)
    scratch = attack.scratch
    for group in range(len(attacked.starts) - 1):
        rows = attacked.rows[attacked.starts[group] : attacked.starts[group + 1]]
        pool = pools.rows[pools.starts[group] : pools.starts[group + 1]]
        for row in rows:
            for size in range(most + 1):
                attack.tally.fewest[size, row] = len(pool)
        labels = _listed(links.published, pool, scratch.pool_label)
        kinds = _listed(links.known, rows, scratch.group_kind)
        for slot in range(len(kinds.distinct)):
            candidates = _candidates(links, kinds.distinct[slot], scratch, labels)
            if len(candidates) > 0:
                entries = kinds.places[kinds.starts[slot] : kinds.starts[slot + 1]]
                _follow(attack, entries, candidates)
        _forget(scratch.pool_label, labels.distinct)
        _forget(scratch.group_kind, kinds.distinct)
    return attack.tally


@kernel
def knowing_sets(links: SetLinks, weights: Ints, rows: Ints) -> Ints:
    """How many published rows fit each of the given records for somebody who knows its whole set.

    Published set p stands for weights[p] rows. It fits when each known kind has a label in it and each of its
    labels stands for something known. Reads only.
    """
    everything = np.arange(len(links.published.starts) - 1)
    scratch = _new_scratch(links)
    labels = _listed(links.published, everything, scratch.pool_label)
    meant = np.full(links.label_count, -1, dtype=np.int64)
    counts = np.zeros(len(rows), dtype=np.int64)
    for r in range(len(rows)):
        known = links.known.items[links.known.starts[rows[r]] : links.known.starts[rows[r] + 1]]
        for kind in known:
            for label in _labels_of(links, kind):
                meant[label] = 1
        # Whose set is known to be empty may be any empty row.
        candidates = everything if len(known) == 0 else _candidates(links, known[0], scratch, labels)
        for row in candidates:
            if _is_image(links, row, known, meant, scratch.near_label):
                counts[r] += weights[row]
        for kind in known:
            _forget(meant, _labels_of(links, kind))
    return counts


@kernel(part=True)
def _empty_tally(most: int, count: int) -> LinkTally:
    return LinkTally(
        np.zeros((most + 1, count), dtype=np.int64),
        np.zeros((most + 1, count), dtype=np.float64),
        np.zeros((most + 1, count), dtype=np.float64),
        np.zeros((most + 1, count), dtype=np.float64),
    )


@kernel
def _new_scratch(links: SetLinks) -> _Scratch:
    return _Scratch(
        np.full(links.label_count, -1, dtype=np.int64),
        np.full(links.label_count, -1, dtype=np.int64),
        np.full(len(links.kinds.starts), -1, dtype=np.int64),
        np.full(len(links.kinds.starts), -1, dtype=np.int64),
        np.zeros(len(links.published.starts), dtype=np.bool_),
    )


@kernel
def _labels_of(links: SetLinks, kind: int) -> Items:
    return links.kinds.items[links.kinds.starts[kind] : links.kinds.starts[kind + 1]]


@kernel
def _labels_in(links: SetLinks, row: int) -> Items:
    return links.published.items[links.published.starts[row] : links.published.starts[row + 1]]


@kernel(part=True)
def _is_image(links: SetLinks, row: int, known: Items, meant: Ints, held: Ints) -> bool:
    labels = _labels_in(links, row)
    for label in labels:
        if meant[label] < 0:
            return False
    for label in labels:
        held[label] = 1
    shown = 0
    for kind in known:
        for label in _labels_of(links, kind):
            if held[label] == 1:
                shown += 1
                break
    _forget(held, labels)
    return shown == len(known)


@kernel
def _listed(sets: SetArrays, rows: Ints, slot_of: Ints) -> _Listed:
    """Where the items of some rows stand; leaves the slot of each in `slot_of`."""
    distinct = np.empty(64, dtype=np.int64)
    used = 0
    total = 0
    for row in rows:
        for item in sets.items[sets.starts[row] : sets.starts[row + 1]]:
            if slot_of[item] < 0:
                distinct = with_room(distinct, used, used + 1)
                distinct[used] = item
                slot_of[item] = used
                used += 1
            total += 1
    starts = np.zeros(used + 2, dtype=np.int64)
    for row in rows:
        for item in sets.items[sets.starts[row] : sets.starts[row + 1]]:
            starts[slot_of[item] + 2] += 1
    for slot in range(2, used + 2):
        starts[slot] += starts[slot - 1]
    places = np.empty(total, dtype=np.int64)
    for row in rows:
        for index in range(sets.starts[row], sets.starts[row + 1]):
            after = slot_of[sets.items[index]] + 1
            places[starts[after]] = index
            starts[after] += 1
    return _Listed(distinct[:used], starts[: used + 1], places)


@kernel
def _forget(slot_of: Ints, items: Ints | Items) -> None:
    for item in items:
        slot_of[item] = -1


@kernel
def _candidates(links: SetLinks, kind: int, scratch: _Scratch, labels: _Listed) -> Ints:
    """The rows of the pool that hold a label of the kind."""
    found = np.empty(64, dtype=np.int64)
    count = 0
    for label in _labels_of(links, kind):
        slot = scratch.pool_label[label]
        if slot >= 0:
            first, last = labels.starts[slot], labels.starts[slot + 1]
            found = with_room(found, count, count + last - first)
            for index in labels.places[first:last]:
                row = links.row_of_label[index]
                if not scratch.marked[row]:
                    scratch.marked[row] = True
                    found[count] = row
                    count += 1
    for row in found[:count]:
        scratch.marked[row] = False
    return found[:count]


@kernel(part=True)
def _follow(attack: _Attack, entries: Ints, candidates: Ints) -> None:
    """Attack with all sets of kinds whose first one stands at the entries and has these candidates."""
    links = attack.links
    nothing_chosen = np.zeros(attack.most + 1, dtype=np.float64)
    nothing_chosen[0] = 1.0
    ways = np.zeros((len(entries), attack.most + 1), dtype=np.float64)
    reach = 0
    for e in range(len(entries)):
        index = entries[e]
        row = links.row_of_kind[index]
        _choose(nothing_chosen, links.copies[index], ways[e])
        _note(attack, row, ways[e], len(candidates))
        reach += links.known.starts[row + 1] - index - 1
    if attack.most == 1 or reach == 0:
        return
    later = _later_kinds(links, entries, attack.scratch.later_kind)
    search = _begin(attack, entries, ways, later, candidates)
    level = 1
    _extend(attack, search, level)
    while level > 0:
        branch = search.cursor[level]
        if branch == search.stop[level]:
            level -= 1
            continue
        search.cursor[level] += 1
        if _narrow(search, level, search.branch_kinds[level, branch]):
            level += 1
            search.first[level] = search.branch_starts[level - 1, branch]
            search.last[level] = search.branch_starts[level - 1, branch + 1]
            _extend(attack, search, level)
    _forget(attack.scratch.later_kind, later)


@kernel(part=True)
def _later_kinds(links: SetLinks, entries: Ints, slot_of: Ints) -> Ints:
    """The kinds that stand behind the entries; leaves the slot of each in `slot_of`."""
    later = np.empty(64, dtype=np.int64)
    count = 0
    for index in entries:
        for kind in links.known.items[index + 1 : links.known.starts[links.row_of_kind[index] + 1]]:
            if slot_of[kind] < 0:
                later = with_room(later, count, count + 1)
                later[count] = kind
                slot_of[kind] = count
                count += 1
    return later[:count]


@kernel(part=True)
def _begin(attack: _Attack, entries: Ints, ways: Floats, later: Ints, candidates: Ints) -> _Search:
    links, most = attack.links, attack.most
    bits = _bits(links, attack.scratch.near_label, later, candidates)
    room = len(entries)  # no level below has more entries than kinds stand behind those of the first
    for index in entries:
        room += links.known.starts[links.row_of_kind[index] + 1] - index - 1
    search = _Search(
        np.zeros(most + 1, dtype=np.int64),
        np.full(most + 1, len(entries), dtype=np.int64),
        np.empty((most, room), dtype=np.int64),
        np.empty((most, room, most + 1), dtype=np.float64),
        np.empty((most, len(later)), dtype=np.int64),
        np.empty((most, len(later) + 1), dtype=np.int64),
        np.zeros(most + 1, dtype=np.int64),
        np.zeros(most + 1, dtype=np.int64),
        np.empty((most, bits.shape[1]), dtype=np.uint64),
        bits,
        np.full(len(later), -1, dtype=np.int64),
    )
    for e in range(len(entries)):
        search.places[1, e] = entries[e]
        for size in range(most + 1):
            search.ways[1, e, size] = ways[e, size]
    for word in range(bits.shape[1]):
        search.so_far[1, word] = ~np.uint64(0)
    return search


@kernel(part=True)
def _bits(links: SetLinks, slot_of: Ints, later: Ints, candidates: Ints) -> Words:
    """For each later kind the candidates that hold one of its labels."""
    words = (len(candidates) + 63) // 64
    labels = _listed(links.published, candidates, slot_of)
    of_label = np.zeros((len(labels.distinct), words), dtype=np.uint64)
    for c in range(len(candidates)):
        bit = np.uint64(1) << np.uint64(c & 63)
        for label in _labels_in(links, candidates[c]):
            of_label[slot_of[label], c >> 6] |= bit
    bits = np.zeros((len(later), words), dtype=np.uint64)
    for slot in range(len(later)):
        for label in _labels_of(links, later[slot]):
            if slot_of[label] >= 0:
                for word in range(words):
                    bits[slot, word] |= of_label[slot_of[label], word]
    _forget(slot_of, labels.distinct)
    return bits


@kernel(part=True)
def _narrow(search: _Search, level: int, slot: int) -> bool:
    """Find the candidates of a longer set; whether there are any."""
    some = np.uint64(0)
    for word in range(search.bits.shape[1]):
        both = search.so_far[level, word] & search.bits[slot, word]
        search.so_far[level + 1, word] = both
        some |= both
    return some != 0


@kernel
def _extend(attack: _Attack, search: _Search, level: int) -> None:
    """Attack with every set that is one kind longer than that of this level, and list these as branches.

    The largest sets are not followed further, so they are not listed.
    """
    links, supports = attack.links, search.supports
    slots = search.branch_kinds[level]
    used = 0
    for e in range(search.first[level], search.last[level]):
        index = search.places[level, e]
        row = links.row_of_kind[index]
        for later in range(index + 1, links.known.starts[row + 1]):
            slot = attack.scratch.later_kind[links.known.items[later]]
            if supports[slot] < 0:
                supports[slot] = _common(search.so_far[level], search.bits[slot])
                slots[used] = slot
                used += 1
            if level + 1 == attack.most and supports[slot] > 0:
                ways = search.ways[level, e, level] * links.copies[later]
                _note_ways(attack, row, attack.most, ways, supports[slot])
    search.cursor[level] = 0
    search.stop[level] = 0
    if level + 1 < attack.most:
        search.stop[level] = used
        _branch(attack, search, level)
    for branch in range(used):
        supports[slots[branch]] = -1


@kernel(part=True)
def _branch(attack: _Attack, search: _Search, level: int) -> None:
    """List the entries of each longer set, and note what they tell."""
    links, slot_of = attack.links, attack.scratch.later_kind
    slots, starts = search.branch_kinds[level], search.branch_starts[level]
    filled = np.zeros(len(search.supports), dtype=np.int64)
    for e in range(search.first[level], search.last[level]):
        index = search.places[level, e]
        for kind in links.known.items[index + 1 : links.known.starts[links.row_of_kind[index] + 1]]:
            filled[slot_of[kind]] += 1
    starts[0] = 0
    for branch in range(search.stop[level]):
        starts[branch + 1] = starts[branch] + filled[slots[branch]]
        filled[slots[branch]] = starts[branch]
    for e in range(search.first[level], search.last[level]):
        index = search.places[level, e]
        row = links.row_of_kind[index]
        for later in range(index + 1, links.known.starts[row + 1]):
            slot = slot_of[links.known.items[later]]
            to = filled[slot]
            filled[slot] += 1
            search.places[level + 1, to] = later
            _choose(search.ways[level, e], links.copies[later], search.ways[level + 1, to])
            if search.supports[slot] > 0:
                _note(attack, row, search.ways[level + 1, to], search.supports[slot])


@kernel
def _choose(ways: Floats, copies: int, target: Floats) -> None:
    """The ways to choose one or more of these copies beside what was chosen before, by number of items."""
    most = len(ways) - 1
    for size in range(most + 1):
        target[size] = 0.0
    for before in range(most):
        chosen = 1.0
        for more in range(1, min(most - before, copies) + 1):
            chosen = chosen * (copies - more + 1) / more
            target[before + more] += ways[before] * chosen


@kernel
def _note(attack: _Attack, row: int, ways: Floats, support: int) -> None:
    for size in range(1, attack.most + 1):
        if ways[size] > 0:
            _note_ways(attack, row, size, ways[size], support)


@kernel
def _note_ways(attack: _Attack, row: int, size: int, ways: float, support: int) -> None:
    tally = attack.tally
    tally.found[size, row] += ways
    tally.success[size, row] += ways / support
    if support < attack.k:
        tally.below[size, row] += ways
    tally.fewest[size, row] = min(tally.fewest[size, row], support)


@kernel(part=True)
def _common(some: Words, others: Words) -> int:
    """How many bits are set in both."""
    count = np.uint64(0)
    for word in range(len(some)):
        x = some[word] & others[word]
        x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
        x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
        x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        count += (x * np.uint64(0x0101010101010101)) >> np.uint64(56)
    return int(count)
