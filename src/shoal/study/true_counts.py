"""The original, seen by its values as a release is by its labels, so that both answer the same questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.errors import BadInput, Problem, UnknownName
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Bools, Ints, owners
from shoal.recoding.label_cover import Cover, CoverForm, number_of
from shoal.report.certified import PSEUDONYM
from shoal.report.codebook import Codebook
from shoal.run.prepare import Data, read
from shoal.study.count_groups import CoverGroups, Groups, PlainTexts, RangeGroups, written
from shoal.study.label_atoms import on_a_line
from shoal.study.label_bins import exact_bins, on_pieces
from shoal.table.columns import Column, Kind, Sets, Table
from shoal.table.options import ReadOptions
from shoal.table.roles import Insensitive, Quasi, QuasiSet, Role, Sensitive

_SHOWN = 20


@dataclass(frozen=True, slots=True, eq=False)
class OriginalRecords:
    """The records before anything was generalized; `kinds` says what the labels of a release stand for."""

    table: Table
    trees: Mapping[str, Hierarchy]
    kinds: Mapping[str, Kind]

    @classmethod
    def of(cls, original: Any, codebook: Codebook) -> OriginalRecords:
        """What `sh.read` gave, or a frame or file with the columns of the release."""
        kinds = {name: book.kind for name, book in codebook.columns.items()}
        data = original if isinstance(original, Data) else read(original, _roles(codebook), options=_OTHERS)
        table = data.original
        if missing := [
            name for name in kinds if name not in table.columns and codebook.columns[name].role != PSEUDONYM
        ]:
            what = f"the original has no column {missing[0]!r}, which the release has"
            raise BadInput(Problem(what, "name the data that were released"))
        return cls(table, data.local.trees, kinds)

    @property
    def row_count(self) -> int:
        """How many records there are."""
        return self.table.row_count

    def belongs(self, name: str, groups: Groups) -> tuple[Bools, Ints]:
        """Which values belong to which groups, and the value of each record."""
        column = self.table.column(name)
        if isinstance(column, Sets):
            raise TypeError("records hold several items")
        if isinstance(groups, PlainTexts) or (
            isinstance(groups, RangeGroups) and self.kinds[name] is Kind.CATEGORY
        ):
            return exact_bins(column, groups)
        values, codes = written(column)
        belongs = self._of_texts(name, values, groups)
        belongs[[value == "" for value in values]] = False
        return belongs, codes

    def fitting(self, name: str, groups: Groups) -> Bools:
        """Which records have a value of one of the groups, or hold an item of each of them."""
        column = self.table.column(name)
        self._refuse_unknown(name, column, groups)
        if isinstance(column, Sets):
            return self._holding(name, column, groups)
        belongs, codes = self.belongs(name, groups)
        fits: Bools = np.asarray(belongs.any(axis=1))[codes]
        return fits

    def only_sets(self) -> str:
        """The column that itemsets are about."""
        sets = [name for name, column in self.table.columns.items() if isinstance(column, Sets)]
        if len(sets) != 1:
            what = f"an itemset is of one set column, and the original has {len(sets)}"
            raise BadInput(Problem(what, "give the data that were released"))
        return sets[0]

    def support(self, name: str, itemset: Sequence[str]) -> int:
        """How many records hold all items, each as it is written."""
        covers = tuple(Cover(CoverForm.VALUE, text=item) for item in itemset)
        return int(
            np.count_nonzero(self._holding(name, self.table.sets(name), CoverGroups(tuple(itemset), covers)))
        )

    def with_values(self, name: str, groups: Groups) -> Groups:
        """Also the values that no published record has any more."""
        if not isinstance(groups, PlainTexts):
            return groups
        return replace(groups, names=tuple(sorted({*groups.names, *written(self.table.column(name))[0]})))

    def _holding(self, name: str, sets: Sets, groups: Groups) -> Bools:
        belongs = self._of_texts(name, sets.domain.texts(), groups)
        rows, items = owners(sets.starts), sets.narrow
        holds: Bools = np.ones(len(sets), dtype=np.bool_)
        for place in range(belongs.shape[1]):
            holds &= np.bincount(rows, belongs[items, place], len(sets)) > 0
        return holds

    def _of_texts(self, name: str, texts: Sequence[str], groups: Groups) -> Bools:
        kind = self.kinds.get(name, Kind.CATEGORY)
        numbers = [number_of(text, kind) for text in texts]
        if isinstance(groups, RangeGroups):
            on_line = [np.nan if number is None else on_a_line(number) for number in numbers]
            return on_pieces(np.array(on_line), groups)
        if not isinstance(groups, CoverGroups):
            raise TypeError("items are asked for by their covers")
        place_of = {text: place for place, text in enumerate(texts)}
        belongs = np.zeros((len(texts), len(groups.covers)), dtype=np.bool_)
        for group, (label, cover) in enumerate(zip(groups.names, groups.covers, strict=True)):
            if cover.form is CoverForm.VALUE and label in place_of:
                belongs[place_of[label], group] = True
            elif cover.form is CoverForm.NAME:
                below = self._below(name, label)
                belongs[:, group] = [text in below for text in texts]
            else:
                belongs[:, group] = [cover.holds(*each) for each in zip(texts, numbers, strict=True)]
        return belongs

    def _below(self, name: str, label: str) -> frozenset[str]:
        """The values that a label stands for which the release does not explain."""
        tree = self.trees.get(name)
        if tree is None or label not in tree.labels:
            what = f"nobody knows which values {label!r} stands for"
            raise BadInput(
                Problem(what, "give the data that sh.read makes with the hierarchies", column=name)
            )
        node = tree.labels.index(label)
        first, last = int(tree.arrays.first_leaf[node]), int(tree.arrays.last_leaf[node])
        return frozenset(tree.labels[first : last + 1])

    def _refuse_unknown(self, name: str, column: Column, groups: Groups) -> None:
        """Refuse texts that are nowhere: what one counts in vain is more often misspelled."""
        if isinstance(groups, RangeGroups):
            return
        covers: Sequence[Cover | None] = (
            groups.covers if isinstance(groups, CoverGroups) else [None] * len(groups.names)
        )
        values = column.domain.texts() if isinstance(column, Sets) else written(column)[0]
        tree = self.trees.get(name)
        known = {*values, *(tree.labels if tree is not None else ())}
        for text, cover in zip(groups.names, covers, strict=True):
            is_one = cover is None or (cover.form is CoverForm.VALUE and cover.lower is None)
            if is_one and text not in known:
                raise UnknownName(f"column {name!r}", "value", text, sorted(values)[:_SHOWN])


_OTHERS = ReadOptions(others="drop")


def _roles(codebook: Codebook) -> dict[str, Role]:
    """The roles under which the values of an original are read."""
    roles: dict[str, Role] = {}
    for name, book in codebook.columns.items():
        match book.role:
            case "sensitive":
                roles[name] = Sensitive(kind=book.kind)
            case "insensitive":
                roles[name] = Insensitive(confirm=True)
            case _ if book.separator is not None:
                roles[name] = QuasiSet(separator=book.separator)
            case "quasi":
                roles[name] = Quasi(kind=book.kind)
    return roles
