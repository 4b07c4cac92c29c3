import numpy as np
import pytest

from shoal.kernels.growable import with_room


@pytest.mark.parametrize(("wanted", "length"), [(0, 3), (3, 3), (4, 6), (7, 7)])
def test_an_array_grows_only_when_it_must_and_then_at_least_doubles(wanted, length):
    array = np.array([5, 6, 7], dtype=np.int64)
    roomy = with_room(array, 2, wanted)
    assert len(roomy) == length
    assert roomy[:2].tolist() == [5, 6]
    assert np.shares_memory(roomy, array) == (length == 3)
