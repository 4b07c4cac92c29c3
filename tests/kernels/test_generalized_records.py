import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.relational.clustering import records as records_module
from shoal.algorithms.relational.clustering.records import Records
from shoal.kernels.generalized_records import (
    NOTHING,
    Few,
    Pool,
    closures,
    fill_union_costs,
    furthest,
    looked_up_cost,
    nearest,
    nearest_few,
    union_cost,
    united,
    vector_cost,
)
from tests.algorithms.relational.tables import tables
from tests.examples import examples
from tests.reference import clusterings as reference

records_of_tables = tables(most_rows=9, with_subjects=False).map(
    lambda drawn: Records.of(drawn.on_trees.data, "ncp")
)


def plain(records):
    """The arguments of the twins."""
    return records.trees.parent.tolist(), records.trees.cost.tolist()


@examples(50)
@given(records_of_tables)
def test_union_of_two_nodes_is_the_lowest_above_both(records):
    trees = records.trees
    for begin, end in zip(trees.starts[:-1].tolist(), trees.starts[1:].tolist(), strict=True):
        for u in range(begin, end):
            for v in range(begin, end):
                (expected,) = reference.closure(trees.parent.tolist(), [(u,), (v,)])
                assert united(trees, u, v) == expected


@given(drawn=tables(most_rows=9, with_subjects=False))
@examples(30)
def test_columns_too_large_for_a_table_are_climbed(drawn):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records_module, "_NODES_IN_A_TABLE", 0)
        climbing = Records.of(drawn.on_trees.data, "ncp")
    looking_up = Records.of(drawn.on_trees.data, "ncp")
    assert len(climbing.trees.unions) == 0
    for one in looking_up.nodes:
        for other in looking_up.nodes:
            assert union_cost(climbing.trees, one, other) == union_cost(looking_up.trees, one, other)


@examples(50)
@given(records_of_tables, st.data())
def test_closures_and_their_costs(records, data):
    drawn = st.lists(st.integers(0, len(records) - 1), min_size=1, max_size=5)
    groups = data.draw(st.lists(drawn, min_size=1, max_size=4))
    starts = np.cumsum([0, *map(len, groups)])
    found = closures(records.trees, records.nodes, starts, np.concatenate(groups))
    for group, vector in zip(groups, found, strict=True):
        members = [tuple(records.nodes[r].tolist()) for r in group]
        assert tuple(vector.tolist()) == reference.closure(records.trees.parent.tolist(), members)
        assert vector_cost(records.trees, vector) == reference.cost_of(*plain(records), members)


@examples(50)
@given(records_of_tables, st.data())
def test_nearest_and_furthest_by_costs_of_unions(records, data):
    candidates = data.draw(st.lists(st.integers(0, len(records) - 1), unique=True, max_size=8))
    mine, other = (
        data.draw(st.integers(0, len(records) - 1)),
        data.draw(st.integers(0, len(records) - 1)),
    )
    start = closures(records.trees, records.nodes, np.array([0, 2]), np.array([mine, other]))[0]
    union_costs = records.room_for_union_costs()
    fill_union_costs(records.trees, start, union_costs)
    costs = [union_cost(records.trees, start, records.nodes[r]) for r in candidates]
    assert [looked_up_cost(union_costs, records.nodes[r]) for r in candidates] == costs
    among = np.array(candidates, dtype=np.int64)
    if not candidates:
        assert nearest(union_costs, records.nodes, among)[0] == NOTHING
        assert furthest(union_costs, records.nodes, among)[0] == NOTHING
        return
    assert nearest(union_costs, records.nodes, among) == (costs.index(min(costs)), min(costs))
    assert furthest(union_costs, records.nodes, among) == (costs.index(max(costs)), max(costs))


@examples(80)
@given(records_of_tables, st.integers(1, 8), st.data())
def test_nearest_few_have_as_many_copies_as_wanted(records, wanted, data):
    candidates = data.draw(st.lists(st.integers(0, len(records) - 1), unique=True, max_size=8))
    union_costs = records.room_for_union_costs()
    fill_union_costs(records.trees, records.nodes[0], union_costs)
    few = Few(np.zeros(wanted + 1, dtype=np.int64), np.zeros(wanted + 1))
    pool = Pool(records.nodes, np.array(candidates, dtype=np.int64), records.counts)
    count = nearest_few(union_costs, pool, wanted, few)

    expected, copies = [], 0
    for record in sorted(candidates, key=lambda r: looked_up_cost(union_costs, records.nodes[r])):
        if copies < wanted:
            expected.append(record)
            copies += records.counts[record]
    assert few.chosen[:count].tolist() == expected
    assert few.costs[:count].tolist() == [looked_up_cost(union_costs, records.nodes[r]) for r in expected]
