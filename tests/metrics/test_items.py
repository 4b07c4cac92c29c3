import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchy.tree import tree_from_parents
from shoal.kernels.arrays import frozen_floats, frozen_ints
from shoal.metrics.items import item_ncp, nodes_under_cuts, utility_loss
from shoal.recoding.generalized_clusters import SUPPRESSED
from tests.builders import flat_tree, set_column, tree
from tests.metrics.releases import parent_maps
from tests.reference import metrics as reference

LETTERS = tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
TRANSACTIONS = [("a1", "b1", "b2"), ("a2", "b1"), ("a2", "b1", "b2"), ("a1", "a2", "b2")]


def sets_of(rows, on=LETTERS):
    return set_column(rows, hierarchy=on).arrays


def nodes(*labels, on=LETTERS):
    """Nodes by label; None is a suppressed item."""
    return frozen_ints([SUPPRESSED if label is None else on.labels.index(label) for label in labels])


@st.composite
def recoded_sets(draw):
    """Any mixture: each occurrence is suppressed or published as its item or something above it."""
    parents = draw(parent_maps())
    leaves = [node for node in parents if node not in parents.values()]
    rows = draw(st.lists(st.sets(st.sampled_from(leaves)), max_size=5))
    built = tree_from_parents(parents)
    order = {leaf: place for place, leaf in enumerate(built.leaf_labels)}
    return (
        built,
        parents,
        [
            [
                (item, draw(st.sampled_from([item, *reference.above(parents, item), reference.SUPPRESSED])))
                for item in sorted(row, key=order.__getitem__)
            ]
            for row in rows
        ],
    )


@given(recoded_sets())
def test_measures_equal_their_twins(case):
    built, parents, occurrences = case
    sets = sets_of([[item for item, _ in record] for record in occurrences], built)
    labels = [None if node == reference.SUPPRESSED else node for record in occurrences for _, node in record]
    published = nodes(*labels, on=built)
    assert item_ncp(built, sets, published) == pytest.approx(float(reference.item_ncp(parents, occurrences)))
    expected = reference.utility_loss(parents, occurrences)
    assert utility_loss(built, sets, published) == pytest.approx(float(expected))
    weights = {label: node % 3 / 2 for node, label in enumerate(built.labels)}
    expected = reference.utility_loss(parents, occurrences, weights)
    of_node = frozen_floats(list(weights.values()))
    assert utility_loss(built, sets, published, of_node) == pytest.approx(float(expected))


@pytest.mark.parametrize(
    ("cut", "ncp"),
    [
        (("a1", "a2", "b1", "b2"), 0),
        (("A", "A", "b1", "b2"), 2.5 / 11),
        (("a1", "a2", "B", "B"), 3 / 11),
        (("A", "A", "B", "B"), 5.5 / 11),
        (("ALL", "ALL", "ALL", "ALL"), 1),
    ],
)
def test_ncp_of_each_cut_of_the_worked_example(cut, ncp):
    sets = sets_of(TRANSACTIONS)
    assert item_ncp(LETTERS, sets, nodes(*cut)[sets.items]) == pytest.approx(ncp)


def test_three_occurrences_published_as_a_pair_of_four_leaves():
    sets = sets_of([("a2",), ("a2",), ("a2", "b1")])
    published = nodes("A", "A", "b1", "b2")[sets.items]
    assert item_ncp(LETTERS, sets, published) * 4 == pytest.approx(3 * 2 / 4)


def test_ncp_charges_suppressed_occurrences_in_full():
    sets = sets_of([("a1", "b1"), ("a2",)])
    assert item_ncp(LETTERS, sets, nodes("a1", None, "A")) == pytest.approx((0 + 1 + 0.5) / 3)


def test_cuts_per_group_apply_to_their_own_rows():
    sets = sets_of([("a1", "b1"), ("a1",), ("b2",), ()])
    cuts = frozen_ints([nodes("A", "A", "b1", "b2"), nodes("a1", "a2", None, None)])
    published = nodes_under_cuts(sets, cuts, frozen_ints([0, 1, SUPPRESSED, 1]))
    assert published.tolist() == nodes("A", "b1", "a1", None).tolist()


def test_cuts_of_no_group_at_all():
    sets = sets_of([("a1",)])
    cuts = frozen_ints([]).reshape(0, 4)
    assert nodes_under_cuts(sets, cuts, frozen_ints([SUPPRESSED])).tolist() == [SUPPRESSED]


def test_utility_loss_of_untouched_empty_and_emptied_records():
    untouched = sets_of([("a1",), ("a1", "a2", "b1")])
    assert utility_loss(LETTERS, untouched, untouched.items) == 0.0
    assert utility_loss(LETTERS, sets_of([(), ()]), nodes()) == 0.0
    assert utility_loss(LETTERS, sets_of([("a1", "b1"), ()]), nodes(None, None)) == pytest.approx(1 / 2)


def test_utility_loss_counts_items_that_meet_in_one_node_once():
    sets = sets_of([("a1", "a2", "b1")])
    assert utility_loss(LETTERS, sets, nodes("A", "A", "b1")) == pytest.approx((2**2 - 1) / (2**3 - 1))


def test_utility_loss_of_nodes_with_thousands_of_leaves():
    wide = tree({"*": {"left": [f"l{i}" for i in range(3000)], "right": [f"r{i}" for i in range(2999)]}})
    sets = sets_of([("l0", "r0"), ("l0",)], wide)
    published = nodes("left", "right", "left", on=wide)
    assert utility_loss(wide, sets, published) == pytest.approx((0 + 1) / 2)


def test_data_without_records_items_or_choice():
    assert item_ncp(LETTERS, sets_of([]), nodes()) == 0.0
    assert utility_loss(LETTERS, sets_of([]), nodes()) == 0.0
    assert item_ncp(LETTERS, sets_of([()]), nodes()) == 0.0
    lonely = flat_tree(["x"])
    one = sets_of([("x",)], lonely)
    assert item_ncp(lonely, one, nodes("*", on=lonely)) == 0.0
    assert utility_loss(lonely, one, nodes("*", on=lonely)) == 0.0
