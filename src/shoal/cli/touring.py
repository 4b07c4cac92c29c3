"""`shoal demo`: the whole tour on the bundled sample."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import output, words
from shoal.cli.progress import shown_progress
from shoal.cli.reporting import Json, Replace, reporting
from shoal.report.result_file import result_dict
from shoal.study.demo import STOPS, Made, touring


@reporting
def demo(
    folder: Annotated[Path, typer.Argument(help="Where the sample and its release go.")] = Path("shoal-demo"),
    *,
    replace: Replace = False,
    as_json: Json = False,
) -> None:
    """Make the whole tour on the bundled sample of invented patients."""
    told = []
    with touring(folder, replace=replace) as tour:
        for stop in STOPS:
            with shown_progress() as progress:
                made = tour.made(stop, progress)
            if as_json:
                told.append({**result_dict(made.outcome), "folder": str(made.folder)})
            else:
                _show(made)
    if as_json:
        output.show_json({"releases": told, "folder": str(folder)})
        return
    report = folder / f"{STOPS[0].policy}-out" / "internal" / "report.html"
    output.say(f"look at {output.short_path(report)} in a browser")


def _show(made: Made) -> None:
    output.show_notices(made.outcome.provenance.notices)
    output.show_table(f"Some of {made.stop.what} before and after", *words.examples(made.outcome))
    output.show_facts(f"The bundled sample: {made.stop.what}", words.outcome(made.outcome))
    output.say(f"published file, certificate and report: {output.short_path(made.folder)}")
