from dataclasses import dataclass
from typing import ClassVar

import pytest

from shoal.algorithms.catalogue import ALGORITHMS, make_algorithm
from shoal.algorithms.interface import Algorithm
from shoal.algorithms.parameters import (
    AS_PRINTED,
    OneOf,
    Printed,
    Within,
    YesOrNo,
    as_printed_parameter,
    check_parameters,
    parameter,
    parameters_of,
    without_additions,
)
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


@dataclass(frozen=True, slots=True)
class Improved(Algorithm):
    """An algorithm to which something was added."""

    name = "improved"

    polish: bool = parameter(default=True, rule=YesOrNo(), help="whether", printed=Printed(value=False))
    parts: int = parameter(0, Within(0), "how many; 0 means that several are tried", Printed(3, ours=(0,)))
    share: float = parameter(0.5, Within(0.0, 1.0), "how much")
    as_printed: bool = as_printed_parameter()


def test_as_printed_takes_the_values_of_the_paper_instead_of_our_defaults():
    assert Improved(as_printed=True) == Improved(polish=False, parts=3, share=0.5, as_printed=True)
    assert Improved() == Improved(polish=True, parts=0, share=0.5, as_printed=False)


def test_as_printed_goes_with_everything_that_the_paper_has():
    assert Improved(as_printed=True, parts=7, share=0.1).parts == 7


def test_as_printed_refuses_an_addition_in_one_form_of_sentence():
    with pytest.raises(InvalidParameter) as caught:
        make_algorithm("kanon-cf", {"as_printed": True, "local_search": True})
    assert str(caught.value) == (
        "kanon-cf: local_search must be left out beside as_printed = true, which does without what the paper"
        " does not have, got True"
    )


def test_options_that_ask_for_additions_can_be_told_from_others():
    given = {"polish": True, "parts": 2, "share": 0.1}
    assert without_additions(Improved, given) == {"parts": 2, "share": 0.1}


ADDED = [
    (name, declared)
    for name, algorithm in ALGORITHMS.items()
    for declared in parameters_of(algorithm)
    if declared.printed is not None
]


def an_addition(declared):
    """A value that brings in what the paper does not have."""
    if declared.printed.ours:
        return declared.printed.ours[0]
    if isinstance(declared.rule, OneOf):
        return next(word for word in declared.rule.choices if word != declared.printed.value)
    return True if isinstance(declared.rule, YesOrNo) else declared.printed.value + 1


@pytest.mark.parametrize(("name", "declared"), ADDED)
def test_whatever_has_an_addition_can_be_had_without_it(name, declared):
    printed = make_algorithm(name, {AS_PRINTED: True})
    assert getattr(printed, declared.name) == declared.printed.value
    assert declared.is_addition(an_addition(declared))
    with pytest.raises(InvalidParameter, match=f"{name}: {declared.name} must be left out beside as_printed"):
        make_algorithm(name, {AS_PRINTED: True, declared.name: an_addition(declared)})
