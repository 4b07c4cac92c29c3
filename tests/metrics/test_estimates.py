from itertools import chain, combinations

import numpy as np
import pytest

from shoal.algorithms.catalogue import make_algorithm
from shoal.errors import BadInput, InvalidParameter, UnknownName
from shoal.kernels.arrays import frozen_ints
from shoal.metrics.estimates import DisassociatedEstimator, RecordsEstimator, relative_errors
from shoal.metrics.workloads import Query, generate_workload, read_workload
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.progress import Silent
from shoal.recoding.cuts import Cuts
from shoal.recoding.disassociated import read_disassociated
from shoal.recoding.recoding import apply_recoding
from shoal.recoding.rows import RowRecoding
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, QuasiSet
from tests.algorithms.mixed.tables import COLOURS, random_table
from tests.builders import local_data, tree

LETTERS = tree({"ALL": {"A": ["a1", "a2", "a3"], "B": ["b1", "b2"]}})


def release(data, name, model, **options):
    recoding = make_algorithm(name, options).find(data, [model], np.random.default_rng(0), Silent())
    return apply_recoding(data.table, data.trees, data.roles, recoding, smallest=1).table


def labels_of(table, name, row):
    column = table.columns[name]
    if hasattr(column, "codes"):
        return column.domain.label(int(column.codes[row]))
    starts, items = column.arrays
    return [str(column.domain.labels[int(item)]) for item in items[starts[row] : starts[row + 1]]]


def covered(data, name, label):
    """The original values behind a label, by its meaning for people."""
    hierarchy = data.trees.get(name)
    if hierarchy is not None and label in hierarchy.labels:
        node = hierarchy.labels.index(label)
        return {leaf for n, leaf in enumerate(hierarchy.leaf_labels) if hierarchy.covers(node, n)}
    return set(label.strip("()").split("|"))


def chance_of_items(data, name, labels, wanted):
    """The share of all ways to hold items under the labels in which all wanted ones are held."""
    chance = 1.0
    left = set(wanted)
    for label in labels:
        under = sorted(covered(data, name, label))
        ways = list(chain.from_iterable(combinations(under, size) for size in range(1, len(under) + 1)))
        asked = left & set(under)
        chance *= sum(asked <= set(way) for way in ways) / len(ways)
        left -= asked
    return 0.0 if left else chance


def slow_count(data, table, query):
    total = 0.0
    for row in range(table.row_count):
        chance = 1.0
        for name, values in query.values.items():
            label = labels_of(table, name, row)
            under = covered(data, name, label) if label is not None else set()
            chance *= len(under & set(values)) / len(under) if under else 0.0
        for name, items in query.items.items():
            chance *= chance_of_items(data, name, labels_of(table, name, row), items)
        total += chance
    return total


@pytest.mark.parametrize("items", ["aa", "pcta"])
def test_estimates_are_those_of_all_possible_originals(items):
    for seed in range(12):
        data = random_table(seed, set_columns=1 + seed % 2)
        if data.row_count < 2:
            continue
        table = release(data, "rmerge-rt", KKmAnonymity(2, 2), delta=1.0, items=items)
        estimator, truth = RecordsEstimator(data, table, "subsets"), RecordsEstimator(data, data.table)
        for shape in ((0, 1), (1, 0), (2, 1)):
            try:
                queries = generate_workload(
                    data, np.random.default_rng(seed), values=shape[0], items=shape[1], count=4
                )
            except InvalidParameter:
                continue
            for query in queries:
                assert estimator.count(query) == pytest.approx(slow_count(data, table, query))
                assert truth.count(query) == pytest.approx(slow_count(data, data.table, query))
                assert truth.count(query) >= 1


def test_ranges_of_numbers_count_by_their_overlap():
    data = local_data([(n,) for n in (1, 2, 3, 4)], {"age": Quasi(kind=Kind.NUMBER, bounds=(0, 10))})
    table = release(data, "mondrian", KAnonymity(4))
    estimator = RecordsEstimator(data, table)
    assert estimator.count(Query({"age": ("2",)})) == pytest.approx(1.0)
    assert estimator.count(Query({"age": ("2", "3")})) == pytest.approx(2.0)


def test_original_data_have_no_error_and_empty_queries_are_kept_or_dropped():
    data = local_data(
        [("red", {"a1"}), ("blue", {"b1"})],
        {"colour": Quasi(), "letters": QuasiSet()},
        trees={"colour": COLOURS, "letters": LETTERS},
    )
    truth = RecordsEstimator(data, data.table)
    queries = [Query({"colour": ("red",)}, {"letters": ("b1",)}), Query({"colour": ("red", "blue")})]
    assert relative_errors(queries, truth, truth).are == 0

    class Two:
        def count(self, _query):
            return 2.0

    kept = relative_errors(queries, truth, Two(), sanity=4.0)
    assert (kept.are, kept.queries, kept.empty) == (pytest.approx((2 / 4 + 0) / 2), 2, 1)
    dropped = relative_errors(queries, truth, Two(), keep_empty=False)
    assert (dropped.are, dropped.queries, dropped.empty) == (0.0, 1, 0)
    with pytest.raises(InvalidParameter, match="above 0"):
        relative_errors(queries, truth, truth, sanity=0)


def test_unknown_columns_and_values_are_refused():
    data = local_data([("red",)], {"colour": Quasi()}, trees={"colour": COLOURS})
    truth = RecordsEstimator(data, data.table)
    with pytest.raises(UnknownName, match="'colur'"):
        truth.count(Query({"colur": ("red",)}))
    with pytest.raises(UnknownName, match="'rde'"):
        truth.count(Query({"colour": ("rde",)}))


def test_workloads_are_seeded_and_survive_a_file(tmp_path):
    data = random_table(3)
    first, second = (
        generate_workload(data, np.random.default_rng(1), values=1, items=1, count=5) for _ in range(2)
    )
    assert first == second
    (tmp_path / "queries.jsonl").write_text('{"values": {"x": ["1", "2"]}, "items": {"y": ["a"]}}\n\n')
    assert read_workload(tmp_path / "queries.jsonl") == (Query({"x": ("1", "2")}, {"y": ("a",)}),)
    (tmp_path / "bad.jsonl").write_text('{"values": {"x": "no list"}}\nnonsense\n{"what": 1}\n')
    with pytest.raises(BadInput) as refusal:
        read_workload(tmp_path / "bad.jsonl")
    assert [problem.line for problem in refusal.value.problems] == [1, 2, 3]
    with pytest.raises(BadInput, match="cannot be read"):
        read_workload(tmp_path / "none.jsonl")
    with pytest.raises(InvalidParameter, match="some record has"):
        generate_workload(data, np.random.default_rng(1), values=9, items=0)


def test_disassociated_sets_answer_with_what_is_expected(tmp_path):
    file = tmp_path / "sets.jsonl"
    file.write_text(
        '{"size": 4, "chunks": [{"subrecords": [["a", "b"], ["a", "b"], ["a"]]}], "terms": ["x"]}\n'
    )
    estimator = DisassociatedEstimator(read_disassociated(file))
    assert estimator.count(Query({}, {"items": ("a", "b")})) == pytest.approx(2.0)
    assert estimator.count(Query({}, {"items": ("a", "x")})) == pytest.approx(4 * 3 / 4 * 1 / 4)
    assert estimator.count(Query()) == 4
    with pytest.raises(InvalidParameter, match="alone"):
        estimator.count(Query({"age": ("3",)}))


def test_a_generalized_item_counts_as_in_the_text():
    data = local_data([({"a1", "a2"},), ({"a2"},)], {"letters": QuasiSet()}, trees={"letters": LETTERS})
    table = release_at(data, "A")
    estimator = RecordsEstimator(data, table, "subsets")
    assert estimator.count(Query({}, {"letters": ("a1",)})) == pytest.approx(2 * 2**2 / 7)
    assert estimator.count(Query({}, {"letters": ("a1", "a2")})) == pytest.approx(2 * 2 / 7)


def release_at(data, label):
    node = LETTERS.labels.index(label)
    cut = np.array([[node if LETTERS.covers(node, leaf) else leaf for leaf in range(LETTERS.leaf_count)]])
    cuts = Cuts("letters", frozen_ints([0] * data.row_count), cut)
    recoding = RowRecoding(items=(cuts,))
    return apply_recoding(data.table, data.trees, data.roles, recoding, smallest=1).table
