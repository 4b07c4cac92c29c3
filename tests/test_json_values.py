from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest

from shoal.json_values import json_value, without_texts


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.int64(3), 3),
        (np.float64(0.5), 0.5),
        (np.bool_(True), True),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (float("nan"), None),
        (np.float64("-inf"), None),
        (Fraction(4, 2), 2),
        (Fraction(1, 10), 0.1),
        (Fraction(7, 3), "7/3"),
        ((1, (2, None)), [1, [2, None]]),
        (frozenset({"b", "a"}), ["a", "b"]),
        (MappingProxyType({1: Colour.RED}), {"1": "red"}),
        (Colour.RED, "red"),
    ],
)
def test_becomes_plain_json(value, plain):
    made = json_value(value)
    assert made == plain
    assert type(made) is type(plain) or isinstance(made, Colour)


def test_keeps_numbers_and_answers_only():
    nested = {
        "holds": True,
        "n": np.int64(4),
        "label": "30-39",
        "rows": [1],
        "by": {"age": 0.5, "x": "y"},
        "none": None,
    }
    assert without_texts(nested) == {"holds": True, "n": 4, "by": {"age": 0.5}, "none": None}
