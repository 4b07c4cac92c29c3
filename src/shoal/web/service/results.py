"""What finished jobs made: views for pages, files to take away."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from shoal.errors import BadInput, NotFound, Problem
from shoal.metrics.answers import Answer
from shoal.policy.output_names import CERTIFICATE, CODEBOOK, INTERNAL, MARK, REPORT
from shoal.policy.policy_file import parse_policy
from shoal.policy.promise import keys_of
from shoal.policy.script import script_text
from shoal.privacy.catalogue import MODELS
from shoal.privacy.model import Form, Model
from shoal.run.verification import FileVerification
from shoal.study.count import Where
from shoal.study.count_groups import Bands
from shoal.study.standing import Standing
from shoal.web.service import questions
from shoal.web.service.bound import OUT, POLICY_NAME, bound_policy
from shoal.web.service.explaining import Explained
from shoal.web.service.files import Files
from shoal.web.service.helpers import Helpers
from shoal.web.service.jobs import Job, Jobs
from shoal.web.service.merging import differences
from shoal.web.service.policies import Policies, promise_in_short, standing_beside
from shoal.web.service.questions import CountTable
from shoal.web.service.tables import (
    ShownTable,
    attack_table,
    codebook_table,
    distribution_tables,
    figure_tables,
    measured_tables,
)
from shoal.web.service.wording import Names
from shoal.web.service.worker import ATTACK_PAGE, VIEW

POSSIBLE_ORIGINAL = "possible-original.jsonl"

Export = Literal[
    "published",
    "certificate",
    "public-report",
    "report",
    "policy",
    "script",
    "result",
    "comparison",
    "attack",
    "codebook",
    "reconstruction",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A file to take away: a name to save it under, its type, and its bytes in a file or a text."""

    name: str
    media_type: str
    path: Path | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class PromiseChange:
    """A promise before and after, in short, and how the second stands to the first."""

    before: str
    after: str
    standing: Standing


class Results:
    """Look at what jobs made. Everything here is of jobs that are done; others raise BadInput."""

    def __init__(self, jobs: Jobs, policies: Policies, files: Files, helpers: Helpers) -> None:
        self._jobs, self._policies, self._files, self._helpers = jobs, policies, files, helpers

    def view(self, project: str, job: str) -> dict[str, Any]:
        """What pages show of a run: see `views.view_of`."""
        view = (self._folder(project, job, "run") / VIEW).read_text(encoding="utf-8")
        return dict(json.loads(view))

    def clusters(self, project: str, job: str, *, start: int = 0, count: int = 50) -> list[dict[str, Any]]:
        """Clusters of a disassociated release, as they are published."""
        done = self._done(project, job, "run")
        published = self._jobs.folder(done) / OUT / str((done.result or {})["published"])
        if not _has_clusters(done):
            raise BadInput(Problem("this release has no clusters in lines", "look at its file"))
        with published.open(encoding="utf-8") as lines:
            return [json.loads(line) for line in islice(lines, start, start + count)]

    def exports(self, project: str, job: str) -> list[Export]:
        """What can be taken away from a job."""
        done = self._done(project, job)
        if done.kind == "run":
            told = (self._jobs.folder(done) / OUT / REPORT).is_file()  # older runs have none
            readers: list[Export] = ["public-report"] if told else []
            explained: list[Export] = (
                ["codebook"] if (self._jobs.folder(done) / OUT / CODEBOOK).is_file() else []
            )
            drawn: list[Export] = ["reconstruction"] if _has_clusters(done) else []
            own: list[Export] = ["report", "policy", "script", "result"]
            return ["published", "certificate", *explained, *readers, *own, *drawn]
        made: dict[str, list[Export]] = {"comparison": ["comparison"], "attack": ["attack"]}
        return [*made.get(done.kind, []), "policy"]

    def export(self, project: str, job: str, what: str) -> Download:
        """One of `exports`; the report and the result are for the publisher alone."""
        done = self._done(project, job)
        if what not in self.exports(project, job):
            raise NotFound("export", what)
        out = self._jobs.folder(done) / OUT
        published = str((done.result or {}).get("published", ""))
        possible = self._jobs.folder(done) / POSSIBLE_ORIGINAL
        if what == "reconstruction" and not possible.is_file():
            self._helpers.ask(questions.draw_possible_original, out / published, possible)
        downloads: Mapping[str, Download] = {
            "published": Download(
                name=published, media_type="application/octet-stream", path=out / published
            ),
            "certificate": Download(name=CERTIFICATE, media_type="application/json", path=out / CERTIFICATE),
            "public-report": Download(name=REPORT, media_type="text/html", path=out / REPORT),
            "report": Download(
                name=f"internal-{REPORT}", media_type="text/html", path=out / INTERNAL / REPORT
            ),
            "result": Download(name=MARK, media_type="application/json", path=out / MARK),
            "policy": Download(name=POLICY_NAME, media_type="application/toml", text=done.policy),
            "script": Download(name="anonymize.py", media_type="text/x-python", text=_script(done, what)),
            "comparison": Download(name="comparison.csv", media_type="text/csv", path=out / "comparison.csv"),
            "attack": Download(name=ATTACK_PAGE, media_type="text/html", path=out / ATTACK_PAGE),
            "codebook": Download(name=CODEBOOK, media_type="application/json", path=out / CODEBOOK),
            "reconstruction": Download(
                name=POSSIBLE_ORIGINAL, media_type="application/octet-stream", path=possible
            ),
        }
        return downloads[what]

    def tables(self, project: str, job: str) -> dict[str, ShownTable]:
        """The tables behind what pages show of a run, by name."""
        view = self.view(project, job)
        attack = self.attack_on(project, job)
        found = [
            *figure_tables(view),
            *(table for levels in distribution_tables(view).values() for table in levels.values()),
            *measured_tables(view),
            self.codebook(project, job),
            None if attack is None else attack_table(attack.result or {}),
        ]
        return {table.name: table for table in found if table is not None}

    def codebook(self, project: str, job: str) -> ShownTable | None:
        """What the labels of a release stand for; None if it has no codebook."""
        return codebook_table(self._folder(project, job, "run") / OUT)

    def attack_on(self, project: str, run: str) -> Job | None:
        """The newest finished attack on the release of a run."""
        attacks = (job for job in self._jobs.all(project) if job.kind == "attack" and job.state == "done")
        return next((job for job in attacks if job.request["release"] == run), None)

    def count(
        self,
        project: str,
        job: str,
        where: Where,
        by: Sequence[str] = (),
        bands: Bands | None = None,
    ) -> CountTable:
        """How many records of a release have certain values, from what is published alone.

        They are counted for each value, or each band, of the columns `by`.
        """
        out, names = self._folder(project, job, "run") / OUT, self._policies.names(project)
        asked = (dict(where), tuple(by), dict(bands or {}))
        return self._helpers.ask(questions.count_records, out, *asked, names=names)

    def support(self, project: str, job: str, items: Sequence[str]) -> Answer:
        """How many records of a release hold all of these items, from what is published alone."""
        done = self._done(project, job, "run")
        out = self._jobs.folder(done) / OUT
        asked = out / str((done.result or {})["published"]) if _has_clusters(done) else out
        return self._helpers.ask(questions.count_itemset, asked, list(items))

    def outdated(self, project: str, job: str) -> tuple[str, ...]:
        """By which settings a job was made that are others by now; nothing if it is what they ask for."""
        made, now = self._jobs.get(project, job).request["sections"], self._policies.get(project)
        if now.get("algorithm", {}).get("seed") is None:  # one was drawn for the run
            algorithm = {name: value for name, value in made.get("algorithm", {}).items() if name != "seed"}
            made = {**made, "algorithm": algorithm}
        return differences(made, now)

    def explain(
        self, project: str, job: str, column: str, *, row: int | None = None, value: str | None = None
    ) -> tuple[Explained, ...]:
        """Why a value of a record (by its original row), or an item of a set, is published as it is."""
        folder, names = self._folder(project, job, "run"), self._policies.names(project)
        return self._helpers.ask(questions.explain_value, folder, column, row, value, names=names)

    def verify(
        self, project: str, file: Path, *, job: str | None = None, name: str = "the file"
    ) -> FileVerification:
        """Check the promise of the settings, or of a run, on a published file, wherever it came from."""
        if job is None:
            bound = self._policies.bound(project)
        else:
            done = self._jobs.get(project, job)
            bound = bound_policy(
                done.request["sections"], self._policies.names(project), self._jobs.folder(done) / POLICY_NAME
            )
        names = Names({**bound.names.by_path, str(file): name})
        return self._helpers.ask(questions.verify_published_file, file, bound.file, None, names=names)

    def adopt(self, project: str, job: str, run: str) -> None:
        """Take the algorithm and parameters of one run of a comparison over into the settings."""
        done = self._done(project, job, "comparison")
        row = next((row for row in (done.result or {})["runs"] if row["run"] == run), None)
        if row is None:
            raise NotFound("run", run)
        sections = self._policies.get(project)
        options = {k: row[k] for k in _swept(row) if k not in _PRIVACY}
        seed = {} if row["seed"] is None else {"seed": row["seed"]}
        self._policies.edit(
            project,
            sections,
            {
                **sections,
                "privacy": _privacy_after(sections.get("privacy", {}), row),
                "algorithm": {"name": row["algorithm"], **seed, **options},
            },
        )

    def changes(self, project: str, job: str) -> dict[str, PromiseChange]:
        """What taking each run of a comparison over would do to the promise of the settings as they are."""
        done = self._done(project, job, "comparison")
        sections = self._policies.get(project)
        before = sections.get("privacy", {})
        found: dict[str, PromiseChange] = {}
        for row in (done.result or {})["runs"]:
            after = _privacy_after(before, row)
            found[str(row["run"])] = PromiseChange(
                promise_in_short(before), promise_in_short(after), standing_beside(after, before)
            )
        return found

    def _folder(self, project: str, job: str, kind: str) -> Path:
        return self._jobs.folder(self._done(project, job, kind))

    def _done(self, project: str, job: str, kind: str | None = None) -> Job:
        found = self._jobs.get(project, job)
        if found.state != "done" or kind not in (None, found.kind):
            what = f"this is no finished {kind or 'job'}" if kind else f"this job is {found.state}"
            raise BadInput(Problem(what, "wait for it, or choose another"))
        return found


_PRIVACY = ("model", "k", "m", "l", "t", "alpha", "c", "epsilon", "diversity", "distance", "negative")


def _swept(row: Mapping[str, Any]) -> list[str]:
    """What the name of a run says of it."""
    return [name for name, _ in re.findall(r"(\S+)=(\S+)", row["run"])]


def _privacy_after(privacy: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """The promise of the settings with what was swept for a run."""
    changed = {**privacy, **{name: row[name] for name in _swept(row) if name in _PRIVACY}}
    taken = {"model", *(key.name for key in keys_of(changed["model"]))} if "model" in changed else set()
    return {name: value for name, value in changed.items() if name in taken}


def _has_clusters(job: Job) -> bool:
    return (
        str((job.result or {}).get("published", "")).endswith(".jsonl") and _model(job).form is Form.CLUSTERS
    )


def _model(job: Job) -> type[Model]:
    return MODELS[str(job.request["sections"]["privacy"]["model"])]


def _script(job: Job, what: str) -> str | None:
    return script_text(parse_policy(job.policy)) if what == "script" else None
