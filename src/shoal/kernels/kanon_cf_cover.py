"""Greedy covers of all rows by supports of closed records, and the disjoint clusters that they become.

Each time the closed record is taken that has the least ratio of its cost to the gain of taking it. The gain
is how many rows it would cover anew, of which at most 2k - 1 count. In a frugal cover it is the square of
that, of which at most k count, because it is not sets but rows that are paid for, and a set that covers
fewer than k anew takes others from where they cost less: it should be avoided.

Rows that are covered only make ratios rise, so a ratio that was computed earlier is a lower bound of the
ratio now. In a queue by such bounds, the first one whose bound is still its ratio is the one to take; ratios
are not computed for the others.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Bools, Floats, Ints
from shoal.kernels.compile import kernel
from shoal.kernels.generalized_records import Trees, vector_cost
from shoal.kernels.kanon_cf_closed_records import Packing, unpack

FINISHED, PAUSED, CROWDED = range(3)
NOBODY = -1


class CoverValues(NamedTuple):
    """The values of the distinct records, numbered through all columns in the order of leaves.

    values[r, j] is that of record r in column j. A node v covers the values lows[v]..highs[v] - 1 of its
    column. The values of column j are column_starts[j]..column_starts[j + 1] - 1.
    """

    values: Ints
    lows: Ints
    highs: Ints
    column_starts: Ints


class Listing(NamedTuple):
    """Records in the order of their values, once for each column.

    Those with value u stand at records[starts[u]:starts[u + 1]], so those under a node stand together.
    """

    records: Ints
    starts: Ints


class CoverTask(NamedTuple):
    """What is to be covered, by which closed records.

    Closed record i is packed[i], as `packing` says, and counts[i] rows support it. `everybody` lists all
    records. Sets shall have k to 2k - 1 rows.
    """

    trees: Trees
    values: CoverValues
    everybody: Listing
    packing: Packing
    packed: Ints
    counts: Ints
    k: int
    frugal: bool


class Queue(NamedTuple):
    """A heap of the closed records numbers[:state[0]], by lower bounds of their ratios and by number."""

    state: Ints
    ratios: Floats
    numbers: Ints


class GreedyCover(NamedTuple):
    """Sets of places, of which record r has row_starts[r]..row_starts[r + 1] - 1, that were taken so far.

    Set s, one of the first state[0], is that of the closed record chosen[s] and holds the places
    places[starts[s]:starts[s + 1]]. The last left[r] places of record r are in no set; state[1] is the sum of
    those. owners[p] and takers[p] are the first and the last set that took place p. spares[s] is how many of
    its places a set could do without, if every set that took one of them later keeps it.
    """

    state: Ints
    chosen: Ints
    starts: Ints
    places: Ints
    row_starts: Ints
    left: Ints
    owners: Ints
    takers: Ints
    spares: Ints


@kernel(part=True)
def comes_first(queue: Queue, a: int, b: int) -> bool:
    """Whether place a of a queue comes before place b."""
    if queue.ratios[a] == queue.ratios[b]:
        return queue.numbers[a] < queue.numbers[b]
    return queue.ratios[a] < queue.ratios[b]


@kernel
def sink(queue: Queue, place: int) -> None:
    """Move what stands at a place of the heap down until it comes before all below it."""
    while True:
        first = place
        for below in range(2 * place + 1, min(2 * place + 3, queue.state[0])):
            if comes_first(queue, below, first):
                first = below
        if first == place:
            return
        queue.ratios[place], queue.ratios[first] = queue.ratios[first], queue.ratios[place]
        queue.numbers[place], queue.numbers[first] = queue.numbers[first], queue.numbers[place]
        place = first


@kernel(part=True)
def drop_first(queue: Queue) -> None:
    """Take the first one out of the queue."""
    queue.state[0] -= 1
    queue.ratios[0] = queue.ratios[queue.state[0]]
    queue.numbers[0] = queue.numbers[queue.state[0]]
    sink(queue, 0)


@kernel
def gain(task: CoverTask, anew: int) -> int:
    """What a closed record is worth that covers so many rows anew."""
    return min(anew, task.k) ** 2 if task.frugal else min(anew, 2 * task.k - 1)


@kernel
def closed_costs(task: CoverTask) -> Floats:
    """The cost of each closed record."""
    costs = np.empty(len(task.counts), dtype=np.float64)
    vector = np.empty(len(task.packing.words), dtype=np.int64)
    for number in range(len(costs)):
        unpack(task.packing, task.packed[number], vector)
        costs[number] = vector_cost(task.trees, vector)
    return costs


@kernel
def fill_queue(task: CoverTask, queue: Queue) -> None:
    """Make a heap of all closed records, with the ratios that they have while nothing is covered.

    queue.ratios has their costs before.
    """
    count = len(task.counts)
    for number in range(count):
        queue.ratios[number] /= gain(task, task.counts[number])
        queue.numbers[number] = number
    queue.state[0] = count
    for index in range(count // 2, -1, -1):
        sink(queue, index)


@kernel
def list_records(values: CoverValues, wanted: Bools, listing: Listing) -> None:
    """List the wanted records; all columns have room for them, one behind the other."""
    starts = listing.starts
    for value in range(len(starts)):
        starts[value] = 0
    record_count, column_count = values.values.shape
    for record in range(record_count):
        if wanted[record]:
            for j in range(column_count):
                starts[values.values[record, j]] += 1
    total = 0
    for value in range(len(starts)):
        total += starts[value]
        starts[value] = total
    for record in range(record_count - 1, -1, -1):
        if wanted[record]:
            for j in range(column_count):
                value = values.values[record, j]
                starts[value] -= 1
                listing.records[starts[value]] = record


@kernel
def shortest_list(values: CoverValues, listing: Listing, vector: Ints) -> tuple[int, int]:
    """Where the listing has all records that support a vector, and as few others as possible."""
    begin, end = 0, len(listing.records)
    for node in vector:
        low, high = listing.starts[values.lows[node]], listing.starts[values.highs[node]]
        if high - low < end - begin:
            begin, end = low, high
    return begin, end


@kernel
def supports(values: CoverValues, vector: Ints, record: int) -> bool:
    """Whether a record is one of those that a vector of nodes stands for."""
    for j in range(len(vector)):
        value = values.values[record, j]
        if value < values.lows[vector[j]] or value >= values.highs[vector[j]]:
            return False
    return True


@kernel(part=True)
def uncovered(values: CoverValues, listing: Listing, left: Ints, vector: Ints, most: int) -> tuple[int, int]:
    """How many places that support a vector are in no set, `most` at most; and how many records were seen."""
    begin, end = shortest_list(values, listing, vector)
    count = 0
    for at in range(begin, end):
        record = listing.records[at]
        if left[record] > 0 and supports(values, vector, record):
            count += left[record]
            if count >= most:
                return most, at - begin + 1
    return count, end - begin


@kernel
def add_place(cover: GreedyCover, place: int) -> None:
    """Put a place into the set that is being made."""
    made = cover.state[0]
    cover.places[cover.starts[made + 1]] = place
    cover.starts[made + 1] += 1
    cover.takers[place] = made
    if cover.owners[place] == NOBODY:
        cover.owners[place] = made
    else:
        cover.spares[cover.owners[place]] -= 1


@kernel(part=True)
def add_uncovered(cover: GreedyCover, record: int, most: int) -> int:
    """Put places of a record that are in no set into the set that is being made; returns how many."""
    count = min(cover.left[record], most)
    first = cover.row_starts[record + 1] - cover.left[record]
    for index in range(first, first + count):
        add_place(cover, index)
    cover.left[record] -= count
    cover.state[1] -= count
    return count


@kernel(part=True)
def add_covered(cover: GreedyCover, record: int, most: int, spare: bool) -> int:  # noqa: FBT001
    """Put places of a record that are in earlier sets into the set that is being made; returns how many.

    `spare` tells whether only those are meant that their set could do without, or only the others.
    """
    made = cover.state[0]
    count = 0
    for index in range(cover.row_starts[record], cover.row_starts[record + 1] - cover.left[record]):
        if count == most:
            break
        if cover.takers[index] != made and (cover.spares[cover.owners[index]] > 0) == spare:
            add_place(cover, index)
            count += 1
    return count


@kernel(part=True)
def take(task: CoverTask, listing: Listing, cover: GreedyCover, vector: Ints, anew: int) -> None:
    """Make a set of 2k - 1 places at most out of those that support the chosen closed record, this vector.

    `anew` of them are in no set, or more if it is 2k.

    All of them if they are no more. Else 2k - 1 of those that are in no set, in a frugal cover only k if that
    leaves another k; or, if there are fewer, all of them and as many others as it takes to have k.
    """
    most = task.k if task.frugal and anew >= 2 * task.k else 2 * task.k - 1
    made = cover.state[0]
    count = task.counts[cover.chosen[made]]
    cover.starts[made + 1] = cover.starts[made]
    begin, end = shortest_list(task.values, listing, vector)
    taken = 0
    for at in range(begin, end):
        record = listing.records[at]
        if taken < most and cover.left[record] > 0 and supports(task.values, vector, record):
            taken += add_uncovered(cover, record, most - taken)
    wanted = count if count < 2 * task.k else max(task.k, taken)
    if taken < wanted:
        begin, end = shortest_list(task.values, task.everybody, vector)
        for spare in (True, False):
            for at in range(begin, end):
                record = task.everybody.records[at]
                if taken < wanted and supports(task.values, vector, record):
                    taken += add_covered(cover, record, wanted - taken, spare)
    cover.spares[made] = taken - task.k
    cover.state[0] += 1


@kernel
def cover_more(task: CoverTask, listing: Listing, queue: Queue, cover: GreedyCover, budget: int) -> int:
    """Take sets until about `budget` records were looked at.

    `listing` has at least all records with places in no set. Returns FINISHED when every place is in a set,
    PAUSED, or CROWDED when the cover could be too small for the next set.
    """
    vector = np.empty(len(task.packing.words), dtype=np.int64)
    while cover.state[1] > 0:
        if budget <= 0:
            return PAUSED
        made = cover.state[0]
        if made == len(cover.chosen) or cover.starts[made] + 2 * task.k > len(cover.places):
            return CROWDED
        number = queue.numbers[0]
        unpack(task.packing, task.packed[number], vector)
        anew, seen = uncovered(task.values, listing, cover.left, vector, 2 * task.k)
        budget -= seen + 1
        if anew == 0:
            drop_first(queue)
            continue
        ratio = vector_cost(task.trees, vector) / gain(task, anew)
        if ratio > queue.ratios[0]:
            queue.ratios[0] = ratio
            sink(queue, 0)
        else:
            cover.chosen[made] = number
            take(task, listing, cover, vector, anew)
    return FINISHED


class Reached(NamedTuple):
    """Records and the first of some closed records that each supports.

    The first state[0] of the closed records `order` were looked at. costs[r] is the cost of the first one
    that record r supports, infinite for the state[1] records that support none of them.
    """

    state: Ints
    order: Ints
    costs: Floats


@kernel
def reach_more(task: CoverTask, listing: Listing, reached: Reached, budget: int) -> None:
    """Look at more closed records, until all records are reached or about `budget` records were looked at.

    `listing` has at least the records that were not reached.
    """
    vector = np.empty(len(task.packing.words), dtype=np.int64)
    while reached.state[1] > 0 and budget > 0:
        unpack(task.packing, task.packed[reached.order[reached.state[0]]], vector)
        reached.state[0] += 1
        begin, end = shortest_list(task.values, listing, vector)
        budget -= end - begin + 1
        for at in range(begin, end):
            record = listing.records[at]
            if reached.costs[record] == np.inf and supports(task.values, vector, record):
                reached.costs[record] = vector_cost(task.trees, vector)
                reached.state[1] -= 1


class CoverClusters(NamedTuple):
    """Sets of a cover that are made disjoint one after the other.

    owners[p] is the set that keeps place p, or NOBODY; a set that was united with a later one leads to it by
    united_into. sizes[s] and costs[s] are those of a set with all that was united into it.
    """

    owners: Ints
    united_into: Ints
    sizes: Ints
    costs: Floats


@kernel
def keeper(clusters: CoverClusters, place: int) -> int:
    """The set, with all that was united into it, that keeps a place; or NOBODY."""
    found = clusters.owners[place]
    if found == NOBODY:
        return NOBODY
    while clusters.united_into[found] != found:
        found = clusters.united_into[found]
    clusters.owners[place] = found
    return found


@kernel(part=True)
def claim(clusters: CoverClusters, later: int, members: Ints) -> Ints:
    """Give a set all its places that no earlier one keeps; returns the others."""
    shared = np.empty(len(members), dtype=np.int64)
    count = 0
    for index in members:
        if clusters.owners[index] == NOBODY:
            clusters.owners[index] = later
        else:
            shared[count] = index
            count += 1
    return shared[:count]


@kernel(part=True)
def leave_what_others_need(k: int, clusters: CoverClusters, later: int, shared: Ints) -> Ints:
    """Let a set of more than k do without places of earlier sets of k; returns what it still shares."""
    kept = 0
    for index in shared:
        if clusters.sizes[later] > k and clusters.sizes[keeper(clusters, index)] == k:
            clusters.sizes[later] -= 1
        else:
            shared[kept] = index
            kept += 1
    return shared[:kept]


@kernel(part=True)
def unite_sets(clusters: CoverClusters, earlier: int, later: int, shared: Ints) -> None:
    """Unite an earlier set with a later one; `shared` has all the places that are in both, and maybe more."""
    in_both = 0
    for index in shared:
        in_both += keeper(clusters, index) == earlier
    clusters.united_into[earlier] = later
    clusters.sizes[later] += clusters.sizes[earlier] - in_both
    clusters.costs[later] = max(clusters.costs[earlier], clusters.costs[later])


@kernel
def make_disjoint(k: int, starts: Ints, places: Ints, clusters: CoverClusters) -> None:
    """Let every place be kept by one set, by the rules of the paper's Algorithm 2.

    A place in two sets is taken from one that has more than k; if both have, from the dearer one. Two sets of
    k that share a place are united. At the beginning `clusters` has the sizes and costs of the sets, and
    nobody keeps a place. O(places * size of a set) at most, where no sets are united O(places).
    """
    sizes = clusters.sizes
    for later in range(len(starts) - 1):
        shared = claim(clusters, later, places[starts[later] : starts[later + 1]])
        shared = leave_what_others_need(k, clusters, later, shared)  # else more sets would have to be united
        for at in range(len(shared)):
            earlier = keeper(clusters, shared[at])
            if earlier == later:
                continue
            if sizes[later] > k and (sizes[earlier] == k or clusters.costs[earlier] <= clusters.costs[later]):
                sizes[later] -= 1
            elif sizes[earlier] > k:
                sizes[earlier] -= 1
                clusters.owners[shared[at]] = later
            else:
                unite_sets(clusters, earlier, later, shared[at:])
