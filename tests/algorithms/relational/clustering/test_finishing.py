import numpy as np
import pytest

from shoal.algorithms.relational.clustering.clustering_algorithm import finish
from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.records import Records
from shoal.errors import Infeasible
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.progress import Silent
from shoal.table.roles import Quasi, Sensitive
from tests.builders import local_data, tree

COLOURS = tree({"*": {"warm": ["red", "orange"], "cold": ["blue", "green"]}})
ROLES = {"colour": Quasi(), "illness": Sensitive()}


def finished(rows, clusters, *models, measure="lm", local_search=False, progress=None, **more):
    data = local_data(rows, ROLES, trees={"colour": COLOURS}, **more)
    records = Records.of(data, measure)
    return finish(
        data,
        records,
        Clustering(np.array(clusters)),
        models,
        progress or Silent(),
        local_search=local_search,
    )


ROWS = [("red", "flu"), ("red", "cold"), ("blue", "flu"), ("blue", "cold")]


def test_figures_tell_how_near_the_best_is():
    recoding = finished(ROWS, [0, 0, 1, 1], KAnonymity(2))
    assert recoding.figures == {"measure": "lm", "cost": 0.0, "lower_bound": 0.0, "above_best_at_most": 0.0}
    assert any("within 0 % of optimal" in notice for notice in recoding.notices)


def test_a_bound_that_says_little_is_a_figure_but_no_sentence():
    recoding = finished(ROWS, [0, 1, 0, 1], KAnonymity(2))
    assert recoding.figures["cost"] == 1.0
    assert recoding.figures["above_best_at_most"] is None
    assert not any("optimal" in notice for notice in recoding.notices)


def test_clusters_that_are_too_small_are_united():
    recoding = finished(ROWS, [0, 1, 2, 3], KAnonymity(2))
    assert recoding.clusters.cluster_of_row.tolist() == [0, 0, 1, 1]


def test_local_search_finds_the_better_clusters():
    recoding = finished(ROWS, [0, 1, 0, 1], KAnonymity(2), local_search=True)
    assert recoding.figures["cost"] == 0.0
    assert [COLOURS.labels[node] for node in recoding.clusters.nodes["colour"]] in (
        ["red", "blue"],
        ["blue", "red"],
    )


def test_local_search_keeps_the_models():
    rows = [("red", "flu"), ("red", "flu"), ("blue", "cold"), ("blue", "cold")]
    recoding = finished(rows, [0, 1, 0, 1], KAnonymity(2), LDiversity(2), local_search=True)
    assert recoding.clusters.cluster_count == 1
    assert recoding.figures["cost"] == 1.0


def test_time_that_is_up_is_told():
    recoding = finished(
        ROWS, [0, 1, 0, 1], KAnonymity(2), local_search=True, progress=Silent(time_limit=-1.0)
    )
    assert any("time was up" in notice for notice in recoding.notices)
    assert recoding.figures["lower_bound"] is None


def test_clusters_published_alike_are_one_group_and_keep_the_models():
    """The same person has a row in both clusters, so together they hold three people with four rows."""
    rows = [("red", "flu"), ("orange", "cold"), ("red", "flu"), ("orange", "cold")]
    recoding = finished(rows, [0, 0, 1, 1], KAnonymity(2), subjects=[1, 2, 1, 3])
    assert recoding.clusters.cluster_of_row.tolist() == [0, 0, 0, 0]


def test_that_no_k_is_promised_is_told():
    recoding = finished(ROWS, [0, 1, 2, 3], TCloseness(0.9))
    assert any("no k is promised" in notice for notice in recoding.notices)


def test_impossible_models_are_refused():
    with pytest.raises(Infeasible, match="at most 4"):
        finished(ROWS, [0, 0, 1, 1], KAnonymity(5))
