"""A run whose rows are in this process: its search, and what is published of it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.algorithms.auto.candidates import automatic, globally_serving, named, serving
from shoal.algorithms.auto.trial import Trial
from shoal.algorithms.catalogue import make_algorithm, takes
from shoal.algorithms.interface import Algorithm, DrawsNoise
from shoal.algorithms.search import Search
from shoal.algorithms.within_levels import AsAsked, asks_for_levels, keeping_to_levels
from shoal.engine.answers import SizeCounts
from shoal.engine.local import LocalData
from shoal.errors import BadInput, CannotVerify, InvalidParameter, Problem
from shoal.explain.affected import affected_terms, affected_values
from shoal.explain.changes import change_of_chunks, change_of_new_records, column_changes
from shoal.explain.examples import examples
from shoal.explain.items import generalized_items
from shoal.kernels.arrays import Bools, Codes, Ints, narrowest
from shoal.metrics.catalogue import measure_by_column, measured
from shoal.metrics.flows import flows
from shoal.metrics.inference import telling_columns
from shoal.metrics.tasks.measure_task import measure_task, task_problems
from shoal.metrics.tasks.usefulness import Task, Usefulness
from shoal.privacy.model import Form, Model
from shoal.privacy.promise import Promise
from shoal.progress import Progress
from shoal.recoding.basis import Basis
from shoal.recoding.chunk_recoding import ChunkRecoding, Randoms, randoms_of_the_system, shuffled
from shoal.recoding.disassociated import Disassociated, chunk_figures
from shoal.recoding.recoding import Recoding, apply_recoding
from shoal.recoding.rows import RowRecoding
from shoal.recoding.synthetic import Synthetic, new_records
from shoal.report.clusters import drawn_clusters
from shoal.report.outcome import Changes, Outcome, People
from shoal.run.engine import Losses, Release
from shoal.run.label_leaves import leaves_by_label
from shoal.run.prepare import Data
from shoal.run.readers import readers_find
from shoal.run.result import Result
from shoal.table.columns import Coded, Column, Table
from shoal.table.pseudonyms import new_key, pseudonymize

_SORTED_AT_ONCE = 2**20  # rows


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """A recoding, and the random numbers with which the search went on from there."""

    recoding: Recoding
    rng: np.random.Generator

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user should know about the search."""
        return self.recoding.notices

    @property
    def figures(self) -> Mapping[str, Any]:
        """What the search did."""
        return self.recoding.figures


@dataclass(frozen=True, eq=False)
class InMemory:
    """Data that were read into memory."""

    data: Data

    @property
    def port(self) -> LocalData:
        """The original."""
        return self.data.local

    @property
    def notices(self) -> tuple[str, ...]:
        """What reading the data noticed, and pseudonyms that tie rows together."""
        return (*self.data.notices, *self._pseudonym_notices())

    @property
    def figures(self) -> dict[str, str]:
        """Nothing: this is where runs are made unless something else is said."""
        return {}

    def problems(self, promise: Promise, search: Search) -> list[Problem]:  # noqa: ARG002
        """Pseudonyms that would undo the promise."""
        if promise.form is Form.NEW_RECORDS:
            what = "new records are nobody's, so there is nobody for whom a pseudonym could stand"
            remedy = "publish without it (pseudonym = false)"
            return [Problem(what, remedy, column=name) for name in self.data.identifiers]
        if self.data.subject not in self.data.identifiers or not self.port.quasi_sets:
            return []
        what = (
            "a pseudonym of the subject ties a person's records together, which no promise about sets allows"
        )
        remedy = "publish without it (pseudonym = false)"
        return [Problem(what, remedy, column=self.data.subject)]

    def algorithm_for(self, search: Search, promise: Promise) -> tuple[Algorithm, tuple[str, ...]]:
        """The algorithm that shall search; what suits these data is tried if nobody named it."""
        return algorithm_for(search, promise, self.port)

    def search(self, algorithm: Algorithm, promise: Promise, search: Search, progress: Progress) -> Decided:
        """Decide how the records are published."""
        progress.stage(f"searching with {algorithm.name}")
        rng = np.random.default_rng(search.seed if search.seed is not None else secrets.randbits(128))
        find = algorithm.find
        if search.reproducible and isinstance(algorithm, DrawsNoise):
            find = algorithm.find_repeatably
        return Decided(find(self.port, promise, rng, progress), rng)

    def publish(self, found: Decided, promise: Promise, search: Search) -> Release:
        """Apply what was decided, in an order from the operating system."""
        recoding = found.recoding
        if isinstance(recoding, ChunkRecoding):
            return self._publish_clusters(recoding, promise, _randoms(search, found.rng))
        if isinstance(recoding, Synthetic):
            return self._publish_new_records(recoding, promise, search, found.rng)
        return self._publish_rows(recoding, promise, search, found.rng)

    def cost(self, found: Decided, released: Release, promise: Promise) -> Losses:
        """What the release cost by every measure."""
        recoding = found.recoding
        cost = measured(self.port, recoding, promise.k)
        absent = tuple(f"{name} is absent: {why}" for name, why in cost.absent.items())
        if not isinstance(recoding, RowRecoding):
            return Losses(cost.losses, notices=(*absent, *cost.notices))
        telling = telling_columns(self.port, released.content, released.original_rows)
        notices = (*absent, *cost.notices, *(each.in_words() for each in telling))
        return Losses(cost.losses, measure_by_column(self.port, recoding), notices)

    def class_sizes(self) -> SizeCounts:
        """The classes that the original records form on all quasi-identifiers."""
        return self.port.size_counts()

    def changes(self, found: Decided, released: Release, promise: Promise) -> Changes:
        """What became of every column, with reasons and examples."""
        recoding, columns = found.recoding, tuple(self.data.original.columns)
        if isinstance(recoding, ChunkRecoding):
            content: Disassociated = released.content
            return Changes(
                columns=columns,
                by_column=(change_of_chunks(self.port, recoding.column, content),),
                affected=affected_terms(self.port, recoding.column, content),
                chunks=chunk_figures(content),
                drawn=drawn_clusters(content),
                cluster_sizes=content.clusters.sizes[content.clusters.simple],
            )
        if isinstance(recoding, Synthetic):
            change = change_of_new_records(self.port, recoding.column, released.content)
            return Changes(columns=columns, by_column=(change,))
        table, rows = released.content, released.original_rows
        of_columns = flows(self.port, recoding)
        return Changes(
            columns=columns,
            examples=examples(self.data.original, table, rows),
            by_column=column_changes(self.port, recoding, of_columns, table),
            generalized_items=generalized_items(self.port, promise, recoding),
            affected=affected_values(self.port, promise, recoding, of_columns, table, original_rows=rows),
        )

    def task_problems(self, task: Task, promise: Promise) -> list[Problem]:
        """Releases without rows, and targets that no model predicts."""
        if promise.form is not Form.ROWS:
            what = f"models are trained on records, and {promise.main.name} publishes none of the original"
            return [Problem(what, "leave the target out")]
        return task_problems(task, self.port)

    def usefulness(self, task: Task, released: Release, progress: Progress) -> Usefulness:
        """Models trained on the release and tested on the original, and relations before and after."""
        return measure_task(task, self.port, released.content, released.original_rows, progress)

    def result(self, outcome: Outcome, found: Decided, released: Release) -> Result:
        """What a caller gets."""
        return Result(
            outcome=outcome,
            released=released.content,
            data=self.data,
            recoding=replace(found.recoding, basis=Basis(self.port.trees, outcome.claim.promise.stated)),
            pseudonym_key=released.pseudonym_key,
        )

    def fewest_stars(self, promise: Promise) -> int:
        """How many suppressed records it takes to publish them as rows of `*`; fewer are left out."""
        return promise.fewest_stars

    def _publish_rows(
        self, recoding: RowRecoding, promise: Promise, search: Search, rng: np.random.Generator
    ) -> Release:
        data = self.port
        applied = apply_recoding(
            data.table,
            data.trees,
            data.roles,
            recoding,
            smallest=self.fewest_stars(promise),
            people=data.subjects,
            order=lambda count: order_of_publication(count, search, rng),
        )
        key = new_key() if self.data.identifiers else None
        rows = applied.rows
        table = self._with_pseudonyms(applied.table, rows, applied.stars, key)
        port = LocalData(
            table,
            data.roles,
            subjects=None if data.subjects is None else data.subjects[rows],
            leaves_of_label=leaves_by_label(data.trees),
        )
        return Release(
            content=table,
            port=port,
            columns=tuple(table.columns),
            sensitive=data.sensitive,
            published_records=table.row_count,
            suppressed_records=data.row_count - int(np.count_nonzero(~applied.stars)),
            class_sizes=port.size_counts(),
            held=port.held,
            people=_people(port),
            original_rows=rows,
            pseudonym_key=key,
        )

    def _publish_clusters(self, recoding: ChunkRecoding, promise: Promise, randoms: Randoms) -> Release:
        clusters = shuffled(recoding.clusters, randoms)
        held = clusters.terms_held(clusters.sensitive)
        return Release(
            content=clusters,
            port=clusters,
            columns=(recoding.column,),
            sensitive=tuple(term for term in clusters.sensitive if term in held),
            published_records=clusters.record_count,
            suppressed_records=self.port.row_count - clusters.record_count,
            class_sizes=SizeCounts.none(),
            held=lambda _, labels: clusters.terms_held(labels),
            attacks=readers_find(clusters, promise),
        )

    def _publish_new_records(
        self, recoding: Synthetic, promise: Promise, search: Search, rng: np.random.Generator
    ) -> Release:
        if promise.form is not Form.NEW_RECORDS:
            raise CannotVerify(f"new records keep differential privacy, not {promise}")
        table = new_records(recoding, self.port.table.sets(recoding.column))
        table = table.take(order_of_publication(table.row_count, search, rng))
        port = LocalData(table, self.port.roles)
        return Release(
            content=table,
            port=port,
            columns=tuple(table.columns),
            sensitive=(),
            published_records=table.row_count,
            suppressed_records=0,
            class_sizes=port.size_counts(),
            held=port.held,
        )

    def _with_pseudonyms(self, released: Table, rows: Codes, stars: Bools, key: bytes | None) -> Table:
        """The release with pseudonyms in the places of the identifiers that shall keep one.

        A suppressed record has none: it would tie the record to others of the same person.
        """
        if key is None:
            return released
        columns: dict[str, Column] = {}
        for name in self.data.loaded.table.columns:
            if name in self.data.identifiers:
                pseudonyms = pseudonymize(self.data.identifiers[name], key)
                codes = np.where(stars, pseudonyms.domain.missing, pseudonyms.codes[rows])
                columns[name] = Coded.of(codes, pseudonyms.domain)
            elif name in released.columns:
                columns[name] = released.columns[name]
        return Table.of(columns, released.row_count)

    def _pseudonym_notices(self) -> list[str]:
        """Pseudonyms that tie rows together, so that more can be known of a person than one row."""
        repeated = [
            name
            for name, column in self.data.identifiers.items()
            if (np.bincount(column.codes, minlength=len(column.domain))[: len(column.domain)] > 1).any()
        ]
        return [
            f"the pseudonym of {name!r} ties several rows of a person together: the promise holds for each"
            " row, not for all rows of a person at once"
            for name in repeated
        ]


def algorithm_for(
    search: Search, models: Sequence[Model], data: LocalData | None = None
) -> tuple[Algorithm, tuple[str, ...]]:
    """The algorithm that shall search, with its options; if nobody named it a trial of several, or a notice.

    Without data the choice is not final, but what cannot be searched for at all is refused.
    """
    notices: tuple[str, ...] = ()
    algorithm = _searching(search, models, data)
    if search.algorithm == "auto" and not isinstance(algorithm, Trial):
        notices = (f"auto took {algorithm.name}, the only one that suits these data and this promise",)
    if isinstance(algorithm, DrawsNoise) and search.seed is not None and not search.reproducible:
        must_be = "left out: whoever knew it could take away the noise that protects"
        raise InvalidParameter(algorithm.name, "seed", search.seed, must_be)
    chosen_globally = search.recoding == "global" and search.algorithm == "auto"
    if data is not None and (chosen_globally or asks_for_levels(data.roles)):
        algorithm = AsAsked(algorithm, _searching(replace(search, recoding="any"), models, data))
    return algorithm, notices


def _searching(search: Search, models: Sequence[Model], data: LocalData | None) -> Algorithm:
    """The algorithm itself, or the trial of several."""
    among = globally_serving(models) if search.recoding == "global" else None
    if search.algorithm == "auto":
        if data is not None and asks_for_levels(data.roles):
            among = keeping_to_levels(serving(models) if among is None else among, data.roles)
        return automatic(models, search.options, search.limits, data, among)
    name, options = named(search.algorithm, models), dict(search.options)
    if among is not None and name not in among:
        what = f"one label per value was asked for, and {name} may publish a value in several ways"
        raise BadInput(Problem(what, f"use one of {', '.join(among)}"))
    if search.limits.memory is not None and takes(name, "memory_limit"):
        options["memory_limit"] = search.limits.memory
    if takes(name, "on_limit"):
        options["on_limit"] = search.limits.on_limit
    return make_algorithm(name, options)


def order_of_publication(count: int, search: Search, rng: np.random.Generator) -> Codes:
    """The order of the published rows: from the operating system, so that no seed can undo it."""
    if search.keep_order:
        return np.arange(count, dtype=np.int64)
    if search.reproducible:
        return rng.permutation(count)
    if count <= _SORTED_AT_ONCE:
        return _drawn_order(count)
    bits = (count // _SORTED_AT_ONCE).bit_length()
    heads = np.frombuffer(os.urandom(2 * count), dtype=np.uint16) >> (16 - bits)
    order, end = np.empty(count, dtype=narrowest(count)), 0
    for head in range(2**bits):  # what is drawn first orders first, and few have the same
        some = np.flatnonzero(heads == head)
        order[end : end + len(some)] = some[_drawn_order(len(some))]
        end += len(some)
    return order


def _drawn_order(count: int) -> Ints:
    keys = np.frombuffer(os.urandom(16 * count), dtype=np.uint64).reshape(2, count)
    return np.lexsort(keys).astype(np.int64, copy=False)


def _randoms(search: Search, rng: np.random.Generator) -> Randoms:
    """Order protects, so it comes from the operating system unless a test asks otherwise."""
    if not search.reproducible:
        return randoms_of_the_system

    def repeatable(count: int) -> Ints:
        return rng.integers(2**63 - 1, size=count, dtype=np.int64)

    return repeatable


def _people(published: LocalData) -> People | None:
    if published.subjects is None:
        return None
    per_class = published.people_per_class(published.alike())
    smallest = int(per_class.min()) if len(per_class) else 0
    return People(subjects=published.people_count(), smallest=smallest)
