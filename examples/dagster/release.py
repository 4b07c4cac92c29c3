"""A release as an asset of Dagster: `dagster asset materialize -f release.py --select release`."""

import os
from pathlib import Path

import dagster

import shoal as sh

FOLDER = Path(os.environ.get("HOSPITAL", "."))


@dagster.asset
def release(context: dagster.AssetExecutionContext) -> dagster.MaterializeResult:
    """The published table; a broken promise or bad data fail the asset, and nothing is left behind."""
    result = sh.run_policy(FOLDER / "policy.toml", out=FOLDER / "release", replace=True)
    context.log.info(result.verdict.claim)
    return dagster.MaterializeResult(
        metadata={
            "records": result.outcome.cost.published_records,
            "smallest class": result.verdict.smallest,
            "loss": result.loss["ncp"],
        }
    )
