"""`shoal attack`: what adversaries find in a published file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.attack.attacked import Attacked
from shoal.cli import output
from shoal.cli.progress import shown_progress
from shoal.cli.reporting import Json, reporting
from shoal.cli.threads_option import Threads
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import load_policy
from shoal.report.attack_page import FINDING_HEADS, MEAN_RISK, attack_facts, attack_page, finding_row
from shoal.report.wording import share
from shoal.run.output import file_that_appears_whole
from shoal.study.attack import attack_files
from shoal.threads import at_most


@reporting
def attack(
    files: Annotated[
        list[Path],
        typer.Argument(help="The published file, or two releases of the same people.", metavar="FILE..."),
    ],
    *,
    policy: Annotated[Path, typer.Option(help="The policy that says what is promised.")],
    original: Annotated[
        Path | None, typer.Option(help="The original data.", show_default="the data of the policy")
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option(
            help="The people from whom the original was drawn, for the journalist's risk.",
            show_default="the original",
        ),
    ] = None,
    items: Annotated[
        int | None, typer.Option(help="The most items that may be known.", show_default="m + 2", min=1)
    ] = None,
    seed: Annotated[int, typer.Option(help="Steers samples, where there is too much to go through.")] = 0,
    page: Annotated[Path | None, typer.Option(help="Write a page with figures to this file (HTML).")] = None,
    threads: Threads = None,
    as_json: Json = False,
) -> int:
    """Link a published file to its original as adversaries would; exit code 1 for a broken promise."""
    plan = plan_of(load_policy(policy))
    with shown_progress() as progress, at_most(threads):
        found = attack_files(
            files,
            plan,
            original=original,
            population=population,
            items=items,
            seed=seed,
            progress=progress,
        )
    if page is not None:
        with file_that_appears_whole(page) as partial:
            partial.write_text(attack_page(found), encoding="utf-8")
    if as_json:
        output.show_json(attack_facts(found))
    else:
        _show(files[0], found)
    return output.PROMISE_BROKEN if found.broken else output.FINE


def _show(file: Path, found: Attacked) -> None:
    output.show_notices(found.notices)
    output.show_table(f"{file.name} under attack", FINDING_HEADS, map(finding_row, found.findings))
    facts: dict[str, object] = {
        "within the promise": "NO" if found.broken else "yes",
        **{
            f"best guess from {best.known}": f"{best.sensitive}: {share(best.share)}"
            for best in found.confidences
        },
    }
    if found.journalist is not None:
        risk = found.journalist
        who = "the population" if risk.sampled else "the original"
        facts["journalist risk"] = (
            f"{share(risk.highest)} at most, {share(risk.mean)} on average, among the {risk.people:,} people"
            f" of {who}"
        )
    facts["mean risk"] = MEAN_RISK
    for weakness in found.weaknesses:
        name, _, told = weakness.partition(": ")
        facts[name.lower()] = told
    output.show_facts("In short", facts)
