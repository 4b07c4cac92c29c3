"""Records that stand for nobody: what a differentially private algorithm publishes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.kernels.arrays import Ints, SetArrays
from shoal.recoding.basis import Basis, Savable
from shoal.table.columns import Sets, Table


@dataclass(frozen=True, slots=True, eq=False)
class Synthetic(Savable):
    """New records of one set column: itemset i, of leaves of the column's tree, is published counts[i] times.

    `figures` say what the search did, and follow from noisy counts alone.
    """

    column: str
    itemsets: SetArrays
    counts: Ints
    notices: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    basis: Basis | None = None


def new_records(synthetic: Synthetic, original: Sets) -> Table:
    """The records as a table; equal ones stand together, so it must be shuffled before it leaves."""
    column = Sets.of(*synthetic.itemsets, original.domain, original.separator)
    table = Table.of({synthetic.column: column})
    return table.take(np.repeat(np.arange(len(synthetic.counts), dtype=np.int64), synthetic.counts))
