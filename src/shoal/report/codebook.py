"""The codebook of a release: what every label of the published file stands for.

It holds nothing but what the labels say and, where its publisher lets everybody see it, their hierarchy.
Whoever has the file can check it: see `codebook_disagreements`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.hierarchy.tree import NO_PARENT, ROOT_LABEL, Hierarchy, tree_from_nodes
from shoal.json_values import JsonValue
from shoal.recoding.label_cover import (
    EVERYTHING,
    NAME,
    Cover,
    CoverForm,
    beginning_cover,
    between_cover,
    levels_of,
    masked_left_cover,
    masked_right_cover,
    range_cover,
    union_covers,
    value_cover,
)
from shoal.recoding.label_notation import values_below
from shoal.table.columns import Kind
from shoal.table.dialect import Dialect, with_point
from shoal.table.formulas import MARK
from shoal.table.roles import check_unit

FORMAT = "shoal-codebook-1"
QUASI = "quasi"
_UNIT_OF_DATES = "day"


@dataclass(frozen=True)
class ColumnBook:
    """What the labels of one published column stand for.

    `kind` is what they stand for; a column of sets has a `separator`. `nested` says that they are nodes of a
    hierarchy, `missing` that cells without a value occur; `unit` is what numbers
    count. `tree` is the hierarchy if everybody may see it. Columns that are published as they are have no
    covers.
    """

    role: str
    kind: Kind
    separator: str | None = None
    nested: bool = True
    missing: bool = False
    tree: Hierarchy | None = None
    covers: Mapping[str, Cover] = field(default_factory=dict)
    unit: str | None = None

    @property
    def is_set(self) -> bool:
        """Whether its cells are sets of labels."""
        return self.separator is not None

    @cached_property
    def levels(self) -> Mapping[str, int]:
        """The level of each label: in the hierarchy that is shown, or among the labels of the file."""
        found = dict(zip(self.covers, levels_of([*self.covers.values()], nested=self.nested), strict=True))
        if self.tree is None:
            return found
        heights = dict(zip(self.tree.labels, self.tree.heights.tolist(), strict=True))
        return {label: heights.get(label, level) for label, level in found.items()}

    @cached_property
    def node_of(self) -> Mapping[str, int]:
        """The nodes of the hierarchy that is shown, by label."""
        labels = () if self.tree is None else self.tree.labels
        return {label: node for node, label in enumerate(labels)}

    def count(self, label: str) -> int | None:
        """How many values a label could stand for; None where nobody can say."""
        cover = self.covers[label]
        if cover.form is CoverForm.EVERYTHING and self.tree is not None:
            return self.tree.leaf_count
        return cover.count


@dataclass(frozen=True, slots=True)
class Codebook:
    """What the labels of a published file stand for, column by column."""

    columns: Mapping[str, ColumnBook]
    decimal: str = "."

    def to_json(self, file: str, dialect: Mapping[str, JsonValue] | None = None) -> dict[str, JsonValue]:
        """The content of codebook.json; `file` is the published file's name, `dialect` how it is written."""
        columns: dict[str, JsonValue] = {name: _column_json(book) for name, book in self.columns.items()}
        written: dict[str, JsonValue] = {"dialect": dict(dialect)} if dialect else {}
        return {"format": FORMAT, "file": file, **written, "columns": columns}

    @classmethod
    def from_json(cls, content: Any, where: str) -> Codebook:
        """Read what `to_json` gave; BadInput if it is something else."""
        try:
            if content["format"] != FORMAT:
                raise ValueError(f"its format is not {FORMAT!r}")
            columns = {name: _column_from(about) for name, about in content["columns"].items()}
            return cls(columns, Dialect.of(content.get("dialect", {})).decimal or ".")
        except (KeyError, TypeError, AttributeError, ValueError, BadInput, InvalidParameter) as error:
            reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            what = f"is not a codebook that Shoal can read: {reason}"
            raise BadInput(Problem(what, "name the codebook.json of the file", file=where)) from error


def _column_json(book: ColumnBook) -> dict[str, JsonValue]:
    about: dict[str, JsonValue] = {"role": book.role, "kind": str(book.kind)}
    unit = _UNIT_OF_DATES if book.role == QUASI and book.kind is Kind.DATE else book.unit
    if unit is not None:
        about["unit"] = unit
    if book.role != QUASI:
        return about
    if book.separator is not None:
        about["separator"] = book.separator
    entries: dict[str, JsonValue] = {
        label: {**_cover_json(cover), "level": book.levels[label], "count": book.count(label)}
        for label, cover in book.covers.items()
    }
    about |= {"nested": book.nested, "missing": book.missing, "labels": entries}
    return about | ({} if book.tree is None else {"tree": _tree_json(book.tree)})


_FIELDS: Mapping[CoverForm, tuple[str, ...]] = {
    CoverForm.VALUE: ("lower", "upper"),
    CoverForm.RANGE: ("lower", "upper", "includes_upper", "whole"),
    CoverForm.BEGINNING: ("text", "length"),
    CoverForm.ENDING: ("text", "length"),
    CoverForm.BETWEEN: ("lower", "upper"),
    CoverForm.VALUES: ("lower", "upper", "values"),
    CoverForm.EVERYTHING: (),
    CoverForm.NAME: (),
}


def _cover_json(cover: Cover) -> dict[str, JsonValue]:
    """The fields of a form; single values and lists name bounds only where they are numbers or days."""
    fields = _FIELDS[cover.form]
    if cover.form in (CoverForm.VALUE, CoverForm.VALUES) and cover.lower is None:
        fields = fields[2:]
    found = {name: getattr(cover, name) for name in fields}
    listed = {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}
    return {"form": str(cover.form), **listed}


def _tree_json(tree: Hierarchy) -> dict[str, JsonValue]:
    """Labels of all nodes but the missing value, and the place of the label above each; -1 above the root."""
    nodes = [node for node in range(tree.node_count) if node != tree.missing]
    place_of = {node: place for place, node in enumerate(nodes)}
    above: list[JsonValue] = [
        NO_PARENT if node == tree.root else place_of[tree.parent(node)] for node in nodes
    ]
    return {"labels": [tree.labels[node] for node in nodes], "parents": above}


def _column_from(about: Mapping[str, Any]) -> ColumnBook:
    role, kind, unit = str(about["role"]), Kind(about["kind"]), about.get("unit")
    check_unit("a codebook", unit)
    if role != QUASI:
        return ColumnBook(role, kind, unit=unit)
    tree = about.get("tree")
    return ColumnBook(
        role,
        kind,
        separator=about.get("separator"),
        nested=bool(about["nested"]),
        missing=bool(about["missing"]),
        tree=None if tree is None else tree_from_nodes(tree["labels"], tree["parents"], source="codebook"),
        covers={label: _cover_from(label, entry) for label, entry in about["labels"].items()},
        unit=None if kind is Kind.DATE else unit,
    )


def _cover_from(label: str, entry: Mapping[str, Any]) -> Cover:
    form = CoverForm(entry["form"])
    found = {name: entry[name] for name in _FIELDS[form] if name in entry}
    if form is CoverForm.VALUE:
        found["text"] = label
    if "values" in found:
        found["values"] = tuple(found["values"])
    bounds = [found.get("lower"), found.get("upper")]
    texts = sum(isinstance(bound, str) for bound in bounds)
    numbers = sum(isinstance(bound, int | float) and not isinstance(bound, bool) for bound in bounds)
    if texts + numbers + bounds.count(None) < len(bounds) or (texts and numbers):
        raise ValueError(f"the bounds of {label!r} are neither two numbers nor two texts")
    return Cover(form, **found)


@dataclass(frozen=True, slots=True)
class PublishedLabels:
    """What stands in a column of the published file: its labels, and whether cells without one occur."""

    role: str
    labels: Collection[str]
    missing: bool


def codebook_disagreements(
    stated: Mapping[str, Any], codebook: Codebook, published: Mapping[str, PublishedLabels]
) -> list[str]:
    """Where a codebook does not fit the labels of its file; `stated` is the codebook as it is written."""
    there, here = set(codebook.columns), set(published)
    if there != here:
        named = ", ".join(map(repr, sorted(there ^ here)))
        return [f"the codebook and the file do not have the same columns: {named}"]
    return [
        f"column {name!r}: {what}"
        for name, shown in published.items()
        for what in _column_disagreements(
            stated["columns"][name], codebook.columns[name], shown, codebook.decimal
        )
    ]


def _column_disagreements(
    stated: Mapping[str, Any], book: ColumnBook, published: PublishedLabels, decimal: str
) -> Iterator[str]:
    if book.role != published.role:
        yield f"the codebook calls it {book.role}, and it is {published.role}"
        return
    if book.role != QUASI:
        return
    without = [label for label in published.labels if label not in book.covers]
    strange = sorted(set(book.covers).difference(published.labels))
    yield from (f"the label {label!r} has no entry in the codebook" for label in without)
    yield from (f"the codebook explains {label!r}, which is not in the file" for label in strange)
    if book.missing != published.missing:
        yield f"the codebook says that missing values {'occur' if book.missing else 'do not occur'}"
    if not (without or strange):
        yield from _entry_disagreements(stated["labels"], book, decimal)


def _entry_disagreements(stated: Mapping[str, Any], book: ColumnBook, decimal: str) -> Iterator[str]:
    misread = [
        label for label, cover in book.covers.items() if cover not in _possible_covers(label, book, decimal)
    ]
    for label in misread:
        yield f"the codebook says that {label!r} covers {in_words(book.covers[label])}, which it does not say"
    roots = [label for label, cover in book.covers.items() if cover.form is CoverForm.EVERYTHING]
    if len(set(roots) - {ROOT_LABEL}) > 1:
        yield f"the codebook says that each of {_listed(roots)} covers everything"
    elif not misread:  # levels of labels that are misread mean nothing
        yield from _figure_disagreements(stated, book)


def _figure_disagreements(stated: Mapping[str, Any], book: ColumnBook) -> Iterator[str]:
    for label in book.covers:
        for name, found in (("level", book.levels[label]), ("count", book.count(label))):
            if stated[label].get(name) != found:
                yield f"the codebook gives {label!r} the {name} {stated[label].get(name)}, and it is {found}"


def _possible_covers(label: str, book: ColumnBook, decimal: str) -> Iterable[Cover]:
    """All that a label can be read as."""
    if label == ROOT_LABEL:
        return [EVERYTHING]
    if book.tree is not None and label in book.node_of:
        node = book.node_of[label]
        return [EVERYTHING] if node == book.tree.root else [values_below(node, book.tree, label, book.kind)]
    number = with_point(label, decimal) if book.kind is Kind.NUMBER else label
    found = [replace(value_cover(number, book.kind), text=label), NAME, EVERYTHING]
    for plain in (label, label.removeprefix(MARK)):
        readings = (
            range_cover(plain, book.kind),
            masked_right_cover(plain),
            masked_left_cover(plain),
            beginning_cover(plain),
            between_cover(plain),
            *union_covers(plain),
        )
        found += [cover for cover in readings if cover is not None]
    return [*found, *(replace(cover, whole=True) for cover in found if cover.form is CoverForm.RANGE)]


_WORDS_OF_VALUES = 5


def in_words(cover: Cover, unit: str | None = None) -> str:
    """What a label covers, for people; `unit` is what its numbers count."""
    match cover.form:
        case CoverForm.RANGE:
            return _range_in_words(cover) + (f" {unit}" if unit else "")
        case CoverForm.VALUE if unit:
            return f"{cover.text} {unit}"
        case CoverForm.BEGINNING | CoverForm.ENDING:
            verb = "beginning" if cover.form is CoverForm.BEGINNING else "ending"
            length = "" if cover.length is None else f" of {cover.length} characters"
            return f"texts{length} {verb} with {cover.text!r}"
        case CoverForm.BETWEEN:
            return f"texts from {cover.lower!r} to {cover.upper!r} in alphabetical order"
        case CoverForm.VALUES:
            return _listed(cover.values)
        case form:
            return _WORDS[form]


_WORDS: Mapping[CoverForm, str] = {
    CoverForm.VALUE: "itself",
    CoverForm.EVERYTHING: "any value, or none",
    CoverForm.NAME: "several values that are not told",
}


def _range_in_words(cover: Cover) -> str:
    if cover.lower is None:
        return f"below {cover.upper}"
    if cover.upper is None:
        return f"{cover.lower} or more"
    whole = "whole numbers " if cover.whole else ""
    return f"{whole}from {cover.lower} to {'' if cover.includes_upper else 'below '}{cover.upper}"


def _listed(values: Sequence[str]) -> str:
    more = len(values) - _WORDS_OF_VALUES
    return ", ".join(values[:_WORDS_OF_VALUES]) + (f" and {more} more" if more > 0 else "")
