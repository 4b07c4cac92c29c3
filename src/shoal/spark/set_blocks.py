"""Sets of items, divided by their most frequent items and searched block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.sets.aa import AA
from shoal.algorithms.sets.equal_sets.groups import records_to_withhold
from shoal.algorithms.sets.lra import LRA
from shoal.engine.port import Question
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import counted
from shoal.progress import Progress
from shoal.spark.blocks import PublishRows, RunClock, most_rows_per_block, search_blocks
from shoal.spark.by_counts import search_by_counts, set_column_of
from shoal.spark.data import SparkData, SparkFound
from shoal.spark.divide import Division, Size, divide_sets

_ROWS_OF_SETS = 200_000


def search_sets(
    algorithm: Algorithm,
    data: SparkData,
    models: Sequence[Model],
    progress: Progress,
    *,
    schema: pa.Schema,
    seed: int,
    within: RunClock,
) -> SparkFound:
    """Divide the rows, search each block as on one machine, and publish what was decided."""
    column, k = set_column_of(data), Promise(models).k
    most = most_rows_per_block(data, _ROWS_OF_SETS)
    progress.stage("dividing the rows into blocks")
    division = divide_sets(data, column, Size(most, max(k, most // 4)), progress)
    withheld = _to_withhold(algorithm, models, data.row_count - division.empty_rows, division.empty_rows)
    progress.stage(f"searching {division.block_count:,} blocks with {algorithm.name}")
    task = PublishRows(
        data.reader, algorithm, tuple(models), schema, seed, within, withhold_empty=withheld > 0
    )
    found = search_blocks(data, division, task, most)
    notices = (f"{counted(withheld, 'record')} could not be hidden among k and withheld",) if withheld else ()
    return SparkFound(
        frame=found.published,
        losses=found.losses(of_sets=True),
        column_losses=found.column_losses(),
        notices=(*notices, *found.notices(), how_sets_differ(algorithm.name, division, most)),
        figures=found.figures(division),
        working=found.working,
    )


def search_parts(
    algorithm: Algorithm,
    data: SparkData,
    models: Sequence[Model],
    progress: Progress,
    *,
    schema: pa.Schema,
    seed: int,
    within: RunClock,
) -> SparkFound:
    """LRA in blocks, or one cut for all rows if that loses less: on one machine LRA tries one part, too."""
    parted = search_sets(algorithm, data, models, progress, schema=schema, seed=seed, within=within)
    blocks = parted.figures["blocks"]
    if not isinstance(algorithm, LRA) or algorithm.parts or blocks <= 1:
        return parted
    alone = AA(minimal=algorithm.minimal, exchanges=algorithm.exchanges)
    whole = search_by_counts(alone, data, models, progress, schema=schema, within=within)
    figures = {"ncp_by_blocks": parted.losses["ncp"], "ncp_of_one_cut": whole.losses["ncp"]}
    kept = min(parted, whole, key=lambda found: found.losses["ncp"])
    if kept is whole and parted.working is not None:
        parted.working.unpersist()
    words = "one cut for all rows" if kept is whole else f"the search in {blocks:,} blocks"
    notice = (
        f"NCP is {whole.losses['ncp']:.4f} by one cut for all rows and {parted.losses['ncp']:.4f} by a search"
        f" in {blocks:,} blocks, where an itemset must reach k in each: {words} is published"
    )
    return replace(
        kept, notices=(notice, *kept.notices), figures={**parted.figures, **kept.figures, **figures}
    )


def _to_withhold(algorithm: Algorithm, models: Sequence[Model], with_items: int, empty: int) -> int:
    """How many empty sets must not be published; raises Infeasible where nothing keeps the promise."""
    whole_sets = [model for model in models if Question.CLASSES in model.asks]
    if not whole_sets:
        return 0
    suppression = getattr(algorithm, "suppression", 0.0)
    return records_to_withhold(with_items, empty, Promise(whole_sets).k, suppression)


def how_sets_differ(name: str, division: Division, most: int) -> str:
    """What the user should know about a search by blocks of sets."""
    if division.block_count <= 1:
        return (
            f"all sets with items fitted one block of at most {most:,} rows, so {name} ran as on one machine"
        )
    dealt = (
        f" {division.dealt_rows:,} rows that no item divides were dealt out by turns;"
        if division.dealt_rows
        else ""
    )
    return (
        f"the rows were divided by their most frequent items into {division.block_count:,} blocks of at"
        f" most about {most:,}, and {name} searched each alone;{dealt} the promise holds for each and so for"
        " all; the loss can be higher than on one machine, because no part crosses a border"
    )
