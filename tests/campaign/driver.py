"""`python -m tests.campaign N`: N random cases, and tables of what came of them."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from tests.campaign.campaign import Finding, Outcome, Tally, table, try_case
from tests.campaign.faults import Fault, try_faults
from tests.campaign.generate import make_case

_BATCH = 5
_CONTEXT = multiprocessing.get_context("spawn")


def main() -> int:
    """Run the campaign; exit code 1 if anything was found."""
    given = _arguments()
    keep: Path = given.keep
    keep.mkdir(parents=True, exist_ok=True)
    tally = Tally()
    numbers = [given.only] if given.only is not None else list(range(given.first, given.first + given.cases))
    started = time.monotonic()
    try:
        for outcome in _outcomes(given.seed, numbers, given.jobs, keep):
            tally.add(outcome)
            _show_progress(tally, len(numbers), started)
            for finding in outcome.findings:
                _say(f"\n{finding.line()}" if given.only is not None or given.verbose else "")
    except KeyboardInterrupt:
        _say(f"\ninterrupted after {len(tally.outcomes)} cases; what was found so far:\n")
    faults = _faults(given.seed, given.faults)
    sys.stdout.write(f"\n{tally.tables()}\n" if tally.outcomes else "")
    sys.stdout.write(f"\n{fault_table(faults)}\n" if faults else "")
    bad = [f"{fault.kind}, {fault.command}: {'; '.join(fault.flaws)}" for fault in faults if fault.flaws]
    if tally.findings or bad:
        lines = [*(finding.line() for finding in tally.findings), *bad]
        (keep / "findings.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        sys.stdout.write(f"\n{len(lines)} findings: {keep}\n")
    return 1 if tally.findings or bad else 0


def _faults(seed: int, count: int) -> list[Fault]:
    tried: list[Fault] = []
    try:
        for fault in try_faults(seed, count) if count else ():
            tried.append(fault)
            ended = f"{fault.kind}, {fault.command}: {fault.ended} {'; '.join(fault.flaws)}"
            _say(f"{len(tried)} of {count} faults: {ended}\n")
    except KeyboardInterrupt:
        _say(f"\ninterrupted after {len(tried)} faults\n")
    return tried


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
    waiting = [numbers[place : place + _BATCH] for place in range(0, len(numbers), _BATCH)]
    while waiting:
        with ProcessPoolExecutor(jobs, mp_context=_CONTEXT) as pool:
            running = {pool.submit(_batch, seed, batch, keep): batch for batch in waiting}
            lost = yield from _ended(running)
        suspects, waiting = lost[: 2 * jobs], lost[2 * jobs :]
        for number in (number for batch in suspects for number in batch):
            yield _alone(seed, number, keep)


def _ended(running: dict[Future[list[Outcome]], list[int]]) -> Generator[Outcome, None, list[list[int]]]:
    """The outcomes of batches as they end; returns those that a dying worker took along."""
    lost = []
    while running:
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            batch = running.pop(future)
            try:
                yield from future.result()
            except BrokenProcessPool:
                lost.append(batch)
    return sorted(lost)


def _alone(seed: int, number: int, keep: Path) -> Outcome:
    """The outcome of a case in a process of its own, which it may take down."""
    with ProcessPoolExecutor(1, mp_context=_CONTEXT) as pool:
        try:
            return pool.submit(_batch, seed, [number], keep).result()[0]
        except BrokenProcessPool:
            case = make_case(seed, number)
            outcome = Outcome(str(case.algorithm["name"]), case.model)
            outcome.findings.append(Finding("crash", "the process died", seed, number))
            return outcome


def _batch(seed: int, numbers: list[int], keep: Path) -> list[Outcome]:
    return [try_case(seed, number, keep=keep) for number in numbers]


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
