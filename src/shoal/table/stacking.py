"""Two tables of the same columns as one: what somebody has who has both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from shoal.kernels.arrays import Ints, frozen_floats
from shoal.table.columns import Coded, Domain, Sets, Table
from shoal.table.pairs import sets_of_pairs


def stacked(upper: Table, lower: Table, columns: Sequence[str]) -> Table:
    """The rows of both tables in some columns, of single values or of sets, that both have."""
    return Table.of(
        {name: _stacked(upper.column(name), lower.column(name)) for name in columns},
        upper.row_count + lower.row_count,
    )


def _stacked(upper: object, lower: object) -> Coded | Sets:
    if isinstance(upper, Coded) and isinstance(lower, Coded):
        domain, (above, below) = _joined(upper.domain, lower.domain)
        return Coded.of(np.concatenate((above[upper.codes], below[lower.codes])), domain)
    if isinstance(upper, Sets) and isinstance(lower, Sets):
        domain, (above, below) = _joined(upper.domain, lower.domain)
        rows = np.repeat(
            np.arange(len(upper) + len(lower), dtype=np.int64), np.concatenate((upper.sizes, lower.sizes))
        )
        items = np.concatenate((above[upper.narrow], below[lower.narrow]))
        joined, _ = sets_of_pairs(rows, items, len(upper) + len(lower), domain, upper.separator)
        return joined
    raise TypeError("columns of different forms cannot be stacked")


def _joined(upper: Domain, lower: Domain) -> tuple[Domain, tuple[Ints, Ints]]:
    """All values in their order, and the code of each value of both; that of missing follows."""
    texts = (upper.texts(), lower.texts())
    if upper.numbers is None or lower.numbers is None:
        labels = sorted({*texts[0], *texts[1]})
        domain = Domain(upper.kind, pa.array(labels, type=pa.string()))
    else:
        number_of = dict(zip((*texts[0], *texts[1]), (*upper.numbers, *lower.numbers), strict=True))
        labels = sorted(number_of, key=number_of.__getitem__)
        numbers = frozen_floats([number_of[label] for label in labels])
        domain = Domain(upper.kind, pa.array(labels, type=pa.string()), numbers)
    code_of = {label: code for code, label in enumerate(labels)}
    first, second = (
        np.array([*(code_of[text] for text in some), len(labels)], dtype=np.int64) for some in texts
    )
    return domain, (first, second)
