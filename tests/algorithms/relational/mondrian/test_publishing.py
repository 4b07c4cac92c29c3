import numpy as np
import pytest

from shoal.algorithms.relational.mondrian.publishing import keep_origins, origin_of
from shoal.kernels.mondrian import whole_table


@pytest.fixture
def parts():
    """Eight rows: 0 was cut into 1 and 2, 1 into 3 and 4, 2 into 5 and 6, 3 into 7 and 8."""
    tree = whole_table(8, 1)
    pieces = [
        (0, 8, -1),
        (0, 4, 0),
        (4, 8, 0),
        (0, 2, 1),
        (2, 4, 1),
        (4, 6, 2),
        (6, 8, 2),
        (0, 1, 3),
        (1, 2, 3),
    ]
    for part, (start, end, parent) in enumerate(pieces):
        tree.starts[part], tree.ends[part], tree.parents[part] = start, end, parent
    return tree


def kept(parts, origins):
    whole = np.isin(np.arange(9), [4, 5, 6, 7, 8])
    keep_origins(parts, whole, origins)
    return np.flatnonzero(whole).tolist()


@pytest.mark.parametrize(
    ("alike", "origin"), [([7, 8], 3), ([4, 7], 1), ([4, 7, 8], 1), ([8, 6], 0), ([5], 5)]
)
def test_origin_is_the_smallest_part_that_held_them_all(parts, alike, origin):
    assert origin_of(parts, alike) == origin


def test_an_origin_takes_the_place_of_what_was_cut_out_of_it(parts):
    assert kept(parts, {1}) == [1, 5, 6]


def test_separate_origins_are_both_kept(parts):
    assert kept(parts, {2, 3}) == [2, 3, 4]


def test_the_larger_of_two_nested_origins_is_kept(parts):
    assert kept(parts, {0, 3}) == [0]
    assert kept(parts, {1, 3}) == [1, 5, 6]
