"""Arrays that are gone through piece by piece give what they give at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engine.local import _are_first_sets
from shoal.kernels import arrays
from shoal.kernels.arrays import (
    HeldSets,
    counts_of,
    frozen_codes,
    frozen_items,
    frozen_sets,
    in_pieces,
    looked_up,
    only_items,
    piece_of,
    taken_rows,
)
from shoal.table.columns import Domain, Kind
from shoal.table.pairs import sets_of_pairs, sets_of_pieces

ROWS = st.lists(st.sets(st.integers(0, 8)).map(sorted), min_size=1, max_size=30)


@pytest.fixture(scope="module", params=[1, 3, 7], autouse=True)
def _few_places_at_once(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_PLACES_AT_ONCE", request.param)
        yield


def set_arrays(rows):
    return frozen_sets(np.cumsum([0, *map(len, rows)]), [item for row in rows for item in row])


def listed(sets):
    return [
        sets.items[first:last].tolist() for first, last in zip(sets.starts, sets.starts[1:], strict=False)
    ]


@given(ROWS)
def test_pieces_are_all_rows_in_their_order(rows):
    sets = set_arrays(rows)
    ranges = list(in_pieces(sets.starts))
    assert [0, *(behind for _, behind in ranges)] == [*(first for first, _ in ranges), len(rows)]
    assert [row for each in ranges for row in listed(piece_of(sets, *each))] == rows


@given(ROWS, st.data())
def test_rows_are_taken_and_items_left_out(rows, data):
    sets = set_arrays(rows)
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1)))
    assert listed(taken_rows(sets, np.array(chosen, dtype=np.int64))) == [rows[row] for row in chosen]
    assert listed(only_items(sets, sets.items % 2 == 0)) == [[i for i in row if i % 2 == 0] for row in rows]
    assert counts_of(sets.items, 9).tolist() == [sum(item in row for row in rows) for item in range(9)]


@given(st.lists(st.lists(st.integers(-1, 5), max_size=6), min_size=1, max_size=20), st.integers(1, 5))
def test_sets_of_pieces_are_the_sets_of_all_pairs(rows, at_once):
    domain = Domain(Kind.SET, ["a", "b", "c", "d", "e"])  # 5 and -1 are no items
    pieces = (
        (
            np.array([len(row) for row in piece]),
            np.array([item for row in piece for item in row], dtype=np.int64),
        )
        for piece in (rows[first : first + at_once] for first in range(0, len(rows), at_once))
    )
    found, repeating = sets_of_pieces(pieces, len(rows), sum(map(len, rows)), domain, " ")
    pairs = [(number, item) for number, row in enumerate(rows) for item in row if 0 <= item < 5]
    of_rows, items = (
        (np.array(each, dtype=np.int64) for each in zip(*pairs, strict=True)) if pairs else ([], [])
    )
    expected, repeated = sets_of_pairs(
        np.array(of_rows, dtype=np.int64), np.array(items, dtype=np.int64), len(rows), domain, " "
    )
    assert listed(found.arrays) == listed(expected.arrays)
    assert repeating.tolist() == repeated.tolist()


@given(ROWS)
def test_the_first_sets_are_those_that_sort_first(rows):
    are_first = _are_first_sets(set_arrays(rows), np.arange(len(rows)))
    assert are_first.tolist() == [row == min(rows) for row in rows]


@given(st.lists(st.integers(0, 6)), st.integers(1, 9))
def test_narrow_codes_are_counted_and_looked_up(codes, length):
    narrow = frozen_codes(codes)
    assert counts_of(narrow, 7 + length).tolist() == np.bincount(codes, minlength=7 + length).tolist()
    words = frozen_codes([10**each for each in range(7)])
    assert looked_up(words, narrow).tolist() == [10**code for code in codes]
    assert looked_up(words, narrow).dtype == words.dtype


def test_items_beyond_four_bytes_are_refused_and_never_made_others():
    assert frozen_items([2**31 - 1]).tolist() == [2**31 - 1]
    with pytest.raises(OverflowError):
        frozen_items(np.array([2**31]))


@given(ROWS)
def test_pieces_of_sets_as_they_are_held_are_as_kernels_take_them(rows):
    sets = set_arrays(rows)
    held = HeldSets(sets.starts, frozen_codes(sets.items))
    pieces = [piece_of(held, first, behind) for first, behind in in_pieces(held.starts)]
    assert [row for piece in pieces for row in listed(piece)] == listed(sets)
    assert {piece.items.dtype for piece in pieces} <= {np.dtype(np.int32)}
