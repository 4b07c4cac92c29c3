import pytest

from shoal.errors import BadInput
from shoal.web.pages.column_fields import weights_of


def test_weights_are_read_item_by_item():
    assert weights_of("250.00=1| a=b=0.5 |c=0") == {"250.00": 1, "a=b": 0.5, "c": 0}
    assert weights_of("") == {}


def test_everything_that_is_no_weight_is_listed():
    with pytest.raises(BadInput) as refused:
        weights_of("a=1|b|c=-2|=4|d=3|e=nan")
    assert len(refused.value.problems) == 5
