"""New records among the regions of an earlier decision, slowly: sets of values, and nothing of ours."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations


def settled(
    records: Sequence[Sequence[object]], regions: Sequence[Sequence[set[object]]], least: int
) -> list[int | None]:
    """The place of each record's region: regions come cheapest first, each a set of values per column.

    Every record waits at the first region that covers it. Region after region, too few of them are sent on
    to the next that covers them; who finds none has none.
    """
    waiting: dict[int, int | None] = {
        record: _next(records[record], regions, 0) for record in range(len(records))
    }
    for place in range(len(regions)):
        here = [record for record, region in waiting.items() if region == place]
        if len(here) < least:
            for record in here:
                waiting[record] = _next(records[record], regions, place + 1)
    return [waiting[record] for record in range(len(records))]


def _next(record: Sequence[object], regions: Sequence[Sequence[set[object]]], first: int) -> int | None:
    for place in range(first, len(regions)):
        if all(value in allowed for value, allowed in zip(record, regions[place], strict=True)):
            return place
    return None


def rows_with_rare_itemsets(rows: Sequence[set[str]], classes: Sequence[int], m: int, k: int) -> set[int]:
    """Rows that have to go until every set of up to m items occurs in no row of a class or in at least k."""
    kept = set(range(len(rows)))
    while True:
        bad = {
            row
            for row in kept
            if _has_rare(rows[row], [rows[other] for other in kept if classes[other] == classes[row]], m, k)
        }
        if not bad:
            return set(range(len(rows))) - kept
        kept -= bad


def _has_rare(items: set[str], beside: Sequence[set[str]], m: int, k: int) -> bool:
    return any(
        sum(set(itemset) <= other for other in beside) < k
        for size in range(1, m + 1)
        for itemset in combinations(sorted(items), size)
    )
