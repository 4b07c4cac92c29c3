"""Measures go through large data piece by piece; here pieces are so small that every test has several."""

import pytest

from shoal.kernels import arrays


@pytest.fixture(scope="module", autouse=True)
def few_places_at_once():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_PLACES_AT_ONCE", 5)
        yield
