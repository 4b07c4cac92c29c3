"""`shoal profile`: what is in a file, and a starter policy for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import output, words
from shoal.cli.progress import shown_progress
from shoal.cli.reporting import Json, reporting
from shoal.study.profile import profile as profile_data
from shoal.study.starter import starter_policy
from shoal.table.reading import ReadOptions


@reporting
def profile(
    data: Annotated[Path, typer.Argument(help="The file to look at.", metavar="DATA")],
    *,
    policy: Annotated[Path | None, typer.Option(help="Write a starter policy to this file.")] = None,
    missing: Annotated[
        list[str] | None, typer.Option(help="How a missing value is written; repeatable.")
    ] = None,
    sheet: Annotated[str | None, typer.Option(help="The sheet of an Excel file; else the first.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Such as utf-8 or cp1252; else found out.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="What is between cells; else found out.")] = None,
    as_json: Json = False,
) -> None:
    """Show what is in a file and how unique its people are; suggest a role for each column."""
    with shown_progress() as progress:
        progress.stage("reading")
        options = ReadOptions(
            missing=("", *(missing or ())), sheet=sheet, encoding=encoding, delimiter=delimiter
        )
        found = profile_data(data, options)
    if policy is not None:
        starter_policy(found, data, policy)
    if as_json:
        output.show_json(words.profile_json(found))
        return
    output.show_table(f"{data.name}: {found.records} records", *words.profile_columns(found))
    output.show_facts("How it was read", words.profile_reading(found))
    if found.uniqueness:
        output.show_table("How many records are unique", *words.profile_uniqueness(found))
    output.show_notices(found.notices)
    if policy is not None:
        output.say(
            f"starter policy written to {policy}: read it, correct the roles, then run `shoal check {policy}`"
        )
