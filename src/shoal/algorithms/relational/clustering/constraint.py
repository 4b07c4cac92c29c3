"""What the models ask of every class, in the form in which searches ask it of rows."""

from collections.abc import Sequence

import numpy as np

from shoal.engine.local import LocalData
from shoal.errors import Infeasible
from shoal.kernels.arrays import Bools, Codes, Ints, frozen_ints
from shoal.kernels.constraint import ClassConstraint
from shoal.privacy.check import require_feasible
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise


def class_constraint_of(data: LocalData, models: Sequence[Model]) -> ClassConstraint:
    """What every class of a release must satisfy; raises Infeasible when not even the whole table does."""
    if data.row_count == 0:
        raise Infeasible("there are no records, so there is nothing to publish", records=0)
    require_feasible(models, data)
    rules = [asked for model in models if (asked := model.class_constraint()) is not None]
    sensitive = data.sensitive if rules else ()
    row_totals, people_totals = [], []
    if sensitive:
        everybody = data.classes(())  # eight bytes for each row
        row_totals = [data.histogram(everybody, name).totals for name in sensitive]
        people_totals = [data.subject_histogram(everybody, name).totals for name in sensitive]
    people, people_count = _numbered_people(data)
    return ClassConstraint(
        k=Promise(models).k,
        people=people,
        people_count=people_count,
        sensitive=_stacked([data.table.coded(name).codes for name in sensitive], data.row_count),
        missing=np.array([data.table.coded(name).domain.missing for name in sensitive], dtype=np.int64),
        rules=frozen_ints(np.array(rules, dtype=np.int64).reshape(-1, 4)),
        total_starts=np.cumsum([0, *map(len, row_totals)], dtype=np.int64),
        row_totals=np.concatenate([np.empty(0, dtype=np.int64), *row_totals]),
        people_totals=np.concatenate([np.empty(0, dtype=np.int64), *people_totals]),
    )


def constraint_of_rows(constraint: ClassConstraint, rows: Codes) -> ClassConstraint:
    """The same for some rows, which get new numbers; they are compared with the whole table as before."""
    return constraint._replace(
        people=constraint.people[rows] if len(constraint.people) else constraint.people,
        sensitive=constraint.sensitive[rows],
    )


def constraint_within(constraint: ClassConstraint, published: Bools) -> ClassConstraint:
    """The same if only the marked rows are published: they are the table that classes are compared with."""
    row_totals, people_totals = [], []
    for column, missing in enumerate(constraint.missing.tolist()):
        rows = np.flatnonzero(published & (constraint.sensitive[:, column] != missing))
        values = constraint.sensitive[rows, column]
        row_totals.append(np.bincount(values, minlength=missing))
        if len(constraint.people):
            pairs = np.unique(values * constraint.people_count + constraint.people[rows])
            values = pairs // constraint.people_count
        people_totals.append(np.bincount(values, minlength=missing))
    none: Ints = np.empty(0, dtype=np.int64)
    return constraint._replace(
        row_totals=np.concatenate([none, *row_totals]), people_totals=np.concatenate([none, *people_totals])
    )


def _numbered_people(data: LocalData) -> tuple[Ints, int]:
    if data.subjects is None:
        return np.empty(0, dtype=np.int64), 1
    persons, people = np.unique(data.subjects, return_inverse=True)
    return people.astype(np.int64), max(len(persons), 1)


def _stacked(columns: Sequence[Ints], row_count: int) -> Ints:
    return np.stack(columns, axis=1) if columns else np.empty((row_count, 0), dtype=np.int64)
