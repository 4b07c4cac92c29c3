from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.parameters import OneOf, check_parameters, parameter
from shoal.algorithms.relational.clustering.constraint import needs_of
from shoal.algorithms.relational.clustering.finishing import finish, local_search_parameter, weight_parameter
from shoal.algorithms.relational.clustering.growing import around_random_seeds
from shoal.algorithms.relational.clustering.records import MEASURES, Records
from shoal.engine.local import LocalData
from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import Model
from shoal.privacy.t_closeness import TCloseness
from shoal.progress import Progress
from shoal.recoding.rows import RowRecoding


@dataclass(frozen=True, slots=True)
class Cluster(Algorithm):
    """Gather around random records the k - 1 others that are cheapest to publish with them.

    Fewer than k records that are left go each to the cluster where they add least to the cost. Clusters that
    would be published alike are one.

    Contract
        needs:      rows; quasi-identifiers with trees
        gives:      one node per cluster and column
        guarantees: every cluster satisfies every model passed to find()
        cost:       O(n / k * distinct records * columns), memory O(n)

    After Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, Anonymizing data with relational and transaction
    attributes, ECML PKDD 2013.
    """

    name: ClassVar[str] = "cluster"
    serves: ClassVar[tuple[type[Model], ...]] = (KAnonymity, LDiversity, TCloseness, AlphaKAnonymity)
    paper: ClassVar[str] = (
        "Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction "
        "attributes. ECML PKDD 2013."
    )
    guarantee: ClassVar[str] = "every class satisfies every model; no bound on the loss"

    measure: str = parameter("ncp", OneOf(MEASURES), "the loss that is kept low")
    local_search: bool = local_search_parameter()
    w: float = weight_parameter()

    def __post_init__(self) -> None:
        check_parameters(self)

    def find(
        self, data: LocalData, models: Sequence[Model], rng: np.random.Generator, progress: Progress
    ) -> RowRecoding:
        """Gather clusters of k records around seeds in random order."""
        k = needs_of(data, models).k
        records = Records.of(data, self.measure)
        clustering = around_random_seeds(records, k, rng, progress)
        return finish(data, records, clustering, models, progress, local_search=self.local_search, w=self.w)
