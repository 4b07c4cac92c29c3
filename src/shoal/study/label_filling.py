"""What labels of a line stand for together, where records alike in other columns have different ones.

A record gets a coarse label where too few others are near it: in `40-79` beside many records of `40-59` those
of 60 and more are overrepresented, although nobody can see it in the label. What a label stands for is
therefore not told by how dense values lie under it alone. Taken is what all labels of records that are alike
in the other columns have to stand for so that together they are as dense as values lie in the whole: the
distribution under each label that is nearest to the density in sum (an I-projection, found by multiplying by
what is wanted over what is held, again and again).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.kernels.arrays import Floats, Ints, owners, starts_of

_ROUNDS = 10  # as were tried on seeds 0 to 199 of bench/imputation.py
_LEAST = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class BoundedPieces:
    """The pieces between all bounds of labels: pair p is piece `pieces[p]` under one label.

    Those of label l are starts[l] to starts[l + 1]; `pairs` has the pair of each candidate. Of the pairs of a
    piece the one with the finest candidates, `finest`, knows best how much lies in it.
    """

    starts: Ints
    pieces: Ints
    pairs: Ints
    finest: Ints

    @classmethod
    def of(cls, starts: Ints, places: Floats, widths: Floats) -> BoundedPieces:
        """Those of candidates; what is no place, as a missing value, lies in a piece of its own."""
        label = owners(starts)
        first = (places - widths / 2)[starts[:-1]]
        edges = np.unique(np.concatenate((first, (places + widths / 2)[starts[1:] - 1])).round(9))
        piece = np.searchsorted(edges, places, side="right")
        pairs, pair_of = np.unique(label * (len(edges) + 1) + piece, return_inverse=True)
        of_label, pieces = np.divmod(pairs, len(edges) + 1)
        used, pieces = np.unique(pieces, return_inverse=True)
        width = np.zeros(len(pairs))
        width[pair_of] = np.where(widths > 0, widths, np.inf)
        order = np.lexsort((width, pieces))
        finest = order[np.searchsorted(pieces[order], np.arange(len(used)))]
        sizes = np.bincount(of_label, minlength=len(starts) - 1)
        return cls(starts_of(sizes), pieces, pair_of.astype(np.int64), finest)


@dataclass(frozen=True, slots=True, eq=False)
class Filling:
    """How much likelier each piece under the label of a record is than by the density alone, as logarithms.

    Records with one label that are alike in the other columns are one group.
    """

    pieces: BoundedPieces
    group_of: Ints
    starts: Ints
    more: Floats

    @classmethod
    def of(cls, pieces: BoundedPieces, labels: Ints, alike: Ints, masses: Floats) -> Filling:
        """What labels have to stand for; `alike` numbers alike records, `masses` are those of candidates."""
        of_pairs = np.bincount(pieces.pairs, np.maximum(masses, _LEAST))
        density = of_pairs[pieces.finest] / of_pairs[pieces.finest].sum()
        count = len(pieces.starts) - 1
        groups, group_of, sizes = np.unique(alike * count + labels, return_inverse=True, return_counts=True)
        set_of, label = np.divmod(groups, count)
        starts = starts_of(np.diff(pieces.starts)[label])
        group = owners(starts)
        pair = np.arange(starts[-1]) - starts[group] + pieces.starts[label[group]]
        piece = pieces.pieces[pair]
        keys, key = np.unique(set_of[group] * len(density) + piece, return_inverse=True)
        records = np.bincount(alike, minlength=int(alike.max()) + 1)
        wanted = (records[keys // len(density)] * density[keys % len(density)])[key]
        share = of_pairs[pair] / np.bincount(group, of_pairs[pair])[group]
        more = np.zeros(len(share))
        for _ in range(_ROUNDS):
            now = share * np.exp(more)
            now /= np.bincount(group, now)[group]
            held = np.bincount(key, now * sizes[group])[key]
            more += np.log(wanted / np.maximum(held, _LEAST))
            more -= (np.log(np.bincount(group, share * np.exp(more))))[group]
        return cls(pieces, group_of.astype(np.int64), starts, more)

    def of_rows(self, rows: Ints, label: int, own: slice) -> Floats:
        """For records with a label how much likelier each of its candidates is."""
        entries = self.pieces.pairs[own] - self.pieces.starts[label]
        likelier: Floats = self.more[self.starts[self.group_of[rows]][:, None] + entries[None, :]]
        return likelier


def alike_in(columns: Sequence[Ints]) -> Ints:
    """Numbers records by their values in some columns."""
    found = columns[0]
    for values in columns[1:]:
        found = np.unique(found * (int(values.max(initial=0)) + 1) + values, return_inverse=True)[1]
    return np.unique(found, return_inverse=True)[1].astype(np.int64)
