import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts
from shoal.recoding.recoding import apply_recoding
from shoal.recoding.rows import RowRecoding
from shoal.table.columns import Coded
from shoal.table.roles import QuasiSet, Sensitive
from tests.builders import local_data, tree
from tests.examples import examples

FRUIT = tree({"*": {"citrus": ["lemon", "lime"], "berry": ["fig", "grape", "plum"]}})
NODE = {label: node for node, label in enumerate(FRUIT.labels)}


def applied(sets, parts, *cuts, sensitive=()):
    """The published sets; each cut lists what the leaves of the tree are published as, None for nothing."""
    roles = {"fruit": QuasiSet(sensitive=sensitive), "ill": Sensitive()}
    data = local_data([(items, "flu") for items in sets], roles, trees={"fruit": FRUIT})
    nodes = [[SUPPRESSED_ITEM if label is None else NODE[label] for label in cut] for cut in cuts]
    cuts_of_parts = Cuts("fruit", np.array(parts, dtype=np.int64), np.array(nodes, dtype=np.int64))
    recoding = RowRecoding(items=(cuts_of_parts,))
    return data, apply_recoding(data.table, data.trees, data.roles, recoding, smallest=1)


def published(result):
    column = result.table.sets("fruit")
    labels, arrays = column.domain.texts(), column.arrays
    return [
        [labels[code] for code in arrays.items[start:end]]
        for start, end in zip(arrays.starts[:-1], arrays.starts[1:], strict=True)
    ]


def test_items_become_labels_of_their_nodes_each_once_and_sorted():
    cut = ("citrus", "citrus", "fig", "grape", "plum")
    _, result = applied([{"lime", "lemon", "fig"}, {"plum", "lime"}, set()], [0, 0, 0], cut)
    assert published(result) == [["citrus", "fig"], ["citrus", "plum"], []]


def test_domain_has_the_labels_in_use_and_no_others():
    cut = ("citrus", "citrus", "fig", "grape", "plum")
    _, result = applied([{"lime", "lemon", "fig"}, {"fig"}], [0, 0], cut)
    assert result.table.sets("fruit").domain.texts() == ["citrus", "fig"]


def test_each_part_has_its_own_cut():
    leaves = FRUIT.leaf_labels
    _, result = applied([{"lime", "fig"}, {"lime", "fig"}], [1, 0], leaves, ("*",) * 5)
    assert published(result) == [["*"], ["fig", "lime"]]


def test_suppressed_items_vanish():
    cut = (None, None, "berry", "berry", "berry")
    _, result = applied([{"lime", "fig"}, {"lime"}], [0, 0], cut)
    assert published(result) == [["berry"], []]


def test_sensitive_items_stay_as_they_are():
    _, result = applied([{"lime", "fig", "grape"}], [0], ("*",) * 5, sensitive=("lime",))
    assert published(result) == [["*", "lime"]]


def test_other_columns_and_the_input_stay_as_they_are():
    data, result = applied([{"lime", "fig"}, set()], [0, 0], ("*",) * 5)
    before = data.table.column("ill")
    assert isinstance(before, Coded)
    assert result.table.column("ill") is before
    assert result.rows.tolist() == [0, 1]
    assert not result.stars.any()
    assert published_sets(data) == [{"lime", "fig"}, set()]


def published_sets(data):
    column = data.table.sets("fruit")
    labels, arrays = column.domain.texts(), column.arrays
    return [
        {labels[code] for code in arrays.items[start:end]}
        for start, end in zip(arrays.starts[:-1], arrays.starts[1:], strict=True)
    ]


@examples(60)
@given(st.data())
def test_agrees_with_python_sets(data):
    labels = (None, *FRUIT.labels[:5], *FRUIT.labels[6:])
    sets = data.draw(st.lists(st.sets(st.sampled_from(FRUIT.leaf_labels)), min_size=1, max_size=6))
    cuts = data.draw(st.lists(st.tuples(*[st.sampled_from(labels)] * 5), min_size=1, max_size=3))
    parts = data.draw(st.lists(st.integers(0, len(cuts) - 1), min_size=len(sets), max_size=len(sets)))
    _, result = applied(sets, parts, *cuts)
    expected = [
        sorted({cuts[part][FRUIT.leaf_labels.index(item)] for item in items} - {None})
        for items, part in zip(sets, parts, strict=True)
    ]
    assert published(result) == expected
