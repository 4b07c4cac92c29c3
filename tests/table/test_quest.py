import doctest
from collections import Counter
from dataclasses import FrozenInstanceError
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal.table.quest
from shoal.errors import InvalidParameter
from shoal.table.columns import Kind
from shoal.table.quest import QuestModel, quest
from tests.examples import examples

SMALL = {"transactions": 50, "items": 30, "patterns": 12}


def rows(sets):
    starts = sets.arrays.starts
    return [sets.arrays.items[start:end].tolist() for start, end in pairwise(starts)]


def supports(sets):
    return np.sort(np.bincount(sets.arrays.items, minlength=len(sets.domain)))[::-1]


@st.composite
def models(draw):
    items = draw(st.integers(1, 20))
    return QuestModel(
        transactions=draw(st.integers(0, 40)),
        items=items,
        average_length=1 + draw(st.floats(0, 1)) * (items - 1),
        patterns=draw(st.integers(1, 8)),
        average_pattern_length=1 + draw(st.floats(0, 1)) * (items - 1),
        correlation=draw(st.sampled_from([0, 0.3, 1])),
        corruption=draw(st.sampled_from([0, 0.5, 1])),
    )


@given(models(), st.integers(0, 2**64))
@examples(100)
def test_baskets_are_sets_of_items_and_never_empty(model, seed):
    baskets = model.sets(seed)
    assert len(baskets) == model.transactions
    for row in rows(baskets):
        assert row
        assert row == sorted(set(row))
        assert 0 <= row[0] <= row[-1] < model.items


def test_items_are_categories_in_text_order_and_arrays_are_frozen():
    baskets = quest(5, 12, 3, seed=0)
    assert baskets.domain.kind == Kind.SET
    assert baskets.domain.texts() == ["0", "1", "10", "11", *"23456789"]
    assert not baskets.arrays.items.flags.writeable
    assert not baskets.arrays.starts.flags.writeable


def test_a_seed_decides_everything():
    assert rows(quest(300, 100, 6, seed=5)) == rows(quest(300, 100, 6, seed=5))
    assert rows(quest(300, 100, 6, seed=5)) != rows(quest(300, 100, 6, seed=6))


@pytest.mark.parametrize(("average_length", "tolerance"), [(1, 0), (3, 0.06), (10, 0.02), (25, 0.02)])
def test_lengths_are_those_asked_for_on_average(average_length, tolerance):
    sizes = quest(30_000, 2000, average_length, patterns=1500, seed=2).sizes
    assert sizes.mean() == pytest.approx(average_length, rel=tolerance)


@pytest.mark.parametrize("average_length", [10, 25])
def test_long_baskets_vary_like_a_poisson_number_and_somewhat_more_for_whole_patterns(average_length):
    sizes = quest(30_000, 2000, average_length, patterns=1500, seed=2).sizes
    assert 0.9 < sizes.var() / (average_length - 1) < 2


def test_a_few_patterns_are_bought_far_more_often_than_others():
    counts = supports(quest(20_000, 1000, 10, patterns=1000, seed=3))
    top_tenth = counts[:100].sum() / counts.sum()
    assert 0.2 < top_tenth < 0.5
    assert counts[0] > 4 * np.median(counts[counts > 0])


def pair_supports(sets):
    return Counter(pair for row in rows(sets) for pair in combinations(row, 2))


def test_items_of_a_pattern_are_bought_together():
    baskets = quest(20_000, 1000, 5, patterns=200, seed=4)
    single = np.bincount(baskets.arrays.items, minlength=1000)
    for (item, other), support in pair_supports(baskets).most_common(20):
        if_independent = single[item] * single[other] / len(baskets)
        assert support > 4 * if_independent


def share_bought_together(sets):
    """Of the most frequent pairs: the mean share of the more frequent item's baskets that hold the other."""
    single = np.bincount(sets.arrays.items, minlength=len(sets.domain))
    best = pair_supports(sets).most_common(50)
    return float(np.mean([support / max(single[item], single[other]) for (item, other), support in best]))


def test_corruption_loosens_patterns():
    whole, usual, loose = (
        share_bought_together(quest(5000, 400, 6, patterns=60, corruption=corruption, correlation=0, seed=1))
        for corruption in (0, 0.5, 1)
    )
    assert whole > usual > loose
    assert whole > 2 * loose


def test_correlated_patterns_share_items():
    independent, correlated = (
        quest(5000, 3000, 10, patterns=300, correlation=correlation, seed=1) for correlation in (0, 0.9)
    )
    assert np.count_nonzero(supports(correlated)) < 0.7 * np.count_nonzero(supports(independent))


def test_baskets_larger_than_what_the_patterns_hold_end_all_the_same():
    baskets = quest(20, 1000, 500, patterns=2, seed=0)
    assert 1 <= baskets.sizes.min() <= baskets.sizes.max() < 100


@pytest.mark.parametrize(
    ("name", "value", "must_be"),
    [
        ("transactions", -1, "an integer of 0 or more"),
        ("transactions", 1.0, "an integer of 0 or more"),
        ("items", 0, "an integer of 1 or more"),
        ("items", True, "an integer of 1 or more"),
        ("patterns", 0, "an integer of 1 or more"),
        ("average_length", 0.5, "between 1 and the number of items"),
        ("average_length", 31, "between 1 and the number of items"),
        ("average_length", float("nan"), "between 1 and the number of items"),
        ("average_pattern_length", "4", "between 1 and the number of items"),
        ("correlation", 1.1, "between 0 and 1"),
        ("corruption", -0.1, "between 0 and 1"),
    ],
)
def test_parameters_check_themselves(name, value, must_be):
    with pytest.raises(InvalidParameter, match=f"Quest: {name} must be .*{must_be}"):
        QuestModel(**{**SMALL, name: value})


@pytest.mark.parametrize("seed", [-1, 1.5, None])
def test_seeds_are_whole_numbers(seed):
    with pytest.raises(InvalidParameter, match="seed must be an integer of 0 or more"):
        QuestModel(**SMALL).sets(seed)


def test_a_model_stays_as_it_is():
    with pytest.raises(FrozenInstanceError):
        QuestModel(**SMALL).items = 3


def test_the_documented_example():
    assert doctest.testmod(shoal.table.quest).failed == 0
