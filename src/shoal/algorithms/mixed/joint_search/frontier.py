"""What several bounds cost, so that one can be picked instead of guessed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.algorithms.mixed.joint_search.task import JointTask
from shoal.engine.local import LocalData
from shoal.errors import Infeasible, LimitReached
from shoal.privacy.check import verify_all
from shoal.privacy.model import Model
from shoal.privacy.verdict import Verdict
from shoal.progress import Progress
from shoal.recoding.recoding import apply_recoding
from shoal.recoding.rows import RowRecoding

_POINTS = 8


def grid(least: float, most: float) -> list[float]:
    """Bounds from the least that can be met to one that stops nothing."""
    return sorted(set(np.linspace(least, max(least, most), _POINTS).tolist()))


def knee(points: Sequence[Mapping[str, Any]]) -> int:
    """Where the sum of both losses is smallest, each on a scale from the least to the most that any has."""
    scaled = [_scaled([point[name] for point in points]) for name in ("relational_loss", "utility_loss")]
    return int(np.argmin(np.sum(scaled, axis=0)))


def _scaled(losses: Sequence[float]) -> list[float]:
    least, most = min(losses), max(losses)
    return [(loss - least) / (most - least) if most > least else 0.0 for loss in losses]


def best_of(
    task: JointTask, deltas: Sequence[float], find: Callable[[float], RowRecoding], progress: Progress
) -> RowRecoding:
    """The recoding at the knee of the curve; its figures list all, each of them verified.

    Bounds that cannot be met are left out, and those that there is no time for.
    """
    found: list[RowRecoding] = []
    points: list[dict[str, Any]] = []
    for delta in deltas:
        if found and progress.expired():
            break
        try:
            found.append(find(delta))
            points.append(_point(task, found[-1]))
        except Infeasible as error:
            impossible = error
        except LimitReached:
            if not (found and progress.expired()):
                raise
    if not found:
        raise impossible
    safe = [place for place, point in enumerate(points) if point["holds"]]
    best = safe[knee([points[place] for place in safe])]
    chosen = found[best]
    notice = (
        f"{len(points)} bounds were tried; published is delta = {points[best]['delta']:g}, the knee of the"
        " curve: pick another from the frontier if you weigh values and items differently"
    )
    return replace(chosen, notices=(*chosen.notices, notice), figures={**chosen.figures, "frontier": points})


def verdicts_of(data: LocalData, models: Sequence[Model], joint: RowRecoding) -> Sequence[Verdict]:
    """What a check of the release says that a recoding would give."""
    released = apply_recoding(data.table, data.trees, data.roles, joint, smallest=1).table
    return verify_all(models, LocalData(released, data.roles))


def _point(task: JointTask, joint: RowRecoding) -> dict[str, Any]:
    verdicts = verdicts_of(task.data, task.models, joint)
    names = ("delta", "relational_loss", "utility_loss", "clusters", "largest_cluster", "merges")
    return {
        **{name: joint.figures[name] for name in names},
        "holds": all(verdict.holds for verdict in verdicts),
        "smallest": min((v.smallest for v in verdicts if v.smallest is not None), default=None),
    }
