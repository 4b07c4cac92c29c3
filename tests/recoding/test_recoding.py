import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.kernels.arrays import frozen_ints
from shoal.recoding.cuts import SUPPRESSED_ITEM, Cuts, ItemNodes, unions_of
from shoal.recoding.generalized_clusters import SUPPRESSED, GeneralizedClusters
from shoal.recoding.label_notation import LabelReader
from shoal.recoding.recoding import apply_recoding
from shoal.recoding.rows import RowRecoding
from shoal.table.roles import Insensitive, Quasi, QuasiSet
from shoal.table.separators import stays_apart
from tests.algorithms.mixed.tables import COLOURS, released
from tests.builders import local_data, tree

LETTERS = tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
ROLES = {
    "colour": Quasi(),
    "note": Insensitive(),
    "letters": QuasiSet(),
    "others": QuasiSet(sensitive=("s",)),
}
ROWS = [
    ("red", "x", {"a1"}, {"p", "s"}),
    ("orange", "y", {"a2", "b1"}, {"q"}),
    (None, "z", {"b1"}, {"p"}),
]


def node(hierarchy, *labels):
    return [SUPPRESSED_ITEM if label is None else hierarchy.labels.index(label) for label in labels]


def test_clusters_and_cuts_are_applied_together():
    data = local_data(ROWS, ROLES, trees={"colour": COLOURS, "letters": LETTERS})
    assert data.table.sets("others").domain.texts() == ["p", "q", "s"]
    unions, words = unions_of(np.array([[0, 0, 2], [SUPPRESSED_ITEM, 1, 2]]), ["p", "q", "s"], " ")
    joint = RowRecoding(
        GeneralizedClusters(frozen_ints([0, 0, 1]), {"colour": np.array(node(COLOURS, "warm", ""))}),
        (
            Cuts(
                "letters",
                frozen_ints([0, 0, 1]),
                np.array([node(LETTERS, "A", "A", "b1", "b2"), node(LETTERS, None, None, "B", "B")]),
            ),
            Cuts("others", frozen_ints([0, 0, 1]), words, unions=unions),
        ),
    )
    shown = released(data, joint)
    assert shown.keys == [("warm",), ("warm",), (None,)]
    assert [{label for _, label in items} for items in shown.sets] == [
        {"A", "(p|q)", "s"},
        {"A", "b1", "(p|q)"},
        {"B"},
    ]
    applied = apply_recoding(data.table, data.trees, data.roles, joint, smallest=1)
    assert applied.table.columns["note"].values.to_pylist() == ["x", "y", "z"]


@given(
    st.lists(st.text("ab|+&;_", min_size=1, max_size=3), min_size=2, max_size=6, unique=True),
    st.sampled_from([" ", "||", "+|"]),
)
def test_unions_can_be_read_in_one_way_only(items, separator):
    items = sorted(item for item in items if stays_apart(item, separator))
    assume(len(items) > 1)
    half = len(items) // 2
    first = np.array([0] * half + list(range(half, len(items))))
    first_of_each = np.stack((np.zeros(len(items), dtype=np.int64), first))
    unions, _ = unions_of(first_of_each, items, separator)
    reader = LabelReader(QuasiSet(separator=separator), None, items)
    for number in range(len(items), len(unions.labels)):
        starts = unions.members.starts
        united = [items[item] for item in unions.members.items[starts[number] : starts[number + 1]]]
        assert stays_apart(unions.labels[number], separator)
        assert sorted(reader.cover(unions.labels[number]).values) == sorted(united)


def test_equal_unions_of_several_parts_are_one_word():
    unions, words = unions_of(np.array([[0, 0, 2], [0, 0, 0], [0, 0, 2]]), ["a", "b", "c"], " ")
    assert unions.labels == ("a", "b", "c", "(a|b)", "(a|b|c)")
    assert unions.sizes.tolist() == [1, 1, 1, 2, 3]
    assert words.tolist() == [[3, 3, 2], [4, 4, 4], [3, 3, 2]]


def test_withheld_records_are_left_out_whatever_becomes_of_their_values():
    roles = {"colour": Quasi(), "letters": QuasiSet()}
    rows = [("red", {"a1"}), ("red", {"b1"}), ("blue", {"a1", "a2"})]
    data = local_data(rows, roles, trees={"colour": COLOURS, "letters": LETTERS})
    nodes = frozen_ints([*node(LETTERS, "A", None), *node(LETTERS, "A", "A")])
    recoding = RowRecoding(
        GeneralizedClusters(frozen_ints([0, 0, SUPPRESSED]), {"colour": frozen_ints(node(COLOURS, "red"))}),
        (ItemNodes("letters", nodes, np.array([True, False, False])),),
    )
    applied = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=1)
    assert applied.rows.tolist() == [1, 2]
    assert applied.stars.tolist() == [False, True]
    shown = released(data, recoding)
    assert shown.keys == [("red",), ("*",)]
    assert shown.sets == [set(), set()]
