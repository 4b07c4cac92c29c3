import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.arrays import frozen_ints, frozen_sets
from shoal.kernels.utility_loss import (
    NO_WORD,
    WeightedWords,
    WordUnions,
    cheapest_partner,
    half_to,
    refresh,
    sum_of_losses,
)
from tests.reference import mixed as reference

ITEMS = 6


def arrays_of(sets):
    return frozen_sets(np.cumsum([0, *map(len, sets)]), [item for row in sets for item in sorted(row)])


@st.composite
def united_items(draw):
    """Some sets, the word of each item as a frozen set, or None, and a weight for each item."""
    sets = draw(st.lists(st.sets(st.integers(0, ITEMS - 1)), min_size=1, max_size=6))
    word_number = draw(st.lists(st.integers(0, 3), min_size=ITEMS, max_size=ITEMS))
    weights = draw(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=ITEMS, max_size=ITEMS))
    return sets, word_number, weights


def words_of(numbers, weights, count=4):
    members = [[item for item in range(ITEMS) if numbers[item] == word] for word in range(count)]
    sizes = frozen_ints([len(some) for some in members])
    of_words = np.array([np.mean([weights[item] for item in some]) if some else 1.0 for some in members])
    return members, WeightedWords(np.array(sizes), of_words)


@given(united_items(), st.booleans())
def test_sum_of_losses_is_that_of_the_definition(case, drop):
    sets, numbers, weights = case
    members, words = words_of(numbers, weights)
    dropped = 0 if drop else None
    word_of_item = np.array([NO_WORD if number == dropped else number for number in numbers])
    word_of = {
        item: None if numbers[item] == dropped else frozenset(members[numbers[item]]) for item in range(ITEMS)
    }
    expected = reference.total_loss(sets, word_of, dict(enumerate(weights)))
    assert sum_of_losses(arrays_of(sets), word_of_item, words) == pytest.approx(float(expected))


@given(united_items())
def test_cheapest_partner_is_the_first_of_least_change(case):
    sets, numbers, weights = case
    members, words = words_of(numbers, weights)
    rows = [[row for row, items in enumerate(sets) if items & set(some)] for some in members]
    starts = np.cumsum([0, *map(len, rows)])
    unions = WordUnions(
        sets=arrays_of(sets),
        word_of_item=np.array(numbers),
        words=words,
        families=np.array([0, 0, 0, 1]),
        pool=np.array([row for some in rows for row in some], dtype=np.int64),
        starts=starts[:-1].copy(),
        ends=starts[1:].copy(),
        sigma=np.zeros(len(sets), dtype=np.int64),
        added=np.zeros(len(sets)),
        held=np.zeros(len(sets), dtype=np.bool_),
    )
    refresh(unions, np.arange(len(sets)))
    living = np.array([word for word in range(4) if rows[word]], dtype=np.int64)
    word_of = {item: frozenset(members[numbers[item]]) for item in range(ITEMS)}
    before = reference.total_loss(sets, word_of, dict(enumerate(weights)))
    for word in living.tolist():
        changes = {}
        for other in living.tolist():
            if other != word and (other == 3) == (word == 3):
                union = frozenset(members[word] + members[other])
                trial = {item: union if item in union else of for item, of in word_of.items()}
                changes[other] = float(reference.total_loss(sets, trial, dict(enumerate(weights))) - before)
        partner, change = cheapest_partner(unions, word, living)
        if not changes:
            assert partner == NO_WORD
            continue
        assert change == pytest.approx(min(changes.values()), abs=1e-12)
        assert changes[partner] == pytest.approx(min(changes.values()), abs=1e-12)
    assert not unions.held.any()


def test_halves_vanish_where_floating_point_ends():
    assert half_to(3) == 0.125
    assert half_to(5000) == 0.0
    wide = WeightedWords(np.array([4000, 1]), np.ones(2))
    assert sum_of_losses(arrays_of([{0, 1}]), np.array([0, 1]), wide) == pytest.approx(0.5)
