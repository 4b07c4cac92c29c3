"""Standard models, trained on one set of records and judged on another (scikit-learn, extra `ml`)."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import MissingExtra
from shoal.kernels.arrays import Bools, Floats, Ints
from shoal.metrics.tasks.usefulness import MeanInterval

MODELS = ("logistic", "boosting")
SEED = 0


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Records to train on or to predict: features, and the class of each."""

    features: Floats
    classes: Ints

    def __len__(self) -> int:
        return len(self.classes)

    def only(self, rows: Ints | Bools) -> Examples:
        """Some of them."""
        return Examples(self.features[rows], self.classes[rows])

    def without(self, left_out: Bools) -> Examples:
        """The same records without some features."""
        return Examples(self.features[:, ~left_out], self.classes)


def refuse_without_models() -> None:
    """Raise MissingExtra unless scikit-learn is there."""
    if importlib.util.find_spec("sklearn") is None:
        raise MissingExtra("usefulness for a task", "ml")


def judged(
    model: str, train: Examples, test: Examples, is_number: Bools, class_count: int
) -> tuple[float, float]:
    """Accuracy and AUC of a model, the latter as the mean over classes; a guess where nothing is told."""
    known = np.unique(train.classes)
    if len(known) < 2 or train.features.shape[1] == 0:
        counts = np.bincount(train.classes, minlength=class_count)
        return float(np.mean(test.classes == counts.argmax())), 0.5
    chances = np.zeros((len(test), class_count))
    chances[:, known] = _chances(model, train, test.features, is_number)
    accuracy = float(np.mean(chances.argmax(axis=1) == test.classes))
    return accuracy, mean_auc(chances, test.classes)


def mean_auc(chances: Floats, classes: Ints) -> float:
    """The AUC of each class against all others, on average; of two classes it is that of either."""
    found = [
        _auc(chances[:, each], classes == each)
        for each in range(chances.shape[1])
        if 0 < np.count_nonzero(classes == each) < len(classes)
    ]
    return float(np.mean(found)) if found else 0.5


def _auc(chance: Floats, is_class: Bools) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(is_class, chance))


def _chances(model: str, train: Examples, features: Floats, is_number: Bools) -> Floats:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    scaled, scaled_test = _scaled(train.features, features, is_number)
    learner = (
        LogisticRegression(max_iter=500)
        if model == "logistic"
        else HistGradientBoostingClassifier(random_state=SEED)
    )
    # Beside other work, several threads wait for each other much longer than one alone takes.
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ConvergenceWarning
        )  # what is reached by then is judged like any other
        learner.fit(scaled, train.classes)
    chances: Floats = learner.predict_proba(scaled_test)
    return chances


def _scaled(train: Floats, test: Floats, is_number: Bools) -> tuple[Floats, Floats]:
    """Numbers in units of their spread in the training records, unknown ones as their mean; shares as is."""
    known = np.isfinite(train)
    counts = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, train, 0).sum(axis=0) / counts
    spread = np.sqrt((np.where(known, train - means, 0) ** 2).sum(axis=0) / counts)
    spread = np.where(is_number & (spread > 0), spread, 1.0)
    shift = np.where(is_number, means, 0.0)
    scaled = [(np.where(np.isfinite(each), each, means) - shift) / spread for each in (train, test)]
    return scaled[0], scaled[1]


def interval_over_splits(values: Sequence[float] | Floats, test_share: float) -> MeanInterval:
    """The mean over repeated splits with its 95 % interval.

    Splits share most of their records, so that they differ less than new data would: their variance is
    corrected for it as Nadeau and Bengio (2003) do.
    """
    from scipy.stats import t

    mean, variance = float(np.mean(values)), float(np.var(values, ddof=1))
    error = np.sqrt(variance * (1 / len(values) + test_share / (1 - test_share)))
    reach = float(t.ppf(0.975, len(values) - 1) * error)
    return MeanInterval(mean, mean - reach, mean + reach)
