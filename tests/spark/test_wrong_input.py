"""What is wrong is told before anything long begins, all of it at once."""

from contextlib import contextmanager
from uuid import uuid4

import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import shoal as sh
from shoal.algorithms.search import Search
from shoal.spark.search import spark_algorithm
from tests.spark.test_release import ITEMS, as_arrow, as_frame


@contextmanager
def no_job(spark):
    """Fails if Spark is given anything to do."""
    context, group = spark.sparkContext, str(uuid4())
    context.setJobGroup(group, "nothing")
    yield
    context.setLocalProperty("spark.jobGroup.id", None)
    assert not context.statusTracker().getJobIdsForGroup(group)


def test_columns_and_types_are_checked_without_a_job(spark):
    frame = spark.createDataFrame(
        [([1], {"a": 1}, "x")], "age array<int>, visits map<string, int>, note string"
    )
    roles = {
        "age": sh.Quasi(hierarchy=sh.fanout(3)),
        "visits": sh.QuasiSet(hierarchy=sh.fanout(3)),
        "note": sh.Insensitive(confirm=True),
    }
    with no_job(spark):
        with pytest.raises(sh.ShoalError) as wrong:
            sh.read(frame, roles)
        with pytest.raises(sh.ShoalError, match=r"'zip'.*has no such column"):
            sh.read(frame, {**roles, "zip": sh.Quasi(hierarchy=sh.fanout(3))})
    assert "column 'age': holds lists, where its role asks for single values" in str(wrong.value)
    assert "column 'visits': holds values of the type map<" in str(wrong.value)


def test_names_of_months_are_refused_without_a_job(spark):
    frame = spark.createDataFrame([("3. März 2021",)], "born string")
    with no_job(spark), pytest.raises(sh.ShoalError, match=r"'born'.*does not yet read the names of months"):
        sh.read(frame, {"born": sh.Quasi(kind="date")}, options=sh.ReadOptions(date_format="%d. %B %Y"))


def test_every_value_that_the_hierarchies_lack_is_listed_with_its_rows(spark, tmp_path):
    tree = tmp_path / "tree.csv"
    tree.write_text("a;A;*\nb;A;*\nc;C;*\n")
    lacking = [f"x{number}" for number in range(1_200)]
    sets = [["a", "x7"], ["x7", "y"], ["b"], lacking]
    with pytest.raises(sh.ShoalError) as wrong:
        sh.read(as_frame(spark, sets), {"items": sh.QuasiSet(hierarchy=tree)})
    lines = str(wrong.value)
    assert "1201 values in 1203 cells are not in the hierarchy" in lines
    assert "value 'x7': is not in the hierarchy and stands in 3 rows" in lines
    for value in [*lacking[:7], *lacking[8:], "y"]:
        assert f"value {value!r}: is not in the hierarchy and stands in 1 row" in lines


def test_values_that_cannot_be_read_are_all_listed(spark):
    rows = [(str(age), "2020-01-31") for age in range(30)] + [("old", "yesterday"), ("young", "2020-02-01")]
    roles = {
        "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5)),
        "seen": sh.Quasi(kind="date", hierarchy=sh.dates("month", "year")),
    }
    with pytest.raises(sh.ShoalError) as wrong:
        sh.read(spark.createDataFrame(rows, "age string, seen string").repartition(2), roles)
    for value in ("old", "young"):
        assert f"column 'age', value {value!r}: is not a number" in str(wrong.value)
    assert "column 'seen', value 'yesterday'" in str(wrong.value)


def test_a_k_larger_than_the_data_is_refused_in_the_words_of_one_machine(spark):
    sets = [["a"], ["b"], []]
    refusals = []
    for data in (sh.read(as_frame(spark, sets), ITEMS), sh.read(as_arrow(sets), ITEMS)):
        with pytest.raises(
            sh.ShoalError, match="only 2 records have any item, so k can be at most 2"
        ) as wrong:
            sh.anonymize(data, sh.KmAnonymity(k=3, m=1), algorithm="aa")
        refusals.append((str(wrong.value), wrong.value.figures))
    assert refusals[0] == refusals[1]


def test_a_k_larger_than_a_table_is_refused_before_the_search(spark):
    frame = spark.createDataFrame([("30",), ("40",)], "age string")
    data = sh.read(frame, {"age": sh.Quasi(hierarchy=sh.flat())})
    with pytest.raises(sh.ShoalError, match="only 2 records, so k can be at most 2"):
        sh.anonymize(data, sh.KAnonymity(k=3))


def test_an_algorithm_that_does_not_run_there_is_refused_with_those_that_do(spark):
    data = sh.read(as_frame(spark, [["a"], ["b"], []]), ITEMS)
    with (
        no_job(spark),
        pytest.raises(
            sh.ShoalError, match="pcta does not run on Spark; what runs there is mondrian, hilbert"
        ),
    ):
        sh.anonymize(data, sh.KmAnonymity(k=2, m=1), algorithm="pcta")


@pytest.mark.parametrize("name", ["aa", "lra", "auto"])
def test_what_a_paper_prints_is_not_divided_among_tasks(name):
    search = Search(algorithm=name, options={"as_printed": True})
    with pytest.raises(sh.ShoalError, match=r"as_printed|nothing that runs on Spark"):
        spark_algorithm(search, [sh.KmAnonymity(2, 2)])
