import pytest

from shoal.errors import BadInput
from shoal.web.pages.compare import models_beside, sweep_of, values_offered


def test_values_are_separated_by_commas_or_blanks():
    assert sweep_of({"k": "3, 5 10", "t": "0.2", "m": " "}) == {"k": [3, 5, 10], "t": [0.2]}


def test_every_text_that_is_no_number_is_listed():
    with pytest.raises(BadInput) as refused:
        sweep_of({"k": "three", "m": "2", "l": "2, many"})
    assert [problem.value for problem in refused.value.problems] == ["three", "2, many"]


def test_models_for_the_same_columns_are_offered_with_what_they_need():
    offered = models_beside("km-anonymity")
    assert offered[0] == "km-anonymity"
    assert {"set-k-anonymity", "disassociation", "differential-privacy"} <= set(offered)
    assert "k-anonymity" not in offered
    assert models_beside(None) == []
    privacy = {"model": "km-anonymity", "k": 7, "m": 3, "l": None}
    assert values_offered(privacy, offered) == {"k": "7", "m": "3", "epsilon": "1.0"}
