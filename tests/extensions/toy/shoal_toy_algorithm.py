"""An algorithm of another package: one file, and its line among the entry points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from shoal_toy_model import ShareAnonymity

from shoal.algorithms.interface import Algorithm
from shoal.engine.local import LocalData
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import Model
from shoal.progress import Progress
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.recoding.rows import RowRecoding


@dataclass(frozen=True, slots=True)
class OneCluster(Algorithm):
    """All records are published alike."""

    interface: ClassVar[int] = 1
    name: ClassVar[str] = "one-cluster"
    serves: ClassVar[tuple[type[Model], ...]] = (ShareAnonymity, KAnonymity)
    paper: ClassVar[str] = "None: it is the worst that can be done."
    guarantee: ClassVar[str] = "every promise about class sizes that can be kept at all"

    def find(
        self,
        data: LocalData,
        models: Sequence[Model],  # noqa: ARG002 - it does its worst whatever is asked
        rng: np.random.Generator,  # noqa: ARG002
        progress: Progress,  # noqa: ARG002
    ) -> RowRecoding:
        """One cluster at the roots of all trees."""
        roots = {name: np.array([data.trees[name].root]) for name in data.quasi}
        return RowRecoding(GeneralizedClusters(np.zeros(data.row_count, dtype=np.int64), roots))
