"""`python -m tests.campaign N`: N random cases, and tables of what came of them."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path

from tests.campaign.campaign import Finding, Outcome, Tally, table, try_case
from tests.campaign.faults import Fault, try_faults
from tests.campaign.generate import make_case

_CONTEXT = multiprocessing.get_context("spawn")


def main() -> int:
    """Run the campaign; exit code 1 if anything was found."""
    given = _arguments()
    keep: Path = given.keep
    keep.mkdir(parents=True, exist_ok=True)
    tally = Tally()
    numbers = [given.only] if given.only is not None else list(range(given.first, given.first + given.cases))
    started = time.monotonic()
    faults: list[Fault] = []
    try:
        for outcome in _outcomes(given.seed, numbers, given.jobs, keep):
            tally.add(outcome)
            _show_progress(tally, len(numbers), started)
            for finding in outcome.findings:
                _say(f"\n{finding.line()}" if given.only is not None or given.verbose else "")
        for fault in try_faults(given.seed, given.faults) if given.faults else ():
            faults.append(fault)
            _say(f"{len(faults)} of {given.faults} faults: {fault}\n")
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # somebody who is impatient shall see the tables, too
        _say(f"\ninterrupted after {len(tally.outcomes)} cases and {len(faults)} faults; so far:\n")
    sys.stdout.write(f"\n{tally.tables()}\n" if tally.outcomes else "")
    sys.stdout.write(f"\n{fault_table(faults)}\n" if faults else "")
    bad = [str(fault) for fault in faults if fault.flaws]
    if tally.findings or bad:
        lines = [*(finding.line() for finding in tally.findings), *bad]
        (keep / "findings.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        sys.stdout.write(f"\n{len(lines)} findings: {keep}\n")
    return 1 if tally.findings or bad else 0


def fault_table(tried: list[Fault]) -> str:
    """How many faults of each kind were tried, how the commands ended, and how many ended badly."""
    rows: list[list[object]] = []
    for kind in sorted({fault.kind for fault in tried}):
        those = [fault for fault in tried if fault.kind == kind]
        ends = Counter(fault.ended for fault in those)
        told = ", ".join(f"{end}: {count}" for end, count in ends.most_common())
        rows.append(
            [
                kind,
                len({fault.command for fault in those}),
                len(those),
                told,
                sum(bool(f.flaws) for f in those),
            ]
        )
    return table(["fault", "commands", "tried", "exit codes", "findings"], rows)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    parser.add_argument("cases", nargs="?", type=int, default=0, help="how many cases")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other cases")
    parser.add_argument("--faults", type=int, default=0, help="how many faults are injected after the cases")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--only", type=int, help="one case, by its number")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--keep", type=Path, default=Path("campaign-findings"), help="where findings go")
    parser.add_argument("--verbose", action="store_true", help="print findings as they come")
    return parser.parse_args()


def _outcomes(seed: int, numbers: list[int], jobs: int, keep: Path) -> Iterator[Outcome]:
    if jobs == 1 or len(numbers) == 1:
        yield from (try_case(seed, number, keep=keep) for number in numbers)
        return
    waiting = deque(numbers)
    workers = [Worker(seed, keep) for _ in range(min(jobs, len(numbers)))]
    try:
        for worker in workers:
            worker.take(waiting.popleft())
        while busy := {worker.pipe: worker for worker in workers if worker.number is not None}:
            for pipe in wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]
                yield worker.outcome()
                if waiting:
                    worker.take(waiting.popleft())
    finally:
        for worker in workers:
            worker.stop()


class Worker:
    """A process that tries one case after the other, and is replaced if a case takes it down."""

    def __init__(self, seed: int, keep: Path) -> None:
        self._seed, self._keep = seed, keep
        self.number: int | None = None
        self._start()

    def _start(self) -> None:
        self.pipe, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_work, args=(theirs, self._seed, self._keep), daemon=True)
        self._process.start()
        theirs.close()

    def take(self, number: int) -> None:
        self.number = number
        self.pipe.send(number)

    def outcome(self) -> Outcome:
        """What came of the case that it took."""
        number, self.number = self.number, None
        try:
            outcome: Outcome = self.pipe.recv()
        except (EOFError, OSError):
            self.stop()
            code = self._process.exitcode
            self._start()
            return _crashed(self._seed, number or 0, code)
        return outcome

    def stop(self) -> None:
        self._process.kill() if self.number is not None else self._process.terminate()
        self._process.join()
        self.pipe.close()


def _crashed(seed: int, number: int, code: int | None) -> Outcome:
    case = make_case(seed, number)
    outcome = Outcome(str(case.algorithm["name"]), case.model)
    outcome.findings.append(Finding("crash", f"the process died with {code}", seed, number))
    return outcome


def _work(pipe: Connection, seed: int, keep: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that shows the tables
    while True:
        try:
            number = pipe.recv()
        except EOFError:
            return
        pipe.send(try_case(seed, number, keep=keep))


def _show_progress(tally: Tally, total: int, started: float) -> None:
    done = len(tally.outcomes)
    seconds = time.monotonic() - started
    left = seconds / done * (total - done)
    line = f"{done} of {total} cases, {len(tally.findings)} findings, about {left:.0f} s left"
    if sys.stderr.isatty():
        _say(f"\r{line}  ")
    elif done % max(1, total // 20) == 0:
        _say(f"{line}\n")


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
