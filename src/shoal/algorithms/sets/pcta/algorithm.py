from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.sets.cut_search.constraint import ItemConstraint
from shoal.algorithms.sets.cut_search.task import fitting
from shoal.algorithms.sets.cut_search.transactions import Transactions, only_set_column
from shoal.algorithms.sets.pcta.unions import ItemUnions
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Infeasible, LimitReached, Problem
from shoal.hierarchy.tree import NO_PARENT, tree_from_nodes
from shoal.metrics.items import item_weights
from shoal.privacy.check import require_feasible
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.lm_diversity import LmDiversity
from shoal.privacy.model import Model
from shoal.progress import Progress
from shoal.recoding.cuts import Cuts, unions_of
from shoal.recoding.rows import RowRecoding
from shoal.table.columns import Sets

_MOST_CHARACTERS = 10**9  # all of it is held in memory while it is written


@dataclass(frozen=True, slots=True)
class PCTA(Algorithm):
    """Unite items, whatever a tree would say, until every itemset of at most m of them is held k times.

    Rare itemsets are listed as AA lists them. Each is mended by the pair of published items, one of them its
    own, whose union adds least to the utility loss UL, again and again, until it is no longer rare. A union
    is published as its items, `(A|B)`, and stands for any of them, together or alone. Weights of items, which
    stand on the column's role, say which should rather be kept apart.

    Contract
        needs:      rows; one set column, of which a tree is not used
        gives:      one set of unions for all records
        guarantees: every model passed to find()
        cost:       per union about one look at every occurrence; memory O(items)

    After Gkoulalas-Divanis, Loukides, Utility-guided clustering-based transaction data anonymization,
    Transactions on Data Privacy 5(1), 2012.
    """

    name = "pcta"
    recodes_globally = True
    turn = 6
    heeds_absence = False
    serves = (KmAnonymity, LmDiversity)
    paper = (
        "Gkoulalas-Divanis, Loukides. Utility-guided clustering-based transaction data anonymization."
        " Transactions on Data Privacy 5(1), 2012."
    )
    guarantee = "every model holds; no bound on the loss"

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Unite items until every itemset keeps the promise."""
        column = only_set_column(data, "items of one set column are united at a time")
        require_feasible(models, data)
        transactions = _without_tree(data, column)
        constraint, notices = fitting(ItemConstraint.of(models), transactions.tree, transactions.longest)
        _refuse_negative_knowledge(constraint, column)
        weights = item_weights(data, column)
        unions = ItemUnions(transactions, constraint, weights, np.zeros(len(weights), dtype=np.int64))
        if not unions.mend(progress):
            raise Infeasible(
                "not even one union of all items keeps the promise: among the records that have an item, a"
                " sensitive one has too large a share"
            )
        sets = data.table.sets(column)
        _refuse_endless_writing(unions, sets)
        if not unions.in_time:
            notices = (
                *notices,
                "time was up before the search ended, so all items are published as one union",
            )
        vocabulary, words = unions_of(unions.first_of_each[np.newaxis], sets.domain.texts(), sets.separator)
        everybody = np.zeros(data.row_count, dtype=np.int64)
        return RowRecoding(
            items=(Cuts(column, everybody, words, unions=vocabulary),),
            notices=notices,
            figures={
                "unions": unions.union_count,
                "utility_loss": unions.loss_of(transactions.sets, np.zeros(len(weights), dtype=np.bool_))
                / max(1, data.row_count),
            },
        )


def _without_tree(data: LocalData, column: str) -> Transactions:
    """The sets over a flat tree, which is not used."""
    joined, items = data.joined_sets(), data.table.sets(column).domain.texts()
    flat = tree_from_nodes([*items, ""], [*[len(items)] * len(items), NO_PARENT])
    return Transactions(flat, joined.quasi, joined.sensitive, joined.whole_of)


def _refuse_endless_writing(unions: ItemUnions, sets: Sets) -> None:
    """Raise LimitReached where unions of very many items would stand in very many records."""
    lengths = np.array([len(text) + 1 for text in sets.domain.texts()], dtype=np.int64)
    written = unions.written_length(lengths)
    if written <= _MOST_CHARACTERS:
        return
    why, remedy = "", "give the column a hierarchy and use itemwise"
    if not unions.in_time:
        why, remedy = "time was up before the search ended, and ", f"raise time_limit, or {remedy}"
    raise LimitReached(
        f"{why}a union is written as all its items: so many were united that the release would take"
        f" {written / 1e9:.1f} GB; {remedy}"
    )


def _refuse_negative_knowledge(constraint: ItemConstraint, column: str) -> None:
    if constraint.negative:
        raise BadInput(
            Problem(
                "pcta gives no promise about somebody who knows what is absent",
                "use aa or vpa",
                column=column,
            )
        )
