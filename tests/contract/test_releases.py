"""Every algorithm with every model that it serves: whatever the data, the release keeps the promise."""

from collections import Counter

import pyarrow as pa
import pytest

import shoal as sh
from shoal.algorithms.catalogue import ALGORITHMS
from shoal.errors import Infeasible
from shoal.privacy.catalogue import MODELS
from shoal.privacy.model import Form
from tests.contract.cases import TABLES, K, promise_of, roles_of, served
from tests.reference import privacy_sets, privacy_tables

CASES = served()
each_case = pytest.mark.parametrize(("name", "model"), CASES, ids=[" ".join(case) for case in CASES])
GIVES_UP = {"lgr-literal"}  # its rounds may leave single records, and it says so
MAY_BE_IMPOSSIBLE = {"as many records as k", "a column without any value"}


def released(name, promise, table, reproducible=False):
    roles = roles_of(promise, table.column_names)
    data = sh.read(table, roles, options=sh.ReadOptions(others="drop"))
    seed = 1 if reproducible or not noisy(promise) else None
    return sh.anonymize(data, promise, algorithm=name, seed=seed, reproducible=reproducible), roles


def noisy(promise):
    return promise.form is Form.NEW_RECORDS


def test_every_algorithm_and_every_model_is_here():
    assert {name for name, _ in CASES} == ALGORITHMS.keys()
    assert {model for _, model in CASES} == MODELS.keys()


@each_case
@pytest.mark.parametrize("kind", TABLES)
def test_the_release_keeps_the_promise(name, model, kind, tmp_path):
    promise, table = promise_of(model), TABLES[kind]
    try:
        result, roles = released(name, promise, table)
    except Infeasible:
        assert kind in MAY_BE_IMPOSSIBLE or promise.diverse or name in GIVES_UP
        return
    assert all(verdict.holds for verdict in result.verdicts)
    if noisy(promise):  # no file can show it, and noise may leave no record at all
        assert result.verdict.by_construction
        return
    if promise.form is Form.CLUSTERS:
        result.save(tmp_path / "out")
        file = tmp_path / "out" / "published.jsonl"
        assert all(verdict.holds for verdict in sh.verify(file, roles, promise))
        return
    assert all(verdict.holds for verdict in sh.verify(result.frame, roles, promise))
    assert_by_counting(result.frame, roles, promise.m)


def assert_by_counting(frame: pa.Table, roles, m):
    """The promise about k, counted without any of our code."""
    rows = frame.to_pylist()
    quasi = [name for name, role in roles.items() if isinstance(role, sh.Quasi)]
    if quasi:
        assert privacy_tables.k_anonymity(rows, quasi, K, range(len(rows)))[0]
    if "items" in roles:
        secret = frozenset(roles["items"].sensitive)
        sets = [frozenset(row["items"] or ()) for row in rows]
        keys = [tuple(row[name] for name in quasi) for row in rows]
        if m is None:
            assert privacy_sets.set_k_anonymity(sets, K, secret)
        elif quasi:
            assert privacy_sets.k_km_anonymity(keys, sets, K, m, secret)
        else:
            assert privacy_sets.km_anonymity(sets, K, m, secret)


@pytest.mark.parametrize("name", [name for name, model in CASES if model == "k-anonymity"])
def test_many_records_of_one_person_hide_among_people(name):
    promise = promise_of("k-anonymity")
    table = TABLES["values and sets"].select(["age", "zip", "person"])
    roles = {**roles_of(promise, table.column_names), "person": sh.Identifier()}
    data = sh.read(table, roles, subject="person")
    result = sh.anonymize(data, promise, algorithm=name, seed=1)
    assert result.verdict.holds
    assert result.outcome.claim.people.subjects == len(set(table["person"].to_pylist()))
    assert result.outcome.claim.people.smallest >= K


@each_case
def test_the_same_seed_gives_the_same_release_and_leaves_the_data_alone(name, model):
    promise, table = promise_of(model), TABLES["missing values and empty sets"]
    before = table.to_pylist()
    try:
        first, second = (released(name, promise, table, reproducible=True)[0] for _ in range(2))
    except Infeasible:
        assert promise.diverse or name in GIVES_UP
        return
    assert contents(first.frame) == contents(second.frame)
    assert first.loss == pytest.approx(second.loss, nan_ok=True)
    assert table.to_pylist() == before


def contents(frame):
    return Counter(map(repr, frame.to_pylist()))
