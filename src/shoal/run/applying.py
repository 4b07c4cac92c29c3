"""One recoding, many files: an earlier recoding applied to other records, released like any other."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from shoal.algorithms.interface import Algorithm
from shoal.algorithms.search import Search
from shoal.engine.local import LocalData
from shoal.errors import BadInput, InvalidParameter, Problem, PromiseBroken
from shoal.metrics.tasks.usefulness import Task
from shoal.policy.output_names import CERTIFICATE, INTERNAL, RECODING
from shoal.policy.plan import Plan
from shoal.privacy.model import Model
from shoal.privacy.promise import Promise
from shoal.progress import Progress, Silent, interrupts_between_steps
from shoal.recoding import recoding_file
from shoal.recoding.saved_recoding import SavedRecoding
from shoal.report.certified import promise_of_certificate
from shoal.run.engine import Release
from shoal.run.in_memory import Decided, InMemory
from shoal.run.label_leaves import leaves_by_label
from shoal.run.planned_output import output_problems
from shoal.run.prepare import Data, read
from shoal.run.published_file import AS_PUBLISHED, verified_file
from shoal.run.reapplied import Reapplied
from shoal.run.release import release
from shoal.run.release_codebook import dialect_beside
from shoal.run.result import Result
from shoal.table.stacking import stacked

Misfits = Literal["hold back", "suppress"]


@dataclass(frozen=True, slots=True, eq=False)
class LoadedRecoding(SavedRecoding):
    """A recoding that was read from a file, ready for other records."""

    @property
    def promise(self) -> Promise:
        """What the recoding was decided for; BadInput if the file does not say it."""
        if not self.promises:
            what = "the recoding does not say what it promised"
            raise BadInput(Problem(what, "name the models, or the policy with --policy"))
        stated = [{"model": each.model, "parameters": each.parameters} for each in self.promises]
        return promise_of_certificate({"promises": stated})

    @interrupts_between_steps()
    def apply(
        self,
        data: Data,
        models: Model | Sequence[Model] | None = None,
        *,
        together_with: Any = None,
        misfits: Misfits = "hold back",
        progress: Progress | None = None,
    ) -> Result:
        """A release of other data, made by this recoding and checked like any other.

        The models are those of the recoding unless others are given. `together_with` is an earlier release, a
        folder, a file or a frame: then the promise is also checked for whoever has both. Records that fit no
        region, or stand with too few others, are held back, or suppressed as any search does it.
        """
        promise = self.promise if models is None else Promise.of(models)
        how = How(misfits=misfits, together_with=together_with)
        return _applied(self, data, promise, how, progress or Silent(), started=time.perf_counter())


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """What happens to records that the recoding does not serve, and what readers have beside the release."""

    misfits: Misfits = "hold back"
    together_with: Any = None
    keep_order: bool = False

    def __post_init__(self) -> None:
        if self.misfits not in get_args(Misfits):
            raise InvalidParameter("apply", "misfits", self.misfits, "'hold back' or 'suppress'")


@dataclass(frozen=True, eq=False)
class Reapplying(InMemory):
    """Data in memory for which everything was decided before; `earlier` is what readers have already."""

    reapplied: Reapplied
    how: How
    earlier: LocalData | None = None

    @property
    def notices(self) -> tuple[str, ...]:
        """What reading the data noticed, and what was checked beside the release itself."""
        return (*super().notices, *self._together_notices())

    def algorithm_for(self, search: Search, promise: Promise) -> tuple[Algorithm, tuple[str, ...]]:  # noqa: ARG002
        """The earlier recoding."""
        return self.reapplied, ()

    def fewest_stars(self, promise: Promise) -> int:
        """Records that are held back are never shown, not even as rows of `*`."""
        return sys.maxsize if self.how.misfits == "hold back" else super().fewest_stars(promise)

    def publish(self, found: Decided, promise: Promise, search: Search) -> Release:
        """Apply the recoding; with an earlier release, tell what both are together."""
        released = super().publish(found, promise, search)
        if self.earlier is None:
            return released
        data = self.port
        columns = (*data.quasi, *data.quasi_sets, *data.sensitive)
        both = LocalData(
            stacked(released.content, self.earlier.table, columns),
            {name: data.roles[name] for name in columns},
            leaves_of_label=leaves_by_label(data.trees),
        )
        return replace(released, together=both)

    def _together_notices(self) -> tuple[str, ...]:
        if self.earlier is None:
            return ()
        rows = f"{self.earlier.row_count:,} rows"
        told = f"the promise also holds together with the earlier release of {rows}"
        if self.port.subjects is None:
            return (told,)
        return (f"{told}; there k counts rows, because a release does not tell whose they are",)


def load_recoding(path: str | Path) -> LoadedRecoding:
    """Read a recoding from its file, or from the folder of the release that it is part of.

    Nothing in it is run.

    Args:
        path: The file, or the folder of the release.

    Returns:
        A recoding whose `apply` publishes other data as the first were.

    Raises:
        BadInput: The file is not there, is damaged or does not fit together.

    Examples:
        >>> import tempfile
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> roles = {"age": sh.Quasi(hierarchy=sh.ranges(10))}
        >>> first = sh.read(pa.table({"age": [31, 34, 52, 57]}), roles)
        >>> later = sh.read(pa.table({"age": [33, 39, 51]}), roles)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result = sh.anonymize(first, sh.KAnonymity(k=2), algorithm="mondrian")
        ...     recoding = sh.load_recoding(result.recoding.save(f"{folder}/recoding.npz"))
        >>> recoding.apply(later).frame.column("age").to_pylist()
        ['30-39', '30-39']
    """
    saved = recoding_file.load_recoding(recoding_in(Path(path)))
    return LoadedRecoding(saved.recoding, saved.trees, saved.promises)


def recoding_in(path: Path) -> Path:
    """The file of a recoding, given itself or the folder of its release."""
    return path / INTERNAL / RECODING if path.is_dir() else path


def apply_plan(saved: LoadedRecoding, plan: Plan, how: How, progress: Progress) -> Result:
    """Read the data of a plan, and release them by a recoding that was decided for the same promise."""
    started = time.perf_counter()
    if saved.promises and saved.promise != plan.models:
        asked, decided = _in_words(plan.models), _in_words(saved.promise)
        what = f"the recoding was decided for {decided}, and the policy says {asked}"
        raise BadInput(Problem(what, "use the policy that the recoding was decided with"))
    progress.stage("reading")
    data = read(plan.data_path, plan.roles, options=plan.read_options, subject=plan.subject)
    if problems := output_problems(data, plan):
        raise BadInput(*problems)
    how = replace(how, keep_order=plan.search.keep_order)
    return _applied(
        saved,
        data,
        plan.models,
        how,
        progress,
        started=started,
        policy_text=plan.policy_text,
        task=plan.task,
    )


def _applied(
    saved: SavedRecoding,
    data: Data,
    promise: Promise,
    how: How,
    progress: Progress,
    *,
    started: float,
    policy_text: str = "",
    task: Task | None = None,
) -> Result:
    if not isinstance(data, Data):
        raise InvalidParameter("apply", "data", data, "what `read` gives for data in memory")
    earlier = None if how.together_with is None else _earlier(how.together_with, data, promise)
    engine = Reapplying(data, Reapplied(saved), how, earlier)
    search = Search(algorithm=Reapplied.name, keep_order=how.keep_order)
    return release(engine, promise, search, progress, started=started, policy_text=policy_text, task=task)


def _earlier(published: Any, data: Data, promise: Promise) -> LocalData:
    """An earlier release as its readers have it; PromiseBroken if it does not keep the promise itself."""
    if isinstance(published, str | Path) and Path(published).is_dir():
        published = _published_in(Path(published))
    options = replace(AS_PUBLISHED, others="insensitive")
    dialect = dialect_beside(published)
    checked = verified_file(published, data.local.roles, promise, options, dialect=dialect)
    for verdict in checked.verdicts:
        if not verdict.holds:
            raise PromiseBroken(f"the earlier release does not keep the promise: {verdict.evidence}", verdict)
    if not isinstance(checked.content, LocalData):
        raise TypeError("only releases of rows can be stacked")
    return checked.content


def _published_in(folder: Path) -> Path:
    """The published file of a release, as its certificate names it."""
    try:
        name = json.loads((folder / CERTIFICATE).read_text(encoding="utf-8"))["file"]["name"]
    except (OSError, ValueError, TypeError, KeyError) as error:
        what = f"is no folder of a release: its {CERTIFICATE} cannot be read"
        raise BadInput(Problem(what, "name the published file", file=str(folder))) from error
    return folder / Path(str(name)).name


def _in_words(promise: Promise) -> str:
    return " and ".join(
        f"{model.name} ({', '.join(f'{name}={value}' for name, value in model.parameters.items())})"
        for model in promise
    )
