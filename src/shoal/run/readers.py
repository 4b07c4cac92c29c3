"""What readers of a disassociated release find who know more than the release."""

from __future__ import annotations

from functools import partial

from shoal.attack.disassociation import covers, known_users
from shoal.engine.port import ClusterPort
from shoal.privacy.promise import Promise
from shoal.report.outcome import Attacks

_KNOWN_USERS = 1  # in each cluster


def readers_find(released: ClusterPort, promise: Promise) -> Attacks:
    """What readers find who know the algorithm, or the record of one user in each cluster."""
    k, m = promise.k, promise.m or 1
    covered = released.examine(partial(covers, k=k, m=m))
    known = released.examine(partial(known_users, k=k, m=m))
    return Attacks(
        (covered.in_words(), known.in_words(_KNOWN_USERS)),
        {"cover_problem": covered.figures(), "known_users": known.figures(_KNOWN_USERS)},
    )
