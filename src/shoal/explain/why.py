"""Why a published item is not published in more detail: what would break among the records of its part."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.algorithms.mixed.joint_search.joint_sets import JointSets
from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.specialization import obstacle_to_expanding
from shoal.algorithms.sets.cut_search.transactions import Transactions
from shoal.algorithms.sets.cut_search.violations import Violations
from shoal.engine.local import LocalData
from shoal.hierarchy.tree import NO_PARENT, Hierarchy, tree_from_nodes
from shoal.kernels.arrays import Ints, frozen_items
from shoal.kernels.set_recoding import renumbered_sets
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What somebody may know who would then find too few records, by the labels published.

    If `sensitive`, there are enough of them, but too many share something sensitive. `among` is how many
    records the part has; None where it has them all.
    """

    itemset: tuple[str, ...]
    support: int
    among: int | None
    sensitive: bool


class Obstacles:
    """Answers why the words of a release are not taken apart, each in one part of the records.

    Nothing of the search is needed: a tree of the words of the part is built, in which the word in question
    has its children below it, or its items where there is no tree. The words of all columns are numbered one
    behind the other, in each column its items first.
    """

    def __init__(self, data: LocalData, constraint: ItemConstraint, cuts: Sequence[Cuts]) -> None:
        self._constraint = constraint
        self._sets = JointSets.of(data)
        by_column = {each.column: each for each in cuts}
        self._cuts = [by_column[name] for name in self._sets.columns]
        self._words = [each.vocabulary(data.trees) for each in self._cuts]
        sizes = [len(words.labels) for words in self._words]
        self._first = np.cumsum([0, *sizes[:-1]], dtype=np.int64)
        self._labels = [label for words in self._words for label in words.labels]
        of_columns = zip(self._first, self._words, strict=True)
        self._items = np.concatenate([first + np.arange(words.leaf_count) for first, words in of_columns])

    def to_taking_apart(self, column: str, part: int, word: int) -> Obstacle | None:
        """What breaks if a word is published as its children or items in this part; None if nothing does."""
        index = self._sets.columns.index(column)
        wanted = int(self._first[index]) + word
        published = self._published(part)
        shown = np.where(published == SUPPRESSED_ITEM, self._items, published)
        tree = _tree_of(self._items, shown, self._children(index, word), wanted)
        number = {int(label): node for node, label in enumerate(tree.labels) if label.isdecimal()}
        transactions = self._transactions(part, published, tree)
        word_of = dict(zip(self._items.tolist(), shown.tolist(), strict=True))
        cut = Cut(transactions, np.array([number[word_of[int(label)]] for label in tree.leaf_labels]))
        found = obstacle_to_expanding(Violations(transactions, self._constraint), cut, number[wanted])
        if found is None:
            return None
        return Obstacle(
            itemset=tuple(sorted(self._labels[int(tree.labels[node])] for node in found.present)),
            support=found.support,
            among=transactions.row_count if self._cuts[0].part_count > 1 else None,
            sensitive=found.support >= self._constraint.k_for(len(found.present)),
        )

    def _published(self, part: int) -> Ints:
        """What each item is published as in a part."""
        nodes = (each.node_of_leaf[part] for each in self._cuts)
        of_columns = zip(self._first, nodes, strict=True)
        return np.concatenate(
            [np.where(each == SUPPRESSED_ITEM, each, first + each) for first, each in of_columns]
        )

    def _children(self, place: int, word: int) -> dict[int, Ints]:
        """The items under each child of a word that stands for several; none without a tree."""
        tree, first = self._words[place], int(self._first[place])
        if not isinstance(tree, Hierarchy):
            return {}
        inner = (child for child in tree.children(word).tolist() if child >= tree.leaf_count)
        leaves = tree.arrays.first_leaf
        return {first + child: first + leaves[child] + np.arange(tree.sizes[child]) for child in inner}

    def _transactions(self, part: int, published: Ints, tree: Hierarchy) -> Transactions:
        """The records of a part over its own tree, without what is suppressed there."""
        taken = self._sets.transactions.taking(np.flatnonzero(self._cuts[0].part_of_row == part))
        leaf = {int(label): index for index, label in enumerate(tree.leaf_labels)}
        leaf_of_item = np.array([leaf[item] for item in self._items.tolist()], dtype=np.int64)
        leaf_of_item[published == SUPPRESSED_ITEM] = SUPPRESSED_ITEM
        sets = renumbered_sets(taken.sets.starts, frozen_items(leaf_of_item)[taken.sets.items])
        return Transactions(tree, sets, taken.sensitive, taken.whole_of)


def _tree_of(items: Ints, words: Ints, children: dict[int, Ints], wanted: int) -> Hierarchy:
    """Items under their words, or under the children of the wanted one; nodes are called by their numbers."""
    above = {item: word for item, word in zip(items.tolist(), words.tolist(), strict=True) if item != word}
    for child, below in children.items():
        above |= dict.fromkeys(below.tolist(), child)
        above[child] = wanted
    nodes = [*dict.fromkeys((*items.tolist(), *above, *above.values()))]
    index = {node: number for number, node in enumerate(nodes)}
    root = len(nodes)
    parents = [index[above[node]] if node in above else root for node in nodes]
    return tree_from_nodes([*map(str, nodes), "*"], [*parents, NO_PARENT])
