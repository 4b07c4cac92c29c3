"""What `shoal run` does, from Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace as replaced
from os import PathLike
from pathlib import Path
from typing import Any

from shoal.policy.other_data import is_in_memory, settings_for
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import load_policy
from shoal.policy.settings import Setting
from shoal.progress import Progress, interrupts_between_steps
from shoal.run.output import refuse_unusable
from shoal.run.planned_output import refuse_unsendable, save_as_planned, send_as_planned
from shoal.run.release import run
from shoal.run.result import Result
from shoal.run.table_output import publish_table
from shoal.table.database import refuse_unusable_table
from shoal.table.remote_file import RemoteFile, is_remote
from shoal.threads import at_most


@interrupts_between_steps()
def run_policy(
    policy: str | PathLike[str],
    *,
    data: Any = None,
    settings: Mapping[str, Any] | None = None,
    out: str | PathLike[str] | None = None,
    replace: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Anonymize what a policy file names, verify and measure it, and write its files if `out` names a folder.

    Args:
        policy: The path of the policy file.
        data: Other data than those of the policy: a path, or a pandas, polars or pyarrow frame.
        settings: Other values for keys of the policy, such as `{"privacy.k": 10}`.
        out: The folder for the files of `shoal run`; without it nothing is written. At an address such as
            `s3://bucket/release` only what may be published is stored.
        replace: Whether an earlier output in that folder is replaced.
        threads: How many threads may work at once, by default one for each core that this process may use;
            what is published does not depend on it.
        progress: Whom to tell how far the work is.

    Returns:
        The release with its verdict and its cost.

    Raises:
        BadInput: Everything that is wrong with policy, hierarchies and data, at once.
        Infeasible: The promise cannot be met for these data.
        LimitReached: A limit was reached without a safe result.
        PromiseBroken: The written file does not keep its promise; nothing is left behind.
        OutputFailed: The release could not be written; nothing is left behind.

    Examples:
        >>> import shoal as sh
        >>> from shoal.table.sample import sample_folder
        >>> result = sh.run_policy(sample_folder() / "table.toml", settings={"algorithm.name": "mondrian"})
        >>> result.verdict.holds
        True
    """
    changes = [Setting(tuple(name.split(".")), value, name) for name, value in (settings or {}).items()]
    plan = plan_of(load_policy(Path(policy), [*changes, *settings_for(data)]))
    target = plan.output_table
    address = RemoteFile(out) if isinstance(out, str) and is_remote(out) else None
    if address is not None:
        refuse_unsendable(plan, address, replace=replace)
    elif out is not None:
        refuse_unusable(Path(out), replace=replace, sources=(Path(policy), *plan.sources()))
        if target is not None:
            refuse_unusable_table(target, replace=replace)
    with at_most(threads):
        result = run(replaced(plan, data_path=data) if is_in_memory(data) else plan, progress)
        if out is not None:
            if progress is not None:
                progress.stage("writing and checking the published file")
            if address is not None:
                send_as_planned(result, plan, address, replace=replace)
            else:
                also = None if target is None else lambda: publish_table(result, target)
                save_as_planned(result, plan, Path(out), replace=replace, also=also)
    return result
