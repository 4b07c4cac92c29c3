"""Parts of many rows are cut from counts where the kernel cuts them."""

from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import shoal as sh
from shoal.algorithms.relational.clustering.blocks import cut_into_blocks
from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.algorithms.relational.mondrian import algorithm, cutting
from shoal.errors import Infeasible
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.progress import Silent
from tests.algorithms.relational.tables import tables
from tests.examples import examples

PROMISES = st.sampled_from(
    [[KAnonymity(2)], [KAnonymity(3)], [KAnonymity(2), LDiversity(l=2)], [KAnonymity(2), TCloseness(t=0.4)]]
)


def with_matrices_of(rows: int):
    """Threads cut all tables, and what has more rows is cut from counts."""
    return mock.patch.multiple(algorithm, _ROWS_FOR_THREADS=0, ROWS_OF_A_MATRIX=rows)


def found(data, promise, rows, **options):
    with with_matrices_of(rows), mock.patch.object(cutting, "ROWS_OF_A_MATRIX", rows):
        search = algorithm.Mondrian(**options)
        return search.find(data, promise, np.random.default_rng(0), Silent()).clusters


@examples(300)
@given(
    tables(), PROMISES, st.sampled_from(["strict", "relaxed"]), st.booleans(), st.sampled_from([0, 1, 4, 9])
)
def test_large_parts_are_cut_where_small_ones_are(drawn, promise, mode, as_printed, rows):
    data = drawn.data
    try:
        whole = found(data, promise, 2**20, mode=mode, as_printed=as_printed)
    except Infeasible:
        assume(False)
    by_counts = found(data, promise, rows, mode=mode, as_printed=as_printed)
    assert by_counts.cluster_of_row.tolist() == whole.cluster_of_row.tolist()
    for name, nodes in whole.nodes.items():
        assert by_counts.nodes[name].tolist() == nodes.tolist()
    for name, ranges in whole.ranges.items():
        np.testing.assert_array_equal(by_counts.ranges[name], ranges)


@pytest.mark.parametrize("rows_per_block", [3, 50])
def test_blocks_are_the_same(rows_per_block):
    rng = np.random.default_rng(7)
    data = _people(rng, 2_000)
    constraint = class_constraint_of(data, [KAnonymity(3)])
    whole = cut_into_blocks(data, constraint, rows_per_block, Silent())
    with with_matrices_of(100), mock.patch.object(cutting, "ROWS_OF_A_MATRIX", 100):
        by_counts = cut_into_blocks(data, constraint, rows_per_block, Silent())
    assert sorted(map(tuple, whole)) == sorted(map(tuple, by_counts))


def test_a_search_whose_time_is_up_leaves_large_parts_uncut():
    class NoTime(Silent):
        def expired(self, share: float = 1.0) -> bool:  # noqa: ARG002
            return True

    data = _people(np.random.default_rng(7), 500)
    with with_matrices_of(100), mock.patch.object(cutting, "ROWS_OF_A_MATRIX", 100):
        recoding = algorithm.Mondrian().find(data, [KAnonymity(3)], np.random.default_rng(0), NoTime())
    assert recoding.clusters.cluster_count == 1
    assert any("time was up: 1 parts" in notice for notice in recoding.notices)


def _people(rng, rows):
    frame = pa.table(
        {
            "age": rng.integers(0, 60, rows),
            "zip": [str(each) for each in rng.integers(10, 60, rows)],
            "sex": rng.choice(["f", "m"], rows),
        }
    )
    roles = {
        "age": sh.Quasi(kind="number"),
        "zip": sh.Quasi(hierarchy=sh.mask_right()),
        "sex": sh.Quasi(hierarchy=sh.flat()),
    }
    return sh.read(frame, roles).local
