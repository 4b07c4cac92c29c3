import numpy as np
import pytest

from shoal.kernels.arrays import frozen_ints
from shoal.metrics.catalogue import MEASURES, measure, measure_by_column
from shoal.metrics.items import item_weights, joint_utility_loss, weights_of_words
from shoal.recoding.cuts import Cuts, unions_of
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.recoding.rows import RowRecoding
from shoal.table.roles import Quasi, QuasiSet
from tests.algorithms.mixed.tables import COLOURS
from tests.builders import local_data, tree
from tests.reference import mixed as reference

LETTERS = tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
UNION, WORDS = unions_of(np.array([[0, 0, 2]]), ["p", "q", "s"], " ")


def release(**role):
    roles = {"colour": Quasi(), "letters": QuasiSet(**role), "others": QuasiSet(sensitive=("s",))}
    rows = [("red", {"a1", "b1"}, {"p", "s"}), ("red", {"b1"}, {"q"}), ("red", set(), {"s"})]
    data = local_data(rows, roles, trees={"colour": COLOURS, "letters": LETTERS})
    cut = np.array([[LETTERS.labels.index(label) for label in ("A", "A", "b1", "b2")]])
    zeros = frozen_ints([0, 0, 0])
    cuts = (Cuts("letters", zeros, cut), Cuts("others", zeros, WORDS, unions=UNION))
    return data, RowRecoding(
        GeneralizedClusters(zeros, {"colour": frozen_ints([COLOURS.labels.index("red")])}), cuts
    )


A, PQ = frozenset({"a1", "a2"}), frozenset("pq")
WORD_OF = {"a1": A, "a2": A, "b1": frozenset({"b1"}), "p": PQ, "q": PQ}


def test_a_record_holds_the_items_of_all_columns():
    data, joint = release(item_weights={"a1": 0.5})
    sets = [{"a1", "b1", "p"}, {"b1", "q"}, set()]  # sensitive items stay, and cost nothing
    expected = reference.total_loss(sets, WORD_OF, {"a1": 0.5}) / 3
    assert joint_utility_loss(data, joint.items) == pytest.approx(float(expected))


def test_measures_of_both_parts():
    data, joint = release()
    losses = measure(data, joint, 2)
    assert set(losses) <= set(MEASURES)
    assert losses["ncp"] == 0
    assert losses["item_ncp"] == pytest.approx((2 / 4 + 0 + 2 / 3 + 0 + 2 / 3) / 5)
    assert losses["ul"] == pytest.approx(joint_utility_loss(data, joint.items))
    by_column = measure_by_column(data, joint)
    assert list(by_column) == ["colour", "letters", "others"]
    assert by_column["letters"]["ncp"] == pytest.approx(2 / 4 / 3)
    assert by_column["others"]["ncp"] == pytest.approx(2 / 3)


def test_words_matter_as_their_items_do_on_average():
    data, _ = release(item_weights={"a1": 0.5, "b1": 0.0})
    weights = item_weights(data, "letters")
    assert weights.tolist() == [0.5, 1, 0, 1]
    of_words = dict(zip(LETTERS.labels, weights_of_words(LETTERS, weights).tolist(), strict=True))
    assert of_words["A"] == 0.75
    assert of_words["ALL"] == pytest.approx(2.5 / 4)
    assert weights_of_words(UNION, np.array([0.0, 0.5, 1.0])).tolist() == [0.0, 0.5, 1.0, 0.25]
