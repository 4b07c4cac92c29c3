"""What algorithms share that cluster the records of a table: models, parameters, and the steps at the end."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.parameters import OneOf, YesOrNo, parameter
from shoal.algorithms.relational.clustering.clusters import Clustering
from shoal.algorithms.relational.clustering.constraint import class_constraint_of
from shoal.algorithms.relational.clustering.finishing import finish, weight_parameter
from shoal.algorithms.relational.clustering.records import MEASURES, Records
from shoal.engine.local import LocalData
from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import Model
from shoal.privacy.t_closeness import TCloseness
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding

Found = tuple[Clustering, tuple[str, ...]]  # clusters, and what to know about the search for them

OF_CLASSES: tuple[type[Model], ...] = (KAnonymity, LDiversity, TCloseness, AlphaKAnonymity)


@dataclass(frozen=True, slots=True)
class ClusteringAlgorithm(Algorithm):
    """Makes clusters of k records; what else is promised is kept by uniting them."""

    serves = OF_CLASSES
    guarantee = "every class satisfies every model; no bound on the loss"

    measure: str = parameter("ncp", OneOf(MEASURES), "the loss that is kept low")
    local_search: bool = parameter(
        default=False, rule=YesOrNo(), help="afterwards move and swap records while that lowers the loss"
    )
    w: float = weight_parameter()

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Unite clusters until every model holds, and lower the cost if that is asked for."""
        k = class_constraint_of(data, models).k
        records = Records.of(data, self.measure)
        clustering, notices = self.clusters(records, k, rng, progress)
        found = finish(data, records, clustering, models, progress, local_search=self.local_search, w=self.w)
        return replace(found, notices=(*notices, *found.notices))

    def clusters(self, records: Records, k: int, rng: np.random.Generator, progress: Progress) -> Found:
        """Clusters of k records or more."""
        raise NotImplementedError
