"""The second half of a run whose records are published in pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.attack.disassociation import covers, known_users
from shoal.kernels.arrays import Ints, frozen_ints
from shoal.metrics.catalogue import measure
from shoal.privacy.disassociation import Disassociation
from shoal.privacy.verdict import Model
from shoal.progress import Progress
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.pieces import Pieces, Randoms, randoms_of_the_system, shuffled
from shoal.report.outcome import Outcome, Promise
from shoal.run.found import Found, refuse_broken
from shoal.run.memory import peak_memory_mb
from shoal.run.result import Result

_KNOWN_USERS = 1  # in each cluster


def release_pieces(found: Found, pieces: Pieces, progress: Progress) -> Result:
    """Put the pieces into random order, verify, measure."""
    progress.stage("putting the pieces into random order")
    released = shuffled(pieces.clusters, _randoms(found))
    progress.stage("verifying")
    verdicts = tuple(model.verify(released) for model in found.models)
    refuse_broken(verdicts)
    progress.stage("measuring")
    attacks = _attacked(released, found.models)
    outcome = Outcome(
        model=found.models[0].name,
        algorithm=found.algorithm,
        verdicts=verdicts,
        quasi=found.data.local.quasi_sets,
        sensitive=released.sensitive,
        records=found.data.row_count,
        published_records=released.record_count,
        suppressed_records=found.data.row_count - released.record_count,
        losses=measure(found.data.local, pieces, found.k),
        column_losses={},
        class_sizes_before=frozen_ints([]),
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
        pieces=pieces_in_figures(released),
        attacks=attacks.words,
        attack_figures=attacks.figures,
    )
    return Result(outcome=outcome, released=released, data=found.data, models=found.models, recoding=pieces)


class _Attacked(NamedTuple):
    words: tuple[str, ...]
    figures: dict[str, dict[str, int]]


def _attacked(released: Disassociated, models: Sequence[Model]) -> _Attacked:
    """What readers find who know the algorithm, or the record of one user in each cluster."""
    (model,) = (model for model in models if isinstance(model, Disassociation))
    covered, known = covers(released, model.k, model.m), known_users(released, model.k, model.m)
    return _Attacked(
        (covered.in_words(), known.in_words(_KNOWN_USERS)),
        {"cover_problem": covered.figures(), "known_users": known.figures(_KNOWN_USERS)},
    )


def _randoms(found: Found) -> Randoms:
    """Order protects here, so it comes from the operating system unless a test asks otherwise."""
    if not found.search.reproducible:
        return randoms_of_the_system

    def repeatable(count: int) -> Ints:
        return found.rng.integers(2**63 - 1, size=count, dtype=np.int64)

    return repeatable


def pieces_in_figures(released: Disassociated) -> dict[str, int]:
    """How many pieces of which kind a publication has; anyone can count them in the file."""
    simple = released.clusters.simple
    in_record_chunk = simple[released.chunk_clusters]
    sizes = released.clusters.sizes[simple]
    return {
        "clusters": int(simple.sum()),
        "joint clusters": int((~simple).sum()),
        "records in the smallest cluster": int(sizes.min()),
        "records in the largest cluster": int(sizes.max()),
        "record chunks": int(in_record_chunk.sum()),
        "shared chunks": int((~in_record_chunk).sum()),
        "terms in chunks, counted in each subrecord": len(released.subrecords.items),
        "terms in term chunks": len(released.term_chunks.items),
    }
