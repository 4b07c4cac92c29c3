"""Columns published as they are that tell what generalization hid: a year of birth beside a range of ages.

Somebody who sees a record's published value of a quasi-identifier guesses the original as the most frequent
one among the other records published alike; who also looks at a column that was left as it is guesses among
those that agree on it, too. A record that nobody else is like tells nothing about others, so that columns of
rare values are not blamed for what they cannot tell.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.engine.local import LocalData, carried_codes
from shoal.kernels.arrays import Bools, Codes, Ints, wide
from shoal.kernels.grouping import group_rows
from shoal.table.columns import Carried, Coded, Table
from shoal.table.roles import Insensitive, Sensitive

TELLING = 0.5


@dataclass(frozen=True, slots=True)
class TellingColumn:
    """A column that gives a quasi-identifier away.

    Of the `hidden` records whose published value stands for several original ones, `guessed` are guessed from
    that value alone and `told` with the column.
    """

    column: str
    quasi: str
    hidden: int
    guessed: int
    told: int

    @property
    def share(self) -> float:
        """How much of what could not be guessed the column tells."""
        unknown = self.hidden - self.guessed
        return (self.told - self.guessed) / unknown if unknown else 0.0

    def in_words(self) -> str:
        """A notice for the publisher."""
        return (
            f"column {self.column!r} is published as it is and gives away what {self.quasi!r} was before it"
            f" was generalized: with it {self.told:,} of {self.hidden:,} records can be guessed, without it"
            f" {self.guessed:,}; give it the role quasi, or drop it"
        )


def telling_columns(original: LocalData, released: Table, rows: Codes) -> list[TellingColumn]:
    """The columns that tell at least half of what generalization hid of some quasi-identifier.

    Row r of `released` stands for row rows[r] of the original. Sets are not looked into. O(n) for each
    quasi-identifier and column.
    """
    generalized = (
        (quasi, wide(original.table.coded(quasi).narrow[rows]), released.coded(quasi).codes)
        for quasi in original.quasi
    )
    return telling(generalized, dict(_untouched(original, released)))


def telling(
    generalized: Iterable[tuple[str, Ints, Ints]], untouched: Mapping[str, Ints]
) -> list[TellingColumn]:
    """The same of codes: each quasi-identifier with its values and its labels, and columns that stay."""
    found = []
    for quasi, values, labels in generalized if untouched else ():
        published, _ = group_rows(labels.reshape(-1, 1))
        hidden = _stands_for_several(published, values)
        if not hidden.any():
            continue
        guessed = _guessed(published[hidden], values[hidden])
        for name, codes in untouched.items():
            alike, _ = group_rows(np.stack((published, codes), axis=1))
            told = _guessed(alike[hidden], values[hidden])
            found.append(TellingColumn(name, quasi, int(hidden.sum()), guessed, told))
    return [each for each in found if each.share >= TELLING]


def _untouched(original: LocalData, released: Table) -> Iterator[tuple[str, Ints]]:
    for name in original.with_role(Sensitive, Insensitive):
        column = released.column(name)
        if isinstance(column, Coded):
            yield name, column.codes
        elif isinstance(column, Carried) and not pa.types.is_nested(column.values.type):
            yield name, carried_codes(column.values)


def _stands_for_several(group: Ints, values: Ints) -> Bools:
    _, first_rows = group_rows(np.stack((group, values), axis=1))
    several: Bools = np.bincount(group[first_rows], minlength=1)[group] > 1
    return several


def _guessed(group: Ints, values: Ints) -> int:
    """How many records have the value that is strictly the most frequent among the others of their group."""
    pair, first_rows = group_rows(np.stack((group, values), axis=1))
    counts = np.bincount(pair, minlength=len(first_rows))
    order = np.lexsort((-counts, group[first_rows]))
    of_group, counts = group[first_rows][order], counts[order]
    is_top = np.diff(of_group, prepend=-1) != 0
    runner_up = np.where(np.append(~is_top[1:], False), np.append(counts[1:], 0), 0)
    return int(counts[is_top & (counts - 1 > runner_up)].sum())
