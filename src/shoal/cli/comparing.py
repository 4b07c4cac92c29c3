"""`shoal compare`: algorithms and parameters side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import output
from shoal.cli.progress import shown_progress
from shoal.cli.reporting import Json, reporting
from shoal.errors import BadInput, Problem
from shoal.report.compare_page import task_table
from shoal.study.compare import PAGE
from shoal.study.compare import compare as run_side_by_side
from shoal.study.recommendation import Constraint


@reporting
def compare(
    policy: Annotated[Path, typer.Argument(help="The policy file (TOML).", metavar="POLICY")],
    *,
    algorithms: Annotated[str, typer.Option(help="Names, or auto, separated by commas.")],
    sweep: Annotated[
        list[str] | None,
        typer.Option(help="A parameter and its values, such as k=2,5,10, or a model; repeatable."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The output folder.", show_default="<policy name>-compare")
    ] = None,
    loss: Annotated[str, typer.Option(help="The measure to keep low.")] = "ncp",
    max_risk: Annotated[float | None, typer.Option(help="Recommend a run with at most this risk.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Recommend a run within this time.")] = None,
    max_memory_mb: Annotated[float | None, typer.Option(help="Recommend a run within this memory.")] = None,
    task: Annotated[
        str | None,
        typer.Option(help="Train models on every release to predict this column.", metavar="TARGET"),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Runs at once.", show_default="one per core", min=1)
    ] = None,
    memory_budget_mb: Annotated[
        float | None, typer.Option(help="Memory for all runs at once.", min=1)
    ] = None,
    as_json: Json = False,
) -> None:
    """Run algorithms with parameters side by side; started again, it goes on where it was stopped."""
    with shown_progress() as progress:
        found = run_side_by_side(
            policy,
            algorithms=[name.strip() for name in algorithms.split(",") if name.strip()],
            sweep=_swept(sweep or []),
            out=out or policy.with_name(f"{policy.stem}-compare"),
            constraint=Constraint(loss=loss, risk=max_risk, seconds=max_seconds, memory_mb=max_memory_mb),
            target=task,
            workers=workers,
            memory_budget=None if memory_budget_mb is None else memory_budget_mb * 1e6,
            progress=progress,
        )
    recommendation = found.recommendation
    if as_json:
        output.show_json({**found.facts, "repeated": found.repeated, "folder": str(found.folder)})
        return
    output.show_notices(found.left_out)
    heads = ("run", "took", "holds", found.loss, "risk", "seconds", "peak MB")
    output.show_table(
        f"{len(found.rows)} runs",
        heads,
        [
            (
                row["run"],
                row.get("took") or "",
                "yes" if row["holds"] else row.get("error") or "no",
                *(
                    "" if row.get(name) is None else f"{row[name]:.4g}"
                    for name in (found.loss, "risk", "seconds")
                ),
                f"{row['peak_memory_mb']:.0f}",
            )
            for row in found.rows
        ],
    )
    if usefulness := task_table(found.rows):
        output.show_table(*usefulness)
    if len(found.promises) > 1:
        output.show_table("What other promises would cost", found.costs.heads, found.costs.rows)
    facts = {"run": recommendation.run or "none", "because": recommendation.reason}
    if recommendation.costs:
        facts["others"] = recommendation.costs
    output.show_facts("Recommended", facts)
    output.say(f"table and page: {output.short_path(found.folder / PAGE)}")


def _swept(given: list[str]) -> dict[str, list[Any]]:
    """The parameters to sweep: numbers are numbers, anything else is text."""
    sweep: dict[str, list[Any]] = {}
    for entry in given:
        name, equals, values = entry.partition("=")
        if not equals or not name or not values:
            raise BadInput(Problem(f"--sweep {entry!r} is no parameter with values", "write it as k=2,5,10"))
        sweep[name.strip()] = [_value(value.strip()) for value in values.split(",") if value.strip()]
    return sweep


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
