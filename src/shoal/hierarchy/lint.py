"""Everything that is wrong or unwise in a hierarchy, at once and with its line."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

import numpy as np

from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.hierarchy.builders import Fanout
from shoal.hierarchy.files import HierarchyFile
from shoal.hierarchy.labels import without_separator
from shoal.hierarchy.outline import Outline
from shoal.hierarchy.source import TreeSource
from shoal.hierarchy.tree import Hierarchy
from shoal.hierarchy.unknown import rows_of_each_value, unknown_values
from shoal.hierarchy.values import all_numbers, canonical_labels, listed, numbers_of
from shoal.kernels.arrays import starts_of
from shoal.table.columns import Coded, Kind, Sets

_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE_LABEL = re.compile(rf"[\[(\]]?\s*({_NUMBER})\s*(?:-|,|\.\.)\s*({_NUMBER})\s*[\])\[]?")


class Severity(StrEnum):
    """Whether a hierarchy cannot be used, should not be used as it is, or deserves a look."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A problem and how much it matters."""

    severity: Severity
    problem: Problem

    def __str__(self) -> str:
        return f"{self.severity}: {self.problem}"


def lint(
    source: TreeSource | Hierarchy,
    column: Coded | Sets | None = None,
    *,
    name: str | None = None,
    separator: str | None = None,
    exempt: Collection[str] = (),
) -> list[LintFinding]:
    """Look for everything that is wrong or unwise; with a column also for what its values make of it.

    `name` is the column's, `separator` that of its sets unless the column itself is given, and `exempt` are
    values that need no place in the tree, such as sensitive items. A builder needs a column.
    """
    if isinstance(column, Sets):
        separator = column.separator
    subject = _Subject.of(source, column)
    findings = list(subject.findings)
    if column is not None:
        findings += _values_without_leaf(subject, column, name, exempt)
    findings += _chains(subject)
    if separator is not None:
        findings += _labels_with_separator(subject, separator)
    if isinstance(source, Fanout):
        what = "labels name the first and the last value of a group: they publish values of the data"
        findings.append(_finding(Severity.WARNING, what, "use ranges, or a file with bounds of your own"))
    elif column is not None:
        findings += _bounds_at_the_extremes(subject, column)
    if column is not None:
        findings += _nodes_with_one_present_leaf(subject, column)
    return findings


@dataclass(frozen=True, slots=True)
class _Subject:
    """What is looked at: a file's outline, a tree, or both; without a tree the file cannot be used."""

    findings: tuple[LintFinding, ...] = ()
    outline: Outline | None = None
    tree: Hierarchy | None = None

    @classmethod
    def of(cls, source: TreeSource | Hierarchy, column: Coded | Sets | None) -> Self:
        if isinstance(source, Hierarchy):
            return cls(tree=source)
        try:
            if isinstance(source, HierarchyFile):
                return cls._of_outline(source.outline(), column)
            if column is None:
                raise InvalidParameter("lint", "column", None, "given: a builder builds from its values")
            return cls(tree=source.tree(column.domain))
        except BadInput as error:
            return cls(tuple(LintFinding(Severity.ERROR, problem) for problem in error.problems))

    @classmethod
    def _of_outline(cls, outline: Outline, column: Coded | Sets | None) -> Self:
        kind = Kind.NUMBER if column is None else column.domain.kind
        severity = Severity.WARNING if column is None else Severity.ERROR  # numbers, if they are numbers
        same = [LintFinding(severity, problem) for problem in outline.same_values(kind)]
        errors = [LintFinding(Severity.ERROR, problem) for problem in outline.problems]
        noted = [_finding(Severity.WARNING, notice) for notice in outline.notices]
        findings = (*errors, *same, *noted)
        if any(finding.severity is Severity.ERROR for finding in findings):
            return cls(findings, outline)
        return cls(findings, outline, outline.tree() if column is None else outline.tree_over(column.domain))

    @property
    def file(self) -> str | None:
        return None if self.outline is None else self.outline.file

    def line(self, label: str) -> int | None:
        return None if self.outline is None else self.outline.lines.get(label)

    def labels(self) -> Iterable[str]:
        if self.outline is not None:
            return dict.fromkeys((*self.outline.parents, *self.outline.parents.values()))
        return () if self.tree is None else (label for label in self.tree.labels if label)


def _values_without_leaf(
    subject: _Subject, column: Coded | Sets, name: str | None, exempt: Collection[str]
) -> Iterator[LintFinding]:
    if subject.tree is not None:
        known: Sequence[str] = subject.tree.leaf_labels
    elif subject.outline is not None and not subject.outline.intervals:
        known = canonical_labels(subject.outline.values, column.domain.kind)
    else:
        return
    unknown = unknown_values(column, known, exempt)
    if len(unknown):
        for problem in unknown.problems(known, name):
            yield LintFinding(Severity.ERROR, replace(problem, file=subject.file))


def _chains(subject: _Subject) -> Iterator[LintFinding]:
    """Labels with a single child; of a file each with its line."""
    remedy = "take it out, or give it another child"
    if subject.outline is not None:
        for label, child in _only_children(subject.outline):
            what = f"label {label!r} has the single child {child!r}: it hides nothing more"
            yield _finding(Severity.WARNING, what, remedy, subject.file, subject.line(label))
    elif subject.tree is not None:
        tree = subject.tree
        widths = np.diff(tree.child_starts)
        single = [tree.labels[node] for node in np.flatnonzero(widths == 1).tolist()]
        if single:
            yield _finding(Severity.NOTE, f"{len(single)} labels have a single child: {listed(single)}")


def _only_children(outline: Outline) -> Iterator[tuple[str, str]]:
    children: dict[str, list[str]] = {}
    for child, parent in outline.parents.items():
        children.setdefault(parent, []).append(child)
    for value in outline.values:
        if value in children:
            children[value].append(value)
    yield from ((label, below[0]) for label, below in children.items() if len(below) == 1)


def _labels_with_separator(subject: _Subject, separator: str) -> Iterator[LintFinding]:
    for label in subject.labels():
        if separator in label:
            what = f"label {label!r} contains the separator {separator!r} of the set"
            remedy = f"it will be published as {without_separator(label, separator)!r}"
            yield _finding(Severity.WARNING, what, remedy, subject.file, subject.line(label))


def _bounds_at_the_extremes(subject: _Subject, column: Coded | Sets) -> Iterator[LintFinding]:
    """Ranges that begin at the smallest or end at the largest value: such bounds may come from the data."""
    present = np.flatnonzero(rows_of_each_value(column))
    if subject.tree is None or not len(present) or not all_numbers(column.domain):
        return
    texts = column.domain.texts()
    numbers = numbers_of([texts[code] for code in present.tolist()], Kind.NUMBER)
    smallest, largest = float(numbers.min()), float(numbers.max())
    suspects = []
    for label in subject.tree.labels[subject.tree.missing + 1 :]:
        ends = _RANGE_LABEL.fullmatch(label)
        if ends and (float(ends[1]) == smallest or float(ends[2]) == largest):
            suspects.append(label)
    if suspects:
        what = f"labels begin or end exactly at the data's smallest or largest value: {listed(suspects)}"
        yield _finding(Severity.NOTE, what, "choose bounds that do not come from the data", subject.file)


def _nodes_with_one_present_leaf(subject: _Subject, column: Coded | Sets) -> Iterator[LintFinding]:
    tree = subject.tree
    if tree is None:
        return
    occurring = {
        text for text, rows in zip(column.domain.texts(), rows_of_each_value(column), strict=True) if rows
    }
    present = np.array([label in occurring for label in tree.leaf_labels], dtype=np.int64)
    before = starts_of(present)
    inner = np.arange(tree.missing + 1, tree.root)
    held = before[tree.arrays.last_leaf[inner] + 1] - before[tree.arrays.first_leaf[inner]]
    alone = [tree.labels[node] for node in inner[(held == 1) & (tree.sizes[inner] > 1)].tolist()]
    if alone:
        what = f"{len(alone)} labels cover a single value that occurs in the data: {listed(alone)}"
        yield _finding(Severity.NOTE, what, "whoever knows the data's values sees through them", subject.file)


def _finding(
    severity: Severity, what: str, remedy: str = "", file: str | None = None, line: int | None = None
) -> LintFinding:
    return LintFinding(severity, Problem(what, remedy, file, line))
