"""A minimal cut: moving a safe cut down again wherever the promise allows it."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.violations import Questions, Violation
from shoal.progress import Progress


@dataclass(slots=True)
class Specialized:
    """How many nodes were expanded, and what breaks when one of the others is; `in_time` as in `Tally`."""

    expanded: int = 0
    obstacles: dict[int, Violation] = field(default_factory=dict)
    in_time: bool = True


def specialize(
    violations: Questions, cut: Cut, progress: Progress, known: Mapping[int, Violation] | None = None
) -> Specialized:
    """Replace nodes of a safe cut by their children as long as the promise holds, the dearest node first.

    A node whose expansion breaks the promise once would break it at every finer cut, too, so each node is
    tried once and no single expansion of the result is safe. With diversity, which has no such property, the
    result is safe and no dearer, but may be not minimal. Equally dear nodes are tried in the order of their
    numbers. `known` are obstacles at the same cut for more transactions than these; a node is not tried if
    its own still breaks the promise. When time is up the cut reached so far stays.
    """
    result = Specialized(obstacles=_that_break(violations, known or {}))
    waiting = [(-cut.cost(node), node) for node in _inner_nodes(cut) if node not in result.obstacles]
    heapq.heapify(waiting)
    violations.expect(cut, _in_turn(waiting))
    tried = 0
    while waiting and result.in_time:
        _, node = heapq.heappop(waiting)
        tried += 1
        obstacle = obstacle_to_expanding(violations, cut, node)
        if obstacle is None:
            result.expanded += 1
            for child in cut.tree.children(node).tolist():
                if child > cut.tree.leaf_count:
                    heapq.heappush(waiting, (-cut.cost(child), child))
            violations.expect(cut, _in_turn(waiting))
        else:
            cut.raise_to([node])
            result.obstacles[node] = obstacle
        progress.update(tried, tried + len(waiting), f"{result.expanded:,} nodes expanded")
        result.in_time = not progress.expired()
    return result


def obstacle_to_expanding(violations: Questions, cut: Cut, node: int) -> Violation | None:
    """Expand a node of a safe cut; returns a set that then breaks the promise, if there is one."""
    cut.expand(node)
    return violations.with_one_of(cut, cut.tree.children(node))


def obstacles_at(violations: Questions, cut: Cut, known: dict[int, Violation]) -> dict[int, Violation]:
    """What breaks when exactly one node of a safe cut is expanded, for each node where something does.

    `known` are obstacles met on the way to this cut; those whose other nodes are still on it hold.
    """
    obstacles = {node: each for node, each in known.items() if _still_stands(each, node, cut)}
    unknown = [node for node in _inner_nodes(cut) if node not in obstacles]
    violations.expect(cut, unknown)
    for node in unknown:
        obstacle = obstacle_to_expanding(violations, cut, node)
        cut.raise_to([node])
        if obstacle is not None:
            obstacles[node] = obstacle
    return {node: obstacles[node] for node in sorted(obstacles)}


def _still_stands(obstacle: Violation, node: int, cut: Cut) -> bool:
    return cut.holds(node) and all(
        cut.holds(other) or cut.tree.parent(other) == node for other in (*obstacle.present, *obstacle.absent)
    )


def _that_break(violations: Questions, known: Mapping[int, Violation]) -> dict[int, Violation]:
    """Those of the obstacles that break the promise among these transactions, too."""
    return {
        node: replace(each, support=violations.support(each.present, each.absent))
        for node, each in known.items()
        if violations.breaks(each.present, each.absent)
    }


def _in_turn(waiting: list[tuple[int, int]]) -> Iterator[int]:
    return (node for _, node in sorted(waiting))


def _inner_nodes(cut: Cut) -> list[int]:
    return [node for node in cut.nodes.tolist() if node > cut.tree.leaf_count]
