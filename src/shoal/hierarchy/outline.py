"""What a hierarchy file says, before it is known to be a tree.

Readers gather all that is wrong instead of stopping at the first problem, so that a file is either used or
refused with every reason at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from shoal.errors import BadInput, Problem
from shoal.hierarchy.intervals import Interval, holders, overlapping
from shoal.hierarchy.labels import with_publishable_labels
from shoal.hierarchy.tree import NO_PARENT, Hierarchy, tree_from_nodes
from shoal.hierarchy.values import canonical_labels, listed, numbers_of
from shoal.table.columns import Domain, Kind
from shoal.table.written import PUBLISHED, HowWritten

ValueType = Literal["string", "int", "decimal", "date"]


@dataclass(frozen=True, slots=True)
class Outline:
    """The labels of a file, each with the label above it.

    `parents` keeps the order of the file, `lines` the lines that say so. `values` are the labels that stand
    for values of the data: one that is also above others becomes a leaf under its namesake. `intervals` are
    given where the lowest labels are ranges: there the values of the data hang under the ranges.
    """

    file: str
    parents: Mapping[str, str]
    values: Sequence[str]
    lines: Mapping[str, int | None]
    problems: tuple[Problem, ...] = ()
    notices: tuple[str, ...] = ()
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    value_type: ValueType = "string"

    def tree(self) -> Hierarchy:
        """The tree of the file alone, with the lowest labels as leaves."""
        return with_publishable_labels(self._tree_of_values(self.values))

    def tree_over(
        self, domain: Domain, separator: str | None = None, how: HowWritten = PUBLISHED
    ) -> Hierarchy:
        """The tree for a column; values that the file lacks are left to the caller.

        Leaves are written as the column writes its values: among numbers `5.0` is `5`. Ranges that hold no
        value of the column are left out.
        """
        if self.intervals:
            tree = self._tree_of_ranges(domain)
        else:
            self.refuse(*self.same_values(domain.kind, how))
            tree = self._tree_of_values(canonical_labels(self.values, domain.kind, how))
        return with_publishable_labels(tree, separator)

    def refuse(self, *more: Problem) -> None:
        """Raise BadInput with the problems of the file and more, if there are any."""
        if self.problems or more:
            raise BadInput(*self.problems, *more)

    def same_values(self, kind: Kind, how: HowWritten = PUBLISHED) -> list[Problem]:
        """Labels that a column of this kind cannot tell apart."""
        first: dict[str, str] = {}
        problems = []
        for value, text in zip(self.values, canonical_labels(self.values, kind, how), strict=True):
            other = first.setdefault(text, value)
            if other != value:
                what = f"{value!r} is the same {kind} as {other!r}{_in_line(self.lines[other])}"
                problems.append(Problem(what, "keep one of them", self.file, self.lines[value]))
        return problems

    def _tree_of_values(self, leaves: Sequence[str]) -> Hierarchy:
        self.refuse()
        inner = set(self.parents.values())
        above = [value if value in inner else self.parents[value] for value in self.values]
        rank = self._rank()
        # A value that is also above others comes first under its namesake.
        return self._grown(leaves, above, [-1 if value in inner else rank[value] for value in self.values])

    def _tree_of_ranges(self, domain: Domain) -> Hierarchy:
        self.refuse()
        kind = Kind.DATE if self.value_type == "date" else Kind.NUMBER
        numbers = numbers_of(domain.texts(), kind) if domain.numbers is None else domain.numbers
        ranges = {value: self.intervals[value] for value in self.values}
        last_siblings = {self.parents[value]: value for value in sorted(ranges, key=lambda v: ranges[v].low)}
        found = holders(ranges, frozenset(last_siblings.values()), numbers)
        held = [
            (text, holder) for text, holder in zip(domain.texts(), found, strict=True) if holder is not None
        ]
        return self._grown([text for text, _ in held], [holder for _, holder in held], range(len(held)))

    def _grown(self, leaves: Sequence[str], above: Sequence[str], order: Sequence[int]) -> Hierarchy:
        """The tree in which leaves[i] hangs under the label above[i]; labels without leaves are left out."""
        inner = self._with_all_above(above)
        rank, start = self._rank(), len(leaves)
        parents = [start + inner[label] for label in above]
        parents += [
            start + inner[self.parents[label]] if label in self.parents else NO_PARENT for label in inner
        ]
        tree = tree_from_nodes(
            [*leaves, *inner],
            parents,
            order=[*order, *(rank.get(label, 0) for label in inner)],
            source=self.file,
        )
        return tree.noting(*self.notices)

    def _with_all_above(self, labels: Sequence[str]) -> dict[str, int]:
        """The root, the labels, and everything between them, numbered."""
        (root,) = roots(self.parents)
        found = {root: 0}
        for start in labels:
            label = start
            while label not in found:
                found[label] = len(found)
                label = self.parents[label]
        return found

    def _rank(self) -> dict[str, int]:
        return {label: index for index, label in enumerate(self.parents)}


class Gathering:
    """An outline in the making: labels as a reader finds them, and what is wrong with them."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.notices: list[str] = []
        self.intervals: dict[str, Interval] = {}
        self.parents: dict[str, str] = {}
        self._values: dict[str, None] = {}
        self._lines: dict[str, int | None] = {}
        self._refused: set[tuple[str, str]] = set()

    def refuse(self, what: str, remedy: str, line: int | None = None) -> None:
        """Note a problem."""
        self.problems.append(Problem(what, remedy, self.file, line))

    def hang(self, child: str, parent: str, line: int | None = None) -> None:
        """Note that one label stands above another."""
        known = self.parents.setdefault(child, parent)
        self._lines.setdefault(child, line)
        if known != parent and (child, parent) not in self._refused:
            self._refused.add((child, parent))
            self.refuse(
                f"label {child!r} has two parents, {known!r}{_in_line(self._lines[child])} and {parent!r}",
                "give it one, or two names",
                line,
            )

    def value(self, label: str, line: int | None = None) -> None:
        """Note that a label is a value of the data."""
        self._values.setdefault(label)
        self._lines.setdefault(label, line)

    def outline(self, value_type: ValueType = "string") -> Outline:
        """What was gathered; labels with nothing below them are values, too."""
        inner = dict.fromkeys(self.parents.values())
        childless = (label for label in self.parents if label not in inner)
        values = list(dict.fromkeys((*self._values, *childless)))
        self._refuse_what_is_no_tree()
        if self.intervals:
            self._refuse_overlaps(values)
        return Outline(
            self.file,
            self.parents,
            values,
            {**dict.fromkeys(inner), **self._lines},
            tuple(self.problems),
            tuple(self.notices),
            self.intervals,
            value_type,
        )

    def _refuse_what_is_no_tree(self) -> None:
        tops = roots(self.parents)
        if not self.parents and not self.problems:
            self.refuse("holds no hierarchy", "give every value a way to a root such as '*'")
        if len(tops) > 1:
            named = ", ".join(f"{top!r}" for top in tops[:5])
            self.refuse(f"has {len(tops)} roots: {named}", "make all values meet in one root such as '*'")
        circling = self._labels_without_root()
        if circling:
            self.refuse(f"labels {listed(circling)} stand above each other", "give each a way to the root")

    def _labels_without_root(self) -> list[str]:
        rooted: dict[str, bool] = {}
        for start in self.parents:
            way = []
            label = start
            while label in self.parents and label not in rooted:
                rooted[label] = False  # until the way up is known; a circle comes back here
                way.append(label)
                label = self.parents[label]
            rooted.update(dict.fromkeys(way, rooted.get(label, True)))
        return [label for label, found in rooted.items() if not found]

    def _refuse_overlaps(self, values: Sequence[str]) -> None:
        lowest = {value: self.intervals[value] for value in values if value in self.intervals}
        for one, other in overlapping(lowest):
            self.refuse(
                f"the ranges {one!r} and {other!r} overlap", "let each begin where the one before ends"
            )


def roots(parents: Mapping[str, str]) -> list[str]:
    """Labels that have labels below them and none above."""
    return [label for label in dict.fromkeys(parents.values()) if label not in parents]


def _in_line(line: int | None) -> str:
    return "" if line is None else f" (line {line})"
