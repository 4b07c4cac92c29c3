"""From any clustering to a decision: make it keep the models, improve it, say how good it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shoal.algorithms.relational.clusters import Clustering
from shoal.algorithms.relational.diversify import diversify
from shoal.algorithms.relational.needs import needs_of
from shoal.algorithms.relational.records import Records
from shoal.engine.local import LocalData
from shoal.privacy.verdict import Model
from shoal.progress import Progress
from shoal.recoding.groups import Groups

WEIGHT_OF_LOSS = 0.15


def finish(
    data: LocalData,
    records: Records,
    clustering: Clustering,
    models: Sequence[Model],
    progress: Progress,
    *,
    local_search: bool,
    w: float = WEIGHT_OF_LOSS,
) -> Groups:
    """The groups of a clustering, of which clusters are united until every model holds in each.

    Clusters may come in any size; `local_search` lowers the cost afterwards, of which `records` has the
    measure. Raises Infeasible when not even the whole table keeps the models.
    """
    needs = needs_of(data, models)
    progress.stage("diversity")
    clustering = diversify(records, clustering, needs, w, progress)
    notices: tuple[str, ...] = ()
    if needs.k == 1:
        notices += ("k = 1 lets a record stand alone on its quasi-identifiers",)
    return replace(clustering.groups(records), notices=notices)
