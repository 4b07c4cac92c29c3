"""Running a search on an instance, and what comes of it."""

from __future__ import annotations

import random

import numpy as np

from shoal.engine.local import LocalData
from shoal.progress import Silent
from shoal.recoding.apply_cuts import apply_cuts
from tests.algorithms.sets.instances import random_instance


def find(algorithm, each, *models, progress=None):
    return algorithm.find(each.data, models, np.random.default_rng(0), progress or Silent())


def released(each, cuts):
    applied = apply_cuts(each.data.table, each.data.trees, each.data.roles, cuts)
    return LocalData(applied.table, each.data.roles)


def published_nodes(each, cuts):
    """The sets of nodes that the records are published as."""
    return [
        {int(cuts.node_of_leaf[part, leaf]) for leaf in items}
        for items, part in zip(each.transactions, cuts.part_of_row.tolist(), strict=True)
    ]


def random_case(seed):
    rng = random.Random(seed)
    return random_instance(rng), rng.randint(2, 5), rng.randint(1, 4)


def with_items(transactions):
    return sum(map(bool, transactions))


def feasible(each, k):
    count = with_items(each.transactions)
    return count == 0 or count >= k
