"""`shoal warm-up`: compile now what the first runs would wait for."""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli import output
from shoal.cli.progress import shown_progress
from shoal.cli.reporting import Json, reporting
from shoal.study.warm_up import warm_up as compile_all


@reporting
def warm_up(
    *,
    processes: Annotated[
        int | None, typer.Option(help="How many at once.", min=1, show_default="all cores")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compile now what the first runs would wait for."""
    with shown_progress() as progress:
        runs = compile_all(progress, processes)
    if as_json:
        output.show_json({"runs": runs})
        return
    output.say(f"{runs} small runs were made; from now on runs start at once")
