"""What a run read, so that a rerun can tell whether anything has changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shoal.errors import BadInput, Problem
from shoal.policy.output_names import INPUTS, INTERNAL
from shoal.policy.plan import Plan
from shoal.run.output import is_whole


def inputs_of(plan: Plan, settled: str, version: str) -> dict[str, Any]:
    """The version of Shoal, and digests of the policy with all its values and of the files of a run."""
    return {
        "shoal": version,
        "policy": hashlib.sha256(settled.encode()).hexdigest(),
        "files": _digests(plan.sources()),
    }


def is_up_to_date(folder: Path, inputs: dict[str, Any]) -> bool:
    """Whether a folder holds, whole, what a run with the same inputs has written."""
    try:
        earlier = json.loads((folder / INTERNAL / INPUTS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(earlier == inputs and is_whole(folder))


def _digests(sources: Iterable[Path]) -> dict[str, str]:
    found = {}
    for source in sources:
        try:
            with source.open("rb") as stream:
                found[str(source.absolute())] = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            what = f"cannot be read: {error.strerror}"
            raise BadInput(Problem(what, "check the path", file=str(source))) from error
    return found
