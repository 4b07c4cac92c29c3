"""Every problem at once before a run, and what the run will cost."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.algorithms.auto import choose
from shoal.algorithms.catalogue import make_algorithm
from shoal.algorithms.interface import Algorithm
from shoal.engine.local import LocalData
from shoal.errors import BadInput, Infeasible
from shoal.privacy.check import require_feasible
from shoal.privacy.verdict import Model
from shoal.progress import Progress, Silent
from shoal.run.plan import Plan
from shoal.run.prepare import read, release_problems, unprotected_notices
from shoal.run.runner import peak_memory_mb

TRIED = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A plan without problems, and an estimate of its cost; no seconds where nothing could be tried."""

    records: int
    columns: tuple[str, ...]
    algorithm: str
    seconds: float | None
    memory_mb: float
    notices: tuple[str, ...]


def check(plan: Plan, progress: Progress) -> Checked:
    """Do everything of a run but the search; BadInput or Infeasible say what stands in its way."""
    progress.stage("reading")
    started = time.perf_counter()
    data = read(plan.data_path, plan.roles, options=plan.read_options, subject=plan.subject)
    read_seconds = time.perf_counter() - started
    if problems := release_problems(data, plan.models):
        raise BadInput(*problems)
    require_feasible(plan.models, data.local)
    choice = choose(plan.search.algorithm, plan.models)
    algorithm = make_algorithm(choice.name, plan.search.options)
    progress.stage("trying the search on a part of the records")
    search_seconds = _search_seconds(algorithm, data.local, plan.models)
    columns = (*data.local.quasi, *data.local.quasi_sets)
    return Checked(
        records=data.row_count,
        columns=columns,
        algorithm=choice.name,
        seconds=None if search_seconds is None else round(read_seconds + search_seconds, 2),
        memory_mb=round(peak_memory_mb() + _search_bytes(data.row_count, len(columns)) / 1e6),
        notices=(*data.notices, *choice.notices, *unprotected_notices(data, plan.models)),
    )


def _search_seconds(algorithm: Algorithm, data: LocalData, models: Sequence[Model]) -> float | None:
    """Time a search over some of the records, and scale it as n log n."""
    count = data.row_count
    tried = min(count, TRIED)
    rows = np.linspace(0, count - 1, tried).astype(np.int64)
    subjects = None if data.subjects is None else data.subjects[rows]
    part = replace(data, table=data.table.take(rows), subjects=subjects)
    started = time.perf_counter()
    try:
        algorithm.find(part, models, np.random.default_rng(0), Silent())
    except Infeasible:
        return None  # a part of the records can be too small or too uniform where the whole is not
    return (time.perf_counter() - started) * (count * math.log(count + 1)) / (tried * math.log(tried + 1))


def _search_bytes(records: int, columns: int) -> int:
    return 8 * records * (2 * columns + 8)
