import random

import numpy as np
import pytest

from shoal.algorithms.mixed.classwise.algorithm import Classwise
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Infeasible
from shoal.metrics.catalogue import measure
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, QuasiSet
from tests.builders import flat_tree, local_data, tree

COLOURS = ["red", "blue", "green", "black"]
ITEMS = tree({"ALL": {"A": ["a1", "a2", "a3"], "B": ["b1", "b2"], "C": ["c1", "c2", "c3"]}})
ROLES = {"colour": Quasi(), "shade": Quasi(), "basket": QuasiSet(separator=" ")}
TREES = {"colour": flat_tree(COLOURS), "shade": flat_tree(COLOURS), "basket": ITEMS}


def table(seed, rows, sensitive=()):
    rng = random.Random(seed)
    weights = [rng.random() ** 2 for _ in ITEMS.leaf_labels]
    content = [
        (
            rng.choice(COLOURS),
            rng.choice(COLOURS),
            {item for item, weight in zip(ITEMS.leaf_labels, weights, strict=True) if rng.random() < weight},
        )
        for _ in range(rows)
    ]
    roles = {**ROLES, "basket": QuasiSet(separator=" ", sensitive=tuple(sensitive))}
    return local_data(content, roles, trees=TREES)


def find(data, k, m, **options):
    return Classwise(**options).find(data, [KKmAnonymity(k, m)], np.random.default_rng(0), Silent())


def published(data, recoding):
    table = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=1).table
    return LocalData(table, data.roles)


@pytest.mark.parametrize("items", ["auto", "pcta", "itemwise"])
@pytest.mark.parametrize("seed", range(15))
def test_every_release_keeps_the_promise(seed, items):
    rng = random.Random(seed)
    k, m = rng.randint(2, 6), rng.randint(1, 3)
    data = table(seed, rng.randint(20, 90), rng.sample(ITEMS.leaf_labels, rng.randint(0, 2)))
    try:
        recoding = find(data, k, m, items=items)
    except Infeasible:
        return
    assert items in {"auto", recoding.figures["items"]}
    assert KKmAnonymity(k, m).verify(published(data, recoding)).holds


def test_items_are_published_in_the_way_that_loses_less():
    data = table(4, 200)
    losses = {
        items: max(measured["ul"], measured["item_ncp"])
        for items in ("auto", "pcta", "itemwise")
        if (measured := measure(data, find(data, 5, 2, class_size=20, items=items), 5))
    }
    assert losses["auto"] == min(losses["pcta"], losses["itemwise"])


def test_numbers_without_a_tree_and_several_set_columns_are_published():
    rng = random.Random(7)
    rows = [
        (rng.randint(20, 80), {rng.choice("abc")}, {rng.choice("xyz") for _ in range(2)}) for _ in range(120)
    ]
    roles = {"age": Quasi(kind=Kind.NUMBER), "one": QuasiSet(separator=" "), "two": QuasiSet(separator=" ")}
    data = local_data(rows, roles)
    recoding = find(data, 4, 2)
    assert KKmAnonymity(4, 2).verify(published(data, recoding)).holds
    assert recoding.figures["items"] == "pcta"
    with pytest.raises(BadInput, match="hierarchy of one set column"):
        find(data, 4, 2, items="itemwise")


def test_the_knee_of_the_curve_is_published_and_the_curve_is_told():
    data = table(1, 300)
    recoding = find(data, 4, 2)
    points = recoding.figures["frontier"]
    sizes = [point["class_size"] for point in points]
    assert sizes == sorted(sizes)
    assert sizes[0] == 4
    assert recoding.figures["class_size"] in sizes
    losses = measure(data, recoding, 4)
    assert losses["ncp"] == pytest.approx(recoding.figures["relational_loss"])
    assert losses["ul"] == pytest.approx(recoding.figures["utility_loss"])
    assert f"class_size = {recoding.figures['class_size']}" in recoding.notices[0]


def test_a_class_size_can_be_given():
    data = table(2, 200)
    recoding = find(data, 4, 2, class_size=30)
    assert np.bincount(recoding.clusters.cluster_of_row).min() >= 30
    assert "frontier" not in recoding.figures


def test_a_class_in_which_too_few_have_items_shows_none():
    rows = [("red", "red", {"a1"})] * 2 + [("red", "red", set())] * 8 + [("blue", "blue", {"a1"})] * 6
    data = local_data(rows, ROLES, trees=TREES)
    recoding = find(data, 4, 1, class_size=4)
    assert KKmAnonymity(4, 1).verify(published(data, recoding)).holds
    assert "items of 1 class were suppressed" in recoding.notices[0]


def test_without_single_values_all_records_are_one_class():
    data = table(3, 40)
    roles = {name: role for name, role in data.roles.items() if name == "basket"}
    only_items = local_data(
        [(items,) for items in ({"a1", "b1"}, {"a1"}, {"a1", "b1"})] * 4, roles, trees=TREES
    )
    recoding = find(only_items, 3, 2)
    assert recoding.clusters.cluster_of_row.tolist() == [0] * 12
    assert KKmAnonymity(3, 2).verify(published(only_items, recoding)).holds


def test_what_it_cannot_do_is_refused():
    data = table(1, 40)
    bare = LocalData(data.table, data.roles, {name: TREES[name] for name in ("colour", "basket")})
    with pytest.raises(BadInput, match="hierarchy"):
        find(bare, 2, 2)
