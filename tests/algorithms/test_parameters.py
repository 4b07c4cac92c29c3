from dataclasses import dataclass
from typing import ClassVar

import pytest

from shoal.algorithms.parameters import OneOf, Within, check_parameters, parameter, parameters_of
from shoal.errors import InvalidParameter
from tests.contract.bad_values import bad_values


@dataclass(frozen=True, slots=True)
class Sample:
    name: ClassVar[str] = "sample"

    colour: str = parameter("red", OneOf(("red", "blue")), "which one")
    rounds: int = parameter(3, Within(1), "how often")
    share: float = parameter(0.5, Within(0.0, 1.0), "how much")

    def __post_init__(self):
        check_parameters(self)


def test_defaults_keep_their_own_rules():
    assert all(declared.rule.accepts(declared.default) for declared in parameters_of(Sample))
    Sample()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"colour": "green"}, "sample: colour must be one of 'red', 'blue', got 'green'"),
        ({"rounds": 0}, "sample: rounds must be an integer of 1 or more, got 0"),
        ({"rounds": 1.5}, "sample: rounds must be an integer of 1 or more, got 1.5"),
        ({"share": 1.5}, "sample: share must be a number between 0.0 and 1.0, got 1.5"),
    ],
)
def test_bad_values_are_refused_in_one_form_of_sentence(options, sentence):
    with pytest.raises(InvalidParameter) as caught:
        Sample(**options)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("declared", parameters_of(Sample), ids=lambda declared: declared.name)
def test_generated_bad_values_are_bad(declared):
    for value in bad_values(declared.rule):
        assert not declared.rule.accepts(value)


def test_whole_numbers_may_stand_for_others():
    assert Sample(share=1).share == 1
