"""`shoal run --engine spark`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from shoal.cli import output, words
from shoal.cli.progress import shown_progress
from shoal.errors import BadInput, Problem
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import PolicyFile
from shoal.report.result_file import result_dict
from shoal.run.spark_session import SparkRun, default_output, run_on_spark


class EngineName(StrEnum):
    """Where the data of a run are."""

    LOCAL = "local"
    SPARK = "spark"


def run_with_spark(
    file: PolicyFile, policy: Path, *, out: str | None, master: str | None, replace: bool, as_json: bool
) -> None:
    """Run a policy on a cluster and tell how it went."""
    if master is None:
        raise BadInput(
            Problem("--engine spark needs a cluster", "name it with --master, such as spark://host:7077")
        )
    given = out or policy.with_name(f"{policy.stem}-out")
    folder = str(given) if "://" in str(given) else str(Path(given).absolute())
    plan = plan_of(file)
    where = SparkRun(master, folder, file.policy.output.path or default_output(plan.models), replace)
    with shown_progress() as progress:
        result = run_on_spark(file, plan, where, progress)
    if as_json:
        output.show_json({**result_dict(result.outcome), "folder": folder})
        return
    output.show_notices(result.notices)
    output.show_facts(str(policy), words.outcome(result.outcome))
    output.say(f"published files: {folder}/{where.published}")
