"""Small random trees and transactions, the same for the same seed."""

from __future__ import annotations

import random
from dataclasses import dataclass

from shoal.engine.local import LocalData
from shoal.hierarchy.tree import Hierarchy, tree_from_parents
from shoal.table.roles import QuasiSet
from tests.builders import local_data, tree

SPEC_TREE = {"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}}
SPEC_SETS = [{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}]


@dataclass(frozen=True)
class Instance:
    """Transactions over the leaves of a tree, in the form of the library and in that of the twins."""

    tree: Hierarchy
    data: LocalData
    column: str = "items"

    @property
    def above(self):
        return self.tree.arrays.parent.tolist()

    @property
    def leaves(self):
        return list(range(self.tree.leaf_count))

    @property
    def transactions(self):
        arrays = self.data.table.sets(self.column).arrays
        return [
            set(arrays.items[start:end].tolist())
            for start, end in zip(arrays.starts[:-1], arrays.starts[1:], strict=True)
        ]


def instance(nested, sets, sensitive=()):
    """An instance from nested labels and sets of labels."""
    items = tree(nested) if isinstance(nested, dict) else nested
    roles = {"items": QuasiSet(sensitive=tuple(sensitive))}
    return Instance(items, local_data([(each,) for each in sets], roles, trees={"items": items}))


def random_tree(rng: random.Random, most_leaves: int = 10) -> Hierarchy:
    """Any shape: leaves of different depths, wide and narrow nodes, now and then a node with one child."""
    parents: dict[str, str] = {}

    def grow(name: str, leaves: list[str]) -> None:
        cuts = sorted(rng.sample(range(1, len(leaves)), min(len(leaves) - 1, rng.randint(1, 3))))
        for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(leaves)], strict=True)):
            part = leaves[start:end]
            child = f"{name}{number}"
            if len(part) == 1 and rng.random() < 0.9:
                parents[part[0]] = name
            elif len(part) == 1:
                parents[part[0]], parents[child] = child, name
            else:
                parents[child] = name
                grow(child, part)

    grow("n", [f"i{leaf:02}" for leaf in range(rng.randint(2, most_leaves))])
    return tree_from_parents(parents)


def random_instance(
    rng: random.Random, most_leaves: int = 10, most_rows: int = 24, density: float = 1
) -> Instance:
    """Skewed items, so that some are rare; some transactions are empty, some items never occur."""
    items = random_tree(rng, most_leaves)
    weights = [density * rng.random() ** 2 for _ in items.leaf_labels]
    sets = [
        {label for label, weight in zip(items.leaf_labels, weights, strict=True) if rng.random() < weight}
        for _ in range(rng.randint(5, most_rows))
    ]
    return instance(items, sets)


def instance_with_items(seed: int, most_rows: int = 60) -> tuple[Instance, int] | None:
    """An instance without empty transactions, and a k; None where there are fewer than k transactions."""
    rng = random.Random(seed)
    each, k = random_instance(rng, most_leaves=16, most_rows=most_rows, density=1.5), rng.randint(2, 4)
    return (each, k) if all(each.transactions) and len(each.transactions) >= k else None


def tiny_case(seed: int) -> tuple[Instance, int, int]:
    """An instance, k and m for which every cut with every set of suppressed nodes can be gone through."""
    rng = random.Random(seed)
    return random_instance(rng, most_leaves=6, most_rows=16), rng.randint(2, 4), rng.randint(1, 3)
