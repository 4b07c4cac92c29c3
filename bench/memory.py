"""How much memory a whole run takes: reading, searching, verifying, measuring, writing and reading back.

    python bench/memory.py [--only sets,tables] [--records 1000000,2000000] [--algorithms aa,mondrian]

Baskets have ten items out of 1,000 (Quest, seed 1); tables are the eight columns of Adult, each cell drawn on
its own. Every run has a process of its own, after one of a few records that compiles what it needs. "Encoded"
is what the codes would take: four bytes per item and eight per basket, or four bytes per cell. The target is
three times that and 300 MB for everything that is there however few the records are. The last column says in
which part of the run the peak was; `--stages` lists all parts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

from measuring.kept_tables import offer_to_keep, printed_table
from measuring.tables import TABLES, load
from shoal.engine.memory import bytes_in_use, memory_of_machine
from shoal.run.policy_run import run_policy
from shoal.table.columns import Table
from shoal.table.quest import quest
from shoal.table.roles import Quasi
from shoal.table.writing import write_table

ITEMS, PATTERNS = 1_000, 2_000
RECORDS_TO_COMPILE_WITH = 2_000
TIMES, BESIDE = 3, 300  # of the encoded size, MB
ROOM = 12  # of the encoded size, that a machine should have before a run is tried
SECONDS_BETWEEN_LOOKS = 0.005
ALGORITHMS = {
    "aa": "sets",
    "itemwise": "sets",
    "vpa": "sets",
    "disassociation": "sets",
    "partition": "sets",
    "mondrian": "tables",
    "hilbert": "tables",
}
PRIVACY = {
    "disassociation": 'model = "disassociation"\nk = 5\nm = 2',
    "partition": 'model = "set-k-anonymity"\nk = 5',
}
OF_SETS, OF_TABLES = 'model = "km-anonymity"\nk = 5\nm = 2', 'model = "k-anonymity"\nk = 10'
COLUMN_OF_SETS = 'items = { role = "quasi", kind = "set", separator = " ", hierarchy = { fanout = 10 } }'


@dataclass
class Watch:
    """Progress that notes how much memory each stage takes."""

    peaks: dict[str, float] = field(default_factory=dict)
    began: dict[str, float] = field(default_factory=dict)
    now: str = "starting"

    def stage(self, name: str) -> None:
        self.now = name
        self.began.setdefault(name, bytes_in_use() / 1e6)

    def update(self, done: float, total: float | None = None, note: str = "") -> None:
        pass

    def expired(self, share: float = 1.0) -> bool:  # noqa: ARG002
        return False

    def look(self) -> None:
        self.peaks[self.now] = max(self.peaks.get(self.now, 0.0), bytes_in_use() / 1e6)


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(SECONDS_BETWEEN_LOOKS):
            watch.look()

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    yield
    ended.set()
    looking.join()


def write_baskets(records: int, folder: Path) -> float:
    """A file of baskets; how many MB they take as codes."""
    sets = quest(records, ITEMS, patterns=PATTERNS, seed=1)
    write_table(Table.of({"items": sets}), folder / f"sets-{records}.txt")
    return (4 * len(sets.arrays.items) + 8 * len(sets.arrays.starts)) / 1e6


def write_adult(records: int, folder: Path) -> float:
    """The same for a table of eight columns."""
    data = load("adult", records, mixed=True)
    table = data.table.without([TABLES["adult"].sensitive])
    write_table(table, folder / f"tables-{records}.csv")
    return 4 * len(table.columns) * records / 1e6


def write_policy(algorithm: str, records: int, folder: Path) -> Path:
    kind = ALGORITHMS[algorithm]
    model = PRIVACY.get(algorithm, OF_SETS if kind == "sets" else OF_TABLES)
    columns = COLUMN_OF_SETS if kind == "sets" else "\n".join(_columns_of_adult())
    published = {"disassociation": "jsonl"}.get(algorithm, "txt" if kind == "sets" else "csv")
    data = f"{kind}-{records}.{'txt' if kind == 'sets' else 'csv'}"
    file = folder / f"{algorithm}-{records}.toml"
    file.write_text(
        f'[data]\npath = "{data}"\n[columns]\n{columns}\n[privacy]\n{model}\n'
        f'[algorithm]\nname = "{algorithm}"\nseed = 1\n[output]\npath = "published.{published}"\n'
    )
    return file


def _columns_of_adult() -> Iterator[str]:
    for name, role in TABLES["adult"].quasi.items():
        tree = role.hierarchy if isinstance(role, Quasi) else None
        how = "{ flat = true }"
        if isinstance(tree, Path):
            how = f'"{tree}"'
        elif name == "age":
            how = "{ ranges = [5, 10, 20, 40] }"
        kind = "number" if name == "age" else "category"
        yield f'"{name}" = {{ role = "quasi", kind = "{kind}", hierarchy = {how} }}'


class Measured(TypedDict):
    """MB at most and at the beginning of each stage, and seconds of the processor."""

    stages: dict[str, float]
    began: dict[str, float]
    seconds: float


def measured(policy: Path) -> Measured:
    """One run in this process."""
    watch = Watch()
    began = time.process_time()
    with watching(watch):
        run_policy(policy, out=policy.with_suffix(""), progress=watch)
    return {"stages": watch.peaks, "began": watch.began, "seconds": time.process_time() - began}


def in_its_own_process(policy: Path) -> Measured:
    done = subprocess.run(
        [sys.executable, __file__, "--measure", str(policy)], check=True, capture_output=True, text=True
    )
    found: Measured = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="sets,tables")
    parser.add_argument("--algorithms", default=",".join(ALGORITHMS))
    parser.add_argument("--records", default="1000000,2000000,4000000,8000000")
    parser.add_argument("--stages", action="store_true", help="the peak of every part of a run")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    offer_to_keep(parser)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measured(given.measure)))
        return
    names = ["records", "algorithm", "encoded MB", "target MB", "peak MB", "beside target", "s", "peak in"]
    with printed_table("memory", names) as add_row:
        measure_all(given, add_row)


def measure_all(given: argparse.Namespace, add_row: Callable[..., None]) -> None:
    sizes = [RECORDS_TO_COMPILE_WITH, *map(int, given.records.split(","))]
    with tempfile.TemporaryDirectory() as name:
        for kind, write in (("sets", write_baskets), ("tables", write_adult)):
            chosen = [each for each in given.algorithms.split(",") if ALGORITHMS[each] == kind]
            if kind not in given.only.split(",") or not chosen:
                continue
            for records in sizes:
                encoded = write(records, Path(name))
                if ROOM * encoded * 1e6 > memory_of_machine():
                    print(f"<!-- {records:,} records are too many for this machine -->")
                    continue
                for algorithm in chosen:
                    found = in_its_own_process(write_policy(algorithm, records, Path(name)))
                    if records != RECORDS_TO_COMPILE_WITH:
                        add_row(f"{records:,}", algorithm, *cells(encoded, found))
                        show_parts(found if given.stages else None)


def cells(encoded: float, found: Measured) -> list[str]:
    peaks = found["stages"]
    where = max(peaks, key=peaks.__getitem__)
    peak, target = peaks[where], TIMES * encoded + BESIDE
    sizes = [f"{size:,.0f}" for size in (encoded, target, peak)]
    return [*sizes, f"{peak / target:.1f}", f"{found['seconds']:.0f}", where]


def show_parts(found: Measured | None) -> None:
    for stage, most in found["stages"].items() if found else ():
        print(f"<!-- {stage}: from {found['began'].get(stage, 0):.0f} to {most:.0f} MB -->", flush=True)


if __name__ == "__main__":
    main()
