"""The same data in memory and in Spark: the same verdicts, refusals, notices and figures.

A check, a notice or a figure that exists in one place only fails here.
"""

from dataclasses import fields, replace

import numpy as np
import pyarrow as pa
import pytest

import shoal as sh
from shoal.engine.local import LocalData
from shoal.engine.port import Port
from shoal.errors import BadInput
from shoal.privacy.catalogue import MODELS
from shoal.privacy.model import Form
from shoal.report.outcome import Outcome
from shoal.report.result_file import result_dict
from shoal.run.safety import together_notices
from shoal.spark.port import SparkPort
from shoal.spark.search import on_spark
from shoal.table.reading import read_published
from tests.contract.cases import TABLES, promise_of, roles_of, served

ANSWERED = [
    name
    for name in MODELS
    if promise_of(name).form is Form.ROWS
    and all(model.asks <= SparkPort.answers for model in promise_of(name))
]
BY_DEFAULT = {
    "missing values and empty sets",
    "mondrian k-anonymity",
    "aa km-anonymity",
}
COLUMNS = "age int, zip string, items array<string>, illness string"


def one_of_each(*case):
    """A case that runs by default, or only with slow tests, as Spark takes seconds for each."""
    *values, by_default = case
    return pytest.param(*values, id=" ".join(values), marks=() if by_default else pytest.mark.slow)


def frame_of(spark, table):
    rows = [tuple(row.values()) for row in table.select(["age", "zip", "items", "illness"]).to_pylist()]
    return spark.createDataFrame(rows, COLUMNS).repartition(3)


def placeless(verdict):
    """A verdict without row numbers, which rows in Spark do not have."""
    return replace(verdict, witness=verdict.witness and replace(verdict.witness, rows=()))


@pytest.mark.parametrize("kind", [one_of_each(kind, kind in BY_DEFAULT) for kind in TABLES])
@pytest.mark.parametrize("name", ANSWERED)
def test_verdicts_witnesses_and_figures_are_the_same(spark, name, kind):
    promise, table = promise_of(name), TABLES[kind]
    roles = {column: plain(role) for column, role in roles_of(promise, table.column_names).items()}
    local = table.select(list(roles))
    there = sh.verify(frame_of(spark, table).select(*roles), roles, promise)
    assert list(map(placeless, sh.verify(local, roles, promise))) == list(there)


def plain(role):
    return replace(role, hierarchy=sh.flat()) if isinstance(role, sh.Quasi) else replace(role, hierarchy=None)


def test_a_column_that_tells_everybody_apart_breaks_the_promise_in_both(spark):
    table = pa.table({"id": [f"p{row}" for row in range(200)], "age": ["30"] * 100 + ["40"] * 100})
    roles = {"id": sh.Insensitive(), "age": sh.Quasi(hierarchy=sh.flat())}
    frame = spark.createDataFrame([tuple(row.values()) for row in table.to_pylist()], "id string, age string")
    (here,), (there,) = (sh.verify(each, roles, sh.KAnonymity(5)) for each in (table, frame))
    assert here == there
    assert "'id' is published untouched and has more values than records / k" in here.evidence
    refused = []
    for each in (table, frame):
        with pytest.raises(BadInput) as error:
            sh.anonymize(sh.read(each, roles), sh.KAnonymity(5))
        refused.append(error.value.problems)
    assert refused[0] == refused[1]


def test_nulls_and_empty_values_are_told_apart_in_both(spark):
    rows = [(None, ["a"])] * 5 + [("", ["a"])] + [("x", [])] * 5 + [("x", None)] + [("x", ["a", None])]
    table = pa.table(
        {
            "age": pa.array([age for age, _ in rows], pa.string()),
            "items": pa.array([items for _, items in rows], pa.list_(pa.string())),
        }
    )
    roles = {"age": sh.Quasi(hierarchy=sh.flat()), "items": sh.QuasiSet()}
    frame = spark.createDataFrame(rows, "age string, items array<string>").repartition(5)
    for model, columns in ((sh.KAnonymity(5), ["age"]), (sh.SetKAnonymity(5), ["items"])):
        of_columns = {name: roles[name] for name in columns}
        (here,) = sh.verify(table.select(columns), of_columns, model)
        (there,) = sh.verify(frame.select(columns), of_columns, model)
        assert placeless(here) == there
        assert here.smallest == 1


def test_columns_that_tell_apart_together_are_told_in_both(spark):
    rows = [("30", str(i % 10), str(i // 10)) for i in range(100)]
    table = pa.table({name: [row[index] for row in rows] for index, name in enumerate(("age", "a", "b"))})
    roles = {"age": sh.Quasi(hierarchy=sh.flat()), "a": sh.Insensitive(), "b": sh.Insensitive()}
    frame = spark.createDataFrame(rows, "age string, a string, b string")
    told = [together_notices(port, 5) for port in (sh.read(table, roles).local, sh.read(frame, roles).port)]
    assert told[0] == told[1]
    assert len(told[0]) == 1


def test_labels_and_types_are_the_same(spark):
    rows = [("30-39", ["a", "(b|c)"], 1.5), (None, [], 2.5), ("*", ["a"], None)]
    table = pa.table(
        {
            "age": pa.array([age for age, _, _ in rows], pa.string()),
            "items": pa.array([items for _, items, _ in rows], pa.list_(pa.string())),
            "x": [x for _, _, x in rows],
        }
    )
    roles = {"age": sh.Quasi(), "items": sh.QuasiSet(), "x": sh.Insensitive(confirm=True)}
    frame = spark.createDataFrame(rows, "age string, items array<string>, x double").repartition(2)
    here = LocalData(read_published(table, roles).table, roles)
    there = SparkPort.of_release(frame, roles, sh.ReadOptions())
    assert there.labels(["age", "items"]) == here.labels(["age", "items"])
    assert there.type_of("x") == here.type_of("x")
    for column in ("age", "items"):
        assert there.held(column, ["a", "*", "b"]) == here.held(column, ["a", "*", "b"])


def test_columns_that_should_have_been_dropped_break_the_promise_in_both(spark):
    table = pa.table({"name": ["Ann", "Bob"] * 4, "age": ["30"] * 8, "other": ["x"] * 8})
    roles = {"name": sh.Identifier(), "age": sh.Quasi(hierarchy=sh.flat())}
    frame = spark.createDataFrame(
        [tuple(row.values()) for row in table.to_pylist()], "name string, age string, other string"
    )
    options = sh.ReadOptions(others="drop")
    here, there = (sh.verify(each, roles, sh.KAnonymity(5), options=options) for each in (table, frame))
    assert here == there
    assert "'name', 'other', which should have been dropped" in here[0].evidence


ON_BOTH = [
    (name, model)
    for name, model in served()
    if name in on_spark() and all(type(each) in on_spark()[name].serves for each in promise_of(model))
]


@pytest.mark.parametrize(
    ("name", "model"), [one_of_each(*case, " ".join(case) in BY_DEFAULT) for case in ON_BOTH]
)
def test_results_tell_the_same_things(spark, name, model):
    promise, table = promise_of(model), TABLES["values and sets"]
    roles = roles_of(promise, table.column_names)
    here = sh.anonymize(sh.read(table.select(list(roles)), roles), promise, algorithm=name, seed=1)
    there = sh.anonymize(
        sh.read(frame_of(spark, table).select(*roles), roles), promise, algorithm=name, seed=1
    )
    assert all(verdict.holds for verdict in (*here.verdicts, *there.verdicts))
    for one, other in zip(here.verdicts, there.verdicts, strict=True):
        assert one.claim == other.claim
        assert one.figures.keys() == other.figures.keys()
    facts = [result_dict(result.outcome) for result in (here, there)]
    assert facts[0].keys() == facts[1].keys()
    assert facts[0]["columns"] == facts[1]["columns"]
    assert here.outcome.claim.roles == there.outcome.claim.roles
    assert set(there.loss) == set(here.loss)
    assert there.outcome.cost.column_losses.keys() == here.outcome.cost.column_losses.keys()
    assert unprotected(here) == unprotected(there)
    there.frame.unpersist()


def unprotected(result):
    return [notice for notice in result.notices if "nothing is promised about it" in notice]


def test_columns_that_give_others_away_are_told_in_both(spark):
    rows = [(age, f"born {2020 - age}", age % 7) for age in (20, 21, 22, 23) for _ in range(5)]
    table = pa.table({name: [row[at] for row in rows] for at, name in enumerate(("age", "note", "other"))})
    frame = spark.createDataFrame(rows, "age int, note string, other int").repartition(3)
    roles = {
        "age": sh.Quasi(kind="number", hierarchy=sh.ranges(10)),
        "note": sh.Sensitive(),
        "other": sh.Insensitive(confirm=True),
    }
    results = [
        sh.anonymize(sh.read(each, roles), sh.KAnonymity(10), algorithm="mondrian", seed=1)
        for each in (table, frame)
    ]
    told = [[notice for notice in each.notices if "gives away what" in notice] for each in results]
    assert len(told[0]) == 2
    assert told[0] == told[1]
    results[1].frame.unpersist()


def test_sensitive_items_that_nothing_protects_are_told_in_both(spark):
    table = TABLES["values and sets"].select(["items"])
    roles = {"items": sh.QuasiSet(hierarchy=sh.fanout(2), sensitive=("s",))}
    frame = spark.createDataFrame([(items,) for items in table["items"].to_pylist()], "items array<string>")
    results = [
        sh.anonymize(sh.read(each, roles), sh.KmAnonymity(2, 1), algorithm="aa", seed=1)
        for each in (table, frame)
    ]
    assert [len(unprotected(result)) for result in results] == [1, 1]
    results[1].frame.unpersist()


def questions_of(kind):
    return {name for name in (*dir(kind), *getattr(kind, "__annotations__", ())) if not name.startswith("_")}


def test_whatever_may_be_asked_both_can_be_asked():
    asked = questions_of(Port) - {"answers"}
    assert asked <= questions_of(LocalData)
    assert asked <= questions_of(SparkPort)
    assert LocalData.answers >= SparkPort.answers


def test_an_outcome_has_four_parts_and_one_maker():
    assert [part.name for part in fields(Outcome)] == ["claim", "cost", "changes", "provenance"]


def test_answers_do_not_depend_on_how_rows_are_divided(spark):
    """Ties everywhere: many classes of the same size, many itemsets with the same support."""
    rng = np.random.default_rng(3)
    ages = [str(age) for age in rng.permutation(np.repeat(np.arange(10, 30), 3))]
    sets = [[f"i{item}" for item in rng.permutation(6)[:3]] for _ in ages]
    table = pa.table({"age": ages, "items": pa.array(sets, pa.list_(pa.string()))})
    roles = {"age": sh.Quasi(hierarchy=sh.flat()), "items": sh.QuasiSet()}
    rows = [tuple(row.values()) for row in table.to_pylist()]
    (here,) = sh.verify(table, roles, sh.KKmAnonymity(4, 2))
    for parts in (1, 2, 7):
        frame = spark.createDataFrame(rows, "age string, items array<string>").repartition(parts)
        (there,) = sh.verify(frame, roles, sh.KKmAnonymity(4, 2))
        assert there == placeless(here)
