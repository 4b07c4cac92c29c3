"""Running a search on an instance, and what comes of it."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np

from shoal.engine.local import LocalData
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding
from tests.algorithms.sets.instances import random_instance


def find(algorithm, each, *models, progress=None):
    return algorithm.find(each.data, models, np.random.default_rng(0), progress or Silent())


def released(each, recoding):
    applied = apply_recoding(each.data.table, each.data.trees, each.data.roles, recoding, smallest=1)
    return LocalData(applied.table, each.data.roles)


def released_locally(each, recoding):
    """The released data, and which records they stand for."""
    applied = apply_recoding(each.data.table, each.data.trees, each.data.roles, recoding, smallest=1)
    return LocalData(applied.table, each.data.roles), applied.rows.tolist()


def published_labels(released_data):
    column = released_data.table.sets("items")
    labels, arrays = column.domain.texts(), column.arrays
    return [
        {labels[code] for code in arrays.items[start:end]}
        for start, end in zip(arrays.starts[:-1], arrays.starts[1:], strict=True)
    ]


def own_nodes(each, recoding):
    """The sets of nodes that the records are published as, where each occurrence has a node of its own."""
    starts = each.data.table.sets("items").arrays.starts.tolist()
    nodes = recoding.items[0].node_of_occurrence.tolist()
    return [frozenset(nodes[start:end]) for start, end in pairwise(starts)]


def published_nodes(each, recoding):
    """The sets of nodes that the records are published as."""
    return [
        {int(recoding.cuts.node_of_leaf[part, leaf]) for leaf in items}
        for items, part in zip(each.transactions, recoding.cuts.part_of_row.tolist(), strict=True)
    ]


def random_case(seed):
    rng = random.Random(seed)
    return random_instance(rng), rng.randint(2, 5), rng.randint(1, 4)


def with_items(transactions):
    return sum(map(bool, transactions))


def feasible(each, k):
    count = with_items(each.transactions)
    return count == 0 or count >= k
