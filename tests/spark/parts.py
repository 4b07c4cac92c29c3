"""A stand-in for a DataFrame: it runs what workers run, in this process, batch by batch.

What it cannot show is whether Spark moves things as it should; tests/spark does that on a cluster.
"""

import pickle
from collections import defaultdict
from types import SimpleNamespace

import pyarrow as pa


class Parts:
    """Batches in several parts, with the few methods of a DataFrame that counting needs."""

    def __init__(self, parts):
        self.parts = parts

    def mapInArrow(self, task, _schema):
        task = pickle.loads(pickle.dumps(task))  # noqa: S301 - as it travels to workers
        return Parts([list(task(iter(part))) for part in self.parts])

    def repartition(self, count, column):
        parts = defaultdict(list)
        for part in self.parts:
            for batch in part:
                for row in range(batch.num_rows):
                    parts[batch.column(column)[row].as_py() % count].append(batch.slice(row, 1))
        return Parts([parts[number] for number in range(count)])

    def sortWithinPartitions(self, column):
        rows = [
            [batch.slice(row, 1) for batch in part for row in range(batch.num_rows)] for part in self.parts
        ]
        return Parts([sorted(part, key=lambda row: row.column(column)[0].as_py()) for part in rows])

    def collect(self):
        return [SimpleNamespace(**row) for part in self.parts for batch in part for row in batch.to_pylist()]


def dealt(batches, count):
    """The batches dealt out to so many parts."""
    parts = [[] for _ in range(count)]
    for place, batch in enumerate(batches):
        parts[place % count].append(batch)
    return Parts(parts)


def table_in_parts(table: pa.Table, count):
    """Rows of a table in so many parts."""
    return dealt(table.to_batches(max_chunksize=max(1, -(-table.num_rows // count))), count)
