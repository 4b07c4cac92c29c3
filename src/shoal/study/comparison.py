"""What is compared: one run per algorithm, promise and combination of options."""

import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from shoal.algorithms.catalogue import ALGORITHMS, takes
from shoal.algorithms.interface import DrawsNoise
from shoal.errors import BadInput, Problem, UnknownName
from shoal.policy.plan import Plan, plan_of
from shoal.policy.policy_file import Policy, PolicyFile, PrivacySection
from shoal.policy.promise import keys_of, named_models
from shoal.privacy.model import Form, Model

AUTO = "auto"
SEED = 0

Privacy = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SweepRun:
    """One run: an algorithm, what is promised, and what was swept of the promise and of its own options."""

    algorithm: str
    promise: Privacy
    privacy: Privacy
    options: Mapping[str, Any]

    @property
    def variant(self) -> str:
        """The algorithm with what was swept of its options."""
        return " ".join([self.algorithm, *_pairs(self.options)])

    @property
    def name(self) -> str:
        """What tells this run from the others."""
        return " ".join([self.algorithm, *_pairs({**self.privacy, **self.options})])

    @property
    def promised(self) -> str:
        """What is promised, in short."""
        keys = {key: value for key, value in self.promise.items() if key != "model"}
        return " ".join([str(self.promise["model"]), *_pairs(keys)])


def _pairs(parameters: Mapping[str, Any]) -> Iterator[str]:
    words = {True: "true", False: "false"}
    return (
        f"{key}={words[value] if isinstance(value, bool) else value}" for key, value in parameters.items()
    )


def jobs_of(
    algorithms: Sequence[str], sweep: Mapping[str, Sequence[Any]], privacy: Privacy
) -> list[SweepRun]:
    """Every algorithm with every promise and every combination of its options.

    `privacy` is the policy's own. A key of it is left out for a model that does not take it, and an option
    for an algorithm that does not.
    """
    for name in algorithms:
        if name not in (AUTO, *ALGORITHMS):
            raise UnknownName("Shoal", "algorithm", name, (AUTO, *ALGORITHMS))
    of_privacy = {key: values for key, values in sweep.items() if key in PrivacySection.model_fields}
    of_algorithm = {key: values for key, values in sweep.items() if key not in of_privacy}
    promises = list(_promises(of_privacy, privacy))
    jobs = [
        SweepRun(algorithm, promise, swept, options)
        for algorithm in algorithms
        for promise, swept in promises
        for options in _combinations(
            {key: values for key, values in of_algorithm.items() if _may_take(algorithm, key)}
        )
    ]
    taken = {key for job in jobs for key in (*job.privacy, *job.options)}
    idle = [key for key in sweep if key not in taken]
    if idle or not jobs:
        what = f"nothing takes {', '.join(idle)}" if idle and algorithms else "there is nothing to compare"
        raise BadInput(Problem(what, "sweep k, m, l, t, alpha, model or an option of an algorithm"))
    return jobs


def _promises(sweep: Mapping[str, Sequence[Any]], privacy: Privacy) -> Iterator[tuple[Privacy, Privacy]]:
    """Every promise of a sweep: the whole of it, and what was swept."""
    known = named_models()
    for model in sweep.get("model", [privacy["model"]]):
        if model not in known:
            raise UnknownName("Shoal", "model", str(model), known)
        taken = [key.name for key in keys_of(model)]
        given = {key: value for key, value in privacy.items() if key in taken and value is not None}
        lacking = [key.name for key in known[model].keys if key.needed and key.name not in {**given, **sweep}]
        if lacking:
            raise BadInput(Problem(f"{model} needs {lacking[0]}", f"give it with --sweep {lacking[0]}=..."))
        named = {"model": model} if "model" in sweep else {}
        for swept in _combinations({key: values for key, values in sweep.items() if key in taken}):
            yield {"model": model, **given, **swept}, {**named, **swept}


def _combinations(sweep: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    return (dict(zip(sweep, values, strict=True)) for values in itertools.product(*sweep.values()))


def _may_take(algorithm: str, option: str) -> bool:
    """Whether an option is for the algorithm; `auto` looks itself for one that takes it."""
    return algorithm == AUTO or takes(algorithm, option)


def plan_of_job(file: PolicyFile, job: SweepRun, target: str | None = None) -> Plan:
    """The plan of one run; options in the policy that its algorithm does not take are left out.

    A `target` takes the place of the one that the policy names.
    """
    content = tomllib.loads(file.text)
    if target is not None:
        content["report"] = {**content.get("report", {}), "target": target}
    content["privacy"] = dict(job.promise)
    settings = {**_settings_for(job.algorithm, file.policy, content.get("algorithm", {})), **job.options}
    content["algorithm"] = {"seed": SEED, **settings, "name": job.algorithm}
    if job.promise["model"] != file.policy.privacy.model:
        content.pop("output", None)  # a release of another form does not fit into the policy's file
    try:
        policy = Policy.model_validate(content)
    except ValidationError as error:
        details = "; ".join(f"{detail['loc'][-1]}: {detail['msg']}" for detail in error.errors())
        raise BadInput(Problem(f"{job.name} cannot be run: {details}", "change --sweep")) from error
    plan = plan_of(replace(file, policy=policy))
    if plan.models.form is not Form.ROWS:  # no records to train models on
        plan = replace(plan, task=None)
    return _without_seed(plan) if _draws_noise(job.algorithm, plan.models) else plan


def _settings_for(algorithm: str, policy: Policy, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the policy says about its search that is also for this algorithm."""
    options, name = policy.algorithm.options, policy.algorithm.name
    return {
        key: value
        for key, value in given.items()
        if key not in options or (name == AUTO if algorithm == AUTO else takes(algorithm, key))
    }


def _draws_noise(algorithm: str, models: Sequence[Model]) -> bool:
    """Whether the noise of a run protects, which a seed would take away."""
    candidates = ALGORITHMS.values() if algorithm == AUTO else [ALGORITHMS[algorithm]]
    return any(
        issubclass(candidate, DrawsNoise) and all(isinstance(model, candidate.serves) for model in models)
        for candidate in candidates
    )


def _without_seed(plan: Plan) -> Plan:
    return replace(plan, search=replace(plan.search, seed=None))
