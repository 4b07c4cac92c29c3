import numpy as np

from shoal.recoding.groups import SUPPRESSED, Groups


def test_groups_and_suppressed_records_are_counted():
    groups = Groups(np.array([1, SUPPRESSED, 0, 1]))
    assert groups.group_count == 2
    assert groups.suppressed_count == 1


def test_nothing_may_be_published():
    groups = Groups(np.array([SUPPRESSED, SUPPRESSED]))
    assert groups.group_count == 0
    assert groups.suppressed_count == 2
