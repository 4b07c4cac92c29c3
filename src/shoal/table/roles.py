"""What each column means for privacy, as frozen values that check themselves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from os import PathLike
from typing import Literal, Protocol, TypeGuard

from shoal.errors import InvalidParameter
from shoal.table.canonical import canonical
from shoal.table.columns import Kind
from shoal.table.dates import check_date_format
from shoal.table.number_style import check_style

MissingRule = Literal["own", "reject"]
UnknownRule = Literal["error", "root", "suppress"]
KindName = Literal["category", "number", "date"]


class HierarchySource(Protocol):
    """A recipe for a column's tree: a file or a builder of `shoal.hierarchy`."""

    def describe(self) -> str:
        """The recipe in a few words."""


_LONGEST_UNIT = 30
HierarchyOrPath = HierarchySource | str | PathLike[str]  # a recipe, or the path of a file


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifier:
    """Names a person: dropped, or replaced by a keyed pseudonym.

    Args:
        pseudonym: Whether it is replaced.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> table = pa.table({"name": ["Ada", "Bo"], "age": [31, 34]})
        >>> data = sh.read(table, {"name": sh.Identifier(), "age": sh.Quasi(kind="number")})
        >>> sh.anonymize(data, sh.KAnonymity(k=2)).frame.column_names
        ['age']
    """

    pseudonym: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Quasi:
    """Could be known to an adversary and tell people apart: generalized until it no longer does.

    Args:
        hierarchy: What values are generalized to: a recipe such as `sh.ranges(10)`, or a file. Without one a
            number or date is published as a range, and a word is kept or suppressed.
        kind: What its values are: category, number or date.
        missing: Whether a missing value is a value of its own or an error ("reject").
        unknown: What becomes of a value that the hierarchy does not have: an error, the root, or suppression.
        weight: How much a loss in this column counts.
        bounds: The smallest and the largest number that ranges may show.
        date_format: How its dates are written; `ReadOptions` says it for all columns.
        decimal: What stands before the decimals of its numbers.
        thousands: What groups their digits.
        unit: What its numbers count, such as "EUR", for whoever reads the codebook.
        publish_hierarchy: Whether everybody may see the whole hierarchy in the codebook.
        confirm: Accepts a column that looks as if it named people.
        reason: Why it is accepted, for the internal report.
        min_level: The lowest level of its hierarchy at which it is published; values are level 0.
        max_level: The highest.
        levels: The only levels.

    Raises:
        InvalidParameter: One of them is out of its range.

    Examples:
        >>> import shoal as sh
        >>> sh.Quasi(hierarchy=sh.ranges(10)).weight
        1.0
        >>> sh.Quasi(kind="number", bounds=(0, 120)).bounds
        (0, 120)
    """

    hierarchy: HierarchyOrPath | None = None
    kind: Kind | KindName = Kind.CATEGORY
    missing: MissingRule = "own"
    unknown: UnknownRule = "error"
    weight: float = 1.0
    bounds: tuple[float, float] | None = None
    date_format: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    unit: str | None = None
    publish_hierarchy: bool = False
    confirm: bool = False
    reason: str = ""
    min_level: int = 0
    max_level: int | None = None
    levels: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _check_levels("Quasi", self)
        _check_choice("Quasi", "missing", self.missing, ("own", "reject"))
        _check_choice("Quasi", "unknown", self.unknown, ("error", "root", "suppress"))
        _check_weight("Quasi", self.weight)
        if self.kind not in (Kind.CATEGORY, Kind.NUMBER, Kind.DATE):
            raise InvalidParameter(
                "Quasi", "kind", str(self.kind), "category, number or date (sets: QuasiSet)"
            )
        object.__setattr__(self, "kind", Kind(self.kind))
        if self.bounds is not None:
            _check_bounds(self.bounds)
        _check_written("Quasi", self)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuasiSet:
    """A set of items that an adversary could know in part; some items may be sensitive instead.

    Args:
        hierarchy: What items are generalized to: a recipe such as `sh.prefixes(1, 3)`, or a file.
        separator: What stands between items in a file that holds texts only.
        sensitive: The items that nobody should be able to learn.
        unknown: What becomes of an item that the hierarchy does not have: an error, the root, or suppression.
        weight: How much a loss in this column counts.
        multiset: Whether it matters how often an item is held.
        item_weights: How much it matters, between 0 and 1, that single items are not generalized; others
            matter 1.
        publish_hierarchy: Whether everybody may see the whole hierarchy in the codebook.
        confirm: Accepts a column that looks as if it named people.
        reason: Why it is accepted, for the internal report.
        min_level: The lowest level of its hierarchy at which an item is published; items are level 0.
        max_level: The highest.
        levels: The only levels.

    Raises:
        InvalidParameter: One of them is out of its range.

    Examples:
        >>> import shoal as sh
        >>> sh.QuasiSet(separator=";", sensitive=("HIV",)).sensitive
        ('HIV',)
    """

    hierarchy: HierarchyOrPath | None = None
    separator: str = " "
    sensitive: tuple[str, ...] = ()
    unknown: UnknownRule = "error"
    weight: float = 1.0
    multiset: bool = False
    item_weights: Mapping[str, float] = field(default_factory=dict, hash=False)
    publish_hierarchy: bool = False
    confirm: bool = False
    reason: str = ""
    min_level: int = 0
    max_level: int | None = None
    levels: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _check_levels("QuasiSet", self)
        _check_item_weights(self.item_weights)
        _check_choice("QuasiSet", "unknown", self.unknown, ("error", "root", "suppress"))
        _check_weight("QuasiSet", self.weight)
        separator: object = self.separator  # a certificate may say anything
        if not isinstance(separator, str) or not separator:
            raise InvalidParameter("QuasiSet", "separator", self.separator, "at least one character")
        sensitive: object = self.sensitive  # a lone text is a sequence of texts, but never meant as one
        if isinstance(sensitive, str) or not all(isinstance(item, str) for item in self.sensitive):
            raise InvalidParameter("QuasiSet", "sensitive", self.sensitive, "a tuple of items")
        object.__setattr__(self, "sensitive", tuple(map(canonical, self.sensitive)))  # as items are read
        weights = {canonical(item): float(weight) for item, weight in self.item_weights.items()}
        object.__setattr__(self, "item_weights", weights)

    @property
    def kind(self) -> Kind:
        """A set."""
        return Kind.SET


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitive:
    """What nobody should be able to learn about a person; published as it is, protected by diversity.

    Args:
        kind: What its values are: category, number, date or set.
        missing: Whether a missing value is a value of its own or an error ("reject").
        hierarchy: The tree of its values, where a model asks for one.
        date_format: How its dates are written; `ReadOptions` says it for all columns.
        decimal: What stands before the decimals of its numbers.
        thousands: What groups their digits.
        unit: What its numbers count, such as "EUR", for whoever reads the codebook.
        confirm: Accepts a column that looks as if it named people.
        reason: Why it is accepted, for the internal report.

    Raises:
        InvalidParameter: One of them is out of its range.

    Examples:
        >>> import shoal as sh
        >>> {"age": sh.Quasi(kind="number"), "illness": sh.Sensitive()}["illness"].missing
        'own'
    """

    kind: Kind | KindName = Kind.CATEGORY
    missing: MissingRule = "own"
    hierarchy: HierarchyOrPath | None = None
    date_format: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    unit: str | None = None
    confirm: bool = False
    reason: str = ""

    def __post_init__(self) -> None:
        _check_choice("Sensitive", "missing", self.missing, ("own", "reject"))
        _check_choice("Sensitive", "kind", self.kind, tuple(Kind))
        object.__setattr__(self, "kind", Kind(self.kind))
        _check_written("Sensitive", self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Insensitive:
    """Tells nothing about who somebody is; published as it is.

    Args:
        confirm: Accepts a column that tells records apart although it is declared insensitive.
        separator: What joins the items of lists in files that hold texts only.
        unit: What its numbers count, such as "EUR", for whoever reads the codebook.
        reason: Why it is accepted, for the internal report.

    Raises:
        InvalidParameter: The separator is empty, or the unit no short text.

    Examples:
        >>> import shoal as sh
        >>> sh.Insensitive(confirm=True, reason="a number drawn for this file").confirm
        True
    """

    confirm: bool = False
    separator: str | None = None
    unit: str | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        if self.separator == "":
            raise InvalidParameter("Insensitive", "separator", self.separator, "at least one character")
        check_unit("Insensitive", self.unit)


Role = Identifier | Quasi | QuasiSet | Sensitive | Insensitive


def is_confirmed(role: Role) -> bool:
    """Whether the publisher says, and says why, that a column may go out although it looks personal."""
    return not isinstance(role, Identifier) and role.confirm and bool(role.reason.strip())


def _check_choice(owner: str, name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InvalidParameter(owner, name, value, " or ".join(map(repr, choices)))


def _check_written(owner: str, role: Quasi | Sensitive) -> None:
    check_style(owner, role.decimal, role.thousands)
    check_date_format(owner, "date_format", role.date_format)
    check_unit(owner, role.unit)
    if role.unit is not None and role.kind is not Kind.NUMBER:
        raise InvalidParameter(owner, "unit", role.unit, 'left out where the kind is not "number"')


def check_unit(owner: str, unit: object) -> None:
    """Refuse what is no unit: it is published, and nobody looks at it there."""
    if unit is None:
        return
    if not isinstance(unit, str) or not 0 < len(unit) <= _LONGEST_UNIT or not unit.isprintable():
        must_be = f"a text of at most {_LONGEST_UNIT} characters, such as 'EUR'"
        raise InvalidParameter(owner, "unit", unit, must_be)


def _check_weight(owner: str, weight: object) -> None:
    if not _is_finite_number(weight) or weight < 0:
        raise InvalidParameter(owner, "weight", weight, "a number of 0 or more")


def _check_item_weights(weights: object) -> None:
    usable = isinstance(weights, Mapping) and all(
        isinstance(item, str) and _is_finite_number(weight) and 0 <= weight <= 1
        for item, weight in weights.items()
    )
    if not usable:
        raise InvalidParameter("QuasiSet", "item_weights", weights, "numbers between 0 and 1 by item")


def _check_levels(owner: str, role: Quasi | QuasiSet) -> None:
    most = math.inf if role.max_level is None else role.max_level
    if type(role.min_level) is not int or role.min_level < 0:
        raise InvalidParameter(owner, "min_level", role.min_level, "an integer of 0 or more")
    if role.max_level is not None and (type(role.max_level) is not int or role.max_level < role.min_level):
        raise InvalidParameter(owner, "max_level", role.max_level, "an integer, not below min_level")
    levels: object = role.levels
    if not isinstance(levels, tuple) or not all(type(level) is int for level in levels):
        raise InvalidParameter(owner, "levels", levels, "a tuple of integers")
    if list(role.levels) != sorted({level for level in role.levels if role.min_level <= level <= most}):
        raise InvalidParameter(owner, "levels", levels, "ascending, between min_level and max_level")
    if isinstance(role, QuasiSet) and role.sensitive and (role.min_level or role.levels[:1] > (0,)):
        must_be = "0 where items are sensitive, because these are published as they are"
        raise InvalidParameter(owner, "min_level", role.min_level, must_be)


def _check_bounds(bounds: object) -> None:
    if not isinstance(bounds, tuple | list) or len(bounds) != 2 or not all(map(_is_finite_number, bounds)):
        raise InvalidParameter("Quasi", "bounds", bounds, "two finite numbers")
    if not bounds[0] < bounds[1]:
        raise InvalidParameter("Quasi", "bounds", bounds, "a smaller number and a larger one")


def _is_finite_number(value: object) -> TypeGuard[float]:
    return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
