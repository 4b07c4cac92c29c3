"""One run from start to end, readable top to bottom."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Sequence

import numpy as np

from shoal.algorithms.auto import Affordable, choose
from shoal.algorithms.catalogue import make_algorithm, takes
from shoal.algorithms.interface import Algorithm, DrawsNoise
from shoal.engine.local import LocalData
from shoal.engine.memory import bytes_in_use, peak_memory_mb
from shoal.errors import BadInput, InvalidParameter, LimitReached, Problem
from shoal.explain.affected import affected_values
from shoal.explain.changes import column_changes
from shoal.explain.examples import examples
from shoal.explain.items import generalized_items
from shoal.kernels.arrays import Bools, Ints
from shoal.metrics.catalogue import measure, measure_by_column
from shoal.metrics.flows import flows
from shoal.metrics.inference import telling_columns
from shoal.policy.plan import KEEPS_ORDER, Limits, Plan, Search
from shoal.privacy.check import verify_all
from shoal.privacy.disassociation import Disassociation
from shoal.privacy.verdict import Model
from shoal.progress import Progress, Silent
from shoal.recoding.decision import OfRows, apply_recoding
from shoal.recoding.pieces import Pieces
from shoal.recoding.synthetic import Synthetic
from shoal.report.certified import published_roles
from shoal.report.outcome import Outcome, People, Promise
from shoal.run.found import Found, refuse_broken
from shoal.run.label_leaves import leaves_by_label
from shoal.run.new_records import release_new_records
from shoal.run.order import order_of_publication
from shoal.run.pieces import release_pieces
from shoal.run.prepare import Data, pseudonym_notices, read, release_problems, unprotected_notices
from shoal.run.result import Result
from shoal.table.columns import Coded, Column, Table
from shoal.table.pseudonyms import new_key, pseudonymize


def run(plan: Plan, progress: Progress | None = None) -> Result:
    """Read the data of a plan and anonymize them."""
    progress = progress or Silent()
    started = time.perf_counter()
    algorithm_for(plan.search, plan.models)  # what cannot be searched for need not be read
    progress.stage("reading")
    data = read(plan.data_path, plan.roles, options=plan.read_options, subject=plan.subject)
    return release(data, plan.models, plan.search, progress, started=started, policy_text=plan.policy_text)


def release(
    data: Data,
    models: Sequence[Model],
    search: Search,
    progress: Progress,
    *,
    started: float,
    policy_text: str = "",
) -> Result:
    """Search, apply, verify, measure: the steps of every run."""
    problems = release_problems(data, models)
    if search.keep_order and any(isinstance(model, Disassociation) for model in models):
        problems.append(Problem(KEEPS_ORDER, "leave keep_order out"))
    if problems:
        raise BadInput(*problems)
    algorithm, choice_notices = algorithm_for(search, models, data.local)
    rng = np.random.default_rng(search.seed if search.seed is not None else secrets.randbits(128))

    progress.stage(f"searching with {algorithm.name}")
    search_started = time.perf_counter()
    find = algorithm.find
    if search.reproducible and isinstance(algorithm, DrawsNoise):
        find = algorithm.find_repeatably
    recoding = find(data.local, models, rng, WithinLimits(progress, search.limits))
    found = Found(
        data=data,
        models=tuple(models),
        search=search,
        rng=rng,
        algorithm=algorithm.name,
        notices=(
            *data.notices,
            *choice_notices,
            *recoding.notices,
            *unprotected_notices(data, models),
            *pseudonym_notices(data),
        ),
        policy_text=policy_text,
        started=started,
        search_seconds=time.perf_counter() - search_started,
    )
    if isinstance(recoding, Pieces):
        return release_pieces(found, recoding, progress)
    if isinstance(recoding, Synthetic):
        return release_new_records(found, recoding, progress)
    return _release_table(found, recoding, progress)


def _release_table(found: Found, recoding: OfRows, progress: Progress) -> Result:
    """Apply what was decided, verify, measure."""
    data, models, search = found.data, found.models, found.search
    progress.stage("applying")
    applied = apply_recoding(
        data.local.table,
        data.local.trees,
        data.local.roles,
        recoding,
        smallest=_fewest_stars(found),
        people=data.local.subjects,
    )
    key = new_key() if data.identifiers else None
    order = order_of_publication(applied.table.row_count, search, found.rng)
    original_rows = applied.rows[order]
    released = _with_pseudonyms(applied.table.take(order), data, original_rows, applied.stars[order], key)

    progress.stage("verifying")
    subjects = None if data.local.subjects is None else data.local.subjects[original_rows]
    published = LocalData(
        released, data.local.roles, subjects=subjects, leaves_of_label=leaves_by_label(data.local.trees)
    )
    verdicts = tuple(verify_all(models, published))
    refuse_broken(verdicts)

    progress.stage("measuring")
    of_columns = flows(data.local, recoding)
    outcome = Outcome(
        model=models[0].name,
        algorithm=found.algorithm,
        verdicts=verdicts,
        quasi=(*data.local.quasi, *data.local.quasi_sets),
        sensitive=data.local.sensitive,
        roles=published_roles(released.columns, data.local.roles, _set_labels(published)),
        records=data.row_count,
        published_records=released.row_count,
        suppressed_records=data.row_count - int(np.count_nonzero(~applied.stars)),
        losses=measure(data.local, recoding, found.k),
        column_losses=measure_by_column(data.local, recoding),
        class_sizes_before=data.local.alike().sizes,
        class_sizes_after=published.alike().sizes,
        columns=tuple(data.original.columns),
        examples=examples(data.original, released, original_rows),
        publishable=not (search.keep_order or search.reproducible),
        people=_people(published),
        notices=(
            *found.notices,
            *(telling.in_words() for telling in telling_columns(data.local, released, original_rows)),
        ),
        policy=found.policy_text,
        promises=tuple(map(Promise.of, models)),
        generalized_items=generalized_items(data.local, models, recoding),
        changes=column_changes(data.local, recoding, of_columns, released),
        affected=affected_values(
            data.local, models, recoding, of_columns, released, original_rows=original_rows
        ),
        figures=getattr(recoding, "figures", {}),
        seconds=found.seconds(),
        peak_memory_mb=peak_memory_mb(),
    )
    return Result(
        outcome=outcome,
        released=released,
        data=data,
        models=models,
        recoding=recoding,
        pseudonym_key=key,
    )


def algorithm_for(
    search: Search, models: Sequence[Model], data: LocalData | None = None
) -> tuple[Algorithm, tuple[str, ...]]:
    """The algorithm that shall search, with its options, and why it was chosen if nobody named it.

    Without data the choice is not final, but what cannot be searched for at all is refused.
    """
    choice = choose(
        search.algorithm,
        models,
        options=search.options,
        data=data,
        affordable=Affordable(search.limits.time, search.limits.memory),
    )
    options = {**choice.options, **search.options}
    if search.limits.memory is not None and takes(choice.name, "memory_limit"):
        options["memory_limit"] = search.limits.memory
    if takes(choice.name, "on_limit"):
        options["on_limit"] = search.limits.on_limit
    algorithm = make_algorithm(choice.name, options)
    if isinstance(algorithm, DrawsNoise) and search.seed is not None and not search.reproducible:
        must_be = "left out: whoever knew it could take away the noise that protects"
        raise InvalidParameter(choice.name, "seed", search.seed, must_be)
    return algorithm, choice.notices


class WithinLimits:
    """Progress that also keeps the limits of a run, whose time began now or so many seconds ago."""

    def __init__(self, inner: Progress, limits: Limits, *, seconds_gone: float = 0.0) -> None:
        self._inner, self._limits = inner, limits
        self._started = time.monotonic() - seconds_gone

    def stage(self, name: str) -> None:
        """Name the part of the work that begins now."""
        self._inner.stage(name)

    def update(self, done: float, total: float | None = None, note: str = "") -> None:
        """Pass on how far the work is, and stop it at a limit when nothing less was asked for."""
        self._inner.update(done, total, note)
        if self._limits.on_limit == "stop" and (limit := self._reached()):
            raise LimitReached(
                f'the {limit} was reached before the search ended; raise it, or set on_limit = "best" to go'
                " on with what was found"
            )

    def expired(self, share: float = 1.0) -> bool:
        """Whether the search, or a part of it that may take that share of the time, should end."""
        return self._inner.expired(share) or (self._limits.on_limit == "best" and bool(self._reached(share)))

    def _reached(self, share: float = 1.0) -> str:
        """The limit that was reached, in words; empty if there is none."""
        limits = self._limits
        if limits.time is not None and time.monotonic() > self._started + share * limits.time:
            return f"time_limit of {limits.time:g} s"
        if limits.memory is not None and bytes_in_use() > limits.memory:
            return f"memory_limit of {limits.memory / 1e6:g} MB"
        return ""


def _fewest_stars(found: Found) -> int:
    """From how many people on suppressed records are published as rows of `*`, which hide among themselves.

    Their sensitive values are `*`, too, which is not diverse: where diversity is promised they are left out.
    """
    return sys.maxsize if any(hasattr(model, "requirement") for model in found.models) else found.k


def _with_pseudonyms(
    released: Table, data: Data, original_rows: Ints, stars: Bools, key: bytes | None
) -> Table:
    """The release with pseudonyms in the places of the identifiers that shall keep one.

    A suppressed record has none: it would tie the record to others of the same person.
    """
    if key is None:
        return released
    columns: dict[str, Column] = {}
    for name in data.loaded.table.columns:
        if name in data.identifiers:
            pseudonyms = pseudonymize(data.identifiers[name], key)
            codes = np.where(stars, pseudonyms.domain.missing, pseudonyms.codes[original_rows])
            columns[name] = Coded.of(codes, pseudonyms.domain)
        elif name in released.columns:
            columns[name] = released.columns[name]
    return Table.of(columns, released.row_count)


def _set_labels(published: LocalData) -> dict[str, list[str]]:
    return {name: published.table.sets(name).domain.texts() for name in published.quasi_sets}


def _people(published: LocalData) -> People | None:
    if published.subjects is None:
        return None
    per_class = published.people_per_class(published.alike())
    smallest = int(per_class.min()) if len(per_class) else 0
    return People(subjects=len(np.unique(published.subjects)), smallest=smallest)
