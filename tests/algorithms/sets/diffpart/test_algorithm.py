import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.sets.diffpart.algorithm import DiffPart
from shoal.algorithms.sets.diffpart.noise import library_noise, repeatable_noise
from shoal.errors import BadInput, MissingExtra
from shoal.hierarchy.builders import fanout
from shoal.hierarchy.files import HierarchyFile
from shoal.kernels.arrays import frozen_ints
from shoal.kernels.diffpart import branches_held
from shoal.privacy.differential_privacy import DifferentialPrivacy
from shoal.progress import Silent
from shoal.recoding.synthetic import new_records
from shoal.table.roles import Insensitive, QuasiSet
from tests.builders import local_data, tree
from tests.examples import examples
from tests.metrics.test_top_itemsets import arrays

LETTERS = tree({"*": {"A": ["a1", "a2"], "B": {"C": ["c1", "c2", "c3"], "b": {}}, "one": ["d"]}})
ARX = "a1;A;*\na2;A;*\nc1;C;*\n"


@pytest.fixture
def role(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text(ARX, encoding="utf-8")
    return QuasiSet(hierarchy=HierarchyFile(path))


def data_of(rows, role, on=LETTERS):
    return local_data([(row,) for row in rows], {"items": role}, trees={"items": on})


def found(rows, role, epsilon=1.0, seed=0, on=LETTERS, **options):
    data = data_of(rows, role, on)
    rng = np.random.default_rng(seed)
    synthetic = DiffPart(**options).find_repeatably(data, [DifferentialPrivacy(epsilon)], rng, Silent())
    return data, synthetic


def records_of(data, synthetic):
    sets = new_records(synthetic, data.table.sets("items"))
    column = sets.sets("items")
    labels = column.domain.texts()
    starts = column.arrays.starts.tolist()
    return Counter(
        frozenset(labels[item] for item in column.arrays.items[start:end]) for start, end in pairwise(starts)
    )


@given(st.lists(st.sets(st.sampled_from(LETTERS.leaf_labels)), max_size=8))
@examples(60)
def test_with_hardly_any_noise_the_records_come_back(rows):
    """An epsilon of a million adds no noise, and whatever is held passes a threshold of nothing."""
    role = QuasiSet(hierarchy=HierarchyFile("a tree of the test"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HierarchyFile, "outline", lambda _: type("Outline", (), {"intervals": {}}))
        data, synthetic = found(rows, role, epsilon=1e6)
    assert records_of(data, synthetic) == Counter(frozenset(row) for row in rows if row)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 1.25])
def test_no_path_spends_more_than_epsilon(role, epsilon):
    """What is spent on a record is what its own parts cost: follow the part that holds it down to its set."""
    spent = []

    def noise(counts, of):
        if counts.sum() > 0:  # the one record is counted here
            spent.append(of)
        return counts * 10**9

    DiffPart()._find(data_of([("a1", "c2", "b")], role), [DifferentialPrivacy(epsilon)], noise, Silent())
    assert len(spent) == 1 + 4  # the root, A, B, C, and the count of the set itself
    assert math.fsum(spent) <= epsilon
    assert math.fsum(spent) == pytest.approx(epsilon)


def test_every_possible_part_gets_noise_whether_it_has_records_or_not(role):
    sizes = []

    def noise(counts, of):
        sizes.append(len(counts))
        return np.zeros(len(counts), dtype=np.int64)

    DiffPart()._find(data_of([("a1",)], role), [DifferentialPrivacy(1)], noise, Silent())
    DiffPart()._find(data_of([], role), [DifferentialPrivacy(1)], noise, Silent())
    assert sizes == [7, 7]  # three branches under the root


def test_more_budget_keeps_more_of_frequent_sets(role):
    rows = [("a1", "a2")] * 300 + [("b",)] * 200 + [("c1",)]
    data, synthetic = found(rows, role, epsilon=2.0)
    kept = records_of(data, synthetic)
    assert kept[frozenset(("a1", "a2"))] == pytest.approx(300, abs=30)
    assert kept[frozenset("b")] == pytest.approx(200, abs=30)
    assert kept[frozenset(("c1",))] == 0
    assert "follows from how the file was made" in synthetic.notices[0]


def test_noise_of_the_library_protects_and_has_the_right_spread():
    noisy = library_noise()(np.zeros(4000, dtype=np.int64), 0.5)
    assert noisy.std() == pytest.approx(math.sqrt(2) / 0.5, rel=0.15)
    assert not np.array_equal(noisy, library_noise()(np.zeros(4000, dtype=np.int64), 0.5))


def test_repeatable_noise_has_the_same_spread():
    noisy = repeatable_noise(np.random.default_rng(1))(np.zeros(4000, dtype=np.int64), 0.5)
    assert noisy.std() == pytest.approx(math.sqrt(2) / 0.5, rel=0.15)
    assert noisy.mean() == pytest.approx(0, abs=0.2)


def test_find_draws_from_the_library_whatever_the_generator(role, monkeypatch):
    drawn = []
    monkeypatch.setattr(
        "shoal.algorithms.sets.diffpart.algorithm.library_noise",
        lambda: lambda counts, _: drawn.append(1) or counts,
    )
    data = data_of([("a1",)] * 50, role)
    DiffPart().find(data, [DifferentialPrivacy(1)], np.random.default_rng(0), Silent())
    assert drawn


def test_without_the_library_its_extra_is_named(role, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "opendp.prelude", None)
    with pytest.raises(MissingExtra, match=r"shoal\[dp\]"):
        DiffPart().find(
            data_of([("a1",)], role), [DifferentialPrivacy(1)], np.random.default_rng(0), Silent()
        )


def refused(data):
    with pytest.raises(BadInput) as error:
        DiffPart().find_repeatably(data, [DifferentialPrivacy(1)], np.random.default_rng(0), Silent())
    return str(error.value)


def test_trees_and_columns_that_would_tell_more_are_refused(role, tmp_path):
    assert "built from the data" in refused(data_of([("a1",)], QuasiSet(hierarchy=fanout(2))))
    with_root = QuasiSet(hierarchy=role.hierarchy, unknown="root")
    assert "items that the hierarchy lacks" in refused(data_of([("a1",)], with_root))
    with_sensitive = QuasiSet(hierarchy=role.hierarchy, sensitive=("a1",))
    assert "all items alike" in refused(data_of([("a1",)], with_sensitive))
    wide = tree({"*": [f"i{number}" for number in range(11)]})
    assert "11 children" in refused(data_of([("i1",)], role, wide))
    other = local_data([(("a1",), "x")], {"items": role, "note": Insensitive()}, trees={"items": LETTERS})
    assert "have no other columns" in refused(other)
    people = local_data([(("a1",),)], {"items": role}, trees={"items": LETTERS}, subjects=[0])
    assert "several records" in refused(people)
    ranges = tmp_path / "ranges.txt"
    ranges.write_text("range\nname r\ntype int\nheight 2\n\n0,10 has 0,5 5,10\n\n", encoding="utf-8")
    assert "hierarchy of ranges" in refused(data_of([("a1",)], QuasiSet(hierarchy=HierarchyFile(ranges))))


@given(st.lists(st.sets(st.integers(0, 6)), max_size=6), st.integers(0, 3))
def test_branches_are_those_of_the_items_below_the_node(rows, first):
    branch_of_leaf = frozen_ints([0, 1, 1, 2])
    held = branches_held(arrays(rows), np.arange(len(rows)), first, branch_of_leaf)
    for row, bits in zip(rows, held.tolist(), strict=True):
        expected = {int(branch_of_leaf[item - first]) for item in row if first <= item < first + 4}
        assert {branch for branch in range(3) if bits >> branch & 1} == expected
