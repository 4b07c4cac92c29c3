"""What may be certified of a release that was checked, wherever it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from shoal.engine.answers import SizeCounts
from shoal.engine.port import Port
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import Verdict
from shoal.report.certificate import Statement
from shoal.report.certified import published_roles
from shoal.report.outcome import NO_ATTACKS, Attacks
from shoal.run.safety import tells_apart
from shoal.table.roles import QuasiSet, Role


def statement_of_rows(data: Port, verdicts: tuple[Verdict, ...], promise: Promise) -> Statement:
    """Of rows, under the roles of all columns that are there."""
    return Statement(
        promise=promise,
        columns=published_roles(
            data.roles, data.roles, data.held, lambda name: tells_apart(data, name, promise.k)
        ),
        verdicts=verdicts,
        records=data.row_count,
        class_sizes=data.class_sizes((*data.quasi, *data.quasi_sets), promise.k).sizes,
    )


class CountedClusters(Protocol):
    """What a statement asks of disassociated data."""

    @property
    def record_count(self) -> int:
        """How many records the clusters have together."""

    def terms_held(self, labels: Collection[str]) -> set[str]:
        """Which of these labels are terms of the release."""


def statement_of_clusters(
    clusters: CountedClusters,
    verdicts: tuple[Verdict, ...],
    roles: Mapping[str, Role],
    promise: Promise,
    attacks: Attacks = NO_ATTACKS,
) -> Statement:
    """Of disassociated data, which have no rows."""
    sets = [name for name, role in roles.items() if isinstance(role, QuasiSet)]
    return Statement(
        promise=promise,
        columns=published_roles(sets, roles, lambda _, labels: clusters.terms_held(labels)),
        verdicts=verdicts,
        records=clusters.record_count,
        class_sizes=SizeCounts.none(),
        attacks=attacks,
    )
