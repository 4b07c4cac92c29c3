"""The second half of a run whose records are published in pieces."""

from __future__ import annotations

import numpy as np

from shoal.engine.memory import peak_memory_mb
from shoal.explain.affected import affected_terms
from shoal.explain.changes import change_of_pieces
from shoal.kernels.arrays import Ints, frozen_ints
from shoal.metrics.catalogue import measure
from shoal.progress import Progress
from shoal.recoding.pieces import Pieces, Randoms, randoms_of_the_system, shuffled
from shoal.report.certified import published_roles
from shoal.report.clusters import drawn_clusters, pieces_in_figures
from shoal.report.outcome import Outcome, Promise
from shoal.run.found import Found, refuse_broken
from shoal.run.publication import readers_find
from shoal.run.result import Result


def release_pieces(found: Found, pieces: Pieces, progress: Progress) -> Result:
    """Put the pieces into random order, verify, measure."""
    progress.stage("putting the pieces into random order")
    released = shuffled(pieces.clusters, _randoms(found))
    progress.stage("verifying")
    verdicts = tuple(model.verify(released) for model in found.models)
    refuse_broken(verdicts)
    progress.stage("measuring")
    attacks = readers_find(released, found.models)
    outcome = Outcome(
        model=found.models[0].name,
        algorithm=found.algorithm,
        verdicts=verdicts,
        quasi=found.data.local.quasi_sets,
        sensitive=released.sensitive,
        roles=published_roles(
            found.data.local.quasi_sets,
            found.data.local.roles,
            dict.fromkeys(found.data.local.quasi_sets, released.terms.texts()),
        ),
        records=found.data.row_count,
        published_records=released.record_count,
        suppressed_records=found.data.row_count - released.record_count,
        losses=measure(found.data.local, pieces, found.k),
        column_losses={},
        class_sizes_before=found.data.local.alike().sizes,
        class_sizes_after=frozen_ints([]),
        columns=tuple(found.data.original.columns),
        examples=(),
        seconds=found.seconds(),
        peak_memory_mb=peak_memory_mb(),
        publishable=not found.search.reproducible,
        notices=found.notices,
        policy=found.policy_text,
        promises=tuple(map(Promise.of, found.models)),
        figures=pieces.figures,
        changes=(change_of_pieces(found.data.local, pieces.column, released),),
        affected=affected_terms(found.data.local, pieces.column, released),
        pieces=pieces_in_figures(released),
        clusters=drawn_clusters(released),
        cluster_sizes=released.clusters.sizes[released.clusters.simple],
        attacks=attacks.words,
        attack_figures=attacks.figures,
    )
    return Result(outcome=outcome, released=released, data=found.data, models=found.models, recoding=pieces)


def _randoms(found: Found) -> Randoms:
    """Order protects here, so it comes from the operating system unless a test asks otherwise."""
    if not found.search.reproducible:
        return randoms_of_the_system

    def repeatable(count: int) -> Ints:
        return found.rng.integers(2**63 - 1, size=count, dtype=np.int64)

    return repeatable
