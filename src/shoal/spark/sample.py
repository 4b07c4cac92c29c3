"""Some rows on the driver, on which algorithms are compared before one of them is run on all.

They fit a task, so that the driver takes no more memory than one. Their content and random numbers decide
which they are, and not how rows are divided.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import functions as sql

from shoal.algorithms.auto.candidates import like_records, sets_of_a_sample
from shoal.algorithms.sets.cut_search.transactions import set_column
from shoal.engine.local import LocalData
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.spark.answers import Answers, Batches
from shoal.spark.block_tasks import BLOCK
from shoal.spark.blocks import content_of, rows_searched_at_once, rows_with_block
from shoal.spark.classes import quoted
from shoal.spark.data import SparkData
from shoal.spark.table_blocks import DividedTable

_TIMES_K = 20


def sample_of_table(divided: DividedTable, models: Sequence[Model], rng: np.random.Generator) -> LocalData:
    """Like records of one block, which are as dense there as in the whole."""
    data = divided.data
    blocks = sorted(block for block, rows in divided.division.sizes.items() if rows)
    block = blocks[int(rng.integers(len(blocks)))]
    rows = rows_with_block(data, divided.division).filter(sql.col(quoted(BLOCK)) == block)
    names = (*data.quasi, *data.quasi_sets, *data.sensitive)
    found = rows.orderBy(content_of(data)).select(*map(quoted, names)).toArrow()
    return like_records(data.reader.only(*names).read(found), models, rng)


def sample_of_sets(data: SparkData, models: Sequence[Model], rng: np.random.Generator) -> LocalData:
    """Sets from all over the data, every so many of them; all if a task holds them."""
    column = set_column(data)
    at_once = rows_searched_at_once(data)
    fitting = min(sets_of_a_sample(data.row_count), at_once)
    wanted = min(max(fitting, _TIMES_K * Promise(models).k), data.row_count)
    parts = -(-data.row_count // at_once)
    frame = data.frame.select(quoted(column))
    content = sql.xxhash64(quoted(column))
    sampling = partial(every_so_many, data.row_count / wanted, int(rng.integers(2**32)))
    drawn = frame.repartition(parts, content).sortWithinPartitions(content).mapInArrow(sampling, frame.schema)
    return data.reader.only(column).read(drawn.orderBy(content).toArrow())


def every_so_many(step: float, seed: int, batches: Batches) -> Answers:
    """One row of every `step` rows of a part, beginning somewhere."""
    task = TaskContext.get()
    wanted = float(np.random.default_rng([seed, task.partitionId() if task else 0]).random()) * step
    seen = 0
    for batch in batches:
        count = max(0, int(np.ceil((seen + batch.num_rows - wanted) / step)))
        places = np.floor(wanted + step * np.arange(count)).astype(np.int64) - seen
        places = places[places < batch.num_rows]
        yield batch.take(pa.array(places))
        wanted += step * len(places)
        seen += batch.num_rows
