"""How long a run takes, as `check` and the page tell it before and meanwhile, beside the time that it took.

    python bench/estimates.py [--only TEXT] [--keep]

Each case has a process of its own, which first checks, as *Check everything* does, and then runs. What is
told before is known or said to be a guess; what is told meanwhile, of what is left of a part, is asked twice
a second, as the page does, of parts of which at least 5 s are left. The exit code is 1 if something that was
told as known is off by more than a factor of two, or "less than a minute" took longer; of what was told
meanwhile one in twenty may be.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from measuring.kept_tables import offer_to_keep, printed_table
from measuring.reports import each_in_its_own_process
from measuring.tables import DATA
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import load_policy
from shoal.progress import Silent
from shoal.run.planned_output import save_as_planned
from shoal.run.release import run
from shoal.study.check import check
from shoal.web.pages.running import time_of
from shoal.web.service.countdown import Countdown

FACTOR = 2.0
MAY_MISS = 1 / 20  # of what is told meanwhile
GLANCE = 0.5  # seconds
AT_LEAST = 5.0  # seconds that are left
MINUTE = 60.0

ADULT = """
age = { role = "quasi", kind = "number", hierarchy = { ranges = [5, 10, 20, 40] } }
hours-per-week = { role = "quasi", kind = "number", hierarchy = { ranges = [5, 10, 20, 40] } }
education-num = { role = "quasi", kind = "number", hierarchy = { ranges = [5, 10] } }
workclass = { role = "quasi", hierarchy = { flat = true } }
marital-status = { role = "quasi", hierarchy = { flat = true } }
sex = { role = "quasi", hierarchy = { flat = true } }
salary-class = { role = "sensitive" }
"""
INFORMS = """
DOBYY = { role = "quasi", kind = "number", hierarchy = { ranges = [5, 10, 20, 40] } }
RACEX = { role = "quasi", hierarchy = { flat = true } }
EDUCYEAR = { role = "quasi", kind = "number", hierarchy = { ranges = [5, 10] } }
ICD9 = { role = "quasi", kind = "set", separator = " ", hierarchy = { fanout = 5 } }
"""
RANDOM = "".join(
    f'{name} = {{ role = "quasi", kind = "number", hierarchy = {{ fanout = 3 }} }}\n' for name in "abcdef"
)
SETS = 'items = { role = "quasi", kind = "set", hierarchy = { fanout = 5 } }\n'
DRAWN = "random.csv"  # numbers from 0 to 999
DATA_SETS = {
    "Adult": ("adult.csv.gz", ADULT, 'model = "k-anonymity"\nk = 5'),
    "random numbers": (DRAWN, RANDOM, 'model = "k-anonymity"\nk = 5'),
    "INFORMS": ("informs2005_rt.csv.gz", INFORMS, 'model = "k-km-anonymity"\nk = 5\nm = 2'),
    "MSWeb": ("msweb.txt.gz", SETS, 'model = "km-anonymity"\nk = 5\nm = 2'),
}


@dataclass(frozen=True)
class Case:
    data: str
    records: int
    algorithm: str


CASES = (
    *(Case("Adult", 5_000, name) for name in ("mondrian", "kanon-cf", "agglomerative")),
    *(Case("Adult", 15_000, name) for name in ("kanon-cf", "agglomerative", "sequential", "hilbert")),
    Case("Adult", 30_000, "mondrian"),
    Case("random numbers", 8_000, "agglomerative"),
    *(Case("INFORMS", records, "rmerge-rt") for records in (4_000, 12_000)),
    *(Case("INFORMS", records, "classwise") for records in (4_000, 12_000)),
    Case("INFORMS", 4_000, "auto"),
    *(Case("MSWeb", 15_000, name) for name in ("lra", "vpa", "pcta")),
)


@dataclass(frozen=True)
class Found:
    """`told` before is in words; `moments` at which something was told meanwhile, and how many were right."""

    case: Case
    told: str
    seconds: float | None
    is_known: bool
    took: float
    glances: int
    moments: int
    right: int

    @property
    def is_right(self) -> bool:
        """Whether what was told before as known was right."""
        if not self.is_known or self.seconds is None:
            return True
        if "less than a minute" in self.told:
            return self.took < MINUTE
        return 1 / FACTOR <= self.took / self.seconds <= FACTOR


class Watched(Silent):
    """Asks what is left of a part as the page does, and compares it when the part has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.glances = self.moments = self.right = 0
        self._told: list[tuple[float, float | None]] = []
        self._countdown, self._last = Countdown(), time.monotonic()

    def stage(self, name: str) -> None:  # noqa: ARG002
        self.end()
        self._countdown, self._told = Countdown(), []

    def update(self, done: float, total: float | None = None, note: str = "") -> None:  # noqa: ARG002
        self._countdown.hear(done, total)
        if time.monotonic() - self._last >= GLANCE:
            self._last = time.monotonic()
            self._told.append((self._last, self._countdown.remaining()))

    def end(self) -> None:
        """The part has ended: what was told of it is right or not."""
        now = time.monotonic()
        late = [(now - moment, told) for moment, told in self._told if now - moment >= AT_LEAST]
        known = [(left, told) for left, told in late if told is not None]
        self.glances += len(late)
        self.moments += len(known)
        self.right += sum(told / FACTOR <= left <= told * FACTOR for left, told in known)


def measure(case: Case) -> Found:
    """Check, run, and compare."""
    with tempfile.TemporaryDirectory() as name:
        policy = written(case, Path(name))
        checked = check(load_policy(policy), Silent())
        plan, watched = plan_of(load_policy(policy)), Watched()
        began = time.perf_counter()
        result = run(plan, watched)
        watched.end()
        save_as_planned(result, plan, Path(name) / "out")
        took = time.perf_counter() - began
    told = time_of({"seconds": checked.seconds, "is_guess": checked.is_guess})
    is_known = checked.seconds is not None and not checked.is_guess
    counts = (watched.glances, watched.moments, watched.right)
    return Found(case, told, checked.seconds, is_known, took, *counts)


def written(case: Case, folder: Path) -> Path:
    """The policy of a case, beside the first records of its data."""
    source, columns, privacy = DATA_SETS[case.data]
    data = folder / source.removesuffix(".gz")
    if source == DRAWN:
        rows = np.random.default_rng(1).integers(1_000, size=(case.records, 6))
        np.savetxt(data, rows, fmt="%d", delimiter=",", header="a,b,c,d,e,f", comments="")
    else:
        first_records(DATA / source, data, case.records)
    policy = folder / "policy.toml"
    algorithm = f'[algorithm]\nname = "{case.algorithm}"\nseed = 1\n'
    others = f'[data]\npath = "{data.name}"\nothers = "drop"\n'
    policy.write_text(f"{others}[columns]\n{columns}[privacy]\n{privacy}\n{algorithm}", encoding="utf-8")
    return policy


def first_records(source: Path, target: Path, records: int) -> None:
    """The beginning of a file, unpacked."""
    lines = records + (target.suffix == ".csv")  # the first one names columns
    with gzip.open(source, "rt", encoding="utf-8") as whole, target.open("w", encoding="utf-8") as beginning:
        beginning.writelines(islice(whole, lines))


def main(cases: Sequence[Case]) -> int:
    """Print the table; 1 if something that was told was wrong."""
    columns = (
        "data",
        "records",
        "algorithm",
        "told before",
        "estimate",
        "took",
        "told meanwhile",
        "of it right",
    )
    wrong: list[str] = []
    moments = right = 0
    with printed_table("estimates", columns) as add_row:
        for found in each_in_its_own_process(measure, cases):
            case = found.case
            estimate = "-" if found.seconds is None else f"{found.seconds:.1f} s"
            meanwhile = f"{found.moments} of {found.glances} times" if found.glances else "-"
            share = f"{found.right / found.moments:.0%}" if found.moments else "-"
            told = found.told.removeprefix("A run takes ").removeprefix("How long a run takes ")
            add_row(
                case.data, f"{case.records:,}", f"`{case.algorithm}`", told, estimate, f"{found.took:.1f} s",
                meanwhile, share,
            )  # fmt: skip
            moments, right = moments + found.moments, right + found.right
            if not found.is_right:
                wrong.append(f"{case.data}, {case.records:,} records, {case.algorithm}")
    for each in wrong:
        print(f"told as known, and wrong: {each}")
    if right < (1 - MAY_MISS) * moments:
        print(f"told meanwhile, and wrong: {moments - right} of {moments} times")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--only", default="", help="cases whose words have this text, such as kanon-cf")
    offer_to_keep(words)
    given = words.parse_args()
    sys.exit(main([case for case in CASES if given.only in f"{case.data} {case.records} {case.algorithm}"]))
