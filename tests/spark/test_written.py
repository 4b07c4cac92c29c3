"""Numbers, dates and missing values as people write them mean on Spark what they mean on one machine."""

from collections import Counter

import pytest

pytest.importorskip("pyspark", reason="pip install 'shoal[spark]'")

import pyarrow as pa

import shoal as sh

ROWS = [("1.234,5", "3.4.2021", "NA", -9.0), ("1.000", "5.4.2021 10:30", " b ", 1.5)] * 3
NAMES = ("wage", "born", "note", "x")
ROLES = {
    "wage": sh.Quasi(kind="number", hierarchy=sh.ranges(1000)),
    "born": sh.Quasi(kind="date", hierarchy=sh.dates("month", "year")),
    "note": sh.Insensitive(confirm=True),
    "x": sh.Insensitive(confirm=True),
}
OPTIONS = sh.ReadOptions(missing=("NA", "-9"), decimal=",", thousands=".", date_format="%d.%m.%Y")


def test_a_release_is_that_of_one_machine(spark):
    table = pa.table(dict(zip(NAMES, zip(*ROWS, strict=True), strict=True)))
    frame = spark.createDataFrame(ROWS, "wage string, born string, note string, x double").repartition(2)
    here, there = (
        sh.anonymize(sh.read(source, ROLES, options=OPTIONS), sh.KAnonymity(3), algorithm="mondrian")
        for source in (table, frame)
    )
    published = Counter(tuple(row[name] for name in NAMES) for row in there.frame.collect())
    assert published == Counter(tuple(row[name] for name in NAMES) for row in here.frame.to_pylist())
    assert {row[2:] for row in published} == {(None, None), (" b ", 1.5)}
    there.frame.unpersist()
