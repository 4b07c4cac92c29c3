"""Every problem at once before a run, and what the run will cost."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shoal.algorithms.auto.trial import Trial
from shoal.algorithms.catalogue import make_algorithm
from shoal.algorithms.interface import Algorithm
from shoal.engine.local import LocalData
from shoal.engine.memory import peak_memory_mb
from shoal.errors import BadInput, Infeasible, InvalidParameter, Problem, ShoalError, UnknownName
from shoal.hierarchy.files import HierarchyFile
from shoal.policy.plan import Plan, data_source, plan_of
from shoal.policy.policy_file import PolicyFile
from shoal.privacy.check import require_feasible
from shoal.privacy.model import Model
from shoal.progress import Progress, Silent
from shoal.run.in_memory import InMemory, algorithm_for
from shoal.run.planned_output import output_problems
from shoal.run.prepare import Data, read
from shoal.run.safety import personal_problems, release_problems, unprotected_notices
from shoal.table.database import DatabaseTable
from shoal.table.reading import ReadOptions
from shoal.table.remote_file import RemoteFile
from shoal.table.roles import Insensitive

TRIED = 5_000
_FEW = 1_000  # records, a search over which may be timed twice
_FORESEEABLE = 4  # times as many records; beyond, nobody can say how a search goes on
_STEEPEST = 2.0  # no search looks at more than every pair of records
BRIEF = 15.0  # seconds of a search; to begin, to check and to write may take longer than that
_SHORT, _MOST_TIMES = 1.0, 3  # seconds of searches that are timed again, and how often

Source = Path | DatabaseTable | RemoteFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A policy without problems, and an estimate of its cost; no seconds where nothing could be tried.

    Seconds of a search that is far longer than what was tried, or that tries several algorithms, are a guess.
    """

    records: int
    columns: tuple[str, ...]
    algorithm: str
    seconds: float | None
    is_guess: bool
    memory_mb: float
    notices: tuple[str, ...]

    @property
    def is_brief(self) -> bool:
        """Whether the search is known to take less than all else of a run may."""
        return self.seconds is not None and not self.is_guess and self.seconds < BRIEF


def check(file: PolicyFile, progress: Progress, data_path: Source | None = None) -> Checked:
    """Do everything of a run but the search; BadInput or Infeasible say what stands in its way.

    `data_path` stands in for the path that the policy names.
    """
    progress.stage("reading")
    started = time.perf_counter()
    plan, data = _plan_and_data(file, data_path)
    read_seconds = time.perf_counter() - started
    require_feasible(plan.models, data.local)
    algorithm, notices = algorithm_for(plan.search, plan.models, data.local)
    progress.stage("trying the search on a part of the records")
    search_seconds = _search_seconds(algorithm, data.local, plan.models)
    columns = (*data.local.quasi, *data.local.quasi_sets)
    return Checked(
        records=data.row_count,
        columns=columns,
        algorithm=algorithm.name,
        seconds=None if search_seconds is None else round(read_seconds + search_seconds, 2),
        is_guess=isinstance(algorithm, Trial) or data.row_count > _FORESEEABLE * TRIED,
        memory_mb=round(peak_memory_mb() + 8 * data.row_count * (2 * len(columns) + 8) / 1e6),
        notices=(
            *plan.models.notices,
            *InMemory(data).notices,
            *notices,
            *unprotected_notices(data.local, plan.models),
        ),
    )


def _plan_and_data(file: PolicyFile, data_path: Source | None) -> tuple[Plan, Data]:
    """What the policy asks for; BadInput lists the problems of policy, hierarchies and data together."""
    try:
        plan = plan_of(file)
    except BadInput as error:
        raise BadInput(*error.problems, *_column_problems(file)) from error
    problems = search_problems(plan, file)
    try:
        source = data_path or plan.data_path
        data = read(source, plan.roles, options=plan.read_options, subject=plan.subject)
    except ShoalError as error:
        found = (*problems, *problems_of(error), *_hierarchy_problems(plan))
        raise BadInput(*dict.fromkeys(found)) from error
    problems += release_problems(data.local, plan.models, plan.search)
    problems += personal_problems(data.local)
    problems += InMemory(data).problems(plan.models, plan.search)
    problems += output_problems(data, plan)
    if problems:
        raise BadInput(*problems)
    return plan, data


def _column_problems(file: PolicyFile) -> Sequence[Problem]:
    """Whether the data can be read and have the columns of a policy that is not yet usable."""
    section = file.policy.data
    if section.long is not None or not file.policy.columns:
        return ()
    roles = {name: Insensitive() for name in file.policy.columns}
    try:
        options = ReadOptions(
            others=section.others, delimiter=section.delimiter, quote=section.quote, encoding=section.encoding
        )
        read(data_source(file), roles, options=options)
    except BadInput as error:
        return error.problems
    except ShoalError:
        return ()  # options that the policy's own problems tell about
    return ()


def search_problems(plan: Plan, file: PolicyFile) -> list[Problem]:
    """Why the algorithm that the policy names cannot search for its promise."""
    try:
        algorithm_for(plan.search, plan.models)
    except UnknownName as error:
        key = error.name if error.what == "option" else "name"
        return [file.problem(str(error), at=("algorithm", key))]
    except InvalidParameter as error:
        return [file.problem(str(error), at=("algorithm", error.name))]
    except BadInput as error:
        return [
            file.problem(problem.what, problem.remedy, at=("algorithm", "name")) for problem in error.problems
        ]
    return []


def _hierarchy_problems(plan: Plan) -> list[Problem]:
    """The problems of hierarchy files alone, for data that cannot be bound to them."""
    problems: list[Problem] = []
    for name, role in plan.roles.items():
        source = getattr(role, "hierarchy", None)
        if isinstance(source, HierarchyFile):
            try:
                found: Sequence[Problem] = source.outline().problems
            except BadInput as error:
                found = error.problems
            problems += [problem if problem.column else replace(problem, column=name) for problem in found]
    return problems


def problems_of(error: ShoalError) -> Sequence[Problem]:
    """Everything that an error says, problem by problem."""
    return error.problems if isinstance(error, BadInput) else (Problem(str(error)),)


def _search_seconds(algorithm: Algorithm, data: LocalData, models: Sequence[Model]) -> float | None:
    """Time a search over some of the records, and scale it as it grows from a quarter to all of these."""
    count = data.row_count
    tried = min(count, TRIED)
    timed, times = algorithm, 1.0
    if isinstance(algorithm, Trial):
        first = algorithm.candidates[0]
        timed, times = make_algorithm(first.name, first.options), len(algorithm.candidates)
    parts = (4, 2, 1) if count > tried else (4, 1) if tried > _FEW else (1,)
    found: dict[int, float] = {}
    for size in (tried // part for part in parts):
        at_least = 1 if found else 2  # the first may be spent on compiling
        if (seconds := _timed_search(timed, data, models, size, at_least)) is not None:
            found[size] = seconds
    if tried not in found or (count > tried and len(found) == 1):
        return None
    growth = _growth(found) if count > tried else 1.0
    scaled = times * found[tried] * math.pow(count / tried, growth)
    return min(scaled, algorithm.seconds) if isinstance(algorithm, Trial) else scaled


def _growth(seconds: Mapping[int, float]) -> float:
    """The power of the number of records by which a search takes longer."""
    sizes, times = np.log([*seconds]), np.log([*seconds.values()])
    slope = float(np.polyfit(sizes, times, 1)[0])
    return min(_STEEPEST, max(1.0, slope))


def _timed_search(
    algorithm: Algorithm, data: LocalData, models: Sequence[Model], count: int, at_least: int
) -> float | None:
    """The best time over so many records; None where these are too few or too uniform for the promise.

    What is over soon is timed again, because other programs disturb it most.
    """
    rows = np.linspace(0, data.row_count - 1, count).astype(np.int64)
    subjects = None if data.subjects is None else data.subjects[rows]
    part = replace(data, table=data.table.take(rows), subjects=subjects)
    seconds: list[float] = []
    while len(seconds) < at_least or (sum(seconds) < _SHORT and len(seconds) < _MOST_TIMES):
        started = time.perf_counter()
        try:
            algorithm.find(part, models, np.random.default_rng(0), Silent())
        except Infeasible:
            return None
        seconds.append(time.perf_counter() - started)
    return min(seconds)
