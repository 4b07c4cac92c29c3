"""Published files under attack: what adversaries find who know more or less of the original."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.attack.attacked import Attacked
from shoal.attack.catalogue import adversaries
from shoal.attack.homogeneity import confidences
from shoal.attack.intersection import intersect
from shoal.attack.items import most_items
from shoal.attack.journalist import journalist_risk
from shoal.attack.links import Linked
from shoal.engine.local import LocalData
from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.privacy.disassociation import Disassociation
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.set_k_anonymity import SetKAnonymity
from shoal.privacy.verdict import Model
from shoal.progress import Progress, Silent
from shoal.run.plan import Plan
from shoal.run.prepare import Data, read
from shoal.run.promise import promises_of
from shoal.table.reading import read_published


def attack(
    release: Any,
    original: Data,
    models: Model | Sequence[Model],
    *,
    other: Any = None,
    items: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Attacked:
    """Link a published file or frame to its original as adversaries would.

    Some know up to `items` items of a set, by default two more than the promise covers. With an `other`
    release of the same people both are intersected. `seed` steers samples, which are drawn where there is too
    much to go through.
    """
    if not isinstance(original, Data):
        raise InvalidParameter("attack", "original", original, "what `read` gives")
    if items is not None and (type(items) is not int or items < 1):
        raise InvalidParameter("attack", "items", items, "an integer of 1 or more")
    promises = promises_of(models)
    linked = _linked(release, original, promises, seed)
    progress = progress or Silent()
    findings = [
        finding for adversary in adversaries(items).values() for finding in adversary.find(linked, progress)
    ]
    if other is not None:
        findings.append(intersect(linked, _linked(other, original, promises, seed), progress))
    progress.stage("looking for what records have in common")
    return Attacked(
        k=linked.k,
        m=linked.m,
        records=original.row_count,
        published_records=linked.published.row_count,
        findings=tuple(findings),
        confidences=tuple(confidences(linked.published, most_items(items, linked))),
        journalist=journalist_risk(linked),
        notices=original.notices,
    )


def attack_files(
    files: Sequence[Path],
    plan: Plan,
    *,
    original: Path | None = None,
    items: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Attacked:
    """Attack one or two published files of a plan; the original is that of the plan unless named."""
    if len(files) not in (1, 2):
        raise BadInput(Problem(f"{len(files)} files cannot be attacked at once", "name one file, or two"))
    progress = progress or Silent()
    progress.stage("reading")
    data = read(original or plan.data_path, plan.roles, options=plan.read_options, subject=plan.subject)
    other = files[1] if len(files) == 2 else None
    return attack(files[0], data, plan.models, other=other, items=items, seed=seed, progress=progress)


def _linked(release: Any, original: Data, models: Sequence[Model], seed: int) -> Linked:
    if any(isinstance(model, Disassociation) for model in models):
        raise BadInput(Problem("disassociated data are attacked through their chunks", "see `shoal query`"))
    loaded = read_published(release, original.local.roles, original.options)
    return Linked(
        original.local,
        LocalData(loaded.table, loaded.roles),
        k=_largest(models, "k") or 1,
        m=_largest(models, "m"),
        promises_absence=any(isinstance(model, KmAnonymity) and model.negative for model in models),
        promises_whole_sets=any(isinstance(model, SetKAnonymity) for model in models),
        seed=seed,
    )


def _largest(models: Sequence[Model], parameter: str) -> int | None:
    return max((int(value) for model in models if (value := getattr(model, parameter, None))), default=None)
