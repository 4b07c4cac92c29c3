"""`shoal explain`: why an item is generalized."""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli import output, words
from shoal.cli.progress import shown_progress
from shoal.cli.reporting import Json, PolicyPath, reporting
from shoal.explain.items import explain as explain_item
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import load_policy
from shoal.run.release import run as run_plan

_EXPLANATIONS_SHOWN = 10


@reporting
def explain(
    policy: PolicyPath,
    *,
    item: Annotated[str, typer.Option(help="The item of the data to explain.")],
    as_json: Json = False,
) -> None:
    """Say why an item is generalized: what would break if it were published in more detail."""
    plan = plan_of(load_policy(policy))
    with shown_progress() as progress:
        result = run_plan(plan, progress)
    found = explain_item(result.data.local, result.models, result.recoding, item)
    if as_json:
        output.show_json({"item": item, "parts": [words.explanation_json(entry) for entry in found]})
        return
    for entry in found[:_EXPLANATIONS_SHOWN]:
        output.show_text(entry.place + entry.sentence())
    if len(found) > _EXPLANATIONS_SHOWN:
        output.show_text(f"and in {len(found) - _EXPLANATIONS_SHOWN:,} other ways: --json lists them all")
