"""The second half of a run that publishes new records in place of the original ones."""

from __future__ import annotations

from shoal.engine.local import LocalData
from shoal.engine.memory import peak_memory_mb
from shoal.errors import CannotVerify
from shoal.explain.changes import change_of_new_records
from shoal.metrics.catalogue import measure_new_records
from shoal.privacy.differential_privacy import DifferentialPrivacy
from shoal.privacy.verdict import Verdict
from shoal.progress import Progress
from shoal.recoding.synthetic import Synthetic, new_records
from shoal.report.certified import published_roles
from shoal.report.outcome import Outcome, Promise
from shoal.run.found import Found
from shoal.run.order import order_of_publication
from shoal.run.result import Result


def release_new_records(found: Found, synthetic: Synthetic, progress: Progress) -> Result:
    """Publish the new records in random order, and measure what they keep of the original ones.

    Nothing is verified: the promise rests on how the records were made.
    """
    data = found.data.local
    table = new_records(synthetic, data.table.sets(synthetic.column))
    released = table.take(order_of_publication(table.row_count, found.search, found.rng))
    published = LocalData(released, data.roles)
    progress.stage("measuring")
    measured = measure_new_records(data, synthetic)
    outcome = Outcome(
        model=found.models[0].name,
        algorithm=found.algorithm,
        verdicts=tuple(_by_construction(model, published) for model in found.models),
        quasi=data.quasi_sets,
        sensitive=(),
        roles=published_roles(released.columns, data.roles, {}),
        records=found.data.row_count,
        published_records=released.row_count,
        suppressed_records=0,
        losses=measured.losses,
        column_losses={},
        class_sizes_before=data.alike().sizes,
        class_sizes_after=published.alike().sizes,
        columns=tuple(found.data.original.columns),
        examples=(),
        seconds=found.seconds(),
        peak_memory_mb=peak_memory_mb(),
        publishable=not (found.search.keep_order or found.search.reproducible),
        notices=(*found.notices, *(f"{name} is absent: {why}" for name, why in measured.absent.items())),
        policy=found.policy_text,
        promises=tuple(map(Promise.of, found.models)),
        figures=synthetic.figures,
        changes=(change_of_new_records(data, synthetic.column, released),),
    )
    return Result(
        outcome=outcome, released=released, data=found.data, models=found.models, recoding=synthetic
    )


def _by_construction(model: object, published: LocalData) -> Verdict:
    if not isinstance(model, DifferentialPrivacy):
        raise CannotVerify(f"new records keep differential privacy, not {model!r}")
    return model.by_construction(published)
