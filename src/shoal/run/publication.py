"""What a published file shows to anybody who has nothing but the file and the promise about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from shoal.attack.disassociation import covers, known_users
from shoal.engine.local import LocalData
from shoal.explain.changes import label_counts, term_counts
from shoal.kernels.arrays import frozen_ints
from shoal.privacy.disassociation import Disassociation
from shoal.privacy.verdict import Model, Verdict
from shoal.recoding.disassociated import Disassociated
from shoal.report.clusters import drawn_clusters, pieces_in_figures
from shoal.report.outcome import Promise
from shoal.report.public_page import Publication
from shoal.run.verification import CheckedFile
from shoal.table.roles import QuasiSet, Role

_SENSITIVE_ITEMS = ("the sensitive items",)
_KNOWN_USERS = 1  # in each cluster


def publication(
    checked: CheckedFile, roles: Mapping[str, Role], models: Sequence[Model], *, publishable: bool
) -> Publication:
    """All that the external report of a published file tells, from nothing but what the file holds."""
    content = checked.content
    if isinstance(content, Disassociated):
        return _of_clusters(content, roles, models, checked.verdicts, publishable=publishable)
    public = _with_published_sensitive_items(content)
    shown = (*content.quasi, *content.quasi_sets, *content.sensitive)
    return Publication(
        model=models[0].name,
        promises=tuple(map(Promise.of, models)),
        verdicts=_reworded(checked.verdicts, models, public),
        quasi=(*content.quasi, *content.quasi_sets),
        sensitive=content.sensitive,
        columns=tuple(content.table.columns),
        sets=content.quasi_sets,
        records=content.row_count,
        class_sizes=content.alike().sizes,
        labels={name: label_counts(content.table, name) for name in shown},
        publishable=publishable,
    )


def _of_clusters(
    content: Disassociated,
    roles: Mapping[str, Role],
    models: Sequence[Model],
    verdicts: tuple[Verdict, ...],
    *,
    publishable: bool,
) -> Publication:
    terms = set(content.terms.texts())
    named = tuple(item for item in content.sensitive if item in terms)
    columns = tuple(name for name, role in roles.items() if isinstance(role, QuasiSet))
    return Publication(
        model=models[0].name,
        promises=tuple(map(Promise.of, models)),
        verdicts=_reworded(verdicts, models, replace(content, sensitive=named or _SENSITIVE_ITEMS)),
        quasi=columns,
        sensitive=named,
        columns=columns,
        sets=columns,
        records=content.record_count,
        class_sizes=frozen_ints([]),
        labels={columns[0]: term_counts(content)},
        publishable=publishable,
        pieces=pieces_in_figures(content),
        clusters=drawn_clusters(content),
        cluster_sizes=content.clusters.sizes[content.clusters.simple],
        attacks=readers_find(content, models).words,
    )


class Findings(NamedTuple):
    """What readers find in a file of pieces, in words and in figures."""

    words: tuple[str, ...]
    figures: dict[str, dict[str, int]]


def readers_find(released: Disassociated, models: Sequence[Model]) -> Findings:
    """What readers find who know the algorithm, or the record of one user in each cluster."""
    (model,) = (model for model in models if isinstance(model, Disassociation))
    covered, known = covers(released, model.k, model.m), known_users(released, model.k, model.m)
    return Findings(
        (covered.in_words(), known.in_words(_KNOWN_USERS)),
        {"cover_problem": covered.figures(), "known_users": known.figures(_KNOWN_USERS)},
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
    verdicts: Sequence[Verdict], models: Sequence[Model], public: LocalData | Disassociated
) -> tuple[Verdict, ...]:
    """The verdicts with claims that name only what the file holds."""
    return tuple(
        replace(verdict, claim=model.claim(public)) for verdict, model in zip(verdicts, models, strict=True)
    )
