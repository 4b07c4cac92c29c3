"""All measures by name, for the command line, the report and the tests to iterate over."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from shoal.engine.local import LocalData
from shoal.extensions import extensions
from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import Floats, Ints, Items, SetArrays
from shoal.metrics.items import (
    item_ncp,
    item_weights,
    joint_item_ncp,
    joint_utility_loss,
    published_occurrences,
    utility_loss,
    weights_of_words,
)
from shoal.metrics.mining import Measured, levels_loss, measure_chunks, records_loss
from shoal.metrics.node_costs import NODE_COSTS
from shoal.metrics.relational import (
    NOT_COUNTED,
    average_class_size,
    combined_cost,
    costs_of_columns,
    discernibility,
    log10_ambiguity,
    published_columns,
)
from shoal.recoding.chunk_recoding import ChunkRecoding
from shoal.recoding.cuts import Vocabulary
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.recoding.recoding import Recoding
from shoal.recoding.rows import ItemRecoding, RowRecoding
from shoal.recoding.synthetic import Synthetic, new_records


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure: how it is called, what it says, of which data, and in which unit.

    `headline` measures stand in the summary of a result, in their order. `compute` is for measures of other
    packages (see `shoal.extensions`): from the original, the recoding and k to a number, None where the
    measure does not apply.
    """

    name: str
    label: str
    description: str
    applies_to: Literal["table", "sets", "both", "joint", "trees of sets", "chunks", "new records"]
    unit: Literal["share", "bits", "log10", "records", "multiples of k", "levels"] = "share"
    lower_is_better: bool = True
    headline: bool = False
    compute: Callable[[LocalData, Recoding, int], float | None] | None = None
    interface: int | None = None


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        measure.name: measure
        for measure in (
            Measure(
                "ncp",
                "loss (NCP)",
                "Share of all values or items that a published one could stand for",
                "both",
                headline=True,
            ),
            Measure(
                "item_ncp",
                "loss in items (NCP)",
                "Share of all items that a published one could stand for",
                "joint",
                headline=True,
            ),
            Measure(
                "ul",
                "loss in items (UL)",
                "Share of possible item combinations that generalization added",
                "sets",
                headline=True,
            ),
            Measure(
                "ml2",
                "frequent itemsets missed (ML2)",
                "Of all itemsets that 2 % of the records hold, at any level of the item hierarchy: the share"
                " that the release no longer shows at that level",
                "trees of sets",
                headline=True,
            ),
            Measure(
                "dml2",
                "levels up to missed itemsets (dML2)",
                "How many levels of the item hierarchy one has to go up, on average, until the release shows"
                " the missed itemsets in a more general form",
                "trees of sets",
                "levels",
            ),
            Measure(
                "lm",
                "loss beyond one value (LM)",
                "Share of a column's other values that a published cell could also mean",
                "table",
            ),
            Measure("tree", "height in the tree", "How far up its tree a published cell stands", "table"),
            Measure(
                "entropy",
                "entropy",
                "Uncertainty of the original value given the published one",
                "table",
                "bits",
            ),
            Measure(
                "monotone_entropy",
                "monotone entropy",
                "The same uncertainty times the share of records it concerns: coarser never costs less",
                "table",
                "bits",
            ),
            Measure(
                "log10_am",
                "ambiguity",
                "Original records that a published one could stand for, as a decimal logarithm",
                "table",
                "log10",
            ),
            Measure(
                "discernibility",
                "discernibility",
                "Sum of squared class sizes; a suppressed record counts as many as there are records",
                "table",
                "records",
            ),
            Measure(
                "c_avg",
                "records per class",
                "Records per class, in multiples of k",
                "table",
                "multiples of k",
            ),
            Measure(
                "tkd_a",
                "frequent itemsets lost (tKd-a)",
                "Share of the 1000 most frequent itemsets that the chunks alone lose",
                "chunks",
                headline=True,
            ),
            Measure(
                "tkd",
                "frequent itemsets lost in a reconstruction (tKd)",
                "Share of the 1000 most frequent itemsets that a reconstruction loses",
                "chunks",
                headline=True,
            ),
            Measure(
                "tkd_ml2",
                "frequent itemsets of all levels lost (tKd-ML2)",
                "Share of the 1000 most frequent itemsets that are lost, with items of all levels of the item"
                " hierarchy taken together",
                "trees of sets",
            ),
            Measure(
                "re_a",
                "error of pairs by chunks (re-a)",
                "Relative error of supports of pairs, ranks 200-219, by the chunks alone",
                "chunks",
            ),
            Measure(
                "re_top_a",
                "error of frequent pairs by chunks (re-a)",
                "Relative error of supports of pairs of the top 20 terms, by the chunks alone",
                "chunks",
            ),
            Measure(
                "re_top",
                "error of pairs of the 20 most frequent items (re)",
                "Relative error of supports of pairs of the top 20 terms, in a reconstruction",
                "chunks",
                headline=True,
            ),
            Measure(
                "re",
                "error of pairs (re)",
                "Relative error of supports of pairs, ranks 200-219, in a reconstruction",
                "chunks",
                headline=True,
            ),
            Measure(
                "tlost",
                "frequent terms lost (tlost)",
                "Share of the terms with a support above k that are in term chunks only",
                "chunks",
                headline=True,
            ),
            *extensions("shoal.measures"),
        )
    }
)


def in_headlines(losses: Mapping[str, Any]) -> dict[str, Any]:
    """The losses that sum up a result, in the order of the catalogue."""
    return {name: losses[name] for name, each in MEASURES.items() if each.headline and name in losses}


def measure_table(
    data: LocalData, clusters: GeneralizedClusters, k: int, value_counts: Mapping[str, Ints] = NOT_COUNTED
) -> dict[str, float]:
    """Every measure of a table by its name in MEASURES; k is that of the promise, 1 if it has none."""
    columns = published_columns(data, clusters, value_counts)
    losses = {
        measure: combined_cost(costs_of_columns(columns, clusters, measure), data, measure)
        for measure in NODE_COSTS
    }
    return {
        **losses,
        "log10_am": log10_ambiguity(columns, clusters),
        "discernibility": discernibility(clusters),
        "c_avg": average_class_size(clusters, k),
    }


def measure_columns(
    data: LocalData, clusters: GeneralizedClusters, value_counts: Mapping[str, Ints] = NOT_COUNTED
) -> dict[str, dict[str, float]]:
    """The measures that single columns have, by column and by the measure's name."""
    columns = published_columns(data, clusters, value_counts)
    by_measure = {measure: costs_of_columns(columns, clusters, measure) for measure in NODE_COSTS}
    return {name: {measure: by_measure[measure][name] for measure in NODE_COSTS} for name in columns}


def measure(data: LocalData, recoding: Recoding, k: int) -> dict[str, float]:
    """What a recoding cost by every measure that applies; k is that of the promise, 1 if it has none.

    Of a table with sets, NCP is that of the single values, and `item_ncp` and UL are those of the items.
    """
    return measured(data, recoding, k).losses


def measured(data: LocalData, recoding: Recoding, k: int) -> Measured:
    """The same, with what there is to say about the measures."""
    found = _own_measures(data, recoding, k)
    for name, extension in MEASURES.items():
        if extension.compute is not None and (loss := extension.compute(data, recoding, k)) is not None:
            found.losses[name] = loss
    return found


def _own_measures(data: LocalData, recoding: Recoding, k: int) -> Measured:
    if isinstance(recoding, ChunkRecoding):
        tree = data.trees.get(recoding.column)
        return Measured(measure_chunks(data.table.sets(recoding.column), recoding.clusters, k, tree))
    if isinstance(recoding, Synthetic):
        return measure_new_records(data, recoding)
    found = Measured(measure_rows(data, recoding, k))
    # With several columns of sets there is no tree of all items: each column has its own measures.
    return found | measure_levels(data, recoding.items[0]) if len(recoding.items) == 1 else found


def measure_rows(
    data: LocalData, recoding: RowRecoding, k: int, value_counts: Mapping[str, Ints] = NOT_COUNTED
) -> dict[str, float]:
    """What generalizing values and items cost, record by record or value by value.

    `value_counts` are given where these are only some of the records.
    """
    if recoding.clusters is None:
        (items,) = recoding.items
        return measure_sets(data, items)
    losses = measure_table(data, recoding.clusters, k, value_counts)
    if recoding.items:
        losses["item_ncp"] = joint_item_ncp(data, recoding.items)
        losses["ul"] = joint_utility_loss(data, recoding.items)
    return losses


def measure_levels(data: LocalData, items: ItemRecoding) -> Measured:
    """What a miner of all levels of a tree misses of the items that people are found by."""
    words = items.vocabulary(data.trees)
    if not isinstance(words, Hierarchy):
        return Measured()
    return levels_loss(words, *published_occurrences(data, items))


def measure_by_column(data: LocalData, recoding: Recoding) -> dict[str, dict[str, float]]:
    """The same for each quasi-identifier alone."""
    if not isinstance(recoding, RowRecoding):
        return {}
    by_column = measure_rows_by_column(data, recoding)
    if len(recoding.items) > 1:
        for items in recoding.items:
            by_column[items.column] |= measure_levels(data, items).losses
    return by_column


def measure_rows_by_column(
    data: LocalData, recoding: RowRecoding, value_counts: Mapping[str, Ints] = NOT_COUNTED
) -> dict[str, dict[str, float]]:
    """What generalizing the values or items of each quasi-identifier cost."""
    of_values = {} if recoding.clusters is None else measure_columns(data, recoding.clusters, value_counts)
    return {**of_values, **{items.column: measure_sets(data, items) for items in recoding.items}}


def measure_sets(data: LocalData, items: ItemRecoding) -> dict[str, float]:
    """What generalizing the items of a set column cost; sensitive items stay as they are and cost nothing."""
    words = items.vocabulary(data.trees)
    weights = weights_of_words(words, item_weights(data, items.column))
    return measure_items(words, *published_occurrences(data, items), weights)


def measure_new_records(data: LocalData, synthetic: Synthetic) -> Measured:
    """What new records keep of the itemsets of the original ones."""
    original, tree = data.table.sets(synthetic.column), data.trees[synthetic.column]
    records = new_records(synthetic, original).sets(synthetic.column)
    return records_loss(original, [records.held], tree)


def measure_items(
    words: Vocabulary, sets: SetArrays, node_of_occurrence: Items, weights: Floats | None = None
) -> dict[str, float]:
    """Every measure of sets by its name in MEASURES; weights[n] is how much word n matters in UL."""
    return {
        "ncp": item_ncp(words, sets, node_of_occurrence),
        "ul": utility_loss(words, sets, node_of_occurrence, weights),
    }
