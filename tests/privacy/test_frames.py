"""Tables on which a checker in use (pycanon 1.3.6) reports more protection than there is."""

import pandas as pd
import pytest

from shoal.engine.local import LocalData
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.table.reading import read_table
from shoal.table.roles import Quasi, Sensitive

SHUFFLED = [0, 2, 1, 3, 4]


def loaded(frame, roles):
    read = read_table(frame, roles)
    return LocalData(read.table, read.roles)


@pytest.mark.parametrize("index", [None, SHUFFLED], ids=["plain index", "shuffled index"])
def test_a_unique_record_with_a_missing_value_is_found(index):
    """Grouping that drops missing values loses the last record and reports k = 2."""
    frame = pd.DataFrame({"age": ["30", "30", "40", "40", None]}, index=index)
    verdict = KAnonymity(2).verify(loaded(frame, {"age": Quasi()}))
    assert (verdict.holds, verdict.smallest) == (False, 1)
    assert verdict.witness.what == "class age=(missing) has 1 record, fewer than k=2"
    assert verdict.witness.rows == (5,)


@pytest.mark.parametrize("index", [None, SHUFFLED[:4]], ids=["plain index", "shuffled index"])
def test_a_class_with_one_sensitive_value_is_found(index):
    """Taking labels of an index for positions mixes the classes and reports l = 2."""
    frame = pd.DataFrame(
        {"age": ["30", "30", "40", "40"], "illness": ["flu", "flu", "cold", "cold"]}, index=index
    )
    verdict = LDiversity(2, "distinct").verify(loaded(frame, {"age": Quasi(), "illness": Sensitive()}))
    assert not verdict.holds
    assert verdict.figures["lowest_diversity"] == 1
    assert verdict.witness.rows == (1, 2)
