"""People, baskets and people with baskets, and their releases by Spark."""

from collections import Counter

import numpy as np
import pyarrow as pa

import shoal as sh

ITEMS = {"items": sh.QuasiSet(hierarchy=sh.fanout(3))}
PEOPLE = {
    "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20)),
    "zip": sh.Quasi(hierarchy=sh.mask_right()),
    "illness": sh.Sensitive(),
}


def people(rows=400, seed=1):
    rng = np.random.default_rng(seed)
    ages = rng.integers(20, 60, rows)
    return pa.table(
        {
            "age": [None if age == 33 else int(age) for age in ages],
            "zip": [f"1{code:02}" for code in rng.integers(0, 40, rows)],
            "illness": rng.choice(["flu", "cold", "gout"], rows).tolist(),
        }
    )


def baskets(rows=400, items=12, seed=0):
    rng = np.random.default_rng(seed)
    shares = rng.random(items) ** 2 * 0.5
    sets = [[f"i{item:02}" for item in np.flatnonzero(rng.random(items) < shares)] for _ in range(rows)]
    return pa.table({"items": pa.array(sets, pa.list_(pa.string()))})


BOTH = {"age": PEOPLE["age"], "items": sh.QuasiSet(hierarchy=sh.fanout(2))}


def people_with_baskets(rows=300):
    return people(rows).select(["age"]).append_column("items", baskets(rows, items=6).column("items"))


def released(spark, table, roles, promises, algorithm, **options):
    """The result of Spark."""
    rows = [tuple(row.values()) for row in table.to_pylist()]
    kinds = {"items": "array<string>", "age": "int", "weight": "double"}
    schema = ", ".join(f"{name} {kinds.get(name, 'string')}" for name in table.column_names)
    frame = spark.createDataFrame(rows, schema).repartition(3)
    return sh.anonymize(sh.read(frame, roles), promises, algorithm=algorithm, seed=1, **options)


def both_ways(spark, table, roles, promises, algorithm, **options):
    """The results of Spark and of one machine."""
    there = released(spark, table, roles, promises, algorithm, **options)
    here = sh.anonymize(sh.read(table, roles), promises, algorithm=algorithm, seed=1, **options)
    return there, here


def collected(result):
    """The rows of a release, and that the local verifier accepts them."""
    table = pa.Table.from_pylist([row.asDict() for row in result.frame.collect()])
    assert all(verdict.holds for verdict in result.verdicts)
    assert all(verdict.holds for verdict in sh.verify(table, dict(result.data.roles), result.models))
    assert len(table) == result.outcome.cost.published_records
    result.frame.unpersist()
    return table


def contents(table):
    """How often each row occurs."""
    return Counter(
        tuple(tuple(value) if isinstance(value, list) else value for value in row.values())
        for row in table.to_pylist()
    )
