"""Trees built from the values of a column by a rule instead of read from a file.

Every built tree has the root `*`. Labels are distinct: an inner label that is also a value is followed by
`~`. In the labels of a set column `_` takes the place of the separator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

import numpy as np

from shoal.detect.countries import continent_of
from shoal.errors import InvalidParameter, UnknownName
from shoal.hierarchy.labels import with_publishable_labels
from shoal.hierarchy.tree import NO_PARENT, ROOT_LABEL, Hierarchy, tree_from_nodes
from shoal.hierarchy.values import all_numbers, days, exact_numbers
from shoal.table.columns import Domain

LETTERS = "letters"
DATE_LEVELS = ("day", "month", "quarter", "year", "decade", "century")


def ranges(*widths: float, start: float = 0, bottom: float | None = None, top: float | None = None) -> Ranges:
    """Ranges of growing width, counted from `start`: `20-24` over integers, `[20, 25)` otherwise.

    Numbers below `bottom` and from `top` on are not told apart: `<10`, `90+`.

    Args:
        *widths: Each a multiple of the one before.
        start: Where ranges are counted from.
        bottom: Below it numbers share one label.
        top: From it on numbers share one label.

    Returns:
        A recipe for the hierarchy of a column.

    Raises:
        InvalidParameter: A width is not above 0 or no multiple of the one before, or `top` is too low.

    Examples:
        >>> import shoal as sh
        >>> sh.ranges(5, 10).describe()
        'ranges of 5, 10 from 0'
    """
    return Ranges(widths, start, bottom, top)


def mask_right() -> Mask:
    """Codes masked from the right: `1234`, `123*`, `12**`, `1***`, `*`.

    Returns:
        A recipe for the hierarchy of a column.

    Examples:
        >>> import shoal as sh
        >>> sh.mask_right().describe()
        'masked from the right'
    """
    return Mask("right")


def mask_left() -> Mask:
    """Codes masked from the left: `1234`, `*234`, `**34`, `***4`, `*`.

    Returns:
        A recipe for the hierarchy of a column.

    Examples:
        >>> import shoal as sh
        >>> sh.mask_left().describe()
        'masked from the left'
    """
    return Mask("left")


def dates(*levels: str) -> Dates:
    """Dates by calendar: any of day, month, quarter, year, decade and century, from fine to coarse.

    Args:
        *levels: Any of day, month, quarter, year, decade and century, from fine to coarse.

    Returns:
        A recipe for the hierarchy of a column.

    Raises:
        InvalidParameter: A level is not known, or they are not in that order.

    Examples:
        >>> import shoal as sh
        >>> sh.dates("year").describe()
        'dates by year'
    """
    return Dates(levels)


def fanout(size: int) -> Fanout:
    """Sorted values in groups of `size`, groups in groups of `size`, and so on.

    Args:
        size: How many values or groups make one group.

    Returns:
        A recipe for the hierarchy of a column.

    Raises:
        InvalidParameter: `size` is below 2.

    Examples:
        >>> import shoal as sh
        >>> sh.fanout(3).describe()
        'groups of 3'
    """
    return Fanout(size)


def digits() -> Digits:
    """Codes by their beginnings: `12*` over `12`, `120` and `127`.

    Returns:
        A recipe for the hierarchy of a column.

    Examples:
        >>> import shoal as sh
        >>> sh.digits().describe()
        'codes by their beginnings'
    """
    return Digits()


def order(*values: str) -> Order:
    """Neighbours on a scale: `low..medium` over `low` and `medium`; values that are not listed stay alone.

    Args:
        *values: The scale, from one end to the other.

    Returns:
        A recipe for the hierarchy of a column.

    Raises:
        InvalidParameter: There are fewer than two different values.

    Examples:
        >>> import shoal as sh
        >>> sh.order("low", "medium", "high").describe()
        'neighbours on the scale low to high'
    """
    return Order(values)


def keep(*values: str) -> Keep:
    """Listed values are kept or suppressed, all others share `other`.

    Args:
        *values: What is kept.

    Returns:
        A recipe for the hierarchy of a column.

    Raises:
        InvalidParameter: No value is listed.

    Examples:
        >>> import shoal as sh
        >>> sh.keep("Jena", "Ulm").describe()
        '2 values kept, the others together'
    """
    return Keep(values)


def prefixes(*lengths: int | str) -> Prefixes:
    """Codes by beginnings of given lengths, from long to short: `E11*`, `E*`.

    -3 leaves the last three characters out, `"letters"` takes the letters that a code begins with: `-3,
    "letters"` makes `SW1A *` and `SW*` of `SW1A 2AA`.

    Args:
        *lengths: How many characters are taken, or, below 0, left out; "letters" may end them.

    Returns:
        A recipe for the hierarchy of a column.

    Raises:
        InvalidParameter: The lengths are not whole numbers from long to short.

    Examples:
        >>> import shoal as sh
        >>> sh.prefixes(3, 1).describe()
        'codes by their first 3 characters, their first 1 characters'
    """
    return Prefixes(lengths)


def continents() -> Continents:
    """Countries by continent, as ISO codes or as names in the languages of Europe.

    Returns:
        A recipe for the hierarchy of a column.

    Examples:
        >>> import shoal as sh
        >>> sh.continents().describe()
        'countries by continent'
    """
    return Continents()


def flat() -> Flat:
    """Keep a value or suppress it: all values directly under the root.

    Returns:
        A recipe for the hierarchy of a column.

    Examples:
        >>> import shoal as sh
        >>> sh.flat().describe()
        'keep or suppress'
    """
    return Flat()


@dataclass(frozen=True, slots=True)
class Ranges:
    """Multiples of each width from `start`; each width is a multiple of the one before.

    Bounds come from the widths alone, never from the data. Values are compared with bounds as exact
    decimals, so that 0.3 belongs to `[0.3, 0.4)`. Ranges end at `bottom` and `top`, beyond which values share
    one label.
    """

    widths: tuple[float, ...]
    start: float = 0
    bottom: float | None = None
    top: float | None = None

    def __post_init__(self) -> None:
        if not self.widths:
            raise InvalidParameter("ranges", "widths", self.widths, "at least one width")
        for width in self.widths:
            if not _is_number(width) or width <= 0:
                raise InvalidParameter("ranges", "width", width, "a number above 0")
        if not _is_number(self.start):
            raise InvalidParameter("ranges", "start", self.start, "a number")
        for name, bound in (("bottom", self.bottom), ("top", self.top)):
            if bound is not None and not _is_number(bound):
                raise InvalidParameter("ranges", name, bound, "a number")
        if self.bottom is not None and self.top is not None and self.bottom >= self.top:
            raise InvalidParameter("ranges", "top", self.top, f"above the bottom, {self.bottom}")
        for narrow, wide in zip(self.widths, self.widths[1:], strict=False):
            times = _exact(wide) / _exact(narrow)
            if times.denominator != 1 or times < 2:
                raise InvalidParameter("ranges", "width", wide, f"a multiple of the one before, {narrow}")

    def describe(self) -> str:
        """The recipe in a few words."""
        ends = [f"below {self.bottom} together"] if self.bottom is not None else []
        ends += [f"from {self.top} on together"] if self.top is not None else []
        return ", ".join([f"ranges of {', '.join(map(str, self.widths))} from {self.start}", *ends])

    def tree(self, domain: Domain, separator: str | None = None) -> Hierarchy:
        """The tree over these numbers; BadInput lists values that are no numbers."""
        numbers = exact_numbers(domain)
        order = sorted(range(len(numbers)), key=numbers.__getitem__)
        start, widths = _exact(self.start), [_exact(width) for width in self.widths]
        ends = [_exact(end) for end in (self.bottom, self.top) if end is not None]
        whole = all(number == number.to_integral_value() for number in numbers) and all(
            each.denominator == 1 for each in (start, *widths, *ends)
        )
        levels: list[Sequence[str | None]] = []
        for width in widths:
            places = [self._place(numbers[value], start, width) for value in order]
            names = {place: self._label(place, start, width, whole=whole) for place in set(places)}
            if levels:
                names |= {place: None for place in names if isinstance(place, str)}  # right under the root
            levels.append([names[place] for place in places])
        texts = domain.texts()
        return _tree_of_levels([texts[value] for value in order], levels, separator)

    def _place(self, number: Decimal, start: Fraction, width: Fraction) -> int | str:
        """Which range a number is in, counted from the start; beyond the ends a name."""
        if self.top is not None and number >= _exact(self.top):
            return f"{_decimal(_exact(self.top))}+"
        if self.bottom is not None and number < _exact(self.bottom):
            return f"<{_decimal(_exact(self.bottom))}"
        return _place(number, start, width)

    def _label(self, place: int | str, start: Fraction, width: Fraction, *, whole: bool) -> str | None:
        if isinstance(place, str):
            return place
        low, high = start + place * width, start + (place + 1) * width
        low = low if self.bottom is None else max(low, _exact(self.bottom))
        high = high if self.top is None else min(high, _exact(self.top))
        return (_whole_range if whole else _half_open_range)(low, high - low)


@dataclass(frozen=True, slots=True)
class Mask:
    """One more character masked on each level; the last level is `*`.

    Masks keep the length of their value, so values of different lengths meet only in the root: `123` is
    masked as `12*`, `1**`, `*` and never shares a label with `1234`.
    """

    side: Literal["left", "right"]

    def __post_init__(self) -> None:
        if self.side not in ("left", "right"):
            raise InvalidParameter("mask", "side", self.side, "'left' or 'right'")

    def describe(self) -> str:
        """The recipe in a few words."""
        return f"masked from the {self.side}"

    def tree(self, domain: Domain, separator: str | None = None) -> Hierarchy:
        """The tree over these texts."""
        values = domain.texts()
        masked = self._masked_right if self.side == "right" else self._masked_left
        longest = max(map(len, values), default=0)
        levels = [[masked(value, hidden) for value in values] for hidden in range(1, longest)]
        return _tree_of_levels(values, levels, separator)

    @staticmethod
    def _masked_right(value: str, hidden: int) -> str | None:
        return value[:-hidden] + "*" * hidden if hidden < len(value) else None

    @staticmethod
    def _masked_left(value: str, hidden: int) -> str | None:
        return "*" * hidden + value[hidden:] if hidden < len(value) else None


@dataclass(frozen=True, slots=True)
class Dates:
    """Periods of the calendar: `2026-11-15`, `2026-11`, `2026-Q4`, `2026`, `2020s`, `2000-2099`."""

    levels: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.levels:
            raise InvalidParameter("dates", "levels", self.levels, f"some of {', '.join(DATE_LEVELS)}")
        for level in self.levels:
            if level not in DATE_LEVELS:
                raise UnknownName("dates", "level", level, DATE_LEVELS)
        places = [DATE_LEVELS.index(level) for level in self.levels]
        if places != sorted(set(places)):
            raise InvalidParameter("dates", "levels", self.levels, "different, from fine to coarse")

    def describe(self) -> str:
        """The recipe in a few words."""
        return f"dates by {', '.join(self.levels)}"

    def tree(self, domain: Domain, separator: str | None = None) -> Hierarchy:
        """The tree over these dates; BadInput lists values that are no dates."""
        day = np.floor(days(domain)).astype(np.int64)
        order = np.argsort(day, kind="stable")
        names = [str(name) for name in day[order].astype("datetime64[D]")]
        levels = [[_PERIODS[level](name) for name in names] for level in self.levels]
        texts = domain.texts()
        return _tree_of_levels([texts[value] for value in order.tolist()], levels, separator)


_PERIODS: dict[str, Callable[[str], str]] = {
    "day": lambda day: day,
    "month": lambda day: day[:-3],
    "quarter": lambda day: f"{day[:-6]}-Q{(int(day[-5:-3]) + 2) // 3}",
    "year": lambda day: day[:-6],
    "decade": lambda day: f"{day[:-7]}0s",
    "century": lambda day: f"{day[:-8]}00-{day[:-8]}99",
}


@dataclass(frozen=True, slots=True)
class Fanout:
    """Consecutive values in groups of `size`, consecutive groups in groups of `size`, up to one root.

    The last group of a level may be smaller, and a group of one is not made: the node moves up. Numbers are
    sorted as numbers, be they texts or not. A group is called by its first and last value, `2-10` over
    numbers and `apple..cherry` otherwise: its bounds come from the data.
    """

    size: int

    def __post_init__(self) -> None:
        if type(self.size) is not int or self.size < 2:
            raise InvalidParameter("fanout", "size", self.size, "an integer of 2 or more")

    def describe(self) -> str:
        """The recipe in a few words."""
        return f"groups of {self.size}"

    def tree(self, domain: Domain, separator: str | None = None) -> Hierarchy:
        """The tree over these values."""
        values, link = _sorted_values(domain), "-" if all_numbers(domain) else ".."
        nodes = _Nodes(values)
        row = list(range(len(values)))
        while len(row) > self.size:
            groups = [row[place : place + self.size] for place in range(0, len(row), self.size)]
            row = [
                group[0] if len(group) == 1 else nodes.add(nodes.ends_joined(group, link), group)
                for group in groups
            ]
        return nodes.tree(row, separator)


@dataclass(frozen=True, slots=True)
class Digits:
    """The prefix tree of codes: `12*` covers all codes that begin with `12`, and the code `12` itself.

    Only beginnings at which codes part become nodes, so no node has a single child.
    """

    def describe(self) -> str:
        """The recipe in a few words."""
        return "codes by their beginnings"

    def tree(self, domain: Domain, separator: str | None = None) -> Hierarchy:
        """The tree over these codes."""
        codes = sorted(domain.texts())
        if not codes:
            return _Nodes(codes).tree([], separator)
        nodes = _Nodes(codes)
        shared = _shared_length(codes[0], codes[-1])
        open_nodes: list[tuple[int, list[int]]] = [(shared, [])]  # lengths of prefixes and their children
        for leaf, code in enumerate(codes[:-1]):
            length, node = _shared_length(code, codes[leaf + 1]), leaf
            while open_nodes[-1][0] > length:
                closed, children = open_nodes.pop()
                node = nodes.add(f"{code[:closed]}*", [*children, node])
            if open_nodes[-1][0] < length:
                open_nodes.append((length, []))
            open_nodes[-1][1].append(node)
        node = len(codes) - 1
        while len(open_nodes) > 1:
            closed, children = open_nodes.pop()
            node = nodes.add(f"{codes[-1][:closed]}*", [*children, node])
        return nodes.tree([*open_nodes[0][1], node], separator)


@dataclass(frozen=True, slots=True)
class Order:
    """Steps of a scale in groups of two, and so on; labels come from the scale, not from the data."""

    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(set(self.values)) < 2 or len(set(self.values)) != len(self.values):
            raise InvalidParameter("order", "values", self.values, "at least two different values")

    def describe(self) -> str:
        """The recipe in a few words."""
        return f"neighbours on the scale {self.values[0]} to {self.values[-1]}"

    def tree(self, domain: Domain, separator: str | None = None) -> Hierarchy:
        """The tree over these values."""
        step_of = {value: step for step, value in enumerate(self.values)}
        texts = sorted(domain.texts(), key=lambda text: step_of.get(text, len(self.values)))
        levels = []
        size = 2
        while size < len(self.values):
            levels.append([self._label(step_of.get(text), size) for text in texts])
            size *= 2
        return _tree_of_levels(texts, levels, separator)

    def _label(self, step: int | None, size: int) -> str | None:
        if step is None:
            return None
        first = step // size * size
        last = min(first + size, len(self.values)) - 1
        return f"{self.values[first]}..{self.values[last]}" if last > first else self.values[first]


@dataclass(frozen=True, slots=True)
class Keep:
    """Values that are frequent enough to stand alone, and `other` over the rest."""

    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.values or not all(isinstance(value, str) for value in self.values):
            raise InvalidParameter("keep", "values", self.values, "at least one value")

    def describe(self) -> str:
        """The recipe in a few words."""
        return f"{len(self.values)} values kept, the others together"

    def tree(self, domain: Domain, separator: str | None = None) -> Hierarchy:
        """The tree over these values."""
        listed = set(self.values)
        texts = sorted(domain.texts(), key=lambda text: text not in listed)
        return _tree_of_levels(texts, [[None if text in listed else "other" for text in texts]], separator)


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Codes under their beginnings of given lengths, `E11*` over `E11` and `E11.9`.

    Lengths below 0 count from the end and come first, where they depend on nothing but the code; the letters
    that a code begins with come last, and what is left by then decides them. So codes that agree on one level
    agree on all above.
    """

    lengths: tuple[int | str, ...]

    def __post_init__(self) -> None:
        lengths = self.lengths[:-1] if self.lengths[-1:] == (LETTERS,) else self.lengths
        numbers = [length for length in lengths if type(length) is int and length != 0]
        falling = sorted(set(numbers), key=lambda length: (length > 0, -length))
        if not self.lengths or len(numbers) != len(lengths) or numbers != falling:
            required = f"whole numbers, those below 0 first, each below the last; {LETTERS!r} may end them"
            raise InvalidParameter("prefixes", "lengths", self.lengths, required)

    def describe(self) -> str:
        """The recipe in a few words."""
        return f"codes by {', '.join(map(_length_in_words, self.lengths))}"

    def tree(self, domain: Domain, separator: str | None = None) -> Hierarchy:
        """The tree over these codes."""
        codes = sorted(domain.texts())
        begun = codes
        levels: list[list[str | None]] = []
        for length in self.lengths:
            begun = [_beginning(code, begin, length) for code, begin in zip(codes, begun, strict=True)]
            levels.append([f"{begin}*" if begin else None for begin in begun])
        return _tree_of_levels(codes, levels, separator)


def _beginning(code: str, begin: str, length: int | str) -> str:
    """The next shorter beginning of a code, of which one is known."""
    if isinstance(length, str):
        return begin[: next((place for place, letter in enumerate(begin) if not letter.isalpha()), None)]
    return begin[: length if length > 0 else max(len(code) + length, 0)]


def _length_in_words(length: int | str) -> str:
    if isinstance(length, str):
        return f"the {LETTERS} they begin with"
    return f"their first {length} characters" if length > 0 else f"all but their last {-length} characters"


@dataclass(frozen=True, slots=True)
class Continents:
    """Countries under their continents; what is no country stays alone."""

    def describe(self) -> str:
        """The recipe in a few words."""
        return "countries by continent"

    def tree(self, domain: Domain, separator: str | None = None) -> Hierarchy:
        """The tree over these countries."""
        found = {text: continent_of(text) for text in domain.texts()}
        texts = sorted(found, key=lambda text: (found[text] or "", text))
        return _tree_of_levels(texts, [[found[text] for text in texts]], separator)


@dataclass(frozen=True, slots=True)
class Flat:
    """All values directly under the root."""

    def describe(self) -> str:
        """The recipe in a few words."""
        return "keep or suppress"

    def tree(self, domain: Domain, separator: str | None = None) -> Hierarchy:
        """The tree over these values."""
        values = _sorted_values(domain)
        return _Nodes(values).tree(range(len(values)), separator)


class _Nodes:
    """A tree in the making over sorted leaves; every new node covers neighbouring nodes."""

    def __init__(self, leaves: Sequence[str]) -> None:
        self._leaf_count = len(leaves)
        self._labels = list(leaves)
        self._parents = [NO_PARENT] * len(leaves)
        self._ends = [(leaf, leaf) for leaf in range(len(leaves))]

    def ends_joined(self, children: Sequence[int], link: str) -> str:
        """The first and the last leaf under neighbouring nodes, joined."""
        first, last = self._ends[children[0]][0], self._ends[children[-1]][1]
        return f"{self._labels[first]}{link}{self._labels[last]}"

    def add(self, label: str, children: Sequence[int]) -> int:
        """A new node above some neighbouring ones."""
        node = len(self._labels)
        self._labels.append(label)
        self._parents.append(NO_PARENT)
        self._ends.append((self._ends[children[0]][0], self._ends[children[-1]][1]))
        for child in children:
            self._parents[child] = node
        return node

    def tree(self, top: Sequence[int], separator: str | None) -> Hierarchy:
        """The tree whose root is above the given nodes."""
        root = len(self._labels)
        for child in top:
            self._parents[child] = root
        order = [first for first, _ in self._ends]
        tree = tree_from_nodes([*self._labels, ROOT_LABEL], [*self._parents, NO_PARENT], order=[*order, 0])
        return with_publishable_labels(tree, separator)


def _tree_of_levels(
    leaves: Sequence[str], levels: Sequence[Sequence[str | None]], separator: str | None
) -> Hierarchy:
    """The tree in which leaf i is called levels[j][i] on level j, from fine to coarse; None means the root.

    Leaves that agree on one level agree on all above. A first level that is no coarser than the values
    themselves is left out.
    """
    levels = levels[1:] if levels and list(levels[0]) == list(leaves) else levels
    labels, order = [*leaves, ROOT_LABEL], [*range(len(leaves)), 0]
    root = len(leaves)
    parents = [root] * len(leaves) + [NO_PARENT]
    node_of: list[dict[str, int]] = [{} for _ in levels]
    for leaf in range(len(leaves)):
        below = leaf
        for names, known in zip(levels, node_of, strict=True):
            name = names[leaf]
            if name is None:
                break
            if name in known:
                parents[below] = known[name]
                break
            known[name] = parents[below] = below = len(labels)
            labels.append(name)
            order.append(leaf)
            parents.append(root)
    return with_publishable_labels(tree_from_nodes(labels, parents, order=order), separator)


def _sorted_values(domain: Domain) -> list[str]:
    values = domain.texts()
    if not all_numbers(domain):
        return values
    numbers = exact_numbers(domain)
    return [values[place] for place in sorted(range(len(values)), key=numbers.__getitem__)]


def _shared_length(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginnings."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _place(number: Decimal, start: Fraction, width: Fraction) -> int:
    """How many widths lie between the start and a number, rounded down, in exact integers."""
    above, below = number.as_integer_ratio()
    distance = above * start.denominator - start.numerator * below
    return distance * width.denominator // (below * start.denominator * width.numerator)


def _whole_range(low: Fraction, width: Fraction) -> str:
    return f"{low}" if width == 1 else f"{low}-{low + width - 1}"


def _half_open_range(low: Fraction, width: Fraction) -> str:
    return f"[{_decimal(low)}, {_decimal(low + width)})"


def _decimal(number: Fraction) -> str:
    return format((Decimal(number.numerator) / Decimal(number.denominator)).normalize(), "f")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _exact(number: float) -> Fraction:
    return Fraction(str(number))
