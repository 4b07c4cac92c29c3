"""`shoal run --engine spark`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from shoal.cli import output, words
from shoal.errors import BadInput, Problem
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import PolicyFile
from shoal.progress import Progress
from shoal.report.result_file import result_dict
from shoal.run.spark_session import SparkRun, default_output, run_on_spark


class EngineName(StrEnum):
    """Where the data of a run are."""

    LOCAL = "local"
    SPARK = "spark"


def run_with_spark(
    file: PolicyFile,
    *,
    out: str | None,
    master: str | None,
    progress: Progress,
    replace: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Run a policy on a cluster and tell how it went."""
    if master is None:
        raise BadInput(
            Problem("--engine spark needs a cluster", "name it with --master, such as spark://host:7077")
        )
    given = out or file.path.with_name(f"{file.path.stem}-out")
    folder = str(given) if "://" in str(given) else str(Path(given).absolute())
    plan = plan_of(file)
    where = SparkRun(master, folder, file.policy.output.path or default_output(plan.models), replace)
    result = run_on_spark(file, plan, where, progress)
    if as_json:
        output.show_json({**result_dict(result.outcome), "folder": folder})
        return
    if not quiet:
        output.show_notices(result.notices)
        output.show_facts(str(file.path), words.outcome(result.outcome))
        output.say(f"published files: {folder}/{where.published}")
