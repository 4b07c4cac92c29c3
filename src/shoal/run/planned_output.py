"""The files of a release as its plan wants them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shoal.errors import BadInput, Problem
from shoal.policy.plan import Plan
from shoal.run.output import folder_for_a_while
from shoal.run.prepare import Data
from shoal.run.remote_output import refuse_unusable_address, send_release
from shoal.run.result import Result
from shoal.table.partitions import partition_problems
from shoal.table.remote_file import RemoteFile
from shoal.table.writing import form_problems


def output_problems(data: Data, plan: Plan) -> list[Problem]:
    """What the published file cannot hold or be: better said before a search than after it."""
    problems = form_problems(data.original, plan.output_path)
    if plan.partitioned:
        partitions = data.loaded.source.how_read.partitions
        problems += partition_problems(partitions, (*data.original.columns, *data.identifiers))
    return problems


def save_as_planned(
    result: Result,
    plan: Plan,
    folder: Path,
    *,
    replace: bool = False,
    inputs: Mapping[str, Any] | None = None,
    also: Callable[[], object] | None = None,
) -> None:
    """Write the files of a release; see `Result.save`."""
    result.save(
        folder,
        published=plan.output_path,
        replace=replace,
        neutralize_formulas=plan.neutralize_formulas,
        partitioned=plan.partitioned,
        dialect=plan.dialect,
        inputs=inputs,
        also=also,
    )


def refuse_unsendable(plan: Plan, address: RemoteFile, *, replace: bool) -> None:
    """Say early why a release cannot go to an address."""
    if plan.output_table is not None:
        what = "a release goes to a table or to an address: both could not appear at once"
        raise BadInput(Problem(what, "leave output.table out, or name a folder of this machine"))
    refuse_unusable_address(address, replace=replace)


def send_as_planned(
    result: Result, plan: Plan, address: RemoteFile, *, internal: Path | None = None, replace: bool = False
) -> None:
    """Write and verify the files of a release here, and store those at an address that may be published.

    All files are kept in the folder `internal`, if there is one.
    """
    if internal is not None:
        save_as_planned(result, plan, internal, replace=replace)
        send_release(internal, address, replace=replace)
        return
    with folder_for_a_while("shoal-output") as scratch:
        save_as_planned(result, plan, scratch / "release")
        send_release(scratch / "release", address, replace=replace)
