"""Random cases, most of which are left to the long run of the tests."""

import pytest


def blocks_of_instances():
    """Seeds of 2,000 random cases: 400 for every run of the tests, the others for the long one."""
    later = (range(start, start + 400) for start in range(400, 2000, 400))
    return [range(400), *(pytest.param(block, marks=pytest.mark.slow) for block in later)]
