"""What benchmarks in several parts share: their command line, their tables and what they missed."""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from measuring.kept_tables import offer_to_keep

C = TypeVar("C")
M = TypeVar("M")


class Checked(Protocol):
    """A measurement that knows whether the release kept its promise."""

    @property
    def case(self) -> Any: ...

    @property
    def holds(self) -> bool: ...


F = TypeVar("F", bound=Checked)


@dataclass
class Report:
    """Prints tables and remembers what went wrong."""

    failures: list[str] = field(default_factory=list)

    def title(self, text: str) -> None:
        print(f"\n{text}\n", flush=True)

    def row(self, *cells: object) -> None:
        texts = (f"{cell:.2f}" if isinstance(cell, float) else f"{cell}" for cell in cells)
        aligned = (f"{text:<14}" if place < 3 else f"{text:>12}" for place, text in enumerate(texts))
        print("  ".join(aligned), flush=True)

    def check(self, found: F) -> F:
        if not found.holds:
            self.failures.append(f"{found.case} broke its promise")
        return found

    def expect(self, sentence: str, *, met: bool) -> None:
        print(f"{'met' if met else 'MISSED'}: {sentence}", flush=True)
        if not met:
            self.failures.append(sentence)


def each_in_its_own_process(measure: Callable[[C], M], cases: Sequence[C]) -> Iterator[M]:
    """Measure case after case, each in a fresh process."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1) as pool:
        yield from pool.map(measure, cases)


def run_parts(description: str, parts: Mapping[str, Callable[..., None]]) -> int:
    """Run the parts that the command line names, or all; returns the exit code."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="fewer and smaller cases")
    parser.add_argument("--only", choices=parts, action="append", help="one of the parts; may be given again")
    offer_to_keep(parser)
    arguments = parser.parse_args()
    report = Report()
    for name in arguments.only or parts:
        parts[name](report, quick=arguments.quick)
    report.title("\n".join(("Missed:", *report.failures)) if report.failures else "All targets are met.")
    return 1 if report.failures else 0
