"""What is compared: one run per algorithm and combination of parameters, and what each gave."""

import itertools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from shoal.algorithms.catalogue import ALGORITHMS, takes
from shoal.errors import BadInput, Problem, UnknownName
from shoal.policy.plan import Plan, plan_of
from shoal.policy.policy_file import Policy, PolicyFile, PrivacySection

Row = dict[str, Any]

SEED = 0


@dataclass(frozen=True, slots=True)
class SweepRun:
    """One run: an algorithm, and what is changed in the policy's [privacy] and in its own options."""

    algorithm: str
    privacy: Mapping[str, Any]
    options: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What tells this run from the others."""
        parameters = {**self.privacy, **self.options}
        return " ".join([self.algorithm, *(f"{key}={value}" for key, value in parameters.items())])


def jobs_of(algorithms: Sequence[str], sweep: Mapping[str, Sequence[Any]]) -> list[SweepRun]:
    """Every algorithm with every combination of the swept values; an option only where it is taken."""
    for name in algorithms:
        if name not in ALGORITHMS:
            raise UnknownName("Shoal", "algorithm", name, ALGORITHMS)
    of_privacy = [key for key in sweep if key in PrivacySection.model_fields]
    jobs = []
    for algorithm in algorithms:
        of_algorithm = [key for key in sweep if key not in of_privacy and takes(algorithm, key)]
        keys = [*of_privacy, *of_algorithm]
        for values in itertools.product(*(sweep[key] for key in keys)):
            chosen = dict(zip(keys, values, strict=True))
            jobs.append(
                SweepRun(
                    algorithm,
                    {key: chosen[key] for key in of_privacy},
                    {key: chosen[key] for key in of_algorithm},
                )
            )
    idle = [
        key for key in sweep if key not in of_privacy and not any(takes(name, key) for name in algorithms)
    ]
    if idle or not jobs:
        what = f"nothing takes {', '.join(idle)}" if idle else "there is nothing to compare"
        raise BadInput(Problem(what, "sweep k, m, l, t, alpha, model or an option of an algorithm"))
    return jobs


def plan_of_job(file: PolicyFile, job: SweepRun) -> Plan:
    """The plan of one run; options in the policy that its algorithm does not take are left out."""
    content = tomllib.loads(file.text)
    content["privacy"] = {**content.get("privacy", {}), **job.privacy}
    given = content.get("algorithm", {})
    common = {key: given[key] for key in ("seed", "time_limit", "on_limit", "memory_limit") if key in given}
    options = {key: given[key] for key in file.policy.algorithm.options if takes(job.algorithm, key)}
    content["algorithm"] = {"seed": SEED, **common, **options, **job.options, "name": job.algorithm}
    try:
        policy = Policy.model_validate(content)
    except ValidationError as error:
        details = "; ".join(f"{detail['loc'][-1]}: {detail['msg']}" for detail in error.errors())
        raise BadInput(Problem(f"{job.name} cannot be run: {details}", "change --sweep")) from error
    return plan_of(replace(file, policy=policy))


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """What a recommended run must keep: at most this risk, within these seconds and megabytes."""

    loss: str = "ncp"
    risk: float | None = None
    seconds: float | None = None
    memory_mb: float | None = None

    def allows(self, row: Row) -> bool:
        """Whether a run keeps every bound."""
        bounds = (
            (self.risk, row["risk"]),
            (self.seconds, row["seconds"]),
            (self.memory_mb, row["peak_memory_mb"]),
        )
        return all(bound is None or (value is not None and value <= bound) for bound, value in bounds)

    def in_words(self) -> str:
        """The bounds for people."""
        words = [
            "" if self.risk is None else f"with risk at most {self.risk:g}",
            "" if self.seconds is None else f"within {self.seconds:g} s",
            "" if self.memory_mb is None else f"within {self.memory_mb:g} MB",
        ]
        return " ".join(word for word in words if word) or "of all that hold"


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The run to take, None if no run keeps the constraint, and the reason in a sentence."""

    run: str | None
    reason: str


def recommend(rows: Sequence[Row], constraint: Constraint) -> Recommendation:
    """The run that loses least of those that hold and keep the constraint; of equals the first."""
    usable = [row for row in rows if row["holds"] and row.get(constraint.loss) is not None]
    allowed = sorted(
        (row for row in usable if constraint.allows(row)), key=lambda row: float(row[constraint.loss])
    )
    words = f"{constraint.loss.upper()} {constraint.in_words()}"
    if not allowed:
        return Recommendation(None, f"no run keeps the constraint (least {words}); {len(usable)} runs hold")
    best = allowed[0]
    told = (
        f"{best['run']} loses least ({words}): {best[constraint.loss]:.4g}, risk {_number(best['risk'])},"
        f" {best['seconds']:.1f} s"
    )
    if len(allowed) == 1:
        return Recommendation(best["run"], f"{told}; no other run keeps the constraint")
    second = allowed[1]
    return Recommendation(
        best["run"],
        f"{told}; the next of {len(allowed)} runs that keep the constraint is {second['run']} with"
        f" {second[constraint.loss]:.4g}",
    )


def pareto_front(rows: Sequence[Row], loss: str) -> list[str]:
    """The runs that no other run beats in both loss and risk, by rising risk."""
    usable = [row for row in rows if row["holds"] and row.get(loss) is not None and row["risk"] is not None]
    front, least = [], float("inf")
    for row in sorted(usable, key=lambda row: (row["risk"], row[loss])):
        if row[loss] < least:
            least = row[loss]
            front.append(row["run"])
    return front


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3g}"
