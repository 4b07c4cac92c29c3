"""The transformer for scikit-learn: its contract there, and the promise here."""

import doctest
import importlib
import pickle
import subprocess
import sys
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import shoal as sh
import shoal.sklearn
from shoal.errors import BadInput, InvalidParameter, MissingExtra
from shoal.sklearn import Anonymizer

TOWNS = ("Jena", "Ulm", "Bonn")
ROLES = {
    "age": sh.Quasi(kind="number"),
    "town": sh.Quasi(hierarchy=sh.flat()),
    "illness": sh.Sensitive(),
}
BY_PLACE = {f"x{place}": role for place, role in enumerate(ROLES.values())}
# What scikit-learn asks of transformers and a promise about classes cannot give.
NOT_FOR_CLASSES = {
    "check_methods_subset_invariance": "k counts the rows of one call, so a part of them looks otherwise"
}


def people(count, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 80, count),
            "town": rng.choice(TOWNS, count),
            "illness": rng.choice(["flu", "cold", "gout"], count),
        }
    )


def anonymizer(k=3, **given):
    return Anonymizer(sh.KAnonymity(k), **{"columns": ROLES, "algorithm": "mondrian", "seed": 1, **given})


def classes(frame):
    return Counter(map(tuple, frame[["age", "town"]].itertuples(index=False)))


@pytest.mark.parametrize("form", ["midpoints", "one-hot"])
@pytest.mark.filterwarnings("ignore:Skipping check check_array_api_input")
def test_it_passes_the_checks_of_scikit_learn(form):
    estimator = Anonymizer(sh.KAnonymity(3), algorithm="mondrian", seed=1, form=form)
    found = check_estimator(estimator, on_fail=None, expected_failed_checks=NOT_FOR_CLASSES)
    assert {each["check_name"] for each in found if each["status"] == "failed"} == set()
    assert sum(each["status"] == "passed" for each in found) > 40
    assert {each["check_name"] for each in found if each["status"] == "xfail"} <= set(NOT_FOR_CLASSES)


def test_the_example_works():
    assert doctest.testmod(shoal.sklearn).failed == 0


def test_training_rows_come_as_they_were_verified_in_their_order():
    frame = people(60).set_index(np.arange(60) * 7)
    trained = anonymizer()
    given = trained.fit_transform(frame)
    assert trained.result_.verdict.holds
    assert trained.result_.outcome.claim.publishable
    assert given.index.equals(frame.index)
    assert list(given["illness"]) == list(frame["illness"])
    released = trained.result_.frame
    assert Counter(map(tuple, given.to_numpy().tolist())) == Counter(map(tuple, released.to_numpy().tolist()))


def test_suppressed_training_rows_say_nothing():
    frame = pd.concat([people(40), pd.DataFrame({"age": [2000], "town": ["Rom"], "illness": ["gout"]})])
    trained = anonymizer(algorithm="full-domain", columns=ROLES | {"age": sh.Quasi(hierarchy=sh.flat())})
    trained.set_params(options={"suppression": 0.9})
    given = trained.fit_transform(frame)
    out = given["illness"].isna()
    assert len(given) == 41
    assert out.iloc[40]
    assert out.sum() == trained.result_.outcome.cost.suppressed_records
    assert (given.loc[out, ["age", "town"]] == "*").all(axis=None)


@pytest.mark.parametrize("seed", range(5))
def test_no_other_row_stands_alone(seed):
    trained = anonymizer().fit(people(200))
    other = people(25, seed=seed + 100)
    given = trained.transform(other)
    out = given["illness"].isna()
    assert len(given) == len(other)
    assert (given.loc[out, ["age", "town"]] == "*").all(axis=None)
    assert min(classes(given[~out]).values(), default=3) >= 3
    assert list(given.loc[~out, "illness"]) == list(other.loc[~out.to_numpy(), "illness"])


def test_one_row_says_nothing():
    trained = anonymizer().fit(people(200))
    (row,) = trained.transform(people(1)).to_numpy().tolist()
    assert row[:2] == ["*", "*"]
    assert pd.isna(row[2])


def test_a_value_that_nobody_had_gets_a_label_that_covers_it_or_none():
    trained = anonymizer().fit(people(200))
    given = trained.transform(people(60).replace({"town": {"Bonn": "Rom"}}))
    assert set(given["town"]) <= {"Jena", "Ulm", "*"}


def test_columns_of_probabilities_are_the_same_for_all_rows():
    trained = anonymizer(form="one-hot").fit(people(200))
    names = ["age", "town=Bonn", "town=Jena", "town=Ulm", "illness"]
    assert sorted(trained.get_feature_names_out()) == sorted(names)
    for count in (1, 10, 100):
        given = trained.transform(people(count))
        assert list(given.columns) == list(trained.get_feature_names_out())
        assert np.allclose(given[[name for name in names if "=" in name]].sum(axis=1), 1)


def test_probabilities_do_not_depend_on_the_rows_beside():
    trained = anonymizer(form="one-hot").fit(people(200))
    suppressed = trained.transform(people(1)).drop(columns="illness").iloc[0]
    frame = people(60).replace({"town": {"Bonn": "Rom", "Ulm": "Oslo"}})
    given = trained.transform(frame)
    hidden = given[given["illness"].isna()].drop(columns="illness")
    assert len(hidden) > 0
    assert np.allclose(hidden.to_numpy(float), suppressed.to_numpy(float))


@pytest.mark.parametrize("form", ["labels", "bounds", "midpoints", "levels", "one-hot"])
def test_names_are_those_of_the_columns(form):
    trained = anonymizer(form=form)
    given = trained.fit_transform(people(60))
    assert list(given.columns) == list(trained.get_feature_names_out(["age", "town", "illness"]))
    with pytest.raises(ValueError, match="feature_names_in_"):
        trained.get_feature_names_out(["age", "town", "pain"])


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_a_frame_of_the_same_kind_comes_back(kind):
    frame = kind(people(60))
    trained = anonymizer()
    assert type(trained.fit_transform(frame)) is type(frame)
    assert type(trained.transform(frame)) is type(frame)


@pytest.mark.parametrize(("container", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
@pytest.mark.parametrize("given", [people(60), people(60).to_numpy()])
def test_set_output_is_heard(container, kind, given):
    columns = ROLES if isinstance(given, pd.DataFrame) else BY_PLACE
    trained = anonymizer(columns=columns).set_output(transform=container).fit(given)
    shown = trained.transform(given)
    assert isinstance(shown, kind)
    assert list(shown.columns) == list(trained.get_feature_names_out())


def test_a_model_learns_from_it_in_a_pipeline():
    frame = people(300)
    target = (frame["age"] > 50).astype(int)
    roles = {name: ROLES[name] for name in ("age", "town")}
    pipeline = make_pipeline(anonymizer(columns=roles, form="one-hot"), LogisticRegression(max_iter=1000))
    features = frame[["age", "town"]]
    assert pipeline.fit(features, target).score(features, target) > 0.8


def test_sets_come_as_lists_or_probabilities_of_items():
    sets = pa.table({"bought": [["a", "b"], ["a", "c"], ["b", "c"], ["a", "b", "c"]] * 5})
    roles = {"bought": sh.QuasiSet(hierarchy=sh.flat())}
    trained = Anonymizer(sh.KmAnonymity(2, 2), columns=roles, algorithm="aa", form="one-hot").fit(sets)
    assert set(trained.get_feature_names_out()) == {"bought=a", "bought=b", "bought=c"}
    other = pa.table({"bought": [["a"], ["a"], ["z", "a"], ["c"]]})
    given = trained.transform(other)
    assert given.column("bought=a").to_pylist() == [1, 1, 1, 0]
    assert given.column("bought=c").to_pylist() == [0, 0, 0, 0]


def test_a_copy_has_the_same_parameters_and_is_not_fitted():
    trained = anonymizer(options={"k": 1}, form="bounds")
    copy = clone(trained)
    assert copy.get_params().keys() == trained.get_params().keys()
    assert copy.models == trained.models
    assert not hasattr(copy, "recoding_")


def test_what_is_pickled_holds_no_original_rows():
    frame = people(200)
    trained = anonymizer().fit(frame)
    loaded = pickle.loads(pickle.dumps(trained))  # noqa: S301
    assert not hasattr(loaded, "result_")
    assert loaded.transform(frame).equals(trained.transform(frame))


def test_what_cannot_be_is_said_in_a_sentence():
    with pytest.raises(InvalidParameter, match="form must be one of labels"):
        anonymizer(form="words").fit(people(60))
    with pytest.raises(BadInput, match="does not publish one row for each record"):
        Anonymizer(sh.Disassociation(3, 2)).fit(people(60))
    with pytest.raises(BadInput, match="not all of one type"):
        Anonymizer(sh.KAnonymity(2)).fit(np.array([[1], ["a"], [2.5], [b"x"]], dtype=object))


def test_decisions_about_single_records_serve_no_others():
    sets = pa.table({"bought": [["a", "b"], ["a", "c"], ["b", "c"], ["a", "b", "c"]] * 5})
    roles = {"bought": sh.QuasiSet(hierarchy=sh.flat())}
    trained = Anonymizer(sh.SetKAnonymity(2), columns=roles, algorithm="lgr").fit(sets)
    with pytest.raises(BadInput, match="no new record has"):
        trained.transform(sets)


def test_without_scikit_learn_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    monkeypatch.delitem(sys.modules, "shoal.sklearn")
    with pytest.raises(MissingExtra, match=r"pip install 'shoal\[ml\]'"):
        importlib.import_module("shoal.sklearn")


def test_it_is_loaded_only_when_asked_for():
    program = "import sys, shoal; shoal.anonymize; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
