"""Several algorithms and parameters on one data set, side by side; a comparison that was killed goes on."""

import hashlib
import json
import multiprocessing
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from filelock import lock_descriptor

from shoal.engine.memory import peak_memory_mb
from shoal.errors import BadInput, InvalidParameter, OutputFailed, Problem, ShoalError
from shoal.policy.other_data import is_in_memory, settings_for
from shoal.policy.plan import Plan, plan_of
from shoal.policy.policy_file import PolicyFile, load_policy
from shoal.policy.settings import Setting
from shoal.progress import Progress, Silent
from shoal.report.class_sizes import risk_of
from shoal.report.compare_page import Advice, compare_page
from shoal.run.in_memory import algorithm_for
from shoal.run.output import file_that_appears_whole
from shoal.run.release import run
from shoal.run.result import Result
from shoal.study.child_processes import end_with_parent
from shoal.study.comparison import SweepRun, jobs_of, plan_of_job
from shoal.study.query import drawn_errors
from shoal.study.recommendation import (
    QUERY_ERRORS,
    Constraint,
    CostTable,
    PromiseCost,
    Recommendation,
    cost_table,
    pareto_front,
    promise_costs,
    recommend,
)
from shoal.study.standing import standing_of
from shoal.table.database import DatabaseTable
from shoal.table.reading import inspect

Row = dict[str, Any]

JOURNAL = "journal.jsonl"
TABLE, PAGE = "comparison", "comparison.html"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One row per run, the runs that no other beats in loss and risk, and the one to take.

    `promises` ranks the runs within each promise; `left_out` says what could not be run, and why. `loss` is
    the measure of the front: the one that was asked for, or that the recommended run has instead.
    """

    rows: tuple[Row, ...]
    front: tuple[str, ...]
    promises: tuple[PromiseCost, ...]
    recommendation: Recommendation
    loss: str
    left_out: tuple[str, ...]
    folder: Path
    repeated: int

    def __repr__(self) -> str:
        return f"<Comparison: {len(self.rows):,} runs, of which {self.recommendation.run} is recommended>"

    @property
    def costs(self) -> CostTable:
        """What the promises cost, side by side."""
        return cost_table(self.rows, self.promises, self.loss)

    @property
    def facts(self) -> dict[str, Any]:
        """Everything that was found, as plain values."""
        return {
            "runs": list(self.rows),
            "front": list(self.front),
            "recommended": self.recommendation.run,
            "reason": self.recommendation.reason,
            "costs": self.recommendation.costs,
            "promises": [asdict(cost) for cost in self.promises],
            "cost_table": asdict(self.costs),
            "left_out": list(self.left_out),
            "loss": self.loss,
        }

    @property
    def table(self) -> pa.Table:
        """The rows as a tidy table."""
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        return pa.Table.from_pydict({name: [row.get(name) for row in self.rows] for name in names})


@dataclass(frozen=True, slots=True)
class Compared:
    """What all runs of a comparison have in common, as the process of each is given it."""

    policy: Path
    settings: tuple[Setting, ...] = ()
    target: str | None = None
    frame: Path | None = None

    def plan(self, job: SweepRun) -> Plan:
        """What one run does."""
        plan = plan_of_job(load_policy(self.policy, self.settings), job, self.target)
        if self.frame is None:
            return plan
        rows: Any = pa.ipc.open_file(pa.memory_map(str(self.frame))).read_all()
        return replace(plan, data_path=rows)


def compare(
    policy: str | os.PathLike[str],
    *,
    algorithms: Sequence[str],
    data: Any = None,
    sweep: Mapping[str, Sequence[Any]] | None = None,
    out: str | os.PathLike[str],
    constraint: Constraint = Constraint(),  # noqa: B008  (frozen)
    target: str | None = None,
    workers: int | None = None,
    memory_budget: float | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Run every algorithm with every combination of swept parameters, each in a process of its own.

    Runs are ranked within each promise, and none is recommended that promises less than the policy. What
    cannot be searched for, such as an algorithm under a model that it does not serve, is left out with a word
    as long as something remains.

    Every finished run is kept in a journal in the folder `out`, so that a comparison that was stopped goes on
    where it was; a folder of another comparison is refused.

    Args:
        policy: The path of the policy file.
        algorithms: The names of algorithms, or `auto`.
        data: Other data than those of the policy: a path, or a pandas, polars or pyarrow frame.
        sweep: The values of each parameter that is swept, such as `{"k": [5, 10]}`.
        out: The folder of the journal, the tables and the page.
        constraint: What a recommended run must keep.
        target: A column that models, trained on every release, shall predict; the policy's own without it.
        workers: How many runs go on at once at most; by default one per core.
        memory_budget: The bytes that they may take together, by what the largest run has used.
        progress: Whom to tell how far the work is.

    Returns:
        One row per run, and the run to take.

    Raises:
        BadInput: The policy or the data cannot be used, or the folder is of another comparison.
        InvalidParameter: A parameter is out of its range.

    Examples:
        >>> import tempfile
        >>> import pyarrow.csv
        >>> import shoal as sh
        >>> from shoal.table.sample import sample_folder
        >>> policy = sample_folder() / "table.toml"
        >>> patients = pyarrow.csv.read_csv(sample_folder() / "patients.csv").slice(0, 100)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     sh.compare(policy, algorithms=["mondrian"], data=patients, out=f"{folder}/compared")
        <Comparison: 1 runs, of which mondrian is recommended>
    """
    if workers is not None and (type(workers) is not int or workers < 1):
        raise InvalidParameter("compare", "workers", workers, "an integer of 1 or more")
    file, folder = load_policy(Path(policy), settings_for(data)), Path(out)
    own = plan_of(file).models
    asked = jobs_of(algorithms, sweep or {}, file.policy.privacy.model_dump(exclude_none=True))
    plans = {job.name: plan_of_job(file, job, target) for job in asked}
    jobs, left_out = _searchable(asked, plans)
    progress = progress or Silent()
    with (
        _to_be_compared(file.path, data, target) as compared,
        _journal(folder, _fingerprint(file, plans[jobs[0].name], compared)) as (stream, finished),
    ):
        waiting = [job for job in jobs if job.name not in finished]
        progress.stage(f"running {len(waiting)} of {len(jobs)} runs")
        for done, row in enumerate(
            _rows(compared, waiting, workers or os.cpu_count() or 1, memory_budget), start=1
        ):
            finished[row["run"]] = row
            _append(stream, row)
            progress.update(done, len(waiting), row["run"])
    rows = tuple(
        {
            "run": job.name,
            "variant": job.variant,
            "promise": job.promised,
            "standing": standing_of(plans[job.name].models, own),
            **finished[job.name],
        }
        for job in jobs
    )
    recommendation = recommend(rows, constraint)
    loss = recommendation.measure or constraint.loss
    comparison = Comparison(
        rows=rows,
        front=tuple(pareto_front(rows, loss)),
        promises=promise_costs(rows, constraint),
        recommendation=recommendation,
        loss=loss,
        left_out=left_out,
        folder=folder,
        repeated=len(jobs) - len(waiting),
    )
    _write(comparison)
    return comparison


def _searchable(
    jobs: Sequence[SweepRun], plans: Mapping[str, Plan]
) -> tuple[list[SweepRun], tuple[str, ...]]:
    """The runs for which there is a search, and why there is none for others; BadInput if none is left."""
    found, left_out = [], []
    for job in jobs:
        plan = plans[job.name]
        try:
            algorithm_for(plan.search, plan.models)
        except ShoalError as error:
            left_out.append(f"{job.name} was left out: {error}")
        else:
            found.append(job)
    if not found:
        raise BadInput(*map(Problem, left_out))
    return found, tuple(left_out)


@contextmanager
def _to_be_compared(policy: Path, data: Any, target: str | None) -> Iterator[Compared]:
    """What the runs are given; a frame lies in a file while they go on, which nobody else may read."""
    settings = tuple(settings_for(data))
    if not is_in_memory(data):
        yield Compared(policy, settings, target)
        return
    rows = inspect(data)
    with tempfile.TemporaryDirectory(prefix="shoal-compare-") as folder:
        frame = Path(folder) / "frame.arrow"
        with pa.ipc.new_file(frame, rows.schema) as stream:
            stream.write_table(rows)
        yield Compared(policy, settings, target, frame)


def _rows(compared: Compared, jobs: Sequence[SweepRun], workers: int, budget: float | None) -> Iterator[Row]:
    """The rows of the jobs as they end."""
    largest = 0.0
    waiting = list(reversed(jobs))
    going: set[Future[Row]] = set()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        workers, mp_context=context, max_tasks_per_child=1, initializer=end_with_parent
    ) as pool:
        try:
            while waiting or going:
                # The first run shows what a run uses.
                room = 1 if budget is not None and not largest else workers
                if budget is not None and largest:
                    room = max(1, min(workers, int(budget // largest)))
                while waiting and len(going) < room:
                    going.add(pool.submit(run_job, compared, waiting.pop()))
                ended, going = wait(going, return_when=FIRST_COMPLETED)
                for future in ended:
                    row = future.result()
                    largest = max(largest, row["peak_memory_mb"] * 1e6)
                    yield row
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def run_job(compared: Compared, job: SweepRun) -> Row:
    """One run in this process; a run that cannot keep the promise has an error and no figures."""
    plan = compared.plan(job)
    row: Row = {
        "run": job.name,
        "algorithm": job.algorithm,
        "took": None,
        "model": plan.models.main.name,
        **job.privacy,
        **job.options,
        "seed": plan.search.seed,
        "holds": False,
        "smallest": None,
        "risk": None,
        "mean_risk": None,
        "seconds": None,
        "search_seconds": None,
    }
    try:
        result = run(plan)
    except ShoalError as error:
        return {**row, "peak_memory_mb": peak_memory_mb(), "error": str(error)}
    outcome, used = result.outcome, peak_memory_mb()
    risk = risk_of(outcome.cost.class_sizes_after)
    return {
        **row,
        "took": outcome.provenance.algorithm,
        "holds": outcome.holds,
        "smallest": outcome.smallest,
        "risk": 1 / outcome.smallest if outcome.smallest else None,
        "mean_risk": None if risk is None else risk.mean,
        "records": outcome.cost.records,
        "published_records": outcome.cost.published_records,
        "suppressed_records": outcome.cost.suppressed_records,
        **{name: float(loss) for name, loss in outcome.cost.losses.items()},
        **_query_errors(result),
        **({} if outcome.cost.usefulness is None else outcome.cost.usefulness.row()),
        "seconds": outcome.provenance.seconds["total"],
        "search_seconds": outcome.provenance.seconds["algorithm"],
        "peak_memory_mb": used,
        "error": None,
    }


def _query_errors(result: Result) -> dict[str, float | None]:
    """How wrong counts of items are by this release; of every kind of release of sets, so they compare."""
    data = result.data.local
    return {
        name: drawn_errors(data, result.released, items) if data.quasi_sets else None
        for name, items in QUERY_ERRORS.items()
    }


def _fingerprint(file: PolicyFile, plan: Plan, compared: Compared) -> str:
    """What must be the same for runs to be comparable: the policy and everything it reads."""
    digest = hashlib.sha256(file.text.encode())
    if plan.task is not None:
        digest.update(plan.task.target.encode())
    for source in plan.sources() if compared.frame is None else (*plan.hierarchy_files(), compared.frame):
        try:
            digest.update(source.read_bytes())
        except OSError as error:
            raise BadInput(
                Problem(f"cannot be read: {error.strerror}", "check the path", file=str(source))
            ) from error
    if isinstance(plan.data_path, DatabaseTable):
        rows = inspect(plan.data_path)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, rows.schema) as stream:
            stream.write_table(rows)
        digest.update(sink.getvalue())
    return digest.hexdigest()


@contextmanager
def _journal(folder: Path, fingerprint: str) -> Iterator[tuple[TextIO, dict[str, Row]]]:
    """The journal of a comparison, open at its end, and the rows that it holds."""
    path = folder / JOURNAL
    if folder.exists() and not path.is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(
            Problem("is no comparison that could go on", "choose another with --out", file=str(folder))
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise OutputFailed(
            f"{folder}: cannot be written: {error.strerror}; choose another with --out"
        ) from error
    with stream:
        if not lock_descriptor(stream.fileno(), blocking=False):
            what = "is in use by another comparison"
            raise BadInput(Problem(what, "wait for it, or choose another with --out", file=str(folder)))
        entries = _whole_entries(stream)
        if not entries:
            _append(stream, {"comparison": fingerprint})
        elif entries[0].get("comparison") != fingerprint:
            what = "holds runs of another policy or of other data"
            raise BadInput(Problem(what, "choose another folder with --out", file=str(folder)))
        yield stream, {entry["run"]: entry for entry in entries[1:]}


def _whole_entries(stream: TextIO) -> list[Row]:
    """The entries that were written to their end; a last one that was cut off is removed."""
    stream.seek(0)
    entries, end = [], 0
    for line in iter(stream.readline, ""):
        if not line.endswith("\n"):
            break
        entries.append(json.loads(line))
        end = stream.tell()
    stream.seek(end)
    stream.truncate()
    return entries


def _append(stream: TextIO, entry: Row) -> None:
    stream.write(json.dumps(entry, allow_nan=False) + "\n")
    stream.flush()
    os.fsync(stream.fileno())


def _write(comparison: Comparison) -> None:
    folder, table = comparison.folder, comparison.table
    with file_that_appears_whole(folder / f"{TABLE}.csv") as partial:
        pyarrow.csv.write_csv(table, partial)
    with file_that_appears_whole(folder / f"{TABLE}.parquet") as partial:
        pyarrow.parquet.write_table(table, partial)
    with file_that_appears_whole(folder / PAGE) as partial:
        recommendation, costs = comparison.recommendation, comparison.costs
        advice = Advice(
            run=recommendation.run,
            reason=recommendation.reason,
            costs=recommendation.costs,
            heads=costs.heads,
            promises=costs.rows,
            left_out=comparison.left_out,
        )
        page = compare_page(comparison.rows, comparison.front, advice, comparison.loss)
        partial.write_text(page, encoding="utf-8")
