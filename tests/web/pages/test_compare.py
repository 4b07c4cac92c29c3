import pytest

from shoal.errors import BadInput
from shoal.web.pages.compare import sweep_of


def test_values_are_separated_by_commas_or_blanks():
    assert sweep_of({"k": "3, 5 10", "t": "0.2", "m": " "}) == {"k": [3, 5, 10], "t": [0.2]}


def test_every_text_that_is_no_number_is_listed():
    with pytest.raises(BadInput) as refused:
        sweep_of({"k": "three", "m": "2", "l": "2, many"})
    assert [problem.value for problem in refused.value.problems] == ["three", "2, many"]
