"""Rows in the labels of an earlier release, in the order in which they came, for those who train models."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from shoal.engine.local import LocalData
from shoal.kernels.arrays import Bools, Ints, owners, starts_of
from shoal.recoding.apply import STAR
from shoal.recoding.recoding import apply_recoding
from shoal.recoding.rows import RowRecoding
from shoal.report.codebook import QUASI, Codebook
from shoal.run.prepare import Data
from shoal.run.release_codebook import codebook_of_rows
from shoal.run.result import Result
from shoal.study.open_release import OpenedRelease, columns_of
from shoal.table.columns import Coded, Column, Domain, Sets, Table, category_domain

Form = Literal["labels", "bounds", "midpoints", "levels", "one-hot"]


@dataclass(frozen=True, eq=False)
class _OtherRows(OpenedRelease):
    """Rows whose labels stand for what they stood for in an earlier release, as likely as there."""

    counts: Mapping[str, Ints] = field(default_factory=dict)

    def label_counts(self, name: str) -> Ints:
        """How often each label of a column occurred in the earlier release."""
        return self.counts[name]


@dataclass(frozen=True, eq=False)
class FittedLabels:
    """The labels of a release, what they stand for and how often they occur; it holds none of its rows.

    `*` is among the labels of every column with single values.
    """

    codebook: Codebook
    domains: Mapping[str, Domain]
    counts: Mapping[str, Ints]

    @classmethod
    def of(cls, result: Result) -> FittedLabels:
        """Those of a release of rows."""
        if not isinstance(result.released, Table):
            raise TypeError("only releases of rows have rows")
        local = result.data.local
        quasi = {name: result.released.column(name) for name in (*local.quasi, *local.quasi_sets)}
        domains = {name: _with_star(column) for name, column in quasi.items()}
        table = result.released.replacing(
            {name: _in_domain(column, domains[name]) for name, column in quasi.items()}
        )
        codebook = codebook_of_rows(LocalData(table, local.roles), result.outcome.claim.roles, local)
        opened = OpenedRelease(Path(result.default_name), table, codebook)
        return cls(codebook, domains, {name: opened.label_counts(name) for name in domains})

    def columns(self, data: Data, recoding: RowRecoding | None, form: Form) -> dict[str, pa.Array]:
        """What a recoding makes of data, in their order and with as many rows.

        A record that is not published becomes a row of `*`: its sets are empty, and what is published as it
        is is missing. Without a recoding none is published.
        """
        original = data.local.table
        published = np.zeros(original.row_count, dtype=np.bool_)
        columns: dict[str, Column] = dict(original.columns)
        if recoding is None:
            columns |= {name: self._of_none(name, original) for name in self.domains}
        else:
            applied = apply_recoding(
                original, data.local.trees, data.local.roles, recoding, smallest=sys.maxsize
            )
            published[applied.rows] = True
            columns |= {
                name: _spread(_in_domain(applied.table.column(name), domain), published)
                for name, domain in self.domains.items()
            }
        table = Table.of(columns, original.row_count)
        opened = _OtherRows(Path(), table, self.codebook, "pyarrow", counts=self.counts)
        found = columns_of(opened, form)
        rows = pa.array(np.arange(len(published)), mask=~published)
        as_they_are = {name for name, book in self.codebook.columns.items() if book.role != QUASI}
        return {name: column.take(rows) if name in as_they_are else column for name, column in found.items()}

    def _of_none(self, name: str, original: Table) -> Column:
        column, domain = original.column(name), self.domains[name]
        none = np.empty(0, dtype=np.int64)
        nothing = (
            Sets.of(np.zeros(1, dtype=np.int64), none, domain, column.separator)
            if isinstance(column, Sets)
            else Coded.of(none, domain)
        )
        return _spread(nothing, np.zeros(original.row_count, dtype=np.bool_))


def _with_star(column: Column) -> Domain:
    if isinstance(column, Coded):
        return category_domain(sorted({*column.domain.texts(), STAR}))
    if isinstance(column, Sets):
        return column.domain
    raise TypeError("a quasi-identifier is never carried through")


def _in_domain(column: Column, domain: Domain) -> Coded | Sets:
    """A column in the codes of a domain; a label that is not in it becomes `*`, such an item vanishes."""
    place_of = {label: place for place, label in enumerate(domain.texts())}
    if isinstance(column, Coded):
        star = place_of[STAR]
        places = [place_of.get(label, star) for label in column.domain.texts()]
        return Coded.of(np.array([*places, domain.missing], dtype=np.int64)[column.codes], domain)
    if isinstance(column, Sets):
        known = np.array([place_of.get(label, -1) for label in column.domain.texts()], dtype=np.int64)
        items = known[column.narrow]
        sizes = np.bincount(owners(column.starts)[items >= 0], minlength=len(column))
        return Sets.of(starts_of(sizes), items[items >= 0], domain, column.separator)
    raise TypeError("a quasi-identifier is never carried through")


def _spread(column: Coded | Sets, published: Bools) -> Coded | Sets:
    """A column of the published records as one of all records, the others `*` or empty."""
    if isinstance(column, Coded):
        codes = np.full(len(published), column.domain.texts().index(STAR), dtype=np.int64)
        codes[published] = column.codes
        return Coded.of(codes, column.domain)
    sizes = np.zeros(len(published), dtype=np.int64)
    sizes[published] = column.sizes
    return Sets.of(starts_of(sizes), column.narrow, column.domain, column.separator)
