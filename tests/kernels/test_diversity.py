from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from shoal.kernels.arrays import frozen_ints
from shoal.kernels.diversity import (
    CLOSE_EQUAL,
    CLOSE_ORDERED,
    DISTINCT,
    ENTROPY,
    FREQUENCY,
    RECURSIVE,
    SensitiveCounts,
    at_most,
    class_figures,
    classes_hold,
    sized_class_holds,
)
from tests.examples import examples
from tests.reference import privacy_tables as reference

KINDS = (FREQUENCY, DISTINCT, ENTROPY, RECURSIVE, CLOSE_EQUAL, CLOSE_ORDERED)
int63 = st.integers(0, 2**63 - 1)
positive63 = st.integers(1, 2**63 - 1)
small_fractions = st.fractions(min_value=Fraction(1, 4), max_value=5, max_denominator=6)
long_fractions = st.builds(Fraction, st.integers(2**50, 2**62), st.integers(2**50, 2**62))


def expected(kind, threshold, rank, counts, totals):
    """The twin's answer; counts and totals by value."""
    size = sum(counts.values())
    if kind == RECURSIVE:
        return reference.recursive(counts, size, totals, rank, threshold)
    if kind == CLOSE_EQUAL:
        return reference.close(counts, size, totals, threshold, "equal")
    if kind == CLOSE_ORDERED:
        return reference.close(counts, size, totals, threshold, "ordered")
    twin = {FREQUENCY: reference.frequency, DISTINCT: reference.distinct, ENTROPY: reference.entropy}[kind]
    return twin(counts, size, totals, threshold)


def answer(kind, threshold, rank, counts, totals):
    """The kernel's answer."""
    rule = frozen_ints([kind, threshold.numerator, threshold.denominator, rank])
    values = sorted(counts)
    return sized_class_holds(
        rule,
        sum(counts.values()),
        frozen_ints(values),
        frozen_ints([counts[v] for v in values]),
        frozen_ints([totals.get(v, 0) for v in range(max(totals, default=0) + 1)]),
    )


@st.composite
def classes_in_tables(draw, most=6):
    """The counts of a class, and of the table around it, by value; some values occur in neither."""
    counts = draw(st.dictionaries(st.integers(0, 4), st.integers(1, most), max_size=5))
    others = draw(st.dictionaries(st.integers(0, 4), st.integers(1, most), max_size=5))
    return counts, {v: counts.get(v, 0) + others.get(v, 0) for v in counts.keys() | others.keys()}


@given(int63, positive63, int63, positive63)
@example(2**63 - 1, 2**63 - 2, 2**63 - 2, 2**63 - 3)
@examples(200)
def test_fractions_are_compared_exactly(a, b, c, d):
    assert at_most(a, b, c, d) == (Fraction(a, b) <= Fraction(c, d))


@given(classes_in_tables(), st.sampled_from(KINDS), small_fractions, st.integers(1, 4))
@examples(300)
def test_a_class_holds_exactly_when_the_definition_says_so(class_in_table, kind, threshold, rank):
    counts, totals = class_in_table
    truth = expected(kind, threshold, rank, counts, totals)
    found = answer(kind, threshold, rank, counts, totals)
    if kind == ENTROPY and len(set(counts.values())) > 1:
        assert truth or not found, "an entropy may be refused at a tie, never accepted below its threshold"
    else:
        assert found == truth


@given(
    classes_in_tables(most=2**28),
    st.sampled_from((FREQUENCY, RECURSIVE, CLOSE_EQUAL, CLOSE_ORDERED)),
    long_fractions,
)
@examples(100)
def test_large_counts_and_long_fractions_do_not_overflow(class_in_table, kind, threshold):
    counts, totals = class_in_table
    truth, found = expected(kind, threshold, 2, counts, totals), answer(kind, threshold, 2, counts, totals)
    assert found == truth


@given(classes_in_tables())
@examples(100)
def test_an_entropy_clear_of_its_threshold_is_decided(class_in_table):
    counts, totals = class_in_table
    assume(counts)
    for threshold in (Fraction(1), Fraction(7, 5), Fraction(11, 4)):
        truth = expected(ENTROPY, threshold, 0, counts, totals)
        nearby = expected(ENTROPY, threshold * Fraction(10**6 + 1, 10**6), 0, counts, totals)
        if truth == nearby:
            assert answer(ENTROPY, threshold, 0, counts, totals) == truth


def test_equal_counts_reach_an_entropy_exactly():
    for size in range(1, 40):
        counts = dict.fromkeys(range(size), 3)
        assert answer(ENTROPY, Fraction(size), 0, counts, counts)
        assert not answer(ENTROPY, size + Fraction(1, 10**12), 0, counts, counts)


def test_sizes_that_cannot_be_held_are_refused():
    counts = {0: 2**40, 1: 2**40}
    assert not answer(CLOSE_EQUAL, Fraction(1), 0, counts, counts)
    assert not answer(CLOSE_ORDERED, Fraction(1), 0, counts, counts)


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_without_values_does_not_hold(kind):
    assert not answer(kind, Fraction(1), 1, {}, {0: 4, 1: 4})


@given(st.lists(classes_in_tables(), min_size=1, max_size=4), st.sampled_from(KINDS), small_fractions)
@examples(100)
def test_all_classes_at_once_agree_with_each_alone(tables, kind, threshold):
    classes = [counts for counts, _ in tables]
    totals = {v: sum(counts.get(v, 0) for counts in classes) for v in range(5)}
    values = [sorted(counts) for counts in classes]
    arrays = SensitiveCounts(
        sizes=frozen_ints([sum(counts.values()) for counts in classes]),
        starts=frozen_ints(np.cumsum([0] + [len(v) for v in values])),
        values=frozen_ints([v for those in values for v in those]),
        counts=frozen_ints([counts[v] for counts, those in zip(classes, values, strict=True) for v in those]),
        totals=frozen_ints([totals[v] for v in range(5)]),
    )
    rule = frozen_ints([kind, threshold.numerator, threshold.denominator, 2])
    alone = [answer(kind, threshold, 2, counts, totals) for counts in classes]
    assert classes_hold(rule, arrays).tolist() == alone
    figures = class_figures(rule, arrays)
    for figure, counts in zip(figures, classes, strict=True):
        if counts:
            assert figure == pytest.approx(float(figure_of(kind, counts, totals)))
        else:
            assert np.isnan(figure)


def figure_of(kind, counts, totals):
    present = {v: total for v, total in totals.items() if total}
    size, largest = sum(counts.values()), max(counts.values())
    if kind == ENTROPY:
        return np.exp(-sum(c / size * np.log(c / size) for c in counts.values()))
    if kind == RECURSIVE:
        rarer = sum(sorted(counts.values(), reverse=True)[1:])
        return Fraction(largest, rarer) if rarer else np.inf
    return {
        FREQUENCY: lambda: Fraction(size, largest),
        DISTINCT: lambda: len(counts),
        CLOSE_EQUAL: lambda: reference.equal_distance(counts, present),
        CLOSE_ORDERED: lambda: reference.ordered_distance(counts, present),
    }[kind]()
