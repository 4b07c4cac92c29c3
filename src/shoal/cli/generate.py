"""`shoal generate`: market baskets for trying things out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from shoal.cli import output
from shoal.cli.progress import shown_progress
from shoal.cli.reporting import Json, reporting
from shoal.errors import BadInput, Problem
from shoal.run.output import file_that_appears_whole
from shoal.table import quest
from shoal.table.columns import Sets, Table
from shoal.table.set_lines import ITEMS
from shoal.table.writing import write_table


@reporting
def generate(
    out: Annotated[
        Path, typer.Argument(help="The file to write; its ending chooses the format.", metavar="OUT")
    ],
    *,
    transactions: Annotated[int, typer.Option(help="How many baskets.")],
    items: Annotated[int, typer.Option(help="How many items the shop sells.")],
    average_length: Annotated[float, typer.Option(help="Items per basket.")] = quest.AVERAGE_LENGTH,
    patterns: Annotated[
        int, typer.Option(help="How many sets of items are bought together.")
    ] = quest.PATTERNS,
    average_pattern_length: Annotated[
        float, typer.Option(help="Items per pattern.")
    ] = quest.AVERAGE_PATTERN_LENGTH,
    correlation: Annotated[
        float, typer.Option(help="Share of its items that a pattern has from another.")
    ] = quest.CORRELATION,
    corruption: Annotated[
        float, typer.Option(help="How readily a pattern loses items on the way into a basket.")
    ] = quest.CORRUPTION,
    seed: Annotated[int, typer.Option(help="The same seed makes the same baskets.")] = 0,
    as_json: Json = False,
) -> None:
    """Generate Quest market-basket data."""
    model = quest.QuestModel(
        transactions=transactions,
        items=items,
        average_length=average_length,
        patterns=patterns,
        average_pattern_length=average_pattern_length,
        correlation=correlation,
        corruption=corruption,
    )
    if out.exists():
        raise BadInput(Problem("exists already", "choose another name, or remove it first", file=str(out)))
    with shown_progress() as progress:
        progress.stage("filling baskets")
        baskets = model.sets(seed)
        progress.stage("writing the file")
        with file_that_appears_whole(out) as partial:
            write_table(Table.of({ITEMS: baskets}), partial)
    facts = {"file": str(out), "seed": seed, **_facts(baskets)}
    if as_json:
        output.show_json(facts)
        return
    output.show_facts(
        "Quest market baskets", {name.replace("_", " "): value for name, value in facts.items()}
    )


def _facts(baskets: Sets) -> dict[str, Any]:
    occurring = np.bincount(baskets.narrow, minlength=len(baskets.domain)) > 0
    return {
        "transactions": len(baskets),
        "items": len(baskets.domain),
        "items_that_occur": int(np.count_nonzero(occurring)),
        "average_length": round(len(baskets.narrow) / max(len(baskets), 1), 3),
        "longest": int(baskets.sizes.max(initial=0)),
    }
