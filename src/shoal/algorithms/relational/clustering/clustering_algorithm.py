"""What algorithms share that cluster the records of a table: models, parameters, and the steps at the end."""

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.parameters import OneOf, YesOrNo, parameter
from shoal.algorithms.relational.clustering.clusters import Clustering
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

    def finish(
        self,
        data: LocalData,
        records: Records,
        clustering: Clustering,
        models: Sequence[Model],
        progress: Progress,
    ) -> RowRecoding:
        """Unite clusters until every model holds, and lower the cost if that is asked for."""
        return finish(data, records, clustering, models, progress, local_search=self.local_search, w=self.w)
