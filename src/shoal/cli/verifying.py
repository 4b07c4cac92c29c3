"""`shoal verify` and `shoal verifier`: the promise, checked from the published file alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import output, words
from shoal.cli.progress import shown_progress
from shoal.cli.reporting import Json, reporting
from shoal.cli.threads_option import Threads
from shoal.errors import BadInput, Problem
from shoal.policy.plan import Plan, plan_of
from shoal.policy.policy_file import load_policy
from shoal.run.verification import verify_certified, verify_published, write_verifier
from shoal.table.database import DatabaseTable
from shoal.threads import at_most


@reporting
def verify(
    file: Annotated[Path | None, typer.Argument(help="The published file.", metavar="FILE")] = None,
    *,
    policy: Annotated[
        Path | None,
        typer.Option(help="The policy that says what is promised; the certificate says it, too."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(
            help="Instead of FILE: a published table in the database of the policy.",
            show_default="the table of the policy's [output]",
        ),
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Also check the file against its certificate.")
    ] = None,
    threads: Threads = None,
    as_json: Json = False,
) -> int:
    """Check the promise from the published file alone; exit code 1 and a witness when it is broken."""
    plan = None if policy is None else plan_of(load_policy(policy))
    with shown_progress() as progress, at_most(threads):
        progress.stage("reading and checking the published file")
        if plan is not None:
            checked = verify_published(_published(file, table, plan), plan, certificate)
        elif certificate is not None and file is not None:
            checked = verify_certified(file, certificate)
        else:
            what = "nobody says what is promised"
            raise BadInput(Problem(what, "name a policy with --policy, or a certificate with --certificate"))
    if as_json:
        output.show_json(words.checked_json(checked))
    else:
        output.show_notices(checked.notices)
        for title, facts in words.checked(checked):
            output.show_facts(title, facts)
    return output.FINE if checked.holds else output.PROMISE_BROKEN


def _published(file: Path | None, table: str | None, plan: Plan) -> Path | DatabaseTable:
    """What is to be verified: a file, or a table of the policy's database."""
    if file is not None and table is None:
        return file
    if file is not None:
        raise BadInput(Problem("FILE and --table exclude each other", "name one"))
    target = plan.output_table
    if target is None and table is not None and isinstance(plan.data_path, DatabaseTable):
        target = DatabaseTable(url=plan.data_path.url, table=table)
    if target is None:
        what = "there is nothing to verify"
        raise BadInput(Problem(what, "name FILE, or a table in the policy's database"))
    return target if table is None else replace(target, table=table)


@reporting
def verifier(
    folder: Annotated[Path, typer.Argument(help="Where the files go.")] = Path(),
    *,
    as_json: Json = False,
) -> None:
    """Write scripts that verify and decode published files without Shoal."""
    written = write_verifier(folder)
    if as_json:
        output.show_json({"files": [str(path) for path in written]})
        return
    output.say(f"run it as: python {output.short_path(written[0])} certificate.json FILE")
