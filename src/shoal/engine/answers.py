"""What data answer, wherever their rows are: small values, of which those of two blocks make that of both.

Of several answers that are equally bad the first is told: the shortest itemset, then the first class by its
labels, then the first items by theirs. So the same data give the same answer however they are divided.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np

from shoal.kernels.arrays import Ints, frozen_ints

Shown = str | tuple[str, ...] | None  # a published value, a set of them, or a missing one


@dataclass(frozen=True, slots=True)
class Combinations:
    """How many different combinations of values some columns have, and how many of them only one row has."""

    distinct: int
    unique: int


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of a column, in order, and whether it has cells without any."""

    texts: tuple[str, ...]
    missing: bool


@dataclass(frozen=True, slots=True)
class Item:
    """An item by the names that people know: its column and its label."""

    column: str
    label: str


@dataclass(frozen=True, slots=True, eq=False)
class NamedRows:
    """Rows that share the values `labels`: a class, or those of a class that hold something.

    `rows` are their positions where rows have any, which they have in a table and not on a cluster.
    """

    labels: Mapping[str, Shown]
    rows: Ints
    count: int

    def in_words(self) -> str:
        """The rows by their values: 'age=20-24, zip=123**'."""
        return ", ".join(f"{name}={_in_words(value)}" for name, value in self.labels.items()) or "all records"

    @property
    def order(self) -> tuple[tuple[bool, Any], ...]:
        """By which of several the first is told."""
        return tuple((value is not None, "" if value is None else value) for value in self.labels.values())


def _in_words(value: Shown) -> str:
    if isinstance(value, tuple):
        return "{" + ", ".join(value) + "}"
    return "(missing)" if value is None else value


@dataclass(frozen=True, slots=True, eq=False)
class SizeCounts:
    """The sizes of classes, counted: classes[i] of them have sizes[i], ascending."""

    sizes: Ints
    classes: Ints

    @classmethod
    def of(cls, sizes: Ints) -> Self:
        """The sizes of single classes, counted."""
        return cls(*np.unique(sizes, return_counts=True))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Those of different classes, taken together."""
        sizes, places = np.unique(np.concatenate([part.sizes for part in parts]), return_inverse=True)
        classes = np.zeros(len(sizes), dtype=np.int64)
        np.add.at(classes, places, np.concatenate([part.classes for part in parts]))
        return cls(sizes, classes)

    @classmethod
    def none(cls) -> Self:
        """Nothing that forms classes."""
        return cls(frozen_ints([]), frozen_ints([]))

    @property
    def class_count(self) -> int:
        """How many classes there are."""
        return int(self.classes.sum())

    @property
    def smallest(self) -> int:
        """The size of the smallest class."""
        return int(self.sizes[0])


@dataclass(frozen=True, slots=True, eq=False)
class ClassSizes:
    """The classes that the rows form by some columns.

    `weakest` is the one with the smallest `support`, which counts records or, where rows are not people,
    people. Of all records `below` are in classes whose support is below k, `classes_below` of them.
    """

    sizes: SizeCounts
    weakest: NamedRows
    support: int
    below: int
    classes_below: int
    people: int | None = None

    @property
    def unit(self) -> str:
        """What the support counts."""
        return "record" if self.people is None else "person"


@dataclass(frozen=True, slots=True, eq=False)
class Rarest:
    """The itemset of at most m quasi-identifier items with the smallest support within a class.

    `support` is None when no item occurs at all. `below_k` counts the itemsets of every class that occur in
    fewer than k of its rows.
    """

    support: int | None
    itemset: tuple[Item, ...]
    where: NamedRows
    below_k: int

    def merge(self, other: Self) -> Self:
        """The same of both blocks, which hold whole classes each."""
        return replace(min(self, other, key=_rarity), below_k=self.below_k + other.below_k)


def _rarity(rarest: Rarest) -> tuple[Any, ...]:
    if rarest.support is None:
        return (True,)
    return False, rarest.support, len(rarest.itemset), rarest.where.order, _labels(rarest.itemset)


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """The sensitive item or value that somebody who knows at most m items can guess best.

    Of the `knowing` rows of a class that hold the known items (for a sensitive column: and have a value),
    `holding` hold the sensitive one; these are `where`.
    """

    known: tuple[Item, ...]
    sensitive: Item
    holding: int
    knowing: int
    where: NamedRows

    @property
    def share(self) -> Fraction:
        """How likely the guess is right."""
        return Fraction(self.holding, self.knowing)

    def merge(self, other: Self) -> Self:
        """The likelier one of both blocks, which hold whole classes each."""
        return min(self, other, key=_unlikelihood)


def _unlikelihood(guess: Guess) -> tuple[Any, ...]:
    known = _labels(guess.known)
    return -guess.share, len(known), guess.where.order, known, guess.sensitive.column, guess.sensitive.label


def _labels(itemset: tuple[Item, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((item.column, item.label) for item in itemset)


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Items known to be there and items known to be absent, with the rows that fit.

    `below_k` counts all such knowledge that fits fewer than k rows. `sure` tells whether it is known of all
    labels how many items they stand for, which is what it takes to know that they are absent.
    """

    present: tuple[Item, ...]
    absent: tuple[Item, ...]
    rows: Ints
    below_k: int
    sure: bool


class Judgement(NamedTuple):
    """What a model says of each class: its figure, how far it is on the good side, and whether it breaks."""

    figures: np.ndarray[Any, np.dtype[np.float64]]
    slacks: np.ndarray[Any, np.dtype[np.float64]]
    broken: np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True, eq=False)
class WeakestClass:
    """What one sensitive column shows, counted in records or in people (`unit`).

    Of all `classes` some are `broken`. In the weakest, `frequent` is the most frequent value, which `holding`
    of the `size` records with a value have; None where all of them are missing.
    """

    column: str
    unit: str
    figure: float
    slack: float
    classes: int
    broken: int
    where: NamedRows
    frequent: str | None
    holding: int
    size: int

    def merge(self, other: Self) -> Self:
        """The same of both blocks, which hold whole classes each."""
        weakest = min(self, other, key=lambda each: (not each.broken, each.slack, each.where.order))
        return replace(weakest, classes=self.classes + other.classes, broken=self.broken + other.broken)


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How often each value of a column occurs in each class; missing values are not counted.

    Class c has the values values[starts[c]:starts[c + 1]], ascending, with those `counts`. `totals[v]` is
    the count of value v over all classes. `sizes[c]` is how many rows, or people, of class c have a value;
    a person with several values counts once.
    """

    sizes: Ints
    starts: Ints
    values: Ints
    counts: Ints
    totals: Ints

    def of_class(self, number: int) -> tuple[Ints, Ints]:
        """Values and counts of one class."""
        part = slice(self.starts[number], self.starts[number + 1])
        return self.values[part], self.counts[part]
