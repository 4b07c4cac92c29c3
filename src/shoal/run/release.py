"""One release from start to end, wherever the rows are; readable top to bottom."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from shoal.algorithms.auto.trial import CHOSEN
from shoal.algorithms.search import Search, WithinLimits
from shoal.engine.memory import peak_memory_mb
from shoal.errors import BadInput, PromiseBroken
from shoal.metrics.tasks.usefulness import Task
from shoal.policy.plan import Plan
from shoal.posix import give_back_memory
from shoal.privacy.model import Form
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import Verdict
from shoal.progress import Progress, Silent
from shoal.report.certified import published_roles
from shoal.report.outcome import Claim, Cost, Outcome, Provenance
from shoal.run.engine import Engine
from shoal.run.in_memory import InMemory, algorithm_for
from shoal.run.planned_output import output_problems
from shoal.run.prepare import read
from shoal.run.result import Result
from shoal.run.safety import (
    lost_columns_notices,
    personal_problems,
    personal_values_problems,
    refuse_unanswerable,
    release_problems,
    together_notices,
    unprotected_notices,
)

T = TypeVar("T")


def run(plan: Plan, progress: Progress | None = None) -> Result:
    """Read the data of a plan and anonymize them."""
    progress = progress or Silent()
    started = time.perf_counter()
    algorithm_for(plan.search, plan.models)  # what cannot be searched for need not be read
    progress.stage("reading")
    data = read(plan.data_path, plan.roles, options=plan.read_options, subject=plan.subject)
    if problems := output_problems(data, plan):
        raise BadInput(*problems)
    return release(
        InMemory(data),
        plan.models,
        plan.search,
        progress,
        started=started,
        policy_text=plan.policy_text,
        task=plan.task,
        confirmed=plan.confirmed,
    )


def release(
    engine: Engine[T],
    promise: Promise,
    search: Search,
    progress: Progress,
    *,
    started: float,
    policy_text: str = "",
    task: Task | None = None,
    confirmed: tuple[str, ...] = (),
) -> T:
    """Search, apply, verify, measure: the steps of every run."""
    refuse_unanswerable(promise, engine.port)
    problems = [*release_problems(engine.port, promise, search), *engine.problems(promise, search)]
    problems += [] if task is None else engine.task_problems(task, promise)
    if problems:
        raise BadInput(*problems, *personal_problems(engine.port))
    algorithm, choice_notices = engine.algorithm_for(search, promise)
    if personal := personal_problems(engine.port):
        raise BadInput(*personal)

    searching = time.perf_counter()
    found = engine.search(algorithm, promise, search, WithinLimits(progress, search.limits))
    search_seconds = time.perf_counter() - searching
    give_back_memory()

    progress.stage("applying")
    released = engine.publish(found, promise, search)
    give_back_memory()

    progress.stage("verifying")
    verdicts = tuple(model.judge_release(released.port) for model in promise)
    refuse_broken(verdicts)
    if released.together is not None:
        refuse_broken([model.verify(released.together) for model in promise], "together with the earlier one")
    # terms of clusters are those of the data, and clusters have no columns to ask
    shown = engine.port if promise.form is Form.CLUSTERS else released.port
    if found_personal := personal_values_problems(shown, engine.port.roles):
        raise BadInput(*found_personal)

    give_back_memory()

    progress.stage("measuring")
    cost = engine.cost(found, released, promise)
    outcome = Outcome(
        claim=Claim(
            promise=promise,
            verdicts=verdicts,
            quasi=(*engine.port.quasi, *engine.port.quasi_sets),
            sensitive=released.sensitive,
            roles=published_roles(
                released.columns,
                engine.port.roles,
                released.held,
                lambda name: getattr(engine.port.roles[name], "confirm", False),
            ),
            publishable=not (search.keep_order or search.reproducible),
            people=released.people,
            attacks=released.attacks,
        ),
        cost=Cost(
            records=engine.port.row_count,
            published_records=released.published_records,
            suppressed_records=released.suppressed_records,
            losses=cost.losses,
            column_losses=cost.by_column,
            class_sizes_before=engine.class_sizes(),
            class_sizes_after=released.class_sizes,
        ),
        changes=engine.changes(found, released, promise),
        provenance=Provenance(
            algorithm=str(found.figures.get(CHOSEN, algorithm.name)),
            seconds={"total": time.perf_counter() - started, "algorithm": search_seconds},
            peak_memory_mb=peak_memory_mb(),
            notices=(
                *lost_columns_notices(cost.by_column),
                *engine.notices,
                *promise.notices,
                *confirmed,
                *choice_notices,
                *found.notices,
                *unprotected_notices(engine.port, promise),
                *together_notices(engine.port, promise.k),
                *cost.notices,
            ),
            policy=policy_text,
            options=search.options,
            figures={**engine.figures, **found.figures},
        ),
    )
    if task is not None:  # after the clock of the run has stopped
        useful = replace(outcome.cost, usefulness=engine.usefulness(task, released, progress))
        outcome = replace(outcome, cost=useful)
    result = engine.result(outcome, found, released)
    give_back_memory()
    return result


def refuse_broken(verdicts: Sequence[Verdict], beside: str = "") -> None:
    """Raise PromiseBroken if a release, alone or with what is known beside it, did not pass its check."""
    for verdict in verdicts:
        if not verdict.holds:
            what = f"it {beside} does not keep its promise" if beside else "it does not keep its promise"
            raise PromiseBroken(f"the release was not written because {what}: {verdict.evidence}", verdict)
