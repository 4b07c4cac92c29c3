from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.relational.hilbert import algorithm as hilbert
from shoal.algorithms.relational.hilbert.algorithm import Hilbert
from shoal.errors import Cancelled
from shoal.metrics.relational import table_cost
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, Sensitive
from tests.algorithms.relational.tables import tables
from tests.builders import flat_tree, local_data, tree
from tests.examples import examples


def find(data, k, progress=None, **options):
    return Hilbert(**options).find(data, [KAnonymity(k)], np.random.default_rng(0), progress or Silent())


def labels(data, recoding, column):
    """What each row is published as in a column."""
    released = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=1).table.coded(column)
    return [released.domain.label(code) for code in released.codes.tolist()]


LETTERS = flat_tree("abcdefgh")


def letters(values):
    return local_data([(value,) for value in values], {"x": Quasi()}, trees={"x": LETTERS})


def test_neighbours_on_the_curve_are_published_together():
    shapes = tree({"*": {"round": ["ball", "egg"], "edged": ["cube", "box"]}})
    data = local_data(
        [
            ("ball", "ball"),
            ("box", "cube"),
            ("egg", "ball"),
            ("cube", "cube"),
            ("ball", "egg"),
            ("box", "box"),
        ],
        {"x": Quasi(), "y": Quasi()},
        trees={"x": shapes, "y": shapes},
    )
    recoding = find(data, 3)
    assert labels(data, recoding, "x") == ["round", "edged"] * 3
    assert labels(data, recoding, "y") == ["round", "edged"] * 3


def test_runs_are_cut_where_that_costs_least():
    data = letters("aabbbbcc")
    assert labels(data, find(data, 2), "x") == list("aabbbbcc")


def test_equal_records_need_no_generalization_however_many():
    data = letters("a" * 23 + "b" * 9)
    recoding = find(data, 4)
    assert labels(data, recoding, "x") == ["a"] * 23 + ["b"] * 9
    assert recoding.figures["cost"] == 0


def test_fewer_than_2k_records_are_one_class():
    data = letters("aaabb")
    assert labels(data, find(data, 3), "x") == ["*"] * 5


def test_missing_values_stay_among_themselves():
    data = letters(["a", None, "b", None, "a", None, "b"])
    assert labels(data, find(data, 2), "x") == ["a", None, "b", None, "a", None, "b"]


def test_numbers_and_dates_are_published_as_ranges_of_a_grid():
    rows = [(20, date(2020, 1, 5)), (21, date(2020, 1, 6)), (70, date(2020, 8, 3)), (77, date(2020, 8, 9))]
    data = local_data(rows, {"age": Quasi(kind=Kind.NUMBER, bounds=(0, 99)), "day": Quasi(kind=Kind.DATE)})
    recoding = find(data, 2)
    assert labels(data, recoding, "age") == ["[20, 21]", "[20, 21]", "[70, 77]", "[70, 77]"]
    assert len(set(labels(data, recoding, "day"))) == 2
    assert recoding.clusters.nodes == {}
    assert recoding.figures == {}
    assert any("derived from the data" in notice and "day" in notice for notice in recoding.notices)


@examples(40)
@given(tables(least_rows=4, with_subjects=False), st.integers(2, 3))
def test_a_local_search_never_loses_more(drawn, k):
    data = drawn.on_trees.data
    plain, searched = (find(data, k, local_search=choice) for choice in (False, True))
    assert searched.figures["cost"] <= plain.figures["cost"] + 1e-9
    if sum(data.weights().values()) > 0:
        assert plain.figures["cost"] == pytest.approx(table_cost(data, plain.clusters, "ncp"))


def test_diverse_values_are_united_where_they_must():
    data = local_data(
        [("a", "flu"), ("a", "flu"), ("b", "flu"), ("b", "cold"), ("h", "flu"), ("h", "cold")],
        {"x": Quasi(), "illness": Sensitive()},
        trees={"x": tree({"*": {"first": ["a", "b"], "last": ["h"]}})},
    )
    recoding = Hilbert().find(data, [KAnonymity(2), LDiversity(1.3)], np.random.default_rng(0), Silent())
    assert labels(data, recoding, "x") == ["first"] * 4 + ["h"] * 2


def test_more_columns_than_a_word_has_bits():
    rng = np.random.default_rng(3)
    names = [f"c{number}" for number in range(70)]
    rows = [tuple("abcdefgh"[value] for value in row) for row in rng.integers(0, 8, (20, 70))]
    data = local_data(rows, dict.fromkeys(names, Quasi()), trees=dict.fromkeys(names, LETTERS))
    assert np.bincount(find(data, 5).clusters.cluster_of_row).min() >= 5


class UpAfter(Silent):
    """Time is up after some updates."""

    def __init__(self, updates):
        super().__init__()
        self._left = updates

    def update(self, done, total=None, note=""):
        super().update(done, total, note)
        self._left -= 1

    def expired(self):
        return self._left < 0


@pytest.mark.parametrize("updates", [0, 1, 4, 7])
def test_when_time_is_up_the_rest_is_cut_as_it_comes(updates, monkeypatch):
    monkeypatch.setattr(hilbert, "_RUNS_PER_SLICE", 1)
    data = letters("abcdefghabc")
    recoding = find(data, 3, UpAfter(updates))
    assert np.bincount(recoding.clusters.cluster_of_row).min() >= 3
    assert any("time was up" in notice for notice in recoding.notices)


def test_a_wish_to_stop_is_honoured():
    progress = Silent()
    progress.cancel()
    with pytest.raises(Cancelled):
        find(letters("abcd"), 2, progress)
