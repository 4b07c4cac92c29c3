"""What all records that fit have in common: a sensitive value is learned without finding the right record."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np
import pyarrow as pa

from shoal.attack.items import MOST_SETS
from shoal.attack.links import Linked
from shoal.engine.joined_sets import JoinedSets, Numbering
from shoal.kernels.arrays import SetArrays, frozen_sets, owners
from shoal.kernels.grouping import members
from shoal.table.columns import Domain, Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """The sensitive item or value that can be guessed best by somebody with some knowledge.

    `known` says what is known in words, `because` the very items or labels that tell most. Of the `knowing`
    published records that fit, `holding` show the sensitive one.
    """

    known: str
    items: int | None
    because: tuple[str, ...]
    sensitive: str
    holding: int
    knowing: int

    @property
    def share(self) -> float:
        """How likely the guess is right."""
        return self.holding / self.knowing


def confidences(linked: Linked, most: int, most_sets: int = MOST_SETS) -> Sequence[Confidence]:
    """The best guess from all single values, and beside 0, 1, .. `most` items, of anybody there could be.

    The records that fit single values are whole classes, so that nobody is more confident than in the most
    telling class. Somebody who knows an item looks at all rows with a label that could stand for it. Where
    that would take more than `most_sets` sets of items, published labels are taken for what is known.
    """
    published = linked.published
    by_label = published.joined_sets()
    if by_label.sensitive_items.count == 0:
        return ()
    by_item = _in_kinds_of_items(linked, by_label) if linked.has_sets else by_label
    classes = published.classes(published.quasi)
    found = []
    for items in range(most + 1 if linked.has_sets else 1):
        few = _set_count(by_item.quasi, items) <= most_sets
        guess = (by_item if few else by_label).likeliest_guess(items, classes)
        if guess is None:
            return ()
        found.append(
            Confidence(
                known=_in_words(published.quasi, items, "item" if few else "published label"),
                items=items if linked.has_sets else None,
                because=tuple(item.label for item in guess.known),
                sensitive=f"{guess.sensitive.column} = {guess.sensitive.label}",
                holding=guess.holding,
                knowing=guess.knowing,
            )
        )
    return found


def _in_words(values: Sequence[str], items: int, what: str) -> str:
    some = f"up to {items} {what}{'' if items == 1 else 's'}" if items else ""
    all_values = f"the values of {', '.join(values)}" if values else ""
    return " and ".join(filter(None, (all_values, some))) or "nothing"


def _in_kinds_of_items(linked: Linked, labels: JoinedSets) -> JoinedSets:
    """The published sets as the kinds of items that they could stand for, each named by its first item."""
    kinds = linked.sets.links.kinds
    kind_of_place = owners(kinds.starts)
    starts, places = members(kinds.items, labels.quasi_items.count)
    counts = np.diff(starts)[labels.quasi.items]
    rows = np.repeat(owners(labels.quasi.starts), counts)
    offsets = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    found = kind_of_place[places[np.repeat(starts[labels.quasi.items], counts) + offsets]]
    kind_count = max(1, len(kinds.starts) - 1)
    keys = np.unique(rows * kind_count + found)
    sets = frozen_sets(
        np.searchsorted(keys // kind_count, np.arange(labels.row_count + 1)), keys % kind_count
    )
    return replace(labels, quasi=sets, quasi_items=_names_of_kinds(linked, kind_count))


def _names_of_kinds(linked: Linked, kind_count: int) -> Numbering:
    items = linked.original.joined_sets().quasi_items
    names = [""] * kind_count
    for item, kind in reversed(list(enumerate(linked.sets.kind_of_item.tolist()))):
        if kind >= 0:
            names[kind] = items.item(item).label
    return Numbering.of({"items": Domain(Kind.SET, pa.array(names, type=pa.string()))})


def _set_count(sets: SetArrays, most: int) -> int:
    sizes, counts = np.unique(np.diff(sets.starts), return_counts=True)
    return sum(
        count * sum(comb(size, chosen) for chosen in range(most + 1))
        for size, count in zip(sizes.tolist(), counts.tolist(), strict=True)
    )
