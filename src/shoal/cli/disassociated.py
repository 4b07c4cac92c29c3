"""`shoal reconstruct`: possible originals of a disassociated file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import output
from shoal.cli.progress import shown_progress
from shoal.cli.reporting import Json, reporting
from shoal.run.output import refuse_unusable
from shoal.study.reconstruct import save_reconstructions

PublishedFile = Annotated[Path, typer.Argument(help="The disassociated file.", metavar="FILE")]


@reporting
def reconstruct(
    file: PublishedFile,
    *,
    out: Annotated[Path, typer.Option(help="The folder that the copies go into.")],
    copies: Annotated[int, typer.Option(help="How many possible originals to draw.")] = 1,
    seed: Annotated[
        int | None, typer.Option(help="The same seed draws the same originals.", show_default="chance")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace earlier copies in that folder.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Draw possible originals of a disassociated file, each consistent with all that it says."""
    refuse_unusable(out, replace=replace, sources=(file,))
    with shown_progress() as progress:
        facts = save_reconstructions(file, out, copies=copies, seed=seed, replace=replace, progress=progress)
    if as_json:
        output.show_json({**facts, "folder": str(out)})
        return
    output.show_facts(
        f"Possible originals of {file.name}",
        {"records": facts["records"], "copies": len(facts["copies"]), "folder": output.short_path(out)},
    )
    output.say("none of them is the original: averages over several copies are the better estimates")
