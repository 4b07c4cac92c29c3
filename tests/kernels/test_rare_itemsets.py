import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels import rare_itemsets
from shoal.kernels.arrays import frozen_ints, frozen_sets
from shoal.kernels.rare_itemsets import (
    DONE,
    FOUND,
    PAUSED,
    Numbered,
    WantedSets,
    begin,
    found,
    lay_out,
    lay_out_with_absent,
    next_broken,
    progress_of,
)
from shoal.kernels.shares import ShareLimit
from shoal.threads import at_most
from tests.examples import examples
from tests.kernels.test_sets import arrays
from tests.reference.rare_sets import broken_sets

COUNT = 7
modest = examples(80)
some_rows = st.lists(st.sets(st.integers(0, COUNT - 1)), max_size=10)
some_flags = st.lists(st.booleans(), min_size=COUNT, max_size=COUNT)
each_number_is_its_leaf = frozen_sets(np.arange(COUNT + 1), np.arange(COUNT))


def no_limit():
    nothing, scratch = frozen_ints([]), np.zeros(0, dtype=np.int64)
    return ShareLimit(frozen_sets([0], []), nothing, 1, 1, scratch, scratch)


def limit_on(sensitive, numerator, denominator, kinds):
    """No sensitive item in more than denominator / numerator of the rows."""
    scratch = np.zeros(kinds, dtype=np.int64), np.zeros(kinds, dtype=np.int64)
    return ShareLimit(arrays(sensitive), frozen_ints([-1] * kinds), numerator, denominator, *scratch)


def numbered(weights=None, fresh=None, anchors=COUNT, leaves=None, dropped=None):
    """Numbers that stand for nodes of the same number."""
    first, last = zip(*(leaves or [(number, number) for number in range(COUNT)]), strict=True)
    what = np.array([range(COUNT), first, last, weights or [1] * COUNT, fresh or [1] * COUNT], dtype=np.int64)
    return Numbered(what, anchors, np.zeros(COUNT, dtype=np.bool_) if dropped is None else dropped)


def laid(rows):
    return lay_out(arrays(rows), np.arange(len(rows)), each_number_is_its_leaf, COUNT)


def listed(rows, numbers, wanted, budget=10**9, when_found=lambda _: None):
    listing = begin(laid(rows), np.arange(len(rows)), numbers, wanted)
    result = []
    while (state := next_broken(listing, budget)) != DONE:
        if state == FOUND:
            of_set, support = found(listing)
            result.append((tuple(of_set.tolist()), support))
            when_found(of_set)
    return result


@modest
@given(some_rows, st.integers(1, 4), st.integers(1, 4), some_flags, st.integers(0, COUNT))
def test_rare_sets_come_in_lexicographic_order(rows, weight, k, fresh, anchors):
    expected = broken_sets(rows, weight, k, weights=[1] * COUNT, fresh=fresh, anchors=anchors)
    wanted = WantedSets(weight, lighter=False, k=k, limit=no_limit())
    assert listed(rows, numbered(fresh=fresh, anchors=anchors), wanted) == expected


@modest
@given(some_rows, st.integers(1, 4), st.integers(1, 4), some_flags, st.integers(2, 5))
def test_threads_find_the_same(rows, weight, k, fresh, threads):
    expected = broken_sets(rows, weight, k, weights=[1] * COUNT, fresh=fresh, anchors=COUNT)
    wanted = WantedSets(weight, lighter=False, k=k, limit=no_limit())
    with pytest.MonkeyPatch.context() as patch, at_most(threads):
        patch.setattr(rare_itemsets, "_ITEMS_FOR_THREADS", 1)
        assert listed(rows, numbered(fresh=fresh), wanted) == expected


@modest
@given(
    some_rows,
    st.integers(1, 4),
    st.integers(1, 4),
    st.lists(st.integers(1, 3), min_size=COUNT, max_size=COUNT),
)
def test_weights_add_up(rows, weight, k, weights):
    expected = broken_sets(rows, weight, k, weights=weights, fresh=[1] * COUNT, anchors=COUNT)
    result = listed(rows, numbered(weights), WantedSets(weight, lighter=False, k=k, limit=no_limit()))
    assert sorted(result) == expected


@modest
@given(some_rows, st.integers(1, 3), st.integers(1, 4))
def test_lighter_sets_without_nested_numbers(rows, weight, k):
    """Number 0 is above 2 and 3, number 1 above 4."""
    leaves = [(2, 3), (4, 4), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6)]
    rows = [items | ({0} if items & {2, 3} else set()) | ({1} if 4 in items else set()) for items in rows]
    nested = {(0, 2), (0, 3), (1, 4)}
    expected = broken_sets(
        rows, weight, k, weights=[1] * COUNT, fresh=[1] * COUNT, anchors=COUNT, nested=nested, lighter=True
    )
    result = listed(rows, numbered(leaves=leaves), WantedSets(weight, lighter=True, k=k, limit=no_limit()))
    # A rare set is not followed by longer ones that contain it: those are rare without being counted.
    prefixes = {of_set for of_set, _ in expected}
    shortest = [
        entry for entry in expected if not any(entry[0][:end] in prefixes for end in range(1, len(entry[0])))
    ]
    assert [entry for entry in result if entry in shortest] == shortest
    assert set(result) <= set(expected)


@modest
@given(some_rows, st.integers(1, 3), st.integers(1, 3), st.data())
def test_share_of_a_sensitive_item_breaks_like_rarity(rows, weight, k, data):
    sensitive = [data.draw(st.sets(st.integers(0, 2))) for _ in rows]
    limit = limit_on(sensitive, 3, 2, kinds=3)

    def breaks(holding):
        counts = [sum(kind in sensitive[row] for row in holding) for kind in range(3)]
        return len(holding) < k or any(3 * count > 2 * len(holding) for count in counts)

    expected = broken_sets(
        rows, weight, k, weights=[1] * COUNT, fresh=[1] * COUNT, anchors=COUNT, breaks=breaks
    )
    result = listed(rows, numbered(), WantedSets(weight, lighter=False, k=k, limit=limit))
    assert result == expected
    assert not limit.counts.any()


@modest
@given(some_rows, st.integers(1, 3), st.integers(2, 4))
def test_sets_with_a_dropped_number_are_skipped(rows, weight, k):
    """Whoever drops the first number of each set found sees every set with none of those dropped before."""
    everything = broken_sets(rows, weight, k, weights=[1] * COUNT, fresh=[1] * COUNT, anchors=COUNT)
    gone, expected = set(), []
    for of_set, support in everything:
        if gone.isdisjoint(of_set):
            expected.append((of_set, support))
            gone.add(of_set[0])
    dropped = np.zeros(COUNT, dtype=np.bool_)
    wanted = WantedSets(weight, lighter=False, k=k, limit=no_limit())
    result = listed(
        rows,
        numbered(dropped=dropped),
        wanted,
        when_found=lambda of_set: dropped.__setitem__(of_set[0], True),
    )
    assert result == expected


@modest
@given(some_rows, st.integers(1, 3), st.integers(1, 4))
def test_pauses_change_nothing(rows, weight, k):
    wanted = WantedSets(weight, lighter=False, k=k, limit=no_limit())
    assert listed(rows, numbered(), wanted, budget=1) == listed(rows, numbered(), wanted)


def test_pauses_and_tells_how_far_it_is():
    rows = [set(range(COUNT))] * 3
    listing = begin(laid(rows), np.arange(3), numbered(), WantedSets(3, lighter=False, k=4, limit=no_limit()))
    states = [next_broken(listing, 1) for _ in range(5)]
    assert PAUSED in states
    while next_broken(listing, 1) != DONE:
        pass
    done = progress_of(listing)
    assert (done.anchor, done.found) == (COUNT - 1, 35)
    assert done.counted >= 3 * 35


@modest
@given(some_rows, st.lists(st.integers(1, 3), min_size=COUNT, max_size=COUNT), st.integers(1, 3))
def test_absent_numbers_are_added_to_every_row_that_lacks_them(rows, sizes, most):
    absent = np.array([COUNT + number if size <= most else -1 for number, size in enumerate(sizes)])
    wider = lay_out_with_absent(laid(rows), COUNT, absent).tolist()
    expected = []
    for row, items in enumerate(rows):
        expected += sorted(items)
        expected += [
            COUNT + number for number in range(COUNT) if number not in items and sizes[number] <= most
        ]
        expected.append(2 * COUNT + row)
    assert wider == expected


def test_leaves_may_have_several_numbers_or_none():
    numbers = frozen_sets([0, 2, 2, 3], [3, 1, 1])
    assert lay_out(arrays([{0, 1}, {1}, {0, 2}]), np.array([2, 1, 0]), numbers, 4).tolist() == [
        *(1, 3, 4),
        5,
        *(1, 3, 6),
    ]
