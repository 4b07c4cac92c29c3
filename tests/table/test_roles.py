import math

import numpy as np
import pytest

from shoal.errors import InvalidParameter
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, QuasiSet


@pytest.mark.parametrize("bounds", [(0, math.inf), (-math.inf, 1), (math.nan, 1), (1,), (1, 2, 3), "ab"])
def test_bounds_are_two_finite_numbers(bounds):
    with pytest.raises(InvalidParameter, match="bounds must be"):
        Quasi(kind=Kind.NUMBER, bounds=bounds)


@pytest.mark.parametrize("bounds", [(5, 5), (5, 4)])
def test_the_first_bound_is_the_smaller_one(bounds):
    with pytest.raises(InvalidParameter, match="a smaller number and a larger one"):
        Quasi(kind=Kind.NUMBER, bounds=bounds)


def test_numbers_of_numpy_are_numbers():
    assert Quasi(kind=Kind.NUMBER, bounds=(np.int64(1), np.float32(2)), weight=np.int64(3)).weight == 3


@pytest.mark.parametrize("weight", [-1, math.nan, math.inf, "1", None, True])
@pytest.mark.parametrize("role", [Quasi, QuasiSet])
def test_weights_are_finite_and_not_negative(role, weight):
    with pytest.raises(InvalidParameter, match="weight must be a number of 0 or more"):
        role(weight=weight)


@pytest.mark.parametrize("sensitive", ["042", (42,)])
def test_sensitive_items_are_texts_in_a_tuple(sensitive):
    with pytest.raises(InvalidParameter, match="sensitive must be a tuple of items"):
        QuasiSet(sensitive=sensitive)
