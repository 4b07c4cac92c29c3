"""What a miner of the release misses: the measures of frequent itemsets and pairs, by their names.

The same measures hold for possible originals of disassociated data, for generalized sets and for new records.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import pyarrow.compute as pc

from shoal.hierarchy.tree import Hierarchy
from shoal.kernels.arrays import (
    AnySets,
    Floats,
    Ints,
    Items,
    SetArrays,
    counts_of,
    freeze,
    frozen_ints,
    in_pieces,
    owners,
    piece_of,
)
from shoal.metrics.ml2 import affordable_mining_loss
from shoal.metrics.pair_supports import (
    FIRST_RANK,
    LAST_RANK,
    generalized_pair_supports,
    pair_error,
    pair_supports,
    terms_of_ranks,
)
from shoal.metrics.top_itemsets import TOP, generalized_top_deviation, node_top_deviation, top_deviation
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.reconstruction import reconstructions
from shoal.table.columns import Domain, Sets

_RANKS = {"re": (FIRST_RANK, LAST_RANK), "re_top": (0, 19)}


def codes_in(domain: Domain, published: Disassociated) -> Ints:
    """The code of every published term in the domain of the original, or the next free code after it."""
    codes = pc.index_in(published.terms.labels, value_set=domain.labels).to_numpy(zero_copy_only=False)
    unknown = np.isnan(codes)
    codes = np.where(unknown, len(domain) + np.cumsum(unknown) - 1, codes)
    return frozen_ints(codes.astype(np.int64))


def recoded(sets: AnySets, codes: Ints) -> AnySets:
    """The same sets under other codes, ascending again."""
    if np.array_equal(codes, np.arange(len(codes))):
        return sets
    items = np.empty(len(sets.items), dtype=np.int32)
    for first, behind in in_pieces(sets.starts):
        piece = piece_of(sets, first, behind)
        found = codes[piece.items]
        items[sets.starts[first] : sets.starts[behind]] = found[np.lexsort((found, owners(piece.starts)))]
    return SetArrays(sets.starts, freeze(items))


def certain_sets(published: Disassociated) -> SetArrays:
    """What stands in every original: the subrecords, and each term of a term chunk once, as sets alone.

    Itemsets of them have the lower bounds of their supports as supports. They are what tKd-a and re-a compare
    with the original.
    """
    terms = published.term_chunks.items
    starts = np.concatenate(
        (published.subrecords.starts, published.subrecords.starts[-1] + 1 + np.arange(len(terms)))
    )
    return SetArrays(freeze(starts), freeze(np.concatenate((published.subrecords.items, terms))))


def lost_terms(supports: Ints, published: Disassociated, codes: Ints, k: int) -> float:
    """tlost: of the terms with a support above k, the share that are in term chunks only; 0 without any.

    `supports` are those of the original, and `codes` the codes there of published terms.
    """
    frequent = np.flatnonzero(supports > k)
    in_chunks = codes[np.unique(published.subrecords.items)]
    in_term_chunks = codes[np.unique(published.term_chunks.items)]
    lost = np.setdiff1d(np.intersect1d(frequent, in_term_chunks), in_chunks)
    return len(lost) / len(frequent) if len(frequent) else 0.0


@dataclass(frozen=True, slots=True)
class Measured:
    """Measures by their names, why some of them are absent, and what else there is to say about them."""

    losses: dict[str, float] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    def __or__(self, other: Self) -> Self:
        return replace(
            self,
            losses=self.losses | other.losses,
            absent=self.absent | other.absent,
            notices=self.notices + other.notices,
        )


def records_loss(
    original: Sets, copies: Sequence[AnySets], tree: Hierarchy | None, top: int = TOP
) -> Measured:
    """Give tKd of the first copy and re of the mean of all, which hold the codes of the original.

    With a tree, whose leaves these codes are, also tKd-ML2.
    """
    # Terms that the original lacks have codes behind its own.
    item_count = max([len(original.domain), *(int(copy.items.max(initial=0)) + 1 for copy in copies)])
    losses = {"tkd": top_deviation(original.held, copies[0], item_count, top=top)}
    if tree is not None:
        losses["tkd_ml2"] = generalized_top_deviation(tree, original.held, copies[0], top=top)
    return Measured(losses) | _pair_errors(
        original, lambda terms: [pair_supports(copy, terms) for copy in copies], _RANKS
    )


def generalized_loss(original: Sets, published: SetArrays, tree: Hierarchy, top: int = TOP) -> Measured:
    """tKd-ML2 and re of sets of nodes."""
    losses = {"tkd_ml2": generalized_top_deviation(tree, original.held, published, top=top)}
    return Measured(losses) | _pair_errors(
        original, lambda terms: [generalized_pair_supports(tree, published, terms)], _RANKS
    )


def levels_loss(tree: Hierarchy, original: AnySets, node_of_occurrence: Items) -> Measured:
    """ML2, dML2 and tKd-ML2 of sets of leaves whose occurrences are published as nodes, or suppressed."""
    mined = affordable_mining_loss(tree, original, node_of_occurrence)
    losses = {"ml2": mined.ml2}
    if mined.dml2 is not None:
        losses["dml2"] = mined.dml2
    losses["tkd_ml2"] = node_top_deviation(tree, original, node_of_occurrence)
    if mined.longest is None:
        return Measured(losses)
    looked_at = "single items" if mined.longest == 1 else f"itemsets of up to {mined.longest} items"
    notice = f"ML2 and dML2 are about {looked_at}: too many longer ones are frequent to look for all of them"
    return Measured(losses, notices=(notice,))


def measure_chunks(
    original: Sets, published: Disassociated, k: int, tree: Hierarchy | None = None
) -> dict[str, float]:
    """Every measure of chunks by its name; measures that the data are too small for are left out.

    The codes of the original are leaves of the tree. The reconstruction is drawn with a seed of its own, so
    that the same chunks always measure the same.
    """
    of_chunks = chunks_loss(original, published, k)
    (copy,) = reconstructions(published, 1, np.random.default_rng(0))
    records = in_codes_of(original.domain, published, copy)
    losses = (of_chunks | records_loss(original, [records], tree)).losses
    losses["tlost"] = losses.pop("tlost")  # behind all that is about frequent itemsets
    return losses


def chunks_loss(original: Sets, published: Disassociated, k: int, top: int = TOP) -> Measured:
    """tKd-a, re-a and tlost: what the chunks tell by themselves."""
    codes = codes_in(original.domain, published)
    sets = recoded(certain_sets(published), codes)
    item_count = max(len(original.domain), int(codes.max(initial=-1)) + 1)
    supports = counts_of(original.narrow, item_count)
    losses = {
        "tkd_a": top_deviation(original.held, sets, item_count, top=top),
        "tlost": lost_terms(supports, published, codes, k),
    }
    ranks = {f"{name}_a": of for name, of in _RANKS.items()}
    return Measured(losses) | _pair_errors(original, lambda terms: [pair_supports(sets, terms)], ranks)


def _pair_errors(
    original: Sets, supports_of: Callable[[Ints], list[Floats]], ranks: Mapping[str, tuple[int, int]]
) -> Measured:
    measured = Measured()
    for name, (first, last) in ranks.items():
        terms = terms_of_ranks(original.held, len(original.domain), first, last)
        found = pair_error(pair_supports(original.held, terms), supports_of(terms))
        if found.error is None:
            measured.absent[name] = found.why_absent
        else:
            measured.losses[name] = found.error
    return measured


def in_codes_of(domain: Domain, published: Disassociated, copy: Sets) -> AnySets:
    """A possible original in the codes of the original."""
    return recoded(copy.held, codes_in(domain, published))
