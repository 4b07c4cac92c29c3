"""What a published file shows to anybody who has nothing but the file and the promise about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shoal.engine.answers import SizeCounts
from shoal.engine.local import LocalData
from shoal.explain.changes import label_counts, term_counts
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import Verdict
from shoal.recoding.disassociated import Disassociated, chunk_figures
from shoal.report.clusters import drawn_clusters
from shoal.report.public_page import PublicFacts
from shoal.run.readers import readers_find
from shoal.run.verification import VerifiedFile
from shoal.table.roles import QuasiSet, Role

_SENSITIVE_ITEMS = ("the sensitive items",)


def public_facts(
    checked: VerifiedFile, roles: Mapping[str, Role], promise: Promise, *, publishable: bool
) -> PublicFacts:
    """All that the external report of a published file tells, from nothing but what the file holds."""
    content = checked.content
    if isinstance(content, Disassociated):
        return _of_clusters(content, roles, promise, checked.verdicts, publishable=publishable)
    public = _with_published_sensitive_items(content)
    shown = (*content.quasi, *content.quasi_sets, *content.sensitive)
    return PublicFacts(
        model=promise.main.name,
        promises=promise,
        verdicts=_reworded(checked.verdicts, promise, public),
        quasi=(*content.quasi, *content.quasi_sets),
        sensitive=content.sensitive,
        columns=tuple(content.table.columns),
        sets=content.quasi_sets,
        records=content.row_count,
        class_sizes=SizeCounts.of(content.alike().sizes),
        labels={name: label_counts(content.table, name) for name in shown},
        publishable=publishable,
    )


def _of_clusters(
    content: Disassociated,
    roles: Mapping[str, Role],
    promise: Promise,
    verdicts: tuple[Verdict, ...],
    *,
    publishable: bool,
) -> PublicFacts:
    terms = set(content.terms.texts())
    named = tuple(item for item in content.sensitive if item in terms)
    columns = tuple(name for name, role in roles.items() if isinstance(role, QuasiSet))
    return PublicFacts(
        model=promise.main.name,
        promises=promise,
        verdicts=_reworded(verdicts, promise, replace(content, sensitive=named or _SENSITIVE_ITEMS)),
        quasi=columns,
        sensitive=named,
        columns=columns,
        sets=columns,
        records=content.record_count,
        class_sizes=SizeCounts.none(),
        labels={columns[0]: term_counts(content)},
        publishable=publishable,
        chunks=chunk_figures(content),
        clusters=drawn_clusters(content),
        cluster_sizes=content.clusters.sizes[content.clusters.simple],
        attacks=readers_find(content, promise).words,
    )


def _with_published_sensitive_items(data: LocalData) -> LocalData:
    """The same data with roles that name no item which does not stand in the file."""
    roles = dict(data.roles)
    for name in data.quasi_sets:
        role = roles[name]
        if isinstance(role, QuasiSet) and role.sensitive:
            published = label_counts(data.table, name)
            kept = tuple(item for item in role.sensitive if item in published)
            roles[name] = replace(role, sensitive=kept or _SENSITIVE_ITEMS)
    return replace(data, roles=roles)


def _reworded(
    verdicts: Sequence[Verdict], promise: Promise, public: LocalData | Disassociated
) -> tuple[Verdict, ...]:
    """The verdicts with claims that name only what the file holds."""
    return tuple(
        replace(verdict, claim=model.claim(public)) for verdict, model in zip(verdicts, promise, strict=True)
    )
