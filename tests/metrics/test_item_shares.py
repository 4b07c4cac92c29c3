import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InvalidParameter
from shoal.kernels.arrays import frozen_sets, starts_of
from shoal.metrics.estimates import RecordsEstimator
from shoal.metrics.item_shares import best_shares, likely_shares, uniform_shares
from shoal.metrics.workloads import Query
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.table.roles import QuasiSet
from tests.algorithms.mixed.tables import random_table
from tests.builders import local_data
from tests.metrics.test_estimates import LETTERS, covered, labels_of, release, release_at
from tests.reference import item_shares as slow

ITEMS = st.integers(0, 6)


def arrays(sets):
    ordered = [sorted(each) for each in sets]
    return frozen_sets(
        starts_of([len(each) for each in ordered]), [item for each in ordered for item in each]
    )


@st.composite
def files(draw):
    """What labels stand for, and records of labels."""
    meanings = draw(
        st.lists(st.sets(ITEMS, min_size=1, max_size=4), min_size=1, max_size=6, unique_by=frozenset)
    )
    labels = st.sets(st.integers(0, len(meanings) - 1), max_size=4)
    return meanings, draw(st.lists(labels, max_size=8))


@given(files())
def test_shares_are_those_of_the_slow_definition(file):
    meanings, records = file
    labels = dict(enumerate(meanings))
    counts = np.bincount(arrays(records).items, minlength=len(meanings))
    for found, expected in (
        (uniform_shares(arrays(meanings)), slow.uniform_shares(labels)),
        (likely_shares(arrays(meanings), counts), slow.likely_shares(labels, records)),
        (best_shares(arrays(meanings), counts), slow.best_shares(labels, records)),
    ):
        flat = [expected[label][item] for label, items in labels.items() for item in sorted(items)]
        np.testing.assert_allclose(found, flat, atol=1e-12)


SLOW = {
    "items": lambda meanings, _: slow.uniform_shares(meanings),
    "likelihood": slow.likely_shares,
    "best": slow.best_shares,
}


@pytest.mark.parametrize("estimator", SLOW)
@pytest.mark.parametrize("algorithm", ["aa", "lra", "itemwise", "pcta"])
def test_counts_are_those_of_the_slow_definition(algorithm, estimator):
    for seed in range(4):
        data = only_sets(seed)
        (name,) = data.quasi_sets
        table = release(data, algorithm, KmAnonymity(2, 2))
        records = [labels_of(table, name, row) for row in range(table.row_count)]
        meanings = {label: covered(data, name, label) for label in table.sets(name).domain.texts()}
        shares = SLOW[estimator](meanings, records)
        found = RecordsEstimator(data, table, estimator)
        items = data.table.sets(name).domain.texts()
        for wanted in ((items[0],), (items[-1],), (items[0], items[-1])):
            count = found.count(Query({}, {name: wanted}))
            assert count == pytest.approx(slow.expected_count(shares, records, set(wanted)))


def only_sets(seed):
    rng = np.random.default_rng(seed)
    leaves = LETTERS.leaf_labels
    rows = [
        ({leaves[int(item)] for item in rng.choice(5, rng.integers(1, 4), replace=False)},) for _ in range(12)
    ]
    return local_data(rows, {"letters": QuasiSet()}, trees={"letters": LETTERS})


def test_the_estimator_is_said_and_wrong_ones_are_refused():
    data = only_sets(0)
    table = release_at(data, "A")
    assert "1/n" in RecordsEstimator(data, table, "items").in_words
    assert "by how often they seem to occur" in RecordsEstimator(data, table, "likelihood").in_words
    assert "half of it evenly" in RecordsEstimator(data, table).in_words
    assert "each way" in RecordsEstimator(data, table, "subsets").in_words
    assert (
        "each value"
        in RecordsEstimator(random_table(3, set_columns=0), random_table(3, set_columns=0).table).in_words
    )
    with pytest.raises(InvalidParameter, match="one of best, items, subsets, likelihood"):
        RecordsEstimator(data, table, "guess")  # type: ignore[arg-type]


def test_a_label_that_covers_n_items_stands_for_each_with_one_nth():
    data = local_data([({"a1", "a2"},), ({"a2"},)], {"letters": QuasiSet()}, trees={"letters": LETTERS})
    found = RecordsEstimator(data, release_at(data, "A"), "items")
    assert found.count(Query({}, {"letters": ("a1",)})) == pytest.approx(2 / 3)
    assert found.count(Query({}, {"letters": ("a1", "a2")})) == pytest.approx(2 / 9)
