"""`shoal reconstruct` and `shoal query`: what readers of a disassociated file can do with it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import output
from shoal.cli.progress import shown_progress
from shoal.cli.reporting import Json, reporting
from shoal.metrics.answers import Answer
from shoal.run.output import refuse_unusable
from shoal.run.reconstruct import query as answers_of
from shoal.run.reconstruct import save_reconstructions, split_itemset

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


@reporting
def query(
    file: PublishedFile,
    *,
    itemset: Annotated[list[str], typer.Option(help='Terms such as "a b"; repeatable.')],
    separator: Annotated[str, typer.Option(help="What stands between the terms.")] = " ",
    as_json: Json = False,
) -> None:
    """Say how many records hold an itemset: no fewer than, as expected, no more than."""
    answers = answers_of(file, *(split_itemset(text, separator) for text in itemset))
    if as_json:
        output.show_json({"file": str(file), "answers": [asdict(answer) for answer in answers]})
        return
    output.show_notices(_unknown_terms(answer) for answer in answers if answer.unknown)
    output.show_table(
        f"{file.name}: {answers[0].records} records",
        ["itemset", "at least", "expected", "at most"],
        [
            (", ".join(answer.itemset), answer.lower, f"{answer.expected:.4g}", answer.upper)
            for answer in answers
        ],
    )


def _unknown_terms(answer: Answer) -> str:
    terms = ", ".join(map(repr, answer.unknown))
    return f"the file does not hold {terms}; terms that contain spaces need another --separator"
