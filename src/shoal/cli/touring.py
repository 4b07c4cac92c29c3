"""`shoal demo`: the whole tour on the bundled sample."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import output, words
from shoal.cli.progress import shown_progress
from shoal.cli.reporting import Json, Replace, reporting
from shoal.report.result_file import result_dict
from shoal.study.demo import run_demo


@reporting
def demo(
    folder: Annotated[Path, typer.Argument(help="Where the sample and its release go.")] = Path("shoal-demo"),
    *,
    replace: Replace = False,
    as_json: Json = False,
) -> None:
    """Make the whole tour on the bundled sample of invented patients."""
    with shown_progress() as progress:
        tour = run_demo(folder, progress, replace=replace)
    if as_json:
        output.show_json({**result_dict(tour.result.outcome), "folder": str(tour.folder)})
        return
    output.show_notices(tour.result.notices)
    output.show_table("A few records before and after", *words.examples(tour.result.outcome))
    output.show_facts("The bundled sample of invented patients", words.outcome(tour.result.outcome))
    output.say(f"published file, certificate and report: {output.short_path(tour.folder)}")
    output.say(f"look at {output.short_path(tour.folder / 'internal' / 'report.html')} in a browser")
