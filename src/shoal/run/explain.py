"""Why items were generalized: what would break if they were published in more detail."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

import numpy as np

from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem
from shoal.hierarchy.tree import Hierarchy
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts, Reason
from shoal.recoding.decision import Recoding
from shoal.report.outcome import GeneralizedItem
from shoal.table.canonical import canonical


@dataclass(frozen=True, slots=True)
class Explanation:
    """What an item is published as in one part of the records, and why not in more detail."""

    item: str
    published_as: str | None
    part: int
    reason: GeneralizedItem | None

    def sentence(self) -> str:
        """The explanation for people."""
        if self.published_as is None:
            return f"{self.item} is suppressed: it is left out of every record"
        if self.published_as == self.item:
            return f"{self.item} is published as it is"
        if self.reason is None:
            return f"{self.item} is published as {self.published_as}; the search kept no reason for it"
        return f"{self.item} is published as {self.published_as}: {self.reason.because()}"


def explain(data: LocalData, recoding: Recoding, item: str) -> tuple[Explanation, ...]:
    """Explain an item of the data, part by part; BadInput if there is no such item."""
    if not isinstance(recoding, Cuts):
        raise BadInput(Problem("items are explained, and these data have no set column", "see the report"))
    tree = data.trees[recoding.column]
    wanted = canonical(item)
    if wanted not in tree.leaf_labels:
        near = difflib.get_close_matches(wanted, tree.leaf_labels, n=3, cutoff=0.5)
        remedy = f"the nearest are {', '.join(near)}" if near else ""
        raise BadInput(Problem(f"column {recoding.column!r} has no item {wanted!r}", remedy))
    leaf = tree.leaf_labels.index(wanted)
    reasons = {(reason.part, reason.node): reason for reason in recoding.reasons}
    counts = _occurrences(data, recoding)
    explanations = []
    for part in range(recoding.part_count):
        node = int(recoding.node_of_leaf[part, leaf])
        reason = reasons.get((part, node))
        explanations.append(
            Explanation(
                item=wanted,
                published_as=None if node == SUPPRESSED_ITEM else tree.labels[node],
                part=part,
                reason=None if reason is None else _in_words(tree, reason, counts),
            )
        )
    return tuple(explanations)


def generalized_items(data: LocalData, recoding: Recoding) -> tuple[GeneralizedItem, ...]:
    """Every generalized item with its reason, those that stand for most occurrences first."""
    if not isinstance(recoding, Cuts):
        return ()
    tree, counts = data.trees[recoding.column], _occurrences(data, recoding)
    found = [_in_words(tree, reason, counts) for reason in recoding.reasons]
    return tuple(sorted(found, key=lambda entry: (-entry.items * entry.occurrences, entry.label, entry.part)))


def _occurrences(data: LocalData, cuts: Cuts) -> dict[tuple[int, int], int]:
    """How often each node stands for an original item, by part and node."""
    sets = data.table.sets(cuts.column)
    part = np.repeat(cuts.part_of_row, sets.sizes)
    nodes = cuts.node_of_leaf[part, sets.arrays.items]
    pairs, counts = np.unique(np.stack((part, nodes)), axis=1, return_counts=True)
    return {(p, n): c for p, n, c in zip(*pairs.tolist(), counts.tolist(), strict=True)}


def _in_words(tree: Hierarchy, reason: Reason, counts: dict[tuple[int, int], int]) -> GeneralizedItem:
    return GeneralizedItem(
        label=tree.labels[reason.node],
        items=int(tree.sizes[reason.node]),
        occurrences=counts.get((reason.part, reason.node), 0),
        itemset=tuple(tree.labels[node] for node in reason.itemset),
        absent=tuple(tree.labels[node] for node in reason.absent),
        support=reason.support,
        part=reason.part,
    )
