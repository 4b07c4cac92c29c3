import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.parts import Room, balanced_borders
from shoal.algorithms.sets.cut_search.transactions import Transactions
from shoal.algorithms.sets.cut_search.violations import Violations
from shoal.errors import LimitReached
from tests.algorithms.sets.instances import SPEC_SETS, SPEC_TREE, instance
from tests.examples import examples
from tests.reference import km_parts

PROGRAM_AND_DATA = 300e6 + 2 * 8 * (11 + 4)


class Halving:
    """A thousand items in as many parts as are asked for."""

    most_parts = 100

    def parts(self, count):
        return np.array_split(np.arange(1000), count)

    def size(self, part):
        return len(part), 0


def room(memory_limit):
    transactions = Transactions.of(instance(SPEC_TREE, SPEC_SETS).data)
    return Room.beside(Violations(transactions, ItemConstraint(2, 3)), memory_limit)


@examples(200)
@given(st.lists(st.integers(0, 2**20), max_size=12), st.integers(1, 6))
def test_borders_come_nearest_to_equal_shares(weights, parts):
    found = balanced_borders(np.array(weights, dtype=np.int64), parts)
    assert found.tolist() == km_parts.balanced_borders(weights, parts)


def test_without_a_limit_as_many_parts_as_wanted():
    assert len(room(0).divide(Halving(), 3)) == 3


def test_parts_are_divided_until_they_fit():
    # A part of n items takes 8 * (5 + m) * n + 8 bytes.
    fits_100_items = PROGRAM_AND_DATA + 8 * (8 * 100 + 1)
    parts = room(fits_100_items).divide(Halving(), 3)
    assert len(parts) == 12
    assert max(map(len, parts)) <= 100
    assert len(room(fits_100_items).divide(Halving(), 40)) == 40


def test_no_more_parts_than_make_sense():
    assert len(room(PROGRAM_AND_DATA + 100).divide(Halving(), 3)) == 100


def test_as_many_parts_at_once_as_fit():
    parts = Halving().parts(10)
    fits_250_items = room(PROGRAM_AND_DATA + 8 * (8 * 250))
    assert fits_250_items.at_once(Halving(), parts, threads=8) == 2
    assert room(PROGRAM_AND_DATA + 100).at_once(Halving(), parts, threads=8) == 1
    assert room(0).at_once(Halving(), parts, threads=8) == 8
    assert room(0).at_once(Halving(), parts, threads=20) == 10
    assert room(0).at_once(Halving(), parts, threads=0) >= 1


def test_limit_below_what_the_program_takes_is_refused():
    with pytest.raises(LimitReached, match=r"memory_limit of 300 MB leaves nothing.*about 300 MB; raise it"):
        room(300e6)
