"""One measurement in a process of its own, and a file that remembers what was measured.

A run that was stopped goes on where it was: every finished cell is a line of the file. Delete lines, or the
file, to have them measured again.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import signal
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

import shoal as sh
from measuring.tables import beginning, load
from shoal.algorithms.catalogue import make_algorithm
from shoal.algorithms.interface import Algorithm
from shoal.algorithms.search import Limits, WithinLimits
from shoal.engine.local import LocalData
from shoal.errors import ShoalError
from shoal.metrics.relational import table_cost
from shoal.privacy.check import verify_all
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding

FORK = multiprocessing.get_context("fork")
RESULTS = Path(__file__).parents[1] / "results"
RECORDS_TO_COMPILE_WITH = 300
GRACE = 60.0  # beyond the limit of the search: what cannot be interrupted, and checking


@dataclass(frozen=True)
class Cell:
    """What is measured: an algorithm on some data; see `tables.load` for `records` and `mixed`.

    An `l` of 0 asks for no diversity.
    """

    data: str
    algorithm: str
    k: int
    options: Mapping[str, Any] = field(default_factory=dict)
    l: float = 0.0
    records: int | None = None
    mixed: bool = False
    time_limit: float = 300.0

    @property
    def limits(self) -> Limits:
        """What the search may use; its best answer so far counts unless it is told to stop."""
        memory = self.options.get("memory_limit")
        return Limits(time=self.time_limit, memory=memory, on_limit=self.options.get("on_limit", "best"))

    @property
    def key(self) -> str:
        """What tells this measurement from others; how long we are ready to wait does not."""
        return json.dumps({**asdict(self), "time_limit": None}, sort_keys=True)


@dataclass(frozen=True)
class Found:
    """What came of a cell; `problem` says why nothing did."""

    cell: Cell
    problem: str = ""
    lm: float = float("nan")
    entropy: float = float("nan")
    ncp: float = float("nan")
    seconds: float = float("nan")
    seconds_of_applying: float = float("nan")
    peak_mb: float = float("nan")
    groups: int = 0
    smallest: int = 0
    in_time: bool = True
    notices: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)


def measure(cell: Cell) -> Found:
    """Search, time, check and score. Seconds are those of computing, so that a busy machine counts little."""
    data = load(cell.data, cell.records, mixed=cell.mixed)
    models = [sh.KAnonymity(cell.k), *([sh.LDiversity(cell.l)] if cell.l else [])]
    algorithm = make_algorithm(cell.algorithm, cell.options)
    progress = WithinLimits(Silent(), cell.limits)
    forget_peak_memory()
    started = time.process_time()
    try:
        recoding: Any = algorithm.find(data, models, np.random.default_rng(0), progress)
    except ShoalError as error:
        return Found(cell, str(error), seconds=time.process_time() - started, peak_mb=peak_memory_mb())
    found = time.process_time()
    released = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=cell.k).table
    applied, peak = time.process_time(), peak_memory_mb()
    verdicts = verify_all(models, LocalData(released, data.roles))
    if not all(verdict.holds for verdict in verdicts):
        raise AssertionError(f"{cell} broke its promise")
    losses = {measure: table_cost(data, recoding.clusters, measure) for measure in ("lm", "entropy", "ncp")}
    cluster_of_row = recoding.clusters.cluster_of_row
    sizes = np.bincount(cluster_of_row[cluster_of_row >= 0])
    return Found(
        cell,
        **losses,
        seconds=found - started,
        seconds_of_applying=applied - found,
        peak_mb=peak,
        groups=recoding.clusters.cluster_count,
        smallest=int(sizes.min()),
        in_time=not any("time was up" in notice for notice in recoding.notices),
        notices=recoding.notices,
        figures=dict(recoding.figures),
    )


@cache
def compile_kernels(algorithm: Algorithm, data: LocalData, *, diverse: bool) -> None:
    """Let an algorithm run on a few records, so that its kernels are compiled and loaded."""
    few = beginning(data, RECORDS_TO_COMPILE_WITH)
    models = [sh.KAnonymity(RECORDS_TO_COMPILE_WITH // 30), *([sh.LDiversity(1.0)] if diverse else [])]
    with contextlib.suppress(ShoalError):  # what cannot be searched says so when it is measured
        algorithm.find(few, models, np.random.default_rng(0), Silent(30.0))


def forget_peak_memory() -> None:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak_memory_mb() -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1000


def measured_apart(cell: Cell) -> Found:
    """As `measure`, in a process that is ended when it takes much longer than its limit.

    It is a fork of this one, which has read the data and compiled the kernels.
    """
    data = load(cell.data, cell.records, mixed=cell.mixed)
    compile_kernels(make_algorithm(cell.algorithm, cell.options), data, diverse=bool(cell.l))
    receiver, sender = FORK.Pipe(duplex=False)
    child = FORK.Process(target=_tell, args=(cell, sender))
    child.start()
    sender.close()
    try:
        if not receiver.poll(cell.time_limit + GRACE):
            child.kill()
            return Found(cell, f"ended after {cell.time_limit + GRACE:.0f} s", in_time=False)
        return receiver.recv()
    except EOFError:
        child.join()
        if child.exitcode == -signal.SIGKILL:  # by the system, for want of memory
            return Found(cell, "ended by the system, which had no more memory", in_time=False)
        raise
    finally:
        child.join()


def _tell(cell: Cell, sender: Connection) -> None:
    sender.send(measure(cell))


def found_from(values: Mapping[str, Any]) -> Found:
    return Found(**{**values, "cell": Cell(**values["cell"]), "notices": tuple(values["notices"])})


@dataclass
class Notebook:
    """What was measured so far, by its cell."""

    path: Path
    known: dict[str, Found] = field(default_factory=dict)

    @classmethod
    def open(cls, name: str) -> Notebook:
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{name}.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        found = [found_from(json.loads(line)) for line in lines]
        return cls(path, {each.cell.key: each for each in found})

    def look_up(self, cells: Iterable[Cell]) -> list[Found]:
        """What is known of these cells, without those that were not measured."""
        return [self.known[cell.key] for cell in cells if cell.key in self.known]

    def measured(self, cells: Iterable[Cell]) -> Iterator[Found]:
        """Each cell from the notebook, or else measured now and written down."""
        for cell in cells:
            if cell.key not in self.known:
                self.known[cell.key] = measured_apart(cell)
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(self.known[cell.key])) + "\n")
            yield self.known[cell.key]
