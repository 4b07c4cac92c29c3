"""Parameters of algorithms, declared once: type, range, default and help stand on the dataclass field.

The command line, the documentation and the tests of bad values are derived from the declaration.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from shoal.errors import InvalidParameter


@dataclass(frozen=True, slots=True)
class OneOf:
    """A word out of a few."""

    choices: tuple[str, ...]

    def accepts(self, value: object) -> bool:
        """Whether the value is one of the words."""
        return isinstance(value, str) and value in self.choices

    def must_be(self) -> str:
        """The rule in words."""
        return f"one of {', '.join(map(repr, self.choices))}"


@dataclass(frozen=True, slots=True)
class Within:
    """A number between two others, both included; whole if the ends are."""

    least: float
    most: float = math.inf

    @property
    def whole(self) -> bool:
        """Whether only integers are meant."""
        return isinstance(self.least, int)

    def accepts(self, value: object) -> bool:
        """Whether the value is such a number; True is none."""
        right_type = type(value) is int or (type(value) is float and not self.whole)
        return right_type and self.least <= value <= self.most  # type: ignore[operator]

    def must_be(self) -> str:
        """The rule in words."""
        kind = "an integer" if self.whole else "a number"
        if self.most == math.inf:
            return f"{kind} of {self.least} or more"
        return f"{kind} between {self.least} and {self.most}"


@dataclass(frozen=True, slots=True)
class YesOrNo:
    """Something that is done or not."""

    def accepts(self, value: object) -> bool:
        """Whether the value is True or False; 0 and 1 are neither."""
        return isinstance(value, bool)

    def must_be(self) -> str:
        """The rule in words."""
        return "true or false"


@dataclass(frozen=True, slots=True)
class NumberOrWord:
    """A number of some range, or a word out of a few."""

    number: Within
    word: OneOf

    def accepts(self, value: object) -> bool:
        """Whether the value is such a number or such a word."""
        return self.number.accepts(value) or self.word.accepts(value)

    def must_be(self) -> str:
        """The rule in words."""
        return f"{self.number.must_be()}, or {self.word.must_be()}"


Rule = OneOf | Within | YesOrNo | NumberOrWord

AS_PRINTED = "as_printed"


@dataclass(frozen=True, slots=True)
class Printed:
    """What a parameter is in the form that the paper prints, if other values bring in additions of ours.

    `ours` are the values that do; without them all others do.
    """

    value: Any
    ours: tuple[Any, ...] = ()

    def allows(self, value: object) -> bool:
        """Whether the paper's own form may have this value."""
        return value not in self.ours if self.ours else value == self.value


@dataclass(frozen=True, slots=True)
class Parameter:
    """What there is to know about one parameter."""

    name: str
    default: Any
    rule: Rule
    help: str
    printed: Printed | None = None

    def is_addition(self, value: object) -> bool:
        """Whether this value brings in something that the paper does not have."""
        return self.printed is not None and not self.printed.allows(value)


def parameter(default: Any, rule: Rule, help: str, printed: Printed | None = None) -> Any:
    """Declare a parameter as the default of a dataclass field.

    `printed` says what it is with `as_printed`, where that matters.
    """
    return field(default=default, metadata={"rule": rule, "help": help, "printed": printed})


def as_printed_parameter() -> Any:
    """Declare that an algorithm can be had as its paper prints it; see `Printed` for what that changes."""
    return parameter(
        default=False,
        rule=YesOrNo(),
        help="the steps of the paper alone, its errors mended, without any addition of ours",
    )


def parameters_of(algorithm: type) -> tuple[Parameter, ...]:
    """The parameters of an algorithm in their order."""
    return tuple(
        Parameter(declared.name, declared.default, **declared.metadata) for declared in fields(algorithm)
    )


def check_parameters(algorithm: Any) -> None:
    """Refuse any value outside its rule; called when an algorithm is made."""
    for declared in parameters_of(type(algorithm)):
        value = getattr(algorithm, declared.name)
        if not declared.rule.accepts(value):
            raise InvalidParameter(algorithm.name, declared.name, value, declared.rule.must_be())


def refuse_additions(algorithm: Any, given: Mapping[str, Any]) -> None:
    """Refuse options that ask for an addition of ours beside `as_printed`."""
    if given.get(AS_PRINTED) is not True:
        return
    for declared in parameters_of(algorithm):
        if declared.name in given and declared.is_addition(given[declared.name]):
            must_be = "left out beside as_printed = true, which does without what the paper does not have"
            raise InvalidParameter(algorithm.name, declared.name, given[declared.name], must_be)


def without_additions(algorithm: type, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options without those that ask for an addition of ours."""
    additions = {each.name for each in parameters_of(algorithm) if each.is_addition(options.get(each.name))}
    return {name: value for name, value in options.items() if name not in additions}


def leave_out_additions(algorithm: Any) -> None:
    """Give an algorithm that was just made `as_printed` the paper's values where it has our defaults."""
    if not getattr(algorithm, AS_PRINTED, False):
        return
    for declared in parameters_of(type(algorithm)):
        if declared.printed is not None and getattr(algorithm, declared.name) == declared.default:
            object.__setattr__(algorithm, declared.name, declared.printed.value)
    has = {declared.name: getattr(algorithm, declared.name) for declared in fields(algorithm)}
    refuse_additions(type(algorithm), has)
