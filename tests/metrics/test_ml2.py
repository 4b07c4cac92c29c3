from contextlib import contextmanager
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InvalidParameter
from shoal.hierarchy.tree import tree_from_parents
from shoal.kernels.arrays import frozen_items
from shoal.metrics import ml2
from shoal.metrics.mining import levels_loss
from shoal.metrics.ml2 import MINIMUM_SHARE, MiningLoss, affordable_mining_loss, mining_loss
from shoal.recoding.generalized_clusters import SUPPRESSED
from tests.builders import flat_tree, set_column, tree
from tests.examples import examples
from tests.metrics.releases import parent_maps
from tests.reference import metrics, set_losses
from tests.reference import ml2 as reference

LETTERS = tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
TRANSACTIONS = [("a1", "b1", "b2"), ("a2", "b1"), ("a2", "b1", "b2"), ("a1", "a2", "b2")]


def loss(on, rows, published, share, longest=None):
    """`published` has a label, or None for a suppressed item, beside each item of each row."""
    sets = set_column(rows, hierarchy=on).arrays
    nodes = [SUPPRESSED if label is None else on.labels.index(label) for row in published for label in row]
    return mining_loss(on, sets, frozen_items(nodes), share, longest)


@st.composite
def recoded_records(draw):
    """Each occurrence is suppressed or published as its item or something above it."""
    parents = draw(parent_maps())
    order = {leaf: place for place, leaf in enumerate(tree_from_parents(parents).leaf_labels)}
    rows = draw(st.lists(st.sets(st.sampled_from(sorted(order))), max_size=6))
    return parents, [
        [
            (item, draw(st.sampled_from([item, item, *metrics.above(parents, item), None])))
            for item in sorted(row, key=order.__getitem__)
        ]
        for row in rows
    ]


@given(recoded_records(), st.sampled_from([0.01, 0.1, 0.3, 0.5, 1.0]), st.none() | st.integers(1, 3))
@examples(200)
def test_both_measures_equal_their_twin(case, share, longest):
    parents, records = case
    found = loss(
        tree_from_parents(parents),
        [[item for item, _ in record] for record in records],
        [[node for _, node in record] for record in records],
        share,
        longest,
    )
    expected, climb = reference.mining_loss(parents, records, Fraction(str(share)), longest)
    assert found.ml2 == pytest.approx(float(expected))
    assert found.dml2 == (None if climb is None else pytest.approx(float(climb)))


@given(recoded_records())
@examples(150)
def test_what_a_run_reports_of_all_levels_equals_the_twins(case):
    """Whatever each occurrence became: items of one record may be published at different levels."""
    parents, records = case
    on = tree_from_parents(parents)
    place = on.labels.index
    nodes = [SUPPRESSED if node is None else place(node) for record in records for _, node in record]
    originals = [[item for item, _ in record] for record in records]
    found = levels_loss(on, set_column(originals, hierarchy=on).held, frozen_items(nodes))
    expected, climb = reference.mining_loss(parents, records, Fraction(str(MINIMUM_SHARE)))
    published = [{node for _, node in record if node is not None} for record in records]
    lost = set_losses.tkd_ml2(parents, place, originals, published, 1000)
    losses = {"ml2": expected, "dml2": climb, "tkd_ml2": lost or 0}
    assert found.losses == pytest.approx(
        {name: float(loss) for name, loss in losses.items() if loss is not None}
    )
    assert not found.notices


def test_the_worked_example_with_a1_and_a2_published_as_A():
    """At 50 %: level 2 has a1, a2, b1, b2, {a1,b2}, {a2,b1}, {a2,b2} and {b1,b2}; level 1 A, B, {A,B}; ALL.

    What is left at level 2 is b1, b2 and {b1,b2}. The five others are found one level up.
    """
    published = [("A", "b1", "b2"), ("A", "b1"), ("A", "b1", "b2"), ("A", "A", "b2")]
    found = loss(LETTERS, TRANSACTIONS, published, 0.5)
    assert found == MiningLoss(frequent=(1, 3, 8), found=(1, 3, 3), levels_up=5)
    assert found.ml2 == pytest.approx(5 / 12)
    assert found.dml2 == pytest.approx(1.0)


def test_one_occurrence_under_the_root_can_hide_an_itemset_two_levels_up():
    """At 100 % of two records: a1 at level 2, A at level 1, ALL; the second a1 is published as ALL."""
    found = loss(LETTERS, [("a1",), ("a1",)], [("a1",), ("ALL",)], 1)
    assert found == MiningLoss(frequent=(1, 1, 1), found=(1, 0, 0), levels_up=1 + 2)
    assert (found.ml2, found.dml2) == (pytest.approx(2 / 3), pytest.approx(1.5))


def test_itemsets_that_not_even_the_root_shows_count_as_one_level_above_it():
    found = loss(LETTERS, [("a1",)], [(None,)], 1)
    assert found == MiningLoss(frequent=(1, 1, 1), found=(0, 0, 0), levels_up=1 + 2 + 3)
    assert (found.ml2, found.dml2) == (1.0, pytest.approx(2.0))


def test_a_leaf_above_the_level_stays_itself_and_its_parent_does_not_show_it():
    uneven = tree({"*": {"shallow": {}, "deep": {"d": ["d1", "d2"]}}})
    rows = [("shallow", "d1")]
    untouched = loss(uneven, rows, rows, 1)
    assert untouched.frequent == untouched.found == (1, 3, 3, 3)
    generalized = loss(uneven, rows, [("shallow", "d")], 1)
    assert generalized == MiningLoss(frequent=(1, 3, 3, 3), found=(1, 3, 3, 1), levels_up=2)


def test_items_that_meet_above_are_one_item_there():
    found = loss(LETTERS, [("a1", "a2")], [("A", "A")], 1)
    assert found == MiningLoss(frequent=(1, 1, 3), found=(1, 1, 0), levels_up=3)


def test_untouched_data_lose_nothing_and_have_no_distance():
    found = loss(LETTERS, TRANSACTIONS, TRANSACTIONS, 0.25)
    assert (found.ml2, found.dml2) == (0.0, None)


@pytest.mark.parametrize("on", [LETTERS, flat_tree(["x"])])
@pytest.mark.parametrize("rows", [[], [()], [(), ()]])
def test_data_without_frequent_itemsets_lose_nothing(on, rows):
    found = loss(on, rows, rows, 0.01)
    assert (found.ml2, found.dml2) == (0.0, None)


def test_a_share_means_its_shortest_decimal():
    """0.07 * 100 is 7.000000000000001 in floating point, and 7 records are 7 %."""
    rows = [("a1",)] * 7 + [("b1",)] * 93
    assert loss(LETTERS, rows, rows, 0.07).frequent == (1, 2, 2)


@pytest.mark.parametrize("share", [0, -0.1, 1.01, float("nan")])
def test_shares_outside_their_range_are_refused(share):
    with pytest.raises(InvalidParameter, match="minimum_share must be a number above 0 and up to 1"):
        loss(LETTERS, TRANSACTIONS, TRANSACTIONS, share)


@contextmanager
def patience(items):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ml2, "_FEWEST_READ", items)
        patched.setattr(ml2, "_READINGS", 0)
        yield


FULL = [("a1", "a2", "b1", "b2")] * 2  # 15 itemsets of leaves, in one distinct record
FULL_SETS = set_column(FULL, hierarchy=LETTERS).arrays


def test_itemsets_are_as_long_as_patience_allows():
    found = []
    for items in range(16):
        with patience(items):
            found.append(affordable_mining_loss(LETTERS, FULL_SETS, FULL_SETS.items, 0.5))
    lengths = [each.longest for each in found]
    assert lengths == sorted(lengths, key=lambda longest: longest or 9)
    assert {1, None} < set(lengths)
    assert found[0] == MiningLoss((1, 2, 4), (1, 2, 4), 0, longest=1)
    assert found[-1] == loss(LETTERS, FULL, FULL, 0.5)


def test_a_bound_on_the_length_is_told():
    with patience(0):
        (notice,) = levels_loss(LETTERS, FULL_SETS, FULL_SETS.items).notices
    assert notice.startswith("ML2 and dML2 are about single items: ")
