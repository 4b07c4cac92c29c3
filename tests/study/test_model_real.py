"""A model of Adult from its release alone, where the file is at hand: SHOAL_DATA names its folder."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import shoal as sh
from measuring.tables import DATA, TABLES, frame

linear_model = pytest.importorskip(
    "sklearn.linear_model", reason="needs scikit-learn: pip install scikit-learn"
)
metrics = pytest.importorskip("sklearn.metrics")
preprocessing = pytest.importorskip("sklearn.preprocessing")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (DATA / "adult.csv.gz").exists(), reason="adult.csv.gz is not there: set SHOAL_DATA"
    ),
]
INCOME, RICH = "salary-class", ">50K"
PUBLIC = ("workclass", "education", "marital-status", "occupation")


def split() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two thirds of the records to train on, and the rest."""
    people = frame("adult").to_pandas()[[*TABLES["adult"].quasi, INCOME]]
    people["age"] = people["age"].astype(int)
    order = np.random.default_rng(3).permutation(len(people))
    train, test = np.split(order, [2 * len(order) // 3])
    return people.iloc[train], people.iloc[test]


def auc(features: pd.DataFrame, income: pd.Series, test: pd.DataFrame) -> float:
    """That of a logistic regression, trained on these features, on original records."""
    scaler = preprocessing.StandardScaler().fit(features)
    model = linear_model.LogisticRegression(max_iter=1000).fit(scaler.transform(features), income == RICH)
    as_there = one_hot(test).reindex(columns=features.columns, fill_value=0.0)
    return metrics.roc_auc_score(test[INCOME] == RICH, model.predict_proba(scaler.transform(as_there))[:, 1])


def one_hot(people: pd.DataFrame) -> pd.DataFrame:
    return pd.get_dummies(people.drop(columns=INCOME), prefix_sep="=", dtype=float)


def test_a_regression_on_a_release_is_nearly_as_good_as_on_the_original(tmp_path):
    train, test = split()
    quasi = dict(TABLES["adult"].quasi)
    quasi |= {name: replace(quasi[name], publish_hierarchy=True) for name in PUBLIC}
    data = sh.read(train, {**quasi, INCOME: sh.Insensitive()})
    sh.anonymize(data, sh.KAnonymity(10), algorithm="kanon-cf", seed=1).save(tmp_path / "release")

    release = sh.open_release(tmp_path / "release").one_hot()
    found = auc(release.drop(columns=INCOME), release[INCOME], test)
    original = auc(one_hot(train), train[INCOME], test)
    assert original > 0.85
    assert found >= 0.98 * original
