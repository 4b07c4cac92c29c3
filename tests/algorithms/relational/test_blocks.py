from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import shoal as sh
from shoal.algorithms.catalogue import make_algorithm
from shoal.algorithms.relational.clustering.blocks import cut_into_blocks, may_be_cut
from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.engine.local import LocalData
from shoal.metrics.catalogue import measure_table
from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, Sensitive
from tests.builders import flat_tree, local_data, tree

VALUES = [f"v{number:02}" for number in range(12)]
GROUPED = tree({"ALL": {f"g{group}": VALUES[3 * group : 3 * group + 3] for group in range(4)}})


def table(rows, *, seed=3, people=None):
    rng = np.random.default_rng(seed)
    content = [
        (*(VALUES[int(rng.integers(12) ** 2 / 12)] for _ in range(3)), "xyz"[int(rng.integers(3))])
        for _ in range(rows)
    ]
    roles = {"a": Quasi(), "b": Quasi(), "c": Quasi(), "s": Sensitive()}
    data = local_data(content, roles, trees={"a": GROUPED, "b": GROUPED, "c": flat_tree(VALUES)})
    return data if people is None else replace(data, subjects=rng.integers(people, size=rows))


def found(name, data, models, block, progress=None, **options):
    algorithm = make_algorithm(name, {"block": block, **options})
    return algorithm.find(data, models, np.random.default_rng(1), progress or Silent())


def published(data, recoding):
    applied = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=1)
    subjects = None if data.subjects is None else data.subjects[applied.rows]
    return LocalData(applied.table, data.roles, subjects=subjects)


@pytest.mark.parametrize("name", ["kanon-cf", "agglomerative", "hilbert", "k-member", "forest"])
@pytest.mark.parametrize(
    "models",
    [
        [KAnonymity(4)],
        [KAnonymity(3), LDiversity(2)],
        [AlphaKAnonymity(0.6, 3)],
    ],
)
def test_every_model_holds_in_blocks(name, models):
    data = table(600)
    recoding = found(name, data, models, 100)
    assert all(model.verify(published(data, recoding)).holds for model in models)


def test_k_counts_people_in_blocks_as_well():
    data = table(600, people=250)
    recoding = found("agglomerative", data, [KAnonymity(4)], 100)
    assert KAnonymity(4).verify(published(data, recoding)).holds


def test_blocks_hold_all_rows_once_and_enough_of_them():
    data = table(1000)
    constraint = class_constraint_of(data, [KAnonymity(5), LDiversity(2)])
    blocks = cut_into_blocks(data, constraint, 120, Silent())
    assert len(blocks) > 2
    assert min(map(len, blocks)) >= 120
    assert sorted(np.concatenate(blocks).tolist()) == list(range(1000))


def test_mending_borders_lowers_the_loss():
    data, models = table(1500), [KAnonymity(5)]
    mended = found("kanon-cf", data, models, 150, measure="ncp")
    with_borders = found("kanon-cf", data, models, 150, measure="ncp", progress=_NoTimeToMend())
    assert (
        measure_table(data, mended.clusters, 5)["ncp"] < measure_table(data, with_borders.clusters, 5)["ncp"]
    )


class _NoTimeToMend(Silent):
    """Time is up when borders are mended."""

    def __init__(self):
        super().__init__()
        self.mending = False

    def stage(self, name):
        self.mending = self.mending or "borders" in name

    def expired(self, share=1.0):  # noqa: ARG002
        return self.mending


def test_the_same_random_numbers_give_the_same_clusters():
    data = table(600)
    first, second = (found("agglomerative", data, [KAnonymity(4)], 100) for _ in range(2))
    assert first.clusters.cluster_of_row.tolist() == second.clusters.cluster_of_row.tolist()


def test_what_is_compared_with_the_whole_table_is_not_cut():
    assert may_be_cut([KAnonymity(2)], 1000, 100)
    assert not may_be_cut([KAnonymity(2)], 150, 100)
    assert not may_be_cut([KAnonymity(2)], 1000, 0)
    assert not may_be_cut([KAnonymity(2), TCloseness(0.3)], 1000, 100)
    data = table(300)
    recoding = found("agglomerative", data, [KAnonymity(3), TCloseness(0.3)], 50)
    assert TCloseness(0.3).verify(published(data, recoding)).holds


def test_numbers_without_trees_are_cut_into_blocks_too():
    rng = np.random.default_rng(2)
    roles = {"age": sh.Quasi(kind=Kind.NUMBER, bounds=(0, 100)), "colour": sh.Quasi(hierarchy=sh.flat())}
    rows = {
        "age": rng.integers(0, 100, 400).tolist(),
        "colour": rng.choice(["red", "blue", "green"], 400).tolist(),
    }
    result = sh.anonymize(
        sh.read(pd.DataFrame(rows), roles), sh.KAnonymity(5), algorithm="hilbert", block=60, local_search=True
    )
    assert result.outcome.holds
