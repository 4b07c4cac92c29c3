"""An earlier recoding as if a search had found it for the data at hand."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.algorithms.interface import Algorithm
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Infeasible, Problem
from shoal.kernels.arrays import Bools
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.progress import Progress
from shoal.recoding.chunk_recoding import ChunkRecoding
from shoal.recoding.cuts import Cuts
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.recoding.reapplied_cuts import ReappliedCuts, reapplied
from shoal.recoding.recoding import apply_recoding
from shoal.recoding.regions import Assigned, assign, in_use, regions_of
from shoal.recoding.rows import RowRecoding
from shoal.recoding.saved_recoding import SavedRecoding

_ON_ITS_OWN = "anonymize the new file on its own with shoal run"


@dataclass(frozen=True, slots=True, eq=False)
class Reapplied(Algorithm):
    """Puts records into the regions of an earlier recoding, and leaves out those that break the promise.

    A record goes into the region that covers it and loses least, of those that at least k records go into.
    """

    name: ClassVar[str] = "an earlier recoding"
    serves: ClassVar[tuple[type[Model], ...]] = (Model,)
    paper: ClassVar[str] = ""
    guarantee: ClassVar[str] = "what the models verify"

    saved: SavedRecoding

    def __post_init__(self) -> None:
        """It has no parameters to check."""

    def find(
        self,
        data: LocalData,
        models: Sequence[Model],
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
        progress: Progress,
    ) -> RowRecoding:
        """The earlier recoding for these records; BadInput if it is none for such data."""
        recoding = _of_rows(self.saved)
        if problems := list(_other_columns(recoding, data)):
            raise BadInput(*problems)
        items = tuple(
            reapplied(cuts, self.saved.trees.get(cuts.column), data.table, data.trees)
            for cuts in recoding.all_cuts
        )
        promise = Promise.of(models)
        found = _assigned(self.saved, recoding, data, items, promise.k)
        fits = _covered(self.saved, recoding, data, items)
        kept = _kept(data, promise, found, items, progress)
        notices, figures = _told(kept, fits, items)
        return replace(_recoding(found, items, kept), notices=notices, figures=figures)


def _of_rows(saved: SavedRecoding) -> RowRecoding:
    recoding = saved.recoding
    if isinstance(recoding, RowRecoding):
        if all(isinstance(each, Cuts) for each in recoding.items):
            return recoding
        what = "the recoding decides about each single occurrence of an item, which no new record has"
        raise BadInput(
            Problem(what, f"{_ON_ITS_OWN}, or decide with an algorithm that cuts the hierarchy, such as aa")
        )
    kind = "takes its own records apart" if isinstance(recoding, ChunkRecoding) else "made new records"
    raise BadInput(Problem(f"the recoding {kind}, so it says nothing about others", _ON_ITS_OWN))


def _other_columns(recoding: RowRecoding, data: LocalData) -> Iterator[Problem]:
    """Quasi-identifiers about which nothing was decided, or which are not there."""
    clusters = recoding.clusters or GeneralizedClusters(np.empty(0, dtype=np.int64))
    decided = {
        "single values": {*clusters.nodes, *clusters.ranges},
        "sets": {each.column for each in recoding.items},
    }
    there = {"single values": {*data.quasi}, "sets": {*data.quasi_sets}}
    remedy = "use the columns, roles and kinds that the recoding was decided for"
    for kind, columns in decided.items():
        for name in sorted(columns - there[kind]):
            yield Problem(f"the recoding has it as a quasi-identifier with {kind}", remedy, column=name)
        for name in sorted(there[kind] - columns):
            what = f"is a quasi-identifier with {kind}, and the recoding says nothing about it"
            yield Problem(what, remedy, column=name)
    for name in clusters.nodes:
        if name in data.quasi and name not in data.trees:
            yield Problem("has no hierarchy, and the recoding was decided with one", remedy, column=name)
    for name in clusters.ranges:
        if name in data.trees:
            yield Problem("has a hierarchy, and the recoding was decided without one", remedy, column=name)


def _assigned(
    saved: SavedRecoding, recoding: RowRecoding, data: LocalData, items: tuple[ReappliedCuts, ...], least: int
) -> Assigned:
    if recoding.clusters is None or not (recoding.clusters.nodes or recoding.clusters.ranges):
        return Assigned(None, np.stack([cuts.cheapest() for cuts in items], axis=1))
    regions = regions_of(recoding, saved.trees, data.table, data.trees)
    ordered = regions.cheapest_first(tuple(cuts.costs() for cuts in items), data.weights())
    return assign(data.table, data.trees, ordered, least)


def _covered(
    saved: SavedRecoding, recoding: RowRecoding, data: LocalData, items: tuple[ReappliedCuts, ...]
) -> Bools:
    """Records that some region covers, however few go into it."""
    return _assigned(saved, recoding, data, items, 1).fits


def _kept(
    data: LocalData, promise: Promise, found: Assigned, items: tuple[ReappliedCuts, ...], progress: Progress
) -> Bools:
    """Records that are published: what breaks a promise goes, again and again, because others rely on it."""
    kept = found.fits
    while kept.any():
        applied = apply_recoding(
            data.table, data.trees, data.roles, _recoding(found, items, kept), smallest=sys.maxsize
        )
        subjects = None if data.subjects is None else data.subjects[applied.rows]
        released = LocalData(applied.table, data.roles, subjects=subjects)
        out = np.logical_or.reduce([model.rows_to_leave_out(released) for model in promise])
        if not out.any():
            return kept
        kept[applied.rows[out]] = False
        progress.update(int(np.count_nonzero(kept)), data.row_count)
    raise Infeasible(
        f"none of the {data.row_count:,} records can be published by the earlier recoding: they fit none of"
        f" its regions, or stand with too few others; {_ON_ITS_OWN}",
        records=data.row_count,
    )


def _recoding(found: Assigned, items: tuple[ReappliedCuts, ...], kept: Bools) -> RowRecoding:
    clusters = None if found.clusters is None else in_use(found.clusters, kept)
    return RowRecoding(
        clusters,
        tuple(
            cuts.cuts(part_of_row, kept, withholding=clusters is None)
            for cuts, part_of_row in zip(items, found.part_of_row.T, strict=True)
        ),
    )


def _told(
    kept: Bools, fits: Bools, items: tuple[ReappliedCuts, ...]
) -> tuple[tuple[str, ...], dict[str, int]]:
    """What the user should know about records and items that the earlier recoding does not serve."""
    out, unfit = int(np.count_nonzero(~kept)), int(np.count_nonzero(~fits))
    figures = {"left_out": out, "fit_no_region": unfit, "with_too_few": out - unfit}
    notices = []
    if out:
        notices.append(
            f"{out:,} of {len(kept):,} records ({out / len(kept):.1%}) could not be published by the earlier"
            f" recoding: {unfit:,} fit none of its regions, {out - unfit:,} would have stood with too few"
            " others"
        )
    for cuts in items:
        vanished = _vanished(cuts)
        figures[f"unknown_items in {cuts.column}"] = vanished
        if vanished:
            what = f"{vanished:,} items that the earlier recoding does not cover vanish from their sets"
            notices.append(f"column {cuts.column!r}: {what}")
    return tuple(notices), figures


def _vanished(cuts: ReappliedCuts) -> int:
    nowhere = np.all(cuts.node_of_leaf < 0, axis=0)
    return int(np.count_nonzero(nowhere[cuts.sets.narrow]))
