"""Jobs: what takes long, one process group each, a few at a time, with limits and a way to stop."""

import json
import os
import queue
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from shoal.errors import BadInput, NotFound, Problem
from shoal.policy.weak_promise import unconfirmed
from shoal.privacy.catalogue import MODELS
from shoal.privacy.model import Form
from shoal.study.comparison import jobs_of
from shoal.study.recommendation import Constraint
from shoal.study.starter import Sections
from shoal.web.service.bound import POLICY_NAME, REQUEST, sections_text
from shoal.web.service.countdown import Countdown
from shoal.web.service.limits import ServerLimits
from shoal.web.service.policies import Policies, promise_in_short, standing_beside
from shoal.web.service.processes import kill_group, memory_of_group
from shoal.web.service.projects import checked_name
from shoal.web.service.store import Store, checked_id, new_id
from shoal.web.service.wording import Failure

JobKind = Literal["run", "comparison", "attack", "check"]
JobState = Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
FINISHED = ("done", "failed", "cancelled", "interrupted")

WORKER_LOG = "worker.log"
_GLANCE = 0.1
_LAST_SECONDS = 10.0
_MOST_RUNS = 500
_INTERRUPTED = Failure("Interrupted", "the server stopped before this was done; start it again")
_CANCELLED = Failure("Cancelled", "this was cancelled; nothing was written")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as people see it; times are seconds since 1970.

    While it runs: `stage` is what it does, `done` of `total` how far that is (None if nobody knows), and
    `remaining` an estimate of the seconds that the stage still takes, if they can be told. `ahead` is how
    many jobs are before a queued one. `failure` says why there is no result, `result` holds its figures.
    """

    id: str
    project: str
    kind: JobKind
    title: str
    state: JobState
    created: float
    started: float | None
    ended: float | None
    request: Mapping[str, Any]
    policy: str
    stage: str = ""
    done: float | None = None
    total: float | None = None
    note: str = ""
    remaining: float | None = None
    ahead: int = 0
    failure: Failure | None = None
    result: Mapping[str, Any] | None = None


@dataclass(slots=True)
class _Live:
    """What is known of a running job beside the database."""

    group: int
    kind: str = "run"
    stage: str = "starting"
    countdown: Countdown = field(default_factory=Countdown)
    done: float | None = None
    total: float | None = None
    note: str = ""
    last_word: dict[str, Any] | None = None
    ended_by: Failure | None = None

    def hear(self, word: dict[str, Any]) -> None:
        if "stage" in word:
            self.stage, self.countdown = word["stage"], Countdown()
            self.done = self.total = None
            self.note = ""
        elif "done" in word:
            self.done, self.total, self.note = word["done"], word["total"], word["note"]
            self.countdown.hear(word["done"], word["total"])
        else:
            self.last_word = word


class Jobs:
    """Start, follow, cancel and remember jobs."""

    def __init__(self, store: Store, policies: Policies, limits: ServerLimits) -> None:
        self._store, self._policies, self._limits = store, policies, limits
        self._live: dict[str, _Live] = {}
        self._changed = threading.Condition()
        self._closing = False
        self._threads: set[threading.Thread] = set()
        self._dispatcher = threading.Thread(target=self._dispatch, daemon=True, name="jobs")
        self._dispatcher.start()

    def run(self, project: str, title: str | None = None) -> Job:
        """Anonymize with the settings of the project as they are now; BadInput lists their problems.

        A seed is drawn unless one is set, so that the exported policy repeats the run.
        """
        sections = _with_seed(self._sound_sections(project))
        privacy, algorithm = sections["privacy"], sections.get("algorithm", {})
        drawn = f"{privacy['model']} with {algorithm.get('name', 'auto')}"
        return self._submit(project, "run", title or drawn, sections, {})

    def compare(
        self,
        project: str,
        *,
        algorithms: Sequence[str],
        sweep: Mapping[str, Sequence[Any]] | None = None,
        constraint: Constraint | None = None,
        title: str | None = None,
    ) -> Job:
        """Run algorithms and parameters side by side with the settings of the project."""
        sections = self._sound_sections(project)
        count = len(jobs_of(list(algorithms), sweep or {}, sections["privacy"]))
        if count > _MOST_RUNS:
            raise BadInput(Problem(f"{count} runs are too many for one comparison", "sweep fewer values"))
        request = {
            "algorithms": list(algorithms),
            "sweep": {name: list(values) for name, values in (sweep or {}).items()},
            "constraint": asdict(constraint or Constraint()),
        }
        named = title or f"comparison of {', '.join(algorithms)}"
        return self._submit(project, "comparison", named[:200], sections, request)

    def check(self, project: str) -> Job:
        """Check settings, hierarchies and data together, and estimate what a run costs.

        It has a place of its own beside the workers, so that it does not wait for long runs.
        """
        return self._submit(project, "check", "check of everything", self._policies.get(project), {})

    def attack(self, project: str, job: str, *, items: int | None = None) -> Job:
        """Attack the release of a run, which must be done, as adversaries would."""
        run = self.get(project, job)
        if run.kind != "run" or run.state != "done":
            raise BadInput(Problem("only the release of a finished run can be attacked", "run it first"))
        request = {"release": run.id, "items": items}
        return self._submit(
            project, "attack", f"attack on {run.title}"[:200], dict(run.request["sections"]), request
        )

    def weaker(self, project: str, job: str) -> str | None:
        """What a run of old would promise, if that is not at least what the settings promise by now."""
        made = self.get(project, job)
        if made.kind not in ("run", "comparison"):
            return None
        privacy, now = made.request["sections"]["privacy"], self._policies.get(project).get("privacy", {})
        return promise_in_short(privacy) if standing_beside(privacy, now) in ("weaker", "another") else None

    def repeat(self, project: str, job: str, *, weaker: bool = False) -> Job:
        """Submit a job again with the settings that it had.

        BadInput if that would promise less than the settings do by now, unless `weaker` says that it may;
        and if it needs a written confirmation that neither the job nor the settings have.
        """
        old = self.get(project, job)
        self._refuse_weak(project, old, allowed=weaker)
        request = {name: value for name, value in old.request.items() if name != "sections"}
        return self._submit(project, old.kind, old.title, dict(old.request["sections"]), request)

    def _refuse_weak(self, project: str, old: Job, *, allowed: bool) -> None:
        less = self.weaker(project, old.id)
        if less is not None and not allowed:
            what = f"this would promise {less}, which is not what the settings promise by now"
            raise BadInput(Problem(what, "run the settings as they are, or say that it shall be so"))
        written = [
            sections.get("report", {}).get("weak_promise", "")
            for sections in (old.request["sections"], self._policies.get(project))
        ]
        missing = unconfirmed(old.request["sections"].get("privacy", {}), " ".join(written))
        if old.kind in ("run", "comparison") and missing is not None:
            raise BadInput(missing)

    def all(self, project: str | None = None) -> list[Job]:
        """The jobs of a project, or of all projects, the newest first."""
        where, values = ("WHERE project = ?", (checked_id("project", project),)) if project else ("", ())
        rows = self._store.rows(f"SELECT * FROM jobs {where} ORDER BY created DESC, rowid DESC", *values)  # noqa: S608
        return [self._job(row) for row in rows]

    def get(self, project: str, job: str) -> Job:
        """One job; NotFound if the project has none."""
        row = self._store.row(
            "SELECT * FROM jobs WHERE project = ? AND id = ?",
            checked_id("project", project),
            checked_id("job", job),
        )
        if row is None:
            raise NotFound("job", job)
        return self._job(row)

    def cancel(self, project: str, job: str) -> Job:
        """Stop a job that is queued or running; one that has ended stays as it is."""
        self.get(project, job)
        with self._changed:
            self._store.change(
                "UPDATE jobs SET state = 'cancelled', ended = ?, failure = ?"
                " WHERE id = ? AND state = 'queued'",
                time.time(),
                json.dumps(_CANCELLED.as_dict()),
                job,
            )
            self._kill(job, _CANCELLED)
            self._changed.notify_all()
        self.wait(project, job)
        return self.get(project, job)

    def remove(self, project: str, job: str) -> None:
        """Remove a job and everything it made for good."""
        self.cancel(project, job)
        self._store.change("DELETE FROM jobs WHERE id = ?", job)
        shutil.rmtree(self._store.job_folder(project, job), ignore_errors=True)

    def cancel_all(self, project: str) -> None:
        """Stop everything that a project has under way."""
        for job in self.all(project):
            if job.state not in FINISHED:
                self.cancel(project, job.id)

    def wait(self, project: str, job: str, seconds: float = 60.0) -> Job:
        """Wait until a job has ended, but not longer than this."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while self.get(project, job).state not in FINISHED and time.monotonic() < deadline:
                self._changed.wait(min(0.5, max(0.0, deadline - time.monotonic())))
        return self.get(project, job)

    def close(self) -> None:
        """Stop everything; what was under way is shown as interrupted."""
        with self._changed:
            self._closing = True
            for job in list(self._live):
                self._kill(job, _INTERRUPTED)
            self._changed.notify_all()
        self._dispatcher.join(10)
        for thread in list(self._threads):
            thread.join(10)

    def folder(self, job: Job) -> Path:
        """Where a job keeps what it made."""
        return self._store.job_folder(job.project, job.id)

    def _sound_sections(self, project: str) -> Sections:
        if problems := self._policies.problems(project):
            raise BadInput(*problems)
        return self._policies.get(project)

    def _submit(
        self, project: str, kind: JobKind, title: str, sections: Sections, request: Mapping[str, Any]
    ) -> Job:
        job = new_id()
        with self._changed:
            self._store.change(
                "INSERT INTO jobs (id, project, kind, title, state, request, policy, created)"
                " VALUES (?, ?, ?, ?, 'queued', ?, ?, ?)",
                job,
                project,
                kind,
                checked_name(title),
                json.dumps({**request, "sections": sections}),
                sections_text(sections),
                time.time(),
            )
            self._changed.notify_all()
        return self.get(project, job)

    def _job(self, row: Any) -> Job:
        fields = {name: row[name] for name in row.keys() if name not in ("request", "failure", "result")}  # noqa: SIM118 - a row of SQLite is no dictionary
        live = self._live.get(row["id"]) if row["state"] == "running" else None
        shown: dict[str, Any] = {}
        if live is not None:
            shown = {name: getattr(live, name) for name in ("stage", "done", "total", "note")}
            shown["remaining"] = live.countdown.remaining()
        if row["state"] == "queued":
            ahead = "SELECT count(*) AS ahead FROM jobs WHERE state = 'queued' AND created < ?"
            counted = self._store.row(ahead, row["created"])
            shown["ahead"] = counted["ahead"] if counted else 0
        failure = Failure.from_dict(json.loads(row["failure"])) if row["failure"] else None
        if row["state"] == "interrupted":
            failure = failure or _INTERRUPTED
        return Job(
            **fields,
            **shown,
            request=json.loads(row["request"]),
            failure=failure,
            result=json.loads(row["result"]) if row["result"] else None,
        )

    def _dispatch(self) -> None:
        while True:
            with self._changed:
                while not self._closing and not (row := self._next()):
                    self._changed.wait()
                if self._closing:
                    return
                running = "UPDATE jobs SET state = 'running', started = ? WHERE id = ?"
                self._store.change(running, time.time(), row["id"])
                self._live[row["id"]] = _Live(group=0, kind=row["kind"])
                thread = threading.Thread(
                    target=self._see_through, args=(dict(row),), name=f"job {row['id']}"
                )
                self._threads.add(thread)
                thread.start()

    def _next(self) -> Any:
        """The job that has waited longest among those that there is a place for."""
        checking = sum(live.kind == "check" for live in self._live.values())
        is_full = len(self._live) - checking >= self._limits.workers
        return self._store.row(
            "SELECT * FROM jobs WHERE state = 'queued' AND CASE kind WHEN 'check' THEN ? ELSE ? END"
            " ORDER BY created, rowid LIMIT 1",
            not checking,
            not is_full,
        )

    def _see_through(self, row: dict[str, Any]) -> None:
        """Run a job to its end, whatever that is."""
        job, live = row["id"], self._live[row["id"]]
        folder = self._store.job_folder(row["project"], job)
        try:
            self._prepare(folder, row)
            process = self._start(folder, live)
            try:
                self._follow(process, live)
            finally:
                kill_group(process.pid)  # whatever the worker itself has started
                code = process.wait()
            state, failure, result = _outcome(live, code, _last_line(folder / WORKER_LOG))
        except OSError as error:
            state, result = "failed", None
            failure = Failure("OutputFailed", f"the job could not be started: {error.strerror}")
        if state != "done":
            shutil.rmtree(folder, ignore_errors=True)
        with self._changed:
            self._record(job, state, failure, result)
            del self._live[job]
            self._threads.discard(threading.current_thread())
            self._changed.notify_all()

    def _prepare(self, folder: Path, row: Mapping[str, Any]) -> None:
        folder.mkdir(mode=0o700)
        request = json.loads(row["request"])
        names = dict(self._policies.names(row["project"]).by_path)
        names[str(folder / POLICY_NAME)] = POLICY_NAME
        names[str(folder / "out")] = "the output"
        if "release" in request:
            names[str(self._store.job_folder(row["project"], request["release"]) / "out")] = "the release"
        content = {**request, "kind": row["kind"], "names": names}
        (folder / REQUEST).write_text(json.dumps(content), encoding="utf-8")

    def _start(self, folder: Path, live: _Live) -> subprocess.Popen[bytes]:
        with (folder / WORKER_LOG).open("wb") as log, self._changed:
            process = subprocess.Popen(
                [sys.executable, "-m", "shoal.web.service.worker", str(folder)],
                stdin=subprocess.PIPE,  # its end tells the worker that the server is gone
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                pass_fds=self._kept_open(),
            )
            live.group = process.pid
            if live.ended_by is not None or self._closing:
                kill_group(process.pid)
        return process

    def _kept_open(self) -> tuple[int, ...]:
        """The lock of the data folder, so that no new server sweeps while a worker of this one writes."""
        return () if sys.platform == "win32" else (self._store.lock_handle,)

    def _follow(self, process: subprocess.Popen[bytes], live: _Live) -> None:
        assert process.stdout is not None and process.stdin is not None  # noqa: S101, PT018 - both are pipes
        began, heard = time.monotonic(), b""
        with process.stdout as stdout, process.stdin:
            pieces = _pieces_of(stdout)
            while True:
                with suppress(queue.Empty):
                    piece = pieces.get(timeout=_GLANCE)
                    if not piece:
                        break
                    *lines, heard = (heard + piece).split(b"\n")
                    for line in lines:
                        live.hear(json.loads(line))
                self._keep_limits(live, time.monotonic() - began)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LAST_SECONDS)  # it has said its last word and is tidying up

    def _keep_limits(self, live: _Live, passed: float) -> None:
        if live.ended_by is not None:
            return
        limits = self._limits
        if passed > limits.seconds:
            live.ended_by = Failure(
                "LimitReached", f"the time limit of {limits.seconds:g} s for a job was reached"
            )
        elif memory_of_group(live.group) > limits.job_memory:
            memory = f"{limits.job_memory / 1e6:,.0f} MB"
            live.ended_by = Failure(
                "LimitReached",
                f"the job needed more than the memory limit of {memory}; use fewer columns or"
                " records, or start the server with a larger --job-memory",
            )
        if live.ended_by is not None:
            kill_group(live.group)

    def _kill(self, job: str, why: Failure) -> None:
        live = self._live.get(job)
        if live is not None and live.ended_by is None:
            live.ended_by = why
            if live.group:
                kill_group(live.group)

    def _record(
        self, job: str, state: JobState, failure: Failure | None, result: Mapping[str, Any] | None
    ) -> None:
        self._store.change(
            "UPDATE jobs SET state = ?, ended = ?, failure = ?, result = ? WHERE id = ?",
            state,
            time.time(),
            None if failure is None else json.dumps(failure.as_dict()),
            None if result is None else json.dumps(result),
            job,
        )


def _outcome(
    live: _Live, code: int, complaint: str
) -> tuple[JobState, Failure | None, Mapping[str, Any] | None]:
    """How a job ended: by its last word if it could say one, else by how its process ended.

    A result is told when everything is written, so it counts however the process ended after that.
    """
    word = live.last_word or {}
    if "result" in word:
        return "done", None, word["result"]
    if live.ended_by is not None:
        states: dict[str, JobState] = {"Cancelled": "cancelled", "Interrupted": "interrupted"}
        return states.get(live.ended_by.kind, "failed"), live.ended_by, None
    if "failure" in word:
        return "failed", Failure.from_dict(word["failure"]), None
    if code == -getattr(signal, "SIGKILL", signal.SIGTERM):
        sentence = (
            "the job was killed from outside, perhaps by the system for want of memory; nothing was written"
        )
        return "failed", Failure("Killed", sentence), None
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return "failed", Failure("Died", f"the job ended early ({how}); nothing was written. {complaint}"), None


def _pieces_of(stream: IO[bytes]) -> queue.SimpleQueue[bytes]:
    """What a process says, as it says it, and nothing at its end; not every system can wait for pipes."""
    pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        piece = b" "
        while piece:
            try:
                piece = os.read(stream.fileno(), 2**16)
            except (OSError, ValueError):  # closed by whoever waited long enough
                piece = b""
            pieces.put(piece)

    threading.Thread(target=listen, daemon=True).start()
    return pieces


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1][:500] if lines else ""


def _with_seed(sections: Sections) -> Sections:
    """A seed makes the search repeatable; noise must never be, so differential privacy has none."""
    algorithm = sections.get("algorithm", {})
    model = MODELS.get(sections["privacy"].get("model", ""))
    if (model and model.form is Form.NEW_RECORDS) or algorithm.get("seed") is not None:
        return sections
    return {**sections, "algorithm": {**algorithm, "seed": secrets.randbelow(2**31)}}
