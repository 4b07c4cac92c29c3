"""Sets of items, divided by their most frequent items and searched block by block."""

from dataclasses import replace

from shoal.algorithms.sets.aa import AA
from shoal.algorithms.sets.cut_search.transactions import set_column
from shoal.algorithms.sets.equal_sets.clusters import records_to_withhold
from shoal.algorithms.sets.lra import LRA
from shoal.engine.port import Question
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import counted
from shoal.progress import Progress
from shoal.spark.blocks import PublishRows, rows_searched_at_once, search_blocks
from shoal.spark.by_counts import search_by_counts
from shoal.spark.data import SparkData, SparkFound
from shoal.spark.divide import Division, Size, divide_sets


def search_sets(data: SparkData, task: PublishRows, progress: Progress) -> SparkFound:
    """Divide the rows, search each block as on one machine, and publish what was decided."""
    column, k, algorithm = set_column(data), Promise(task.models).k, task.algorithm
    most = rows_searched_at_once(data)
    progress.stage("dividing the rows into blocks")
    division = divide_sets(data, column, Size(most, max(k, most // 4)), progress)
    withheld = _to_withhold(task, data.row_count - division.empty_rows, division.empty_rows)
    progress.stage(f"searching {division.block_count:,} blocks with {algorithm.name}")
    found = search_blocks(data, division, replace(task, withhold_empty=withheld > 0), most)
    notices = (f"{counted(withheld, 'record')} could not be hidden among k and withheld",) if withheld else ()
    notices = (*notices, *found.notices(), how_sets_differ(algorithm.name, division, most))
    return found.released(data, division, notices)


def search_parts(data: SparkData, task: PublishRows, progress: Progress) -> SparkFound:
    """LRA in blocks, or one cut for all rows if that loses less: on one machine LRA tries one part, too."""
    parted, algorithm = search_sets(data, task, progress), task.algorithm
    blocks = parted.figures["blocks"]
    if not isinstance(algorithm, LRA) or algorithm.parts or blocks <= 1:
        return parted
    alone = AA(minimal=algorithm.minimal, exchanges=algorithm.exchanges)
    whole = search_by_counts(data, replace(task, algorithm=alone), progress)
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


def _to_withhold(task: PublishRows, with_items: int, empty: int) -> int:
    """How many empty sets must not be published; raises Infeasible where nothing keeps the promise."""
    whole_sets = [model for model in task.models if Question.CLASSES in model.asks]
    if not whole_sets:
        return 0
    suppression = getattr(task.algorithm, "suppression", 0.0)
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
