"""`shoal convert`: a release in the form that one needs, from the published file and its codebook."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import output
from shoal.cli.reporting import Json, reporting
from shoal.study.convert import convert_release


class FormName(StrEnum):
    """What a release can be converted to."""

    LABELS = "labels"
    BOUNDS = "bounds"
    MIDPOINTS = "midpoints"
    LEVELS = "levels"
    ONE_HOT = "one-hot"
    IMPUTED = "imputed"
    SQL = "sql"


@reporting
def convert(
    release: Annotated[
        Path,
        typer.Argument(
            help="The folder of a release, or its published file beside codebook.json.", metavar="RELEASE"
        ),
    ],
    *,
    form: Annotated[FormName, typer.Option(help="What to make of the labels; see the docs.")],
    out: Annotated[Path, typer.Option(help="The file to write; its ending chooses the format.")],
    copies: Annotated[int, typer.Option(min=1, help="Of imputed values: how many copies.")] = 5,
    seed: Annotated[
        int | None, typer.Option(help="Of imputed values: the same seed, the same values.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a release with bounds, midpoints, levels, probabilities or imputed values, or for SQL."""
    made = convert_release(release, str(form), out, copies=copies, seed=seed)
    if as_json:
        output.show_json({"file": str(out), "records": made.records, "columns": list(made.columns)})
        return
    output.say(f"{made.records} records with {len(made.columns)} columns: {output.short_path(out)}")
