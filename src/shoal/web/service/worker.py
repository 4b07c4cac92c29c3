"""The process of one job: reads its request, works, and tells on its standard output how far it is.

It ends when its standard input does, which is when the server is gone.
"""

import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TextIO

from shoal.attack.attacked import Attacked
from shoal.errors import ShoalError
from shoal.json_values import json_value
from shoal.report.attack_page import attack_facts, attack_page
from shoal.report.result_file import result_dict
from shoal.run.output import file_that_appears_whole
from shoal.run.planned_output import save_as_planned
from shoal.run.release import run
from shoal.study.attack import attack_files
from shoal.study.check import check
from shoal.study.compare import compare
from shoal.study.recommendation import Constraint
from shoal.web.service.bound import OUT, POLICY_NAME, REQUEST, bound_policy, plan_of_job, stored_text
from shoal.web.service.processes import be_first_to_go, give_way
from shoal.web.service.views import view_of
from shoal.web.service.wording import Failure, Names

VIEW = "view.json"
ATTACK_PAGE = "attack.html"
_PAUSE = 0.1

Request = Mapping[str, Any]


class JobProgress:
    """Progress that is told to the server, not more often than it can be seen."""

    def __init__(self, channel: TextIO) -> None:
        self._channel, self._told = channel, 0.0

    def stage(self, name: str) -> None:
        """Name the part of the work that begins now."""
        self._told = 0.0
        self.say({"stage": name})

    def update(self, done: float, total: float | None = None, note: str = "") -> None:
        """Tell how much of the stage is done."""
        if time.monotonic() - self._told >= _PAUSE:
            self._told = time.monotonic()
            self.say({"done": float(done), "total": None if total is None else float(total), "note": note})

    def expired(self, share: float = 1.0) -> bool:  # noqa: ARG002
        """Limits are kept by the run and by the server."""
        return False

    def say(self, word: Mapping[str, Any]) -> None:
        """One line for the server."""
        print(json.dumps(word, allow_nan=False), file=self._channel, flush=True)


def _run(request: Request, folder: Path, progress: JobProgress) -> dict[str, Any]:
    plan = plan_of_job(request, folder)
    found = run(plan, progress)
    notices = tuple(map(_names(request).shown, found.notices))
    provenance = replace(found.outcome.provenance, notices=notices)
    result = replace(found, outcome=replace(found.outcome, provenance=provenance))
    progress.stage("writing and checking the published file")
    save_as_planned(result, plan, folder / OUT)
    progress.stage("preparing what the page shows")
    with file_that_appears_whole(folder / VIEW) as partial:
        partial.write_text(json.dumps(view_of(result), allow_nan=False), encoding="utf-8")
    return {**result_dict(result.outcome), "published": plan.output_path}


def _comparison(request: Request, folder: Path, progress: JobProgress) -> dict[str, Any]:
    policy = folder / POLICY_NAME
    policy.write_text(stored_text(request["sections"], _names(request)), encoding="utf-8")
    found = compare(
        policy,
        algorithms=request["algorithms"],
        sweep=request["sweep"],
        out=folder / OUT,
        constraint=Constraint(**request["constraint"]),
        workers=1,
        progress=progress,
    )
    return {name: json_value(fact) for name, fact in found.facts.items()}


def _check(request: Request, folder: Path, progress: JobProgress) -> dict[str, Any]:
    names = _names(request)
    found = check(bound_policy(request["sections"], names, folder / POLICY_NAME).file, progress)
    return {**asdict(found), "notices": list(map(names.shown, found.notices))}


def _attack(request: Request, folder: Path, progress: JobProgress) -> dict[str, Any]:
    plan = plan_of_job(request, folder)
    published = folder.parent / request["release"] / OUT / plan.output_path
    found: Attacked = attack_files([published], plan, items=request["items"], progress=progress)
    (folder / OUT).mkdir()
    with file_that_appears_whole(folder / OUT / ATTACK_PAGE) as partial:
        partial.write_text(attack_page(found), encoding="utf-8")
    return dict(attack_facts(found))


def _names(request: Request) -> Names:
    return Names(request["names"])


_KINDS: dict[str, Callable[[Request, Path, JobProgress], dict[str, Any]]] = {
    "run": _run,
    "comparison": _comparison,
    "attack": _attack,
    "check": _check,
}


def _end_with_server() -> None:
    while os.read(0, 1):  # no Python stream: a thread that waits in one keeps the process from ending
        pass
    os._exit(1)


def main(folder: Path) -> int:
    """Do the job of a folder; 0 if it has a result."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nobody else speaks to the server
    os.umask(0o077)
    threading.Thread(target=_end_with_server, daemon=True).start()
    be_first_to_go()
    give_way()
    request: Request = json.loads((folder / REQUEST).read_text(encoding="utf-8"))
    progress, names = JobProgress(channel), _names(request)
    try:
        progress.say({"result": _KINDS[request["kind"]](request, folder, progress)})
    except ShoalError as error:
        progress.say({"failure": names.failure(error).as_dict()})
        return 1
    except MemoryError:
        progress.say({"failure": Failure("LimitReached", "the machine's memory is used up").as_dict()})
        return 1
    except Exception as error:  # noqa: BLE001 - whatever it is, the server must hear of it
        traceback.print_exc()
        sentence = f"this is a bug in Shoal, not in your data: {names.shown(repr(error))}"
        progress.say({"failure": Failure("Bug", sentence).as_dict()})
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
