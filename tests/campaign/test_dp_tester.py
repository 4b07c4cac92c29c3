"""The tester of differential privacy finds what breaks epsilon, and nothing in what keeps it."""

import numpy as np
import pytest

from shoal.algorithms.sets.diffpart import algorithm
from tests.campaign.dp_tester import (
    DOUBT,
    TO_THE_LAST_FILE,
    Event,
    Features,
    Mechanism,
    Pair,
    Record,
    Seen,
    events_that_break,
    lower_bound,
    make_pair,
    mechanism_of,
    upper_bound,
    whole_release,
)

PAIR = Pair("a pair", (("a",),) * 5, ("a",), (("a", "*"), ("b", "*")), 1.0, {}, {})


def noisy_count(spent: float) -> Mechanism:
    """A count of records with noise for another epsilon than the promised one."""

    def make(pair: Pair, records: tuple[Record, ...], _: object) -> Mechanism:
        stop = -np.expm1(-spent)

        def run(rng: np.random.Generator) -> Features:
            return {("rows",): len(records) + int(rng.geometric(stop)) - int(rng.geometric(stop))}

        return run

    return make  # type: ignore[return-value]


def test_a_mechanism_that_keeps_epsilon_passes():
    assert events_that_break(PAIR, 20_000, DOUBT, 0, noisy_count(1.0)) == []


def test_too_little_noise_is_found():
    found = events_that_break(PAIR, 20_000, DOUBT, 0, noisy_count(2.0))
    assert found
    assert "epsilon is 1." in str(found[0])


def test_a_name_that_one_record_brings_is_found():
    def make(pair, records, _):
        return lambda _: {("item", "milk(1)" if len(records) > len(pair.records) else "milk"): 1}

    assert events_that_break(PAIR, 200, DOUBT, 0, make)


def test_bounds_are_those_of_clopper_and_pearson():
    assert lower_bound(0, 10, 0.025) == 0
    assert upper_bound(10, 10, 0.025) == 1
    assert lower_bound(5, 10, 0.025) == pytest.approx(0.1871, abs=1e-4)
    assert upper_bound(5, 10, 0.025) == pytest.approx(0.8129, abs=1e-4)


def test_what_is_not_named_counts_as_none():
    seen = Seen()
    seen.add({("item", "a"): 3})
    seen.add({})
    assert seen.times(Event(("item", "a"), 0, at_least=False)) == 1
    assert seen.times(Event(("item", "a"), 2, at_least=True)) == 1
    assert seen.times(Event(("item", "b"), 0, at_least=False)) == 2


def test_a_few_runs_of_the_product_show_nothing():
    for number in range(7):
        assert events_that_break(make_pair(1, number), 400, DOUBT, number) == []


def test_names_that_a_repeated_item_changes_are_found(monkeypatch):
    """The mechanism once took multisets: who held `a` twice renamed it to `a(1)` in all records."""
    problems = algorithm._problems_of_role

    def without_multisets(role, column):
        return (problem for problem in problems(role, column) if "repeated" not in problem.what)

    pair = make_pair(1, 8)
    assert pair.role["multiset"]
    assert events_that_break(pair, 2000, DOUBT, 0) == []
    monkeypatch.setattr(algorithm, "_problems_of_role", without_multisets)
    assert events_that_break(pair, 2000, DOUBT, 0)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(50))
def test_no_event_breaks_epsilon(number):
    pair = make_pair(1, number)
    found = events_that_break(pair, 20_000, DOUBT / 100, number, mechanism_of)
    if number in TO_THE_LAST_FILE:
        found += events_that_break(pair, 400, DOUBT / 100, number, whole_release)
    assert not found, "\n".join(map(str, found))
