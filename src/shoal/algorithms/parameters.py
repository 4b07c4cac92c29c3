"""Parameters of algorithms, declared once: type, range, default and help stand on the dataclass field.

The command line, the documentation and the tests of bad values are derived from the declaration.
"""

import math
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


@dataclass(frozen=True, slots=True)
class Parameter:
    """What there is to know about one parameter."""

    name: str
    default: Any
    rule: Rule
    help: str


def parameter(default: Any, rule: Rule, help: str) -> Any:
    """Declare a parameter as the default of a dataclass field."""
    return field(default=default, metadata={"rule": rule, "help": help})


def parameters_of(algorithm: type) -> tuple[Parameter, ...]:
    """The parameters of an algorithm in their order."""
    return tuple(
        Parameter(declared.name, declared.default, declared.metadata["rule"], declared.metadata["help"])
        for declared in fields(algorithm)
    )


def check_parameters(algorithm: Any) -> None:
    """Refuse any value outside its rule; called when an algorithm is made."""
    for declared in parameters_of(type(algorithm)):
        value = getattr(algorithm, declared.name)
        if not declared.rule.accepts(value):
            raise InvalidParameter(algorithm.name, declared.name, value, declared.rule.must_be())
