"""Columns that are imputed together keep their relations, and intervals cover what the original says."""

import numpy as np
import pandas as pd
import pytest

import shoal as sh
from imputation import COLUMNS, coverage, drawn, one_run, quantities
from shoal.study.imputation import draw_alone, draw_together, line_candidates, scaled
from shoal.study.label_filling import BoundedPieces, Filling, alike_in


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


def test_numbers_that_are_told_take_part_in_every_format(tmp_path):
    """They did not where the published file was text."""
    people = drawn(300, np.random.default_rng(4))
    result = sh.anonymize(sh.read(people, COLUMNS), sh.KAnonymity(10), algorithm="mondrian", seed=1)
    for name in ("published.csv", "published.parquet"):
        opened = sh.open_release(result.save(tmp_path / name, published=name))
        told = opened._told("income")
        assert told is not None
        assert told.shape == (300, 1)
        copy = pd.concat(opened.imputed(5, seed=1))
        within = copy["age"] - copy.groupby(opened.labels()["age"].loc[copy.index].to_numpy())[
            "age"
        ].transform("mean")
        assert np.corrcoef(within, copy["income"].astype(float))[0, 1] > 0.03


def test_who_is_left_over_by_narrower_labels_is_in_the_coarser_one():
    """Of 20 records from 0 to 20, evenly, 9 have a label of the lower half: most of the others lie above."""
    candidates = line_candidates(np.array([0.0, 0.0]), np.array([10.0, 20.0]), whole=True)
    labels = np.array([0] * 9 + [1] * 11)
    pieces = BoundedPieces.of(candidates.starts, candidates.places, candidates.widths)
    filling = Filling.of(pieces, labels, np.zeros(20, dtype=np.int64), candidates.widths)
    of_wide = candidates.of_label(1)
    upper = np.exp(filling.of_rows(np.array([15]), 1, of_wide)[0])
    upper = upper[10:].sum() / upper.sum()
    assert upper == pytest.approx(10 / 11, abs=0.02)
    alone = Filling.of(pieces, labels, np.arange(20), candidates.widths)  # nobody is alike: by density alone
    assert np.ptp(alone.of_rows(np.array([15]), 1, of_wide)) < 1e-9


def test_alike_records_agree_in_all_columns():
    assert alike_in([np.array([3, 3, 5, 3]), np.array([0, 1, 0, 0])]).tolist() == [0, 1, 2, 0]


def test_a_run_gives_intervals():
    found = one_run("mondrian", 200, 5, seed=1)
    assert set(found) == set(quantities(drawn(200, np.random.default_rng(1))))
    assert all(0 < reach < 20 for _, _, reach in found.values())


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["mondrian", "hilbert", "kanon-cf"])
def test_intervals_cover_the_original(algorithm):
    for name, (covered, _, _) in coverage(algorithm, 500, 10, range(9000, 9200)).items():
        assert covered >= 0.9, name
