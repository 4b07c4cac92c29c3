"""Why items were generalized: what would break if they were published in more detail."""

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Problem
from shoal.explain.levels import shortened
from shoal.explain.why import Obstacles
from shoal.kernels.arrays import in_pieces, owners, piece_of
from shoal.kernels.grouping import group_sets
from shoal.kernels.set_recoding import renumbered_sets
from shoal.privacy.model import Model
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts, ItemNodes, Reason, Vocabulary
from shoal.recoding.generalized_clusters import SUPPRESSED
from shoal.recoding.recoding import Recoding
from shoal.recoding.rows import ItemRecoding, RowRecoding
from shoal.table.canonical import canonical
from shoal.table.roles import QuasiSet

SHOWN = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizedItem:
    """A published item that stands for several, and the itemset that would break if it were expanded.

    It would be held by too few records, or, if `sensitive`, too many of them would share something sensitive;
    `among` so many, where a part of the records has to keep the promise alone.
    """

    label: str
    items: int
    occurrences: int
    itemset: tuple[str, ...]
    support: int
    absent: tuple[str, ...] = ()
    part: int = 0
    sensitive: bool = False
    among: int | None = None

    def because(self) -> str:
        """The reason for people."""
        known = ", ".join(map(shortened, self.itemset)) or "none of its items"
        without = f" and not {', '.join(map(shortened, self.absent))}" if self.absent else ""
        records = "1 record" if self.support == 1 else f"{self.support:,} records"
        records += "" if self.among is None else f" among the {self.among:,} of its cluster"
        shared = ", too many of which share something sensitive" if self.sensitive else ""
        return f"in more detail, whoever knows {known}{without} would find {records}{shared}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What an item is published as in one part of the records, and why not in more detail.

    `place` names the part for people; it is empty where there is only one.
    """

    item: str
    published_as: str | None
    part: int
    reason: GeneralizedItem | None
    place: str = ""

    def sentence(self) -> str:
        """The explanation for people."""
        if self.published_as is None:
            return f"{self.item} is suppressed: it is left out"
        if self.published_as == self.item:
            return f"{self.item} is published as it is"
        if self.reason is None:
            return f"{self.item} is published as {self.published_as}; nothing is known that would break"
        return f"{self.item} is published as {self.published_as}: {self.reason.because()}"


def explain(
    data: LocalData, models: Sequence[Model], recoding: Recoding, item: str
) -> tuple[Explanation, ...]:
    """Explain an item of the data, part by part, or by what it is published as; BadInput if there is none."""
    if not isinstance(recoding, RowRecoding) or not recoding.items:
        raise BadInput(Problem("items are explained, and these data have no set column", "see the report"))
    wanted = canonical(item)
    known = {items.column: _items(data, items) for items in recoding.items}
    if not any(wanted in items for items in known.values()):
        raise _no_such_item(wanted, known)
    if any(_is_sensitive(data, column, wanted) for column in known):
        return (Explanation(wanted, wanted, 0, None),)
    obstacles = _obstacles(data, models, recoding) if _asks_why(recoding) else None
    explanations: list[Explanation] = []
    for items in recoding.items:
        if wanted not in known[items.column]:
            continue
        if isinstance(items, ItemNodes):
            explanations += _by_node(data, items, wanted)
        elif obstacles is None:
            explanations += _explained(data, items, wanted)
        else:
            explanations += _by_word(data, obstacles, items, wanted)
    return tuple(explanations)


def _is_sensitive(data: LocalData, column: str, item: str) -> bool:
    """Whether an item stays as it is, because it is not what somebody is found by."""
    role = data.roles[column]
    return isinstance(role, QuasiSet) and item in role.sensitive


def _no_such_item(wanted: str, known: Mapping[str, Sequence[str]]) -> BadInput:
    items = [label for labels in known.values() for label in labels]
    near = difflib.get_close_matches(wanted, items, n=3, cutoff=0.5)
    remedy = f"the nearest are {', '.join(near)}" if near else ""
    return BadInput(Problem(f"column {' and '.join(map(repr, known))} has no item {wanted!r}", remedy))


def _asks_why(recoding: RowRecoding) -> bool:
    """Whether the search kept no reasons, because they can be found from what it decided."""
    return any(recoding.clusters is not None or cuts.unions is not None for cuts in recoding.all_cuts)


def _obstacles(data: LocalData, models: Sequence[Model], recoding: RowRecoding) -> Obstacles:
    asked = (ItemConstraint.of if recoding.clusters is None else ItemConstraint.of_classes)(models)
    return Obstacles(data, asked, recoding.all_cuts)


def _items(data: LocalData, items: ItemRecoding) -> tuple[str, ...]:
    words = items.vocabulary(data.trees)
    return words.labels[: words.leaf_count]


def _explained(data: LocalData, cuts: Cuts, item: str) -> list[Explanation]:
    words = cuts.vocabulary(data.trees)
    leaf = _items(data, cuts).index(item)
    reasons = {(reason.part, reason.node): reason for reason in cuts.reasons}
    counts = _occurrences(data, cuts)
    explanations = []
    for part in range(cuts.part_count):
        node = int(cuts.node_of_leaf[part, leaf])
        reason = reasons.get((part, node))
        explanations.append(
            Explanation(
                item=item,
                published_as=None if node == SUPPRESSED_ITEM else words.labels[node],
                part=part,
                reason=None if reason is None else _in_words(words, reason, counts),
                place=f"part {part + 1} of {cuts.part_count}: " if cuts.part_count > 1 else "",
            )
        )
    return explanations


def _by_word(data: LocalData, obstacles: Obstacles, cuts: Cuts, item: str) -> list[Explanation]:
    """One explanation for each word that the item is published as, the most frequent first.

    The reason is that of the part of the records where it stands for the item most often.
    """
    words, sets = cuts.vocabulary(data.trees), data.table.sets(cuts.column)
    leaf = _items(data, cuts).index(item)
    rows = np.searchsorted(sets.starts, np.flatnonzero(sets.narrow == leaf), side="right") - 1
    parts = cuts.part_of_row[rows]
    published = cuts.node_of_leaf[parts, leaf]
    nodes, counts = np.unique(published, return_counts=True)
    explanations = []
    for index in np.argsort(-counts, kind="stable").tolist():
        node = int(nodes[index])
        part = int(np.bincount(parts[published == node]).argmax())
        word = _Word(cuts.column, part, node, int(counts[index]))
        explanations.append(
            Explanation(
                item=item,
                published_as=None if node == SUPPRESSED_ITEM else words.labels[node],
                part=part,
                reason=None if node in (leaf, SUPPRESSED_ITEM) else _asked(words, obstacles, word),
                place=f"in {counts[index]:,} of {len(rows):,} records: ",
            )
        )
    return explanations


@dataclass(frozen=True, slots=True)
class _Word:
    """A published item of a part, and how often it stands for one."""

    column: str
    part: int
    node: int
    occurrences: int


def _asked(words: Vocabulary, obstacles: Obstacles, word: _Word) -> GeneralizedItem | None:
    obstacle = obstacles.to_taking_apart(word.column, word.part, word.node)
    if obstacle is None:
        return None
    return GeneralizedItem(
        label=words.labels[word.node],
        items=int(words.sizes[word.node]),
        occurrences=word.occurrences,
        itemset=obstacle.itemset,
        support=obstacle.support,
        part=word.part,
        sensitive=obstacle.sensitive,
        among=obstacle.among,
    )


def _by_node(data: LocalData, recoding: ItemNodes, item: str) -> tuple[Explanation, ...]:
    """One explanation for each node that the item is published as, the most frequent first."""
    tree, sets = data.trees[recoding.column], data.table.sets(recoding.column)
    leaf = tree.leaf_labels.index(item)
    held = np.flatnonzero(sets.narrow == leaf)
    nodes, counts = np.unique(recoding.node_of_occurrence[held], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return tuple(
        Explanation(
            item=item,
            published_as=None if node == SUPPRESSED_ITEM else tree.labels[node],
            part=part,
            reason=None
            if node in (leaf, SUPPRESSED_ITEM)
            else _rarest_if_expanded(data, recoding, leaf, node),
            place=f"in {count:,} of {len(held):,} records: ",
        )
        for part, (node, count) in enumerate(zip(nodes[order].tolist(), counts[order].tolist(), strict=True))
    )


def _rarest_if_expanded(data: LocalData, recoding: ItemNodes, leaf: int, node: int) -> GeneralizedItem:
    """The rarest set of a record with the item, if the node were published as its children wherever it is."""
    tree, sets = data.trees[recoding.column], data.table.sets(recoding.column)
    child_of_leaf = np.full(tree.leaf_count, node, dtype=np.int64)
    for child in tree.children(node).tolist():
        first = int(tree.arrays.first_leaf[child])
        child_of_leaf[first : first + int(tree.sizes[child])] = child
    at_node = recoding.node_of_occurrence == node
    expanded = np.where(at_node, child_of_leaf[sets.narrow], recoding.node_of_occurrence)
    published = renumbered_sets(sets.starts, expanded)
    class_of_row, _ = group_sets(published)
    sizes = np.bincount(class_of_row)[class_of_row]
    places = np.flatnonzero(at_node & (sets.narrow == leaf))
    rows = np.searchsorted(sets.starts, places, side="right") - 1
    rarest = int(rows[np.argmin(sizes[rows])])
    rarest_set = published.items[published.starts[rarest] : published.starts[rarest + 1]]
    return GeneralizedItem(
        label=tree.labels[node],
        items=int(tree.sizes[node]),
        occurrences=int(np.count_nonzero(at_node)),
        itemset=tuple(tree.labels[each] for each in rarest_set.tolist()),
        support=int(sizes[rarest]),
    )


def generalized_items(
    data: LocalData, models: Sequence[Model], recoding: RowRecoding
) -> tuple[GeneralizedItem, ...]:
    """Generalized items with their reasons, those that stand for most occurrences first.

    Where reasons have to be found, these are only the first; where each record has nodes of its own there are
    too many to list.
    """
    if _asks_why(recoding):
        return _dearest_asked(data, models, recoding)
    found = []
    for cuts in recoding.all_cuts:
        words, counts = cuts.vocabulary(data.trees), _occurrences(data, cuts)
        found += [_in_words(words, reason, counts) for reason in cuts.reasons]
    return tuple(sorted(found, key=lambda entry: (-entry.items * entry.occurrences, entry.label, entry.part)))


def reasons_of_items(
    data: LocalData, models: Sequence[Model], recoding: RowRecoding, column: str, published: Mapping[int, int]
) -> dict[int, GeneralizedItem | None]:
    """Why items of a column are published as they are: published[leaf] is a node that stands for several."""
    cuts = next(items for items in recoding.items if items.column == column)
    if isinstance(cuts, ItemNodes):
        return {leaf: _rarest_if_expanded(data, cuts, leaf, node) for leaf, node in published.items()}
    words = cuts.vocabulary(data.trees)
    if not _asks_why(recoding):
        kept = {reason.node: _in_words(words, reason, {}) for reason in cuts.reasons}
        return {leaf: kept.get(node) for leaf, node in published.items()}
    obstacles = _obstacles(data, models, recoding)
    sets = data.table.sets(column)
    part_of_item = np.repeat(cuts.part_of_row, sets.sizes)
    reasons = {}
    for leaf, node in published.items():
        parts = part_of_item[sets.narrow == leaf]
        part = int(np.bincount(parts[cuts.node_of_leaf[parts, leaf] == node]).argmax())
        reasons[leaf] = _asked(words, obstacles, _Word(column, part, node, 0))
    return reasons


def _dearest_asked(
    data: LocalData, models: Sequence[Model], recoding: RowRecoding
) -> tuple[GeneralizedItem, ...]:
    words_of = {cuts.column: cuts.vocabulary(data.trees) for cuts in recoding.all_cuts}
    found = [
        _Word(cuts.column, part, node, count)
        for cuts in recoding.all_cuts
        for (part, node), count in _occurrences(data, cuts).items()
        if node >= words_of[cuts.column].leaf_count
    ]
    found.sort(key=lambda each: -int(words_of[each.column].sizes[each.node]) * each.occurrences)
    obstacles = _obstacles(data, models, recoding)
    asked = (_asked(words_of[word.column], obstacles, word) for word in found[:SHOWN])
    return tuple(entry for entry in asked if entry is not None)


def _occurrences(data: LocalData, cuts: Cuts) -> dict[tuple[int, int], int]:
    """How often each node stands for an original item, by part and node."""
    sets = data.joined_sets().of_column(cuts.column)
    of_leaf = np.zeros(cuts.node_of_leaf.size, dtype=np.int64)
    for first, behind in in_pieces(sets.starts):
        piece = piece_of(sets, first, behind)
        part = cuts.part_of_row[first:behind][owners(piece.starts)]
        kept = part != SUPPRESSED
        index = part[kept] * cuts.node_of_leaf.shape[1] + piece.items[kept]
        of_leaf += np.bincount(index, minlength=len(of_leaf))
    held = np.flatnonzero(of_leaf)
    parts, nodes = held // cuts.node_of_leaf.shape[1], cuts.node_of_leaf.ravel()[held]
    counts: Counter[tuple[int, int]] = Counter()
    for number, node, count in zip(parts.tolist(), nodes.tolist(), of_leaf[held].tolist(), strict=True):
        counts[number, node] += count
    return counts


def _in_words(words: Vocabulary, reason: Reason, counts: dict[tuple[int, int], int]) -> GeneralizedItem:
    return GeneralizedItem(
        label=words.labels[reason.node],
        items=int(words.sizes[reason.node]),
        occurrences=counts.get((reason.part, reason.node), 0),
        itemset=tuple(words.labels[node] for node in reason.itemset),
        absent=tuple(words.labels[node] for node in reason.absent),
        support=reason.support,
        part=reason.part,
        sensitive=reason.sensitive,
    )
