"""Small random tables with sets, the same for the same seed."""

from __future__ import annotations

import random
from dataclasses import dataclass

from shoal.engine.local import LocalData
from shoal.recoding.recoding import apply_recoding
from shoal.table.roles import Quasi, QuasiSet, Sensitive
from tests.algorithms.sets.instances import random_tree
from tests.builders import column, local_data, tree

COLOURS = tree({"*": {"warm": ["red", "orange"], "cold": {"bluish": ["blue", "green"], "grey": []}}})
SIZES = tree({"any": ["small", "large"]})


@dataclass(frozen=True)
class Released:
    """What a release shows: one key and one set of (column, label) per record."""

    keys: list
    sets: list


def random_table(seed, *, set_columns=1, trees=True, sensitive=(), most_rows=14) -> LocalData:
    """Up to 14 records with missing values and empty sets."""
    rng = random.Random(seed)
    rows = rng.randint(4, most_rows)
    roles = {"colour": Quasi(), "size": Quasi(weight=rng.choice([0.5, 1.0]))}
    built = {"colour": COLOURS, "size": SIZES}
    values = [
        [rng.choice([None, *COLOURS.leaf_labels]) for _ in range(rows)],
        [rng.choice([None, *SIZES.leaf_labels]) for _ in range(rows)],
    ]
    for number in range(set_columns):
        name = f"items{number}"
        items = random_tree(rng, most_leaves=7)
        roles[name] = QuasiSet(sensitive=tuple(sensitive))
        if trees:
            built[name] = items
        common = rng.sample(items.leaf_labels, min(2, items.leaf_count))
        values.append(
            [
                set(rng.sample(items.leaf_labels, rng.randint(0, min(3, items.leaf_count))))
                | (set(common) if rng.random() < 0.4 else set())
                if rng.random() < 0.85
                else set()
                for _ in range(rows)
            ]
        )
    return local_data(list(zip(*values, strict=True)), roles, trees=built)


def with_sensitive_column(data: LocalData, values) -> LocalData:
    """The same table with a sensitive column beside it."""
    role = Sensitive()
    return LocalData(
        data.table.replacing({"illness": column(values, role)}), {**data.roles, "illness": role}, data.trees
    )


def released(data: LocalData, joint) -> Released:
    """What the decision publishes."""
    table = apply_recoding(data.table, data.trees, data.roles, joint, smallest=1).table
    coded = [table.coded(name) for name in data.quasi]
    keys = [
        tuple(each.domain.label(int(each.codes[row])) for each in coded) for row in range(table.row_count)
    ]
    sets = [
        {(name, item) for name in data.quasi_sets for item in items_of(table.sets(name), row)}
        for row in range(len(keys))
    ]
    return Released(keys, sets)


def items_of(column, row):
    """The labels of a record's items in a published column."""
    starts, items = column.arrays
    return [str(column.domain.labels[item]) for item in items[starts[row] : starts[row + 1]].tolist()]
