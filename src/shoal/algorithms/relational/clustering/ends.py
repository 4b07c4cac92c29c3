"""Where ranges without a tree begin and end: at declared or rounded ends of the column, and at split points.

No end is the exact smallest or largest value of the data, which would give a record away.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np

from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem
from shoal.kernels.arrays import Floats
from shoal.table.columns import Domain, Kind
from shoal.table.roles import Quasi

_EPOCH = date(1970, 1, 1).toordinal()
_FINEST_DIGIT = 300


@dataclass(frozen=True, slots=True)
class Ends:
    """The ends of a column: `whole` if its values are integers, `derived` if nobody declared them."""

    lower: float
    upper: float
    whole: bool
    derived: bool

    @property
    def half_width(self) -> float:
        """Half the distance between the ends; the whole one may be too large for a number."""
        return self.upper / 2 - self.lower / 2


def find_ends(data: LocalData) -> dict[str, Ends]:
    """The ends of every quasi-identifier without a tree; BadInput lists the columns that can have none."""
    problems: list[Problem] = []
    ends: dict[str, Ends] = {}
    for name in data.quasi:
        if name in data.trees:
            continue
        domain, role = data.table.coded(name).domain, data.roles[name]
        bounds = role.bounds if isinstance(role, Quasi) else None
        if domain.numbers is None:
            problems.append(
                Problem("a category without a hierarchy cannot be generalized", _GIVE_A_TREE, column=name)
            )
        elif bounds is not None and domain.kind is Kind.DATE and not _are_days(bounds):
            problems.append(Problem("the bounds of dates are days since 1970-01-01", _NAME_DAYS, column=name))
        elif bounds is not None and (outside := _outside(domain, bounds)):
            problems.append(Problem(f"{outside} outside the declared bounds", _WIDEN_BOUNDS, column=name))
        else:
            ends[name] = ends_of(domain.kind, domain.numbers, bounds, whole=are_whole(domain.numbers))
    if problems:
        raise BadInput(*problems)
    return ends


_GIVE_A_TREE = "give it one, such as a file or { flat = true }"
_WIDEN_BOUNDS = "widen the bounds or correct the values"
_NAME_DAYS = "give days between 0001-01-01 and 9999-12-31"


def _are_days(bounds: tuple[float, float]) -> bool:
    return date.min.toordinal() - _EPOCH <= bounds[0] and bounds[1] <= date.max.toordinal() - _EPOCH


def _outside(domain: Domain, bounds: tuple[float, float]) -> str:
    """The values outside the bounds in words; empty if there are none."""
    numbers = domain.numbers if domain.numbers is not None else np.empty(0)
    outside = np.flatnonzero((numbers < bounds[0]) | (numbers > bounds[1]))
    if len(outside) == 0:
        return ""
    shown = ", ".join(str(domain.label(int(code))) for code in outside[:5])
    values, are = ("1 value", "is") if len(outside) == 1 else (f"{len(outside):,} values", "are")
    return f"{values} ({shown}{', ...' if len(outside) > 5 else ''}) {are}"


def are_whole(numbers: Floats) -> bool:
    """Whether all of them are integers."""
    return bool((numbers == np.floor(numbers)).all())


def ends_of(kind: Kind, numbers: Floats, bounds: tuple[float, float] | None, *, whole: bool) -> Ends:
    """The ends of a column by its numbers in ascending order, of which the first and the last are enough."""
    if bounds is not None:
        return Ends(float(bounds[0]), float(bounds[1]), whole=whole, derived=False)
    if len(numbers) < 2:
        lone = float(numbers[0]) if len(numbers) else 0.0
        return Ends(lone, lone, whole=whole, derived=False)  # never published: there is nothing to cut
    lowest, highest = float(numbers[0]), float(numbers[-1])
    if kind is Kind.DATE:
        lower, upper = _whole_years(lowest, highest)
    else:
        lower, upper = _round_numbers(lowest, highest, least_step=Decimal(1 if whole else 0))
    return Ends(lower, upper, whole=whole, derived=True)


def _whole_years(first_day: float, last_day: float) -> tuple[float, float]:
    """The days that begin and end the years, one further where that day is in the data."""
    first, last = (date.fromordinal(int(day) + _EPOCH) for day in (first_day, last_day))
    begin, end = date(first.year, 1, 1), date(last.year, 12, 31)
    if begin == first and first.year > date.min.year:
        begin = date(first.year - 1, 1, 1)
    if end == last and last.year < date.max.year:
        end = date(last.year + 1, 12, 31)
    return float(begin.toordinal() - _EPOCH), float(end.toordinal() - _EPOCH)


def _round_numbers(lowest: float, highest: float, least_step: Decimal) -> tuple[float, float]:
    """The next multiples of a round step outside the numbers, but not beyond 0.

    The step is 1, 2 or 5 times a power of ten, the largest one of which five fit between the numbers; 0 as
    the end of numbers that are never negative tells nothing about them.
    """
    low, high = Decimal(repr(lowest)), Decimal(repr(highest))
    fifth = (high - low) / 5
    power = Decimal(1).scaleb(fifth.adjusted())
    step = max(least_step, *(multiple * power for multiple in (1, 2, 5) if multiple * power <= fifth))
    lower = ((low / step).to_integral_value(ROUND_FLOOR)) * step
    upper = ((high / step).to_integral_value(ROUND_CEILING)) * step
    if lower == low:
        lower -= step
    if upper == high:
        upper += step
    if low >= 0:
        lower = max(lower, Decimal(0))
    if high <= 0:
        upper = min(upper, Decimal(0))
    return float(lower), float(upper)


def split_points(left: Floats, right: Floats, *, whole: bool) -> Floats:
    """Where a cut between neighbouring values lies: the shortest decimal between left[i] and right[i].

    Of equally short ones the nearest to their middle. Between integers the point belongs to the left side, so
    that it is left[i] or more and less than right[i]. Where nothing lies between, and where both are equal
    because the cut divides a value, it is left[i].
    """
    points = left.copy()
    low, high = (left - 0.5, right - 0.5) if whole else (left, right)
    middle = low / 2 + high / 2
    open_cuts = np.flatnonzero(left < right)
    largest = max(np.abs(left).max(initial=1.0), np.abs(right).max(initial=1.0))
    digits = -math.ceil(math.log10(largest)) - 1
    finest = 0 if whole else _FINEST_DIGIT
    while len(open_cuts) and digits <= finest:
        with np.errstate(over="ignore", invalid="ignore"):
            rounded = np.round(middle[open_cuts], digits)
        between = (low[open_cuts] < rounded) & (rounded < high[open_cuts])
        points[open_cuts[between]] = rounded[between] + 0.0  # no negative zero
        open_cuts = open_cuts[~between]
        digits += 1
    return points


def derived_ends_notice(ends: Mapping[str, Ends]) -> tuple[str, ...]:
    """A sentence about the columns whose ends were rounded from the data."""
    derived = [name for name, column in ends.items() if column.derived]
    if not derived:
        return ()
    return (
        f"the outer ends of the ranges of {', '.join(derived)} were derived from the data by rounding"
        " outward; declare `bounds` to publish ends that do not depend on the data",
    )
