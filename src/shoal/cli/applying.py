"""`shoal apply`: an earlier recoding for another file."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.progress import shown_progress
from shoal.cli.released import show_release
from shoal.cli.reporting import Json, reporting
from shoal.cli.threads_option import Threads
from shoal.errors import BadInput, Problem
from shoal.policy.output_names import POLICY
from shoal.policy.plan import Plan, plan_of
from shoal.policy.policy_file import load_policy
from shoal.run.applying import How, apply_plan, load_recoding, recoding_in
from shoal.run.output import refuse_unusable
from shoal.run.planned_output import save_as_planned
from shoal.threads import at_most


class MisfitsWord(StrEnum):
    """What becomes of records that the recoding does not serve."""

    HOLD_BACK = "hold-back"
    SUPPRESS = "suppress"


@reporting
def apply(
    recoding: Annotated[
        Path,
        typer.Argument(
            help="The recoding, such as internal/recoding.npz of a release, or the folder of that release.",
            metavar="RECODING",
        ),
    ],
    data: Annotated[Path, typer.Argument(help="The file with other records.", metavar="DATA")],
    *,
    out: Annotated[str, typer.Option(help="The output folder.")],
    policy: Annotated[
        Path | None,
        typer.Option(help="The policy of the earlier run.", show_default="policy.toml beside the recoding"),
    ] = None,
    together_with: Annotated[
        Path | None,
        typer.Option(help="An earlier release, folder or file: the promise must hold for both together."),
    ] = None,
    misfits: Annotated[
        MisfitsWord, typer.Option(help="What becomes of records that fit no region or stand with too few.")
    ] = MisfitsWord.HOLD_BACK,
    replace_output: Annotated[
        bool, typer.Option("--replace", help="Replace an earlier output in that folder.")
    ] = False,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Publish another file by an earlier recoding, verified like any release."""
    saved = load_recoding(recoding)
    policy_path = policy or recoding_in(recoding).with_name(POLICY)
    plan = _plan(policy_path, data)
    if policy is None:
        _refuse_lost_hierarchies(plan)
    folder = Path(out)
    sources = [recoding_in(recoding), policy_path, *plan.sources()]
    refuse_unusable(
        folder,
        replace=replace_output,
        sources=sources if together_with is None else [*sources, together_with],
    )
    how = How(
        misfits="suppress" if misfits is MisfitsWord.SUPPRESS else "hold back", together_with=together_with
    )
    with shown_progress() as progress, at_most(threads):
        result = apply_plan(saved, plan, how, progress)
        progress.stage("writing and checking the published file")
        save_as_planned(result, plan, folder, replace=replace_output)
    show_release(str(data), result, folder / plan.output_path, as_json=as_json)


def _plan(policy: Path, data: Path) -> Plan:
    """The plan of the earlier run, for another file."""
    if not policy.is_file():
        what = "the policy of the earlier run is not beside the recoding"
        raise BadInput(Problem(what, "name it with --policy", file=str(policy)))
    return replace(plan_of(load_policy(policy)), data_path=data)


def _refuse_lost_hierarchies(plan: Plan) -> None:
    """A copy of a policy does not find files that it names relative to where the policy was."""
    if lost := [path for path in plan.hierarchy_files() if not path.exists()]:
        what = "the copy of the policy beside the recoding does not find this hierarchy"
        raise BadInput(
            *(Problem(what, "name the policy itself with --policy", file=str(path)) for path in lost)
        )
