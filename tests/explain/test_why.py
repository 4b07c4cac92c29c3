"""What is said to break when a word is taken apart does break, and where nothing is said nothing does."""

import numpy as np
import pytest

from shoal.algorithms.catalogue import make_algorithm
from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.explain.why import Obstacles
from shoal.hierarchy.tree import Hierarchy
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.k_lm_diversity import KLmDiversity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.progress import Silent
from shoal.recoding.cuts import SUPPRESSED_ITEM
from shoal.table.roles import QuasiSet
from tests.algorithms.mixed.tables import random_table
from tests.builders import local_data
from tests.reference import privacy_sets as reference


def found_by(name, data, model, **options):
    return make_algorithm(name, options).find(data, [model], np.random.default_rng(0), Silent())


def finer_words(words, word):
    """The words that take its place, by the items they stand for."""
    if not isinstance(words, Hierarchy):
        return {
            int(item): words.labels[item]
            for item in words.members.items[slice(*words.members.starts[word : word + 2])]
        }
    finer = {}
    for child in words.children(word).tolist():
        first = int(words.arrays.first_leaf[child])
        finer |= dict.fromkeys(range(first, first + int(words.sizes[child])), words.labels[child])
    return finer


def taken_apart(data, cuts, part, column, word):
    """The sets of a part as (column, label), with one word of a column taken apart."""
    rows = np.flatnonzero(cuts[0].part_of_row == part).tolist()
    published = [set() for _ in rows]
    for each in cuts:
        words = each.vocabulary(data.trees)
        finer = finer_words(words, word) if each.column == column else {}
        starts, items = data.table.sets(each.column).arrays
        for shown, row in zip(published, rows, strict=True):
            for item in items[starts[row] : starts[row + 1]].tolist():
                node = int(each.node_of_leaf[part, item])
                if node != SUPPRESSED_ITEM:
                    shown.add((each.column, finer.get(item, words.labels[node])))
    return published


@pytest.mark.parametrize("items", ["aa", "pcta"])
def test_an_obstacle_is_told_exactly_where_taking_apart_breaks_the_promise(items):
    told = 0
    for seed in range(40):
        k, m = 2 + seed % 2, 1 + seed % 3
        data = random_table(seed, set_columns=1 + seed % 2, trees=items == "aa")
        model = KKmAnonymity(k, m)
        if data.row_count < k:
            continue
        joint = found_by("rfirst", data, model, items=items, minimal=seed % 4 > 0)
        obstacles = Obstacles(data, ItemConstraint.of_classes([model]), joint.items)
        for cuts in joint.items:
            leaves = cuts.vocabulary(data.trees).leaf_count
            generalized = np.argwhere(cuts.node_of_leaf >= leaves)
            for part, word in {(int(p), int(cuts.node_of_leaf[p, i])) for p, i in generalized}:
                sets = taken_apart(data, joint.items, part, cuts.column, word)
                holds = reference.k_km_anonymity([()] * len(sets), sets, k, m)[0]
                found = obstacles.to_taking_apart(cuts.column, part, word)
                assert (found is None) == holds
                if found is not None:
                    told += 1
                    known = set(found.itemset)
                    support = sum(known <= {label for _, label in shown} for shown in sets)
                    assert found.support <= support
                    assert found.support < k
                    assert len(known) <= m
                    assert not found.sensitive
    assert told > 30


def test_a_set_alone_has_one_part_with_all_records():
    data = local_data([(("a",),), (("b",),), (("c",),), (("c",),)], {"items": QuasiSet()})
    cuts = found_by("pcta", data, KmAnonymity(2, 1)).cuts
    word = int(cuts.node_of_leaf[0, 0])
    found = Obstacles(data, ItemConstraint.of([KmAnonymity(2, 1)]), [cuts]).to_taking_apart("items", 0, word)
    assert (found.itemset, found.support, found.among) == (("a",), 1, None)


def test_what_is_sensitive_can_be_the_obstacle():
    rows = [("a", "s"), ("a", "s"), ("a",), ("b",), ("b",), ("b",)]
    data = local_data([(row,) for row in rows], {"items": QuasiSet(sensitive=("s",))})
    model = KLmDiversity(2, 2, 1)
    joint = found_by("rfirst", data, model, items="pcta")
    word = int(joint.items[0].node_of_leaf[0, 0])
    found = Obstacles(data, ItemConstraint.of_classes([model]), joint.items).to_taking_apart("items", 0, word)
    assert found.sensitive
    assert (found.itemset, found.support) == (("a",), 3)
