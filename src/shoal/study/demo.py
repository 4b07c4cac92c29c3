"""The tour on the bundled sample."""

from dataclasses import dataclass
from pathlib import Path

from shoal.policy.plan import plan_of
from shoal.policy.policy_file import load_policy
from shoal.progress import Progress
from shoal.run.output import refuse_unusable
from shoal.run.release import run
from shoal.run.result import Result
from shoal.table.sample import copy_sample


@dataclass(frozen=True, slots=True)
class Tour:
    """What the tour made, and where."""

    result: Result
    folder: Path


def run_demo(folder: Path, progress: Progress, *, replace: bool) -> Tour:
    """Copy the sample into `folder`, and release its patients with their diagnoses beside it."""
    sample, out = folder / "sample", folder / "mixed-out"
    refuse_unusable(out, replace=replace)
    if not sample.exists():
        copy_sample(sample)
    file = load_policy(sample / "mixed.toml")
    plan = plan_of(file)
    result = run(plan, progress)
    progress.stage("writing and checking the published file")
    return Tour(result, result.save(out, published=plan.output_path, replace=replace))
