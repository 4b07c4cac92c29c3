"""What a published file shows to anybody who has nothing but the file and the promise about it."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.explain.changes import label_counts, term_counts
from shoal.privacy.promise import Promise
from shoal.recoding.disassociated import Disassociated, chunk_figures
from shoal.report.certificate import Statement
from shoal.report.clusters import drawn_clusters
from shoal.report.public_page import PublicFacts
from shoal.run.published_file import VerifiedFile
from shoal.run.readers import readers_find
from shoal.run.statement import statement_of_clusters, statement_of_rows
from shoal.table.roles import Role


def statement_of(checked: VerifiedFile, roles: Mapping[str, Role], promise: Promise) -> Statement:
    """What may be certified of a file that was checked under these roles."""
    content, verdicts = checked.content, checked.verdicts
    if isinstance(content, Disassociated):
        return statement_of_clusters(content, verdicts, roles, promise, readers_find(content, promise))
    return statement_of_rows(content, verdicts, promise)


def public_facts(checked: VerifiedFile, statement: Statement, *, publishable: bool) -> PublicFacts:
    """All that the external report of a published file tells, from nothing but what the file holds."""
    content = checked.content
    if isinstance(content, Disassociated):
        columns = tuple(statement.columns)
        terms = set(content.terms.texts())
        return PublicFacts(
            statement=statement,
            quasi=columns,
            sensitive=tuple(item for item in content.sensitive if item in terms),
            sets=columns,
            labels={columns[0]: term_counts(content)},
            publishable=publishable,
            chunks=chunk_figures(content),
            clusters=drawn_clusters(content),
            cluster_sizes=content.clusters.sizes[content.clusters.simple],
        )
    shown = (*content.quasi, *content.quasi_sets, *content.sensitive)
    return PublicFacts(
        statement=statement,
        quasi=(*content.quasi, *content.quasi_sets),
        sensitive=content.sensitive,
        sets=content.quasi_sets,
        labels={name: label_counts(content.table, name) for name in shown},
        publishable=publishable,
    )
