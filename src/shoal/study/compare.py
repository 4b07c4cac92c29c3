"""Several algorithms and parameters on one data set, side by side; a comparison that was killed goes on."""

import fcntl
import hashlib
import json
import multiprocessing
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from shoal.engine.memory import peak_memory_mb
from shoal.errors import BadInput, InvalidParameter, OutputFailed, Problem, ShoalError
from shoal.policy.policy_file import PolicyFile, load_policy
from shoal.progress import Progress, Silent
from shoal.report.class_sizes import risk_of
from shoal.report.compare_page import compare_page
from shoal.run.output import file_that_appears_whole
from shoal.run.release import run
from shoal.study.child_processes import end_with_parent
from shoal.study.comparison import (
    Constraint,
    Recommendation,
    Row,
    SweepRun,
    jobs_of,
    pareto_front,
    plan_of_job,
    recommend,
)

JOURNAL = "journal.jsonl"
TABLE, PAGE = "comparison", "comparison.html"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One row per run, the runs that no other beats in loss and risk, and the one to take."""

    rows: tuple[Row, ...]
    front: tuple[str, ...]
    recommendation: Recommendation
    folder: Path
    repeated: int

    @property
    def table(self) -> pa.Table:
        """The rows as a tidy table."""
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        return pa.Table.from_pydict({name: [row.get(name) for row in self.rows] for name in names})


def compare(
    policy: str | Path,
    *,
    algorithms: Sequence[str],
    sweep: Mapping[str, Sequence[Any]] | None = None,
    out: str | Path,
    constraint: Constraint = Constraint(),  # noqa: B008  (frozen)
    workers: int | None = None,
    memory_budget: float | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Run every algorithm with every combination of swept parameters, each in a process of its own.

    Every finished run is kept in a journal in the folder `out`, so that a comparison that was stopped goes on
    where it was; a folder of another comparison is refused. At most `workers` runs go on at once (by default
    one per core), and no more than should fit into `memory_budget` bytes, by what the largest run has used.
    """
    if workers is not None and (type(workers) is not int or workers < 1):
        raise InvalidParameter("compare", "workers", workers, "an integer of 1 or more")
    file, folder = load_policy(Path(policy)), Path(out)
    jobs = jobs_of(algorithms, sweep or {})
    for job in jobs:
        plan_of_job(file, job)  # what cannot be run is said before anything is
    progress = progress or Silent()
    with _journal(folder, _fingerprint(file, jobs[0])) as (stream, finished):
        waiting = [job for job in jobs if job.name not in finished]
        progress.stage(f"running {len(waiting)} of {len(jobs)} runs")
        for done, row in enumerate(
            _rows(file, waiting, workers or os.cpu_count() or 1, memory_budget), start=1
        ):
            finished[row["run"]] = row
            _append(stream, row)
            progress.update(done, len(waiting), row["run"])
    rows = tuple(finished[job.name] for job in jobs)
    comparison = Comparison(
        rows,
        tuple(pareto_front(rows, constraint.loss)),
        recommend(rows, constraint),
        folder,
        len(jobs) - len(waiting),
    )
    _write(comparison, constraint)
    return comparison


def _rows(file: PolicyFile, jobs: Sequence[SweepRun], workers: int, budget: float | None) -> Iterator[Row]:
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
                    going.add(pool.submit(run_job, str(file.path), waiting.pop()))
                ended, going = wait(going, return_when=FIRST_COMPLETED)
                for future in ended:
                    row = future.result()
                    largest = max(largest, row["peak_memory_mb"] * 1e6)
                    yield row
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def run_job(policy: str, job: SweepRun) -> Row:
    """One run in this process; a run that cannot keep the promise has an error and no figures."""
    plan = plan_of_job(load_policy(Path(policy)), job)
    row: Row = {
        "run": job.name,
        "algorithm": job.algorithm,
        "model": plan.models[0].name,
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
        outcome = run(plan).outcome
    except ShoalError as error:
        return {**row, "peak_memory_mb": peak_memory_mb(), "error": str(error)}
    risk = risk_of(outcome.cost.class_sizes_after)
    return {
        **row,
        "holds": outcome.holds,
        "smallest": outcome.smallest,
        "risk": 1 / outcome.smallest if outcome.smallest else None,
        "mean_risk": None if risk is None else risk.mean,
        "records": outcome.cost.records,
        "published_records": outcome.cost.published_records,
        "suppressed_records": outcome.cost.suppressed_records,
        **{name: float(loss) for name, loss in outcome.cost.losses.items()},
        "seconds": outcome.provenance.seconds["total"],
        "search_seconds": outcome.provenance.seconds["algorithm"],
        "peak_memory_mb": peak_memory_mb(),
        "error": None,
    }


def _fingerprint(file: PolicyFile, job: SweepRun) -> str:
    """What must be the same for runs to be comparable: the policy and everything it reads."""
    digest = hashlib.sha256(file.text.encode())
    for source in plan_of_job(file, job).sources():
        try:
            digest.update(source.read_bytes())
        except OSError as error:
            raise BadInput(
                Problem(f"cannot be read: {error.strerror}", "check the path", file=str(source))
            ) from error
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
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            what = "is in use by another comparison"
            raise BadInput(
                Problem(what, "wait for it, or choose another with --out", file=str(folder))
            ) from None
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


def _write(comparison: Comparison, constraint: Constraint) -> None:
    folder, table = comparison.folder, comparison.table
    with file_that_appears_whole(folder / f"{TABLE}.csv") as partial:
        pyarrow.csv.write_csv(table, partial)
    with file_that_appears_whole(folder / f"{TABLE}.parquet") as partial:
        pyarrow.parquet.write_table(table, partial)
    with file_that_appears_whole(folder / PAGE) as partial:
        page = compare_page(
            comparison.rows,
            comparison.front,
            comparison.recommendation.run,
            comparison.recommendation.reason,
            constraint.loss,
        )
        partial.write_text(page, encoding="utf-8")
