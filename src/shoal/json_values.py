"""Values as JSON can hold them, whatever library they came from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from fractions import Fraction
from typing import Any

import numpy as np

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]


def json_value(value: Any) -> JsonValue:
    """The same value as plain JSON; a number that JSON lacks, such as infinity, becomes null."""
    plain = value.tolist() if isinstance(value, np.generic | np.ndarray) else value
    if isinstance(plain, Mapping):
        return {str(key): json_value(part) for key, part in plain.items()}
    if isinstance(plain, Set):
        return sorted((json_value(part) for part in plain), key=str)
    if isinstance(plain, Sequence) and not isinstance(plain, str | bytes):
        return [json_value(part) for part in plain]
    return _scalar(plain)


def without_texts(value: Mapping[str, Any]) -> dict[str, JsonValue]:
    """The numbers and yes-or-no answers of nested mappings; texts and lists are left out."""
    kept: dict[str, JsonValue] = {}
    for key, part in value.items():
        if isinstance(part, Mapping):
            kept[str(key)] = without_texts(part)
        else:
            plain = json_value(part)
            if plain is None or isinstance(plain, bool | int | float):
                kept[str(key)] = plain
    return kept


def _scalar(value: object) -> JsonValue:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return _number_or_text(value) if isinstance(value, Fraction) else str(value)


def _number_or_text(value: Fraction) -> JsonValue:
    """An exact number where there is one, else a text such as 7/3."""
    if value.denominator == 1:
        return value.numerator
    return float(value) if Fraction(str(float(value))) == value else str(value)
