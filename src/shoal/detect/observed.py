"""A column as detection sees it: some of its values, and how often each stands."""

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.kernels.arrays import Ints

FITS = 0.95  # share of rows from which a column is said to be of a kind
SAMPLE = 10_000  # distinct values that whole-array rules look at
_USUAL = 0.9  # share of rows
CLOSELY = 800  # distinct values that rules in Python look at

_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """Distinct values of a column without missing ones, and exact counts over all its rows.

    `texts` is a sample where there are more than SAMPLE distinct values, spread evenly over them; `rows` says
    how many rows have each. `type` is that of the source, text if the source has no types.
    """

    name: str
    texts: pa.StringArray
    rows: Ints
    distinct: int
    present: int
    type: pa.DataType

    @classmethod
    def of(cls, name: str, texts: pa.StringArray, rows: Ints, kind: pa.DataType) -> "Observed":
        """All distinct values of a column, of which a sample is kept."""
        distinct, present = len(texts), int(rows.sum())
        if distinct > SAMPLE:
            kept = np.linspace(0, distinct - 1, SAMPLE).astype(np.int64)
            texts, rows = texts.take(pa.array(kept)), rows[kept]
        return cls(name, texts, rows, distinct, present, kind)

    def usual(self) -> list[str]:
        """The distinct values without those that stand once, maybe slips, if hardly any rows are lost."""
        repeated = np.flatnonzero(self.rows > 1)
        if self.rows[repeated].sum() < _USUAL * self.rows.sum():
            repeated = np.arange(len(self.rows))
        return sorted(self.texts.take(pa.array(repeated)).to_pylist())

    def some(self) -> list[str]:
        """A few hundred of the usual values, spread evenly over them."""
        usual = self.usual()
        if len(usual) <= CLOSELY:
            return usual
        return [usual[index] for index in np.linspace(0, len(usual) - 1, CLOSELY).astype(np.int64).tolist()]

    @property
    def repeats(self) -> float:
        """How many rows share a value on average."""
        return self.present / max(self.distinct, 1)


def masked(text: str) -> str:
    """The shape of a value without the value: `Xxxx, 99` for `Ruth, 47`."""
    return re.sub(r"\d", "9", _LETTER.sub(lambda found: "X" if found[0].isupper() else "x", text))
