"""Published files under attack: what adversaries find who know more or less of the original."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.attack.attacked import Attacked
from shoal.attack.catalogue import ADVERSARIES
from shoal.attack.chunks import LinkedChunks, attack_chunks, sensitive_guess
from shoal.attack.disassociation import covers, known_users, sensitive_terms
from shoal.attack.finding import Finding
from shoal.attack.homogeneity import confidences
from shoal.attack.intersection import intersect
from shoal.attack.items import most_items
from shoal.attack.journalist import journalist_risk
from shoal.attack.links import Linked
from shoal.engine.local import LocalData
from shoal.engine.port import Question
from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.policy.plan import Plan
from shoal.privacy.model import Form, Model
from shoal.privacy.promise import Promise
from shoal.progress import Progress, Silent, interrupts_between_steps
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.disassociated_file import read_clusters
from shoal.run.prepare import Data, read
from shoal.run.release_codebook import dialect_beside
from shoal.table.reading import read_published
from shoal.table.roles import Quasi, QuasiSet


@interrupts_between_steps()
def attack(
    release: Any,
    original: Data,
    models: Model | Sequence[Model],
    *,
    other: Any = None,
    population: Data | None = None,
    items: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Attacked:
    """Link a published file or frame to its original as adversaries would.

    Disassociated files are attacked through their chunks.

    Args:
        release: The published file, or a frame of what it holds.
        original: The data that it was made from.
        models: What it promises.
        other: Another release of the same people, which is intersected with it.
        population: The people from which the original was drawn, for the journalist's risk; without it the
            original itself.
        items: How many items of a set some know, by default two more than the promise covers.
        seed: Steers samples, which are drawn where there is too much to go through.
        progress: Whom to tell how far the work is.

    Returns:
        What each adversary found, and whether it breaks the promise.

    Raises:
        BadInput: The release cannot be read, or is not one of this original.
        InvalidParameter: `items` is no number of items.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> columns = {"age": sh.Quasi(hierarchy=sh.ranges(10))}
        >>> data = sh.read(pa.table({"age": [31, 34, 52, 57]}), columns)
        >>> result = sh.anonymize(data, sh.KAnonymity(k=2), algorithm="mondrian")
        >>> sh.attack(result.frame, data, sh.KAnonymity(k=2)).broken
        ()
    """
    if not isinstance(original, Data):
        raise InvalidParameter("attack", "original", original, "what `read` gives")
    if population is not None and not isinstance(population, Data):
        raise InvalidParameter("attack", "population", population, "what `read` gives")
    if items is not None and (type(items) is not int or items < 1):
        raise InvalidParameter("attack", "items", items, "an integer of 1 or more")
    promises = Promise.of(models)
    progress = progress or Silent()
    if promises.form is Form.CLUSTERS:
        _refuse_beside_chunks(other, population)
        published = _disassociated(release, original)
        linked_chunks = LinkedChunks.of(original.local, published, k=promises.k, m=promises.m or 1, seed=seed)
        findings = attack_chunks(linked_chunks, items, progress)
        return _attacked_chunks(published, original, promises, findings)
    linked = _linked(release, original, promises, seed)
    if population is not None and not linked.has_values:
        raise BadInput(Problem("a population tells of single values only", "attack sets without one"))
    most = most_items(items, linked)
    findings = [finding for adversary in ADVERSARIES for finding in adversary(linked, most, progress)]
    if other is not None:
        findings.append(intersect(linked, _linked(other, original, promises, seed), progress))
    progress.stage("looking for what records have in common")
    return Attacked(
        k=linked.k,
        m=linked.m,
        records=original.row_count,
        published_records=linked.published.row_count,
        findings=tuple(findings),
        confidences=tuple(confidences(linked, most)),
        journalist=journalist_risk(linked, None if population is None else population.local),
        notices=original.notices,
    )


def attack_files(
    files: Sequence[Path],
    plan: Plan,
    *,
    original: Path | None = None,
    population: Path | None = None,
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
    return attack(
        files[0],
        data,
        plan.models,
        other=files[1] if len(files) == 2 else None,
        population=None if population is None else _population(population, plan),
        items=items,
        seed=seed,
        progress=progress,
    )


def _population(file: Path, plan: Plan) -> Data:
    """The people from whom the original was drawn: of their columns only the quasi-identifiers count."""
    values = {name: role for name, role in plan.roles.items() if isinstance(role, Quasi)}
    if not values:
        raise BadInput(Problem("a population tells of single values only", "attack sets without one"))
    return read(file, values, options=replace(plan.read_options, others="drop"))


def _refuse_beside_chunks(other: Any, population: Any) -> None:
    if other is not None:
        what = "two disassociated releases cannot be intersected"
        raise BadInput(Problem(what, "attack them one by one"))
    if population is not None:
        raise BadInput(Problem("a population tells of single values only", "attack sets without one"))


def _disassociated(release: Any, original: Data) -> Disassociated:
    if not isinstance(release, str | os.PathLike):
        raise BadInput(Problem("disassociated data are clusters, not a table", "name their file"))
    roles = original.local.roles.values()
    sensitive = [item for role in roles if isinstance(role, QuasiSet) for item in role.sensitive]
    return read_clusters(Path(release), sensitive)


def _attacked_chunks(
    published: Disassociated, original: Data, promise: Promise, findings: Sequence[Finding]
) -> Attacked:
    """What was found through the chunks, and what else the file tells to readers who know the algorithm."""
    k, m = promise.k, promise.m or 1
    verdict = promise.main.verify(published)
    guess = sensitive_guess(published, sensitive_terms(published))
    return Attacked(
        k=k,
        m=m,
        records=original.row_count,
        published_records=published.record_count,
        findings=tuple(findings),
        confidences=() if guess is None else (guess,),
        journalist=None,
        weaknesses=(covers(published, k, m).in_words(), known_users(published, k, m).in_words(1)),
        notices=(
            *original.notices,
            *(() if verdict.holds else (f"the file breaks the rules of disassociation: {verdict.evidence}",)),
        ),
    )


def _linked(release: Any, original: Data, promise: Promise, seed: int) -> Linked:
    loaded = read_published(release, original.local.roles, original.options, dialect_beside(release))
    return Linked(
        original.local,
        LocalData(loaded.table, loaded.roles),
        k=promise.k,
        m=promise.m,
        promises_absence=any(Question.ABSENCE in model.asks for model in promise),
        promises_whole_sets=promise.covers_sets and promise.m is None,
        seed=seed,
    )
