"""Values of the data that a hierarchy lacks: which, how often, and what they may have been meant to be."""

import difflib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import Problem
from shoal.hierarchy.values import VALUES_SHOWN
from shoal.kernels.arrays import Ints
from shoal.table.columns import Coded, Sets, code_counts

_CANDIDATES_COMPARED = 2000
REMEDY = 'add them to the hierarchy, or set unknown = "root" or unknown = "suppress"'


@dataclass(frozen=True, slots=True)
class Unknown:
    """Codes of a column whose values a hierarchy lacks, their labels, and the rows that hold each."""

    codes: Ints
    labels: Sequence[str]
    rows: Ints

    def __len__(self) -> int:
        return len(self.labels)

    def summary(self) -> str:
        """How many values, in how many cells."""
        values = "1 value" if len(self) == 1 else f"{len(self)} values"
        cells = int(self.rows.sum())
        return f"{values} in {cells} {'cell' if cells == 1 else 'cells'}"

    def problems(self, known: Sequence[str], column: str | None, most: int = VALUES_SHOWN) -> list[Problem]:
        """The summary and the first values, some of them with the labels that they resemble."""
        verb = "is" if len(self) == 1 else "are"
        problems = [Problem(f"{self.summary()} {verb} not in the hierarchy", REMEDY, column=column)]
        listed = zip(self.labels[:most], self.rows[:most].tolist(), strict=True)
        for index, (label, rows) in enumerate(listed):
            near = nearest(label, known) if index < VALUES_SHOWN else []
            hint = f"; it resembles {', '.join(map(repr, near))}" if near else ""
            what = f"is not in the hierarchy and stands in {rows} {'row' if rows == 1 else 'rows'}{hint}"
            problems.append(Problem(what, column=column, value=label))
        return problems


def unknown_values(column: Coded | Sets, known: Collection[str], exempt: Collection[str] = ()) -> Unknown:
    """The values that occur in a column and are neither known nor exempt."""
    texts, rows = column.domain.texts(), rows_of_each_value(column)
    known = set(known).union(exempt)
    codes = [code for code, text in enumerate(texts) if text not in known and rows[code]]
    return Unknown(np.array(codes, dtype=np.int64), [texts[code] for code in codes], rows[codes])


def rows_of_each_value(column: Coded | Sets) -> Ints:
    """How many rows hold each value of the domain."""
    return code_counts(column)[: len(column.domain)]


def nearest(label: str, known: Sequence[str]) -> list[str]:
    """Up to three known labels that resemble a label; among very many only those with the same beginning."""
    candidates = known
    if len(known) > _CANDIDATES_COMPARED:
        candidates = [other for other in known if other[:1] == label[:1]][:_CANDIDATES_COMPARED]
    return difflib.get_close_matches(label, candidates)
