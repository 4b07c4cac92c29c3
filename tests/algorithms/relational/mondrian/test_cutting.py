"""Threads cut the same parts."""

import numpy as np
import pyarrow as pa
import pytest

import shoal as sh
from shoal.algorithms.catalogue import make_algorithm
from shoal.algorithms.relational.mondrian import algorithm
from shoal.progress import Silent
from shoal.threads import at_most

ROLES = {
    "age": sh.Quasi(kind="number"),
    "zip": sh.Quasi(hierarchy=sh.mask_right()),
    "sex": sh.Quasi(hierarchy=sh.flat()),
}


def clusters(data, mode, threads):
    with at_most(threads):
        found = make_algorithm("mondrian", {"mode": mode}).find(
            data, [sh.KAnonymity(3)], np.random.default_rng(0), Silent()
        )
    return found.clusters


@pytest.mark.parametrize("mode", ["strict", "relaxed"])
@pytest.mark.parametrize("rows", [5, 40, 2_000])
def test_threads_cut_what_one_loop_cuts(rows, mode, monkeypatch):
    rng = np.random.default_rng(rows)
    frame = pa.table(
        {
            "age": rng.integers(0, 60, rows),
            "zip": [str(each) for each in rng.integers(10, 60, rows)],
            "sex": rng.choice(["f", "m"], rows),
        }
    )
    data = sh.read(frame, ROLES).local
    in_one_loop = clusters(data, mode, 1)
    monkeypatch.setattr(algorithm, "_ROWS_FOR_THREADS", 0)
    for threads in (1, 3):
        found = clusters(data, mode, threads)
        assert found.cluster_of_row.tolist() == in_one_loop.cluster_of_row.tolist()
        assert {name: nodes.tolist() for name, nodes in found.nodes.items()} == {
            name: nodes.tolist() for name, nodes in in_one_loop.nodes.items()
        }
