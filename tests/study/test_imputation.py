"""Columns that are imputed together keep their relations, and intervals cover what the original says."""

import numpy as np
import pytest

from imputation import coverage, drawn, one_run, quantities
from shoal.study.imputation import draw_alone, draw_together, line_candidates, scaled


def test_candidates_of_a_line_lie_in_their_labels():
    found = line_candidates(np.array([20.0, -np.inf, 7.0]), np.array([25.0, np.inf, 8.0]), whole=True)
    assert found.places[found.of_label(0)].tolist() == [20.5, 21.5, 22.5, 23.5, 24.5]
    everything = found.places[found.of_label(1)]
    assert (everything.min(), everything.max()) == (7.5, 24.5)
    assert found.places[found.of_label(2)].tolist() == [7.5]
    assert np.isnan(found.places[found.of_label(3)]).all()  # the missing value


def test_a_number_is_drawn_by_what_the_other_columns_say():
    rng = np.random.default_rng(5)
    age = rng.uniform(0, 40, 2000)
    income = age + rng.normal(0, 2, 2000)
    labels = np.where(rng.random(2000) < 0.5, 0, 1 + age.astype(int) // 10)  # half of them tell nothing
    lows, highs = np.array([0, 0, 10, 20, 30.0]), np.array([40, 10, 20, 30, 40.0])
    column = draw_alone(labels, line_candidates(lows, highs, whole=False), is_line=True, rng=rng)
    untold = labels == 0
    assert abs(np.corrcoef(column.places[untold], age[untold])[0, 1]) < 0.1
    draw_together([column], [scaled(income)], rng)
    assert np.corrcoef(column.places[untold], age[untold])[0, 1] > 0.9
    assert (column.places[~untold] // 10 == age[~untold] // 10).all()


def test_a_run_gives_intervals():
    found = one_run("mondrian", 200, 5, seed=1)
    assert set(found) == set(quantities(drawn(200, np.random.default_rng(1))))
    assert all(0 < reach < 20 for _, _, reach in found.values())


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["mondrian", "hilbert"])
def test_intervals_cover_the_original(algorithm):
    for name, (covered, _, _) in coverage(algorithm, 500, 10, range(7000, 7200)).items():
        assert covered >= 0.9, name
