import numpy as np
import pytest

from shoal.algorithms.relational.clustering import portions
from shoal.algorithms.relational.clustering.portions import may_be_cut_into_portions
from shoal.metrics.relational import table_cost
from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.progress import Silent
from tests.algorithms.relational.test_blocks import found, published, table

K5 = [KAnonymity(5)]


class Noted(Silent):
    """Progress that keeps the names of all stages."""

    def __init__(self):
        super().__init__()
        self.stages = []

    def stage(self, name):
        self.stages.append(name)


@pytest.fixture(autouse=True)
def small_portions(monkeypatch):
    monkeypatch.setattr(portions, "ROWS_OF_A_PORTION", 300)


def test_a_large_table_is_searched_portion_by_portion():
    noted = Noted()
    found("kanon-cf", table(1500), K5, 60, noted)
    numbers = [stage.split(":")[0] for stage in noted.stages if stage.startswith("portion ")]
    of_how_many = int(numbers[0].split()[-1])
    assert of_how_many > 1
    assert list(dict.fromkeys(numbers)) == [f"portion {n + 1} of {of_how_many}" for n in range(of_how_many)]


@pytest.mark.parametrize("name", ["kanon-cf", "agglomerative", "hilbert"])
@pytest.mark.parametrize("models", [K5, [KAnonymity(3), LDiversity(2)], [AlphaKAnonymity(0.6, 3)]])
def test_every_model_holds_over_all_portions(name, models):
    data = table(1500)
    recoding = found(name, data, models, 60)
    assert all(model.verify(published(data, recoding)).holds for model in models)


def test_clusters_of_two_portions_that_are_published_alike_are_one():
    clusters = found("hilbert", table(1500), K5, 60).clusters
    vectors = np.stack(list(clusters.nodes.values()), axis=1)
    assert len(np.unique(vectors, axis=0)) == clusters.cluster_count == len(vectors)


def test_the_cost_is_that_of_the_whole_table():
    data = table(1500)
    recoding = found("kanon-cf", data, K5, 60, measure="ncp")
    assert recoding.figures["cost"] == pytest.approx(table_cost(data, recoding.clusters, "ncp"))


def test_nothing_is_said_to_be_near_the_best_because_a_portion_is():
    data = table(1500)
    assert not [n for n in found("kanon-cf", data, K5, 60).notices if "of optimal" in n]


def test_the_same_random_numbers_give_the_same_clusters():
    first, second = (found("agglomerative", table(1500), K5, 60).clusters for _ in range(2))
    assert first.cluster_of_row.tolist() == second.cluster_of_row.tolist()


def test_portions_share_the_time():
    looks = []

    class Looked(Silent):
        def expired(self, share=1.0):
            looks.append(share)
            return False

    found("kanon-cf", table(1500), K5, 60, Looked())
    first, last = min(look for look in looks if look > 0), max(looks)
    assert 0 < first < 0.3
    assert last <= 1.0


def test_a_search_without_time_is_safe():
    class NoTime(Silent):
        def expired(self, share=1.0):  # noqa: ARG002
            return True

    data = table(1500)
    recoding = found("kanon-cf", data, K5, 60, NoTime())
    assert K5[0].verify(published(data, recoding)).holds


def test_people_count_once_in_a_class_of_two_portions():
    data = table(1500, people=900)
    assert may_be_cut_into_portions(data, K5, 60)
    assert not may_be_cut_into_portions(data, [KAnonymity(5), LDiversity(2)], 60)
    recoding = found("agglomerative", data, K5, 60)
    assert K5[0].verify(published(data, recoding)).holds


def test_a_promise_about_the_whole_table_and_a_small_table_are_not_cut():
    assert not may_be_cut_into_portions(table(1500), [KAnonymity(5), TCloseness(0.4)], 60)
    assert not may_be_cut_into_portions(table(599), K5, 60)
