"""A minimal cut: moving a safe cut down again wherever the promise allows it.

And a cheaper one than that: letting other items pay for the dearest node.
"""

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from shoal.algorithms.sets.cut_search.cut import Cut
from shoal.algorithms.sets.cut_search.generalization import Repairs
from shoal.algorithms.sets.cut_search.violations import Questions, Violation
from shoal.kernels.arrays import Bools, Ints
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


def obstacles_at(
    violations: Questions, cut: Cut, known: dict[int, Violation], progress: Progress
) -> dict[int, Violation]:
    """What breaks when exactly one node of a safe cut is expanded, for each node where something does.

    `known` are obstacles met on the way to this cut; those whose other nodes are still on it hold. When time
    is up, the others are those that there was time for.
    """
    obstacles = {node: each for node, each in known.items() if _still_stands(each, node, cut)}
    unknown = [node for node in _inner_nodes(cut) if node not in obstacles]
    violations.expect(cut, unknown)
    for done, node in enumerate(unknown):
        progress.update(done, len(unknown), "reasons")
        if progress.expired():
            break
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


@dataclass(frozen=True, slots=True)
class Exchanged:
    """The best cut found, how it was made minimal, and how many exchanges were made."""

    cut: Cut
    step: Specialized
    made: int


def exchange(violations: Questions, cut: Cut, step: Specialized, tries: int, progress: Progress) -> Exchanged:
    """Expand a node of a minimal cut all the same, and mend what breaks by moving up other nodes.

    The dearest node is tried first. If the cut, made minimal again, loses less than before, it is taken and
    the search starts over from it. A try is given up once the others have paid twice what the expansion
    saves: making the cut minimal seldom brings back that much. For k^m-anonymity only.
    """
    best, made = cut, 0
    waiting = _dearest_first(best)
    while waiting and tries > 0 and not progress.expired():
        tries -= 1
        other = _paid_by_others(violations, best, waiting.pop(0), progress)
        if other is not None:
            other_step = specialize(violations, other, progress)
            if other.loss < best.loss:
                best, step, made = other, other_step, made + 1
                waiting = _dearest_first(best)
        progress.update(made, made + tries, f"{made:,} exchanges made")
    return Exchanged(best, step, made)


def _dearest_first(cut: Cut) -> list[int]:
    nodes = [node for node in cut.nodes.tolist() if cut.cost(node) > 0]
    return sorted(nodes, key=lambda node: (-cut.cost(node), node))


def _paid_by_others(violations: Questions, cut: Cut, node: int, progress: Progress) -> Cut | None:
    """The cut with one node expanded and others moved up for it.

    None if that costs too much, or time is up.
    """
    other = Cut(violations.transactions, cut.node_of_leaf)
    other.expand(node)
    allowed = np.ones(other.tree.node_count, dtype=np.bool_)
    allowed[[node, *other.tree.ancestors(node)]] = False
    most = cut.loss + (cut.loss - other.loss)
    return other if _mended(violations, other, cut.nodes, allowed, most=most, progress=progress) else None


def _mended(
    violations: Questions, cut: Cut, safe: Ints, allowed: Bools, *, most: int, progress: Progress
) -> bool:
    """Move the cut up until it is safe again; False once the loss exceeds `most` or nothing helps.

    Sets of `safe` nodes only are known to be fine. False as well when time is up.
    """
    repairs = Repairs(violations, cut, allowed)
    for size in range(1, violations.constraint.largest + 1):
        listed = np.zeros(cut.tree.node_count, dtype=np.bool_)
        listed[safe] = True
        while not listed[cut.nodes].all():
            nodes = cut.nodes
            for each in violations.at_cut(cut, size, ~listed):
                if isinstance(each, Violation):
                    replaced = repairs.cheapest(each)
                    if replaced is None:
                        return False
                    cut.raise_to(replaced)
                    if cut.loss > most:
                        return False
                elif progress.expired():
                    return False
            listed[nodes] = True
    return True
