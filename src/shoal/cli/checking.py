"""`shoal check`: every problem at once."""

from __future__ import annotations

from shoal.cli import output, words
from shoal.cli.progress import shown_progress
from shoal.cli.reporting import Json, PolicyPath, reporting
from shoal.policy.policy_file import load_policy
from shoal.study.check import check as check_policy


@reporting
def check(policy: PolicyPath, *, as_json: Json = False) -> None:
    """List every problem of data, hierarchies and policy at once, and what the run will cost."""
    file = load_policy(policy)
    with shown_progress() as progress:
        found = check_policy(file, progress)
    if as_json:
        output.show_json(words.check_json(found))
        return
    output.show_notices(found.notices)
    output.show_facts(f"{policy}: no problems found", words.check(found))
