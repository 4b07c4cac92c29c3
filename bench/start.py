"""How long people wait before anything happens: imports, help, first and later runs of a thousand rows.

Run with an environment that has Shoal installed, from a wheel to see what a wheel brings:
`python bench/start.py [--python PATH]`. Every figure is processor time, and stands beside that of importing
numpy and pyarrow in the same run, which nothing here can do without.
"""

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from measuring.kept_tables import offer_to_keep, printed_table

ALGORITHMS = {
    "mondrian": "table",
    "kanon-cf": "table",
    "aa": "sets",
    "lra": "sets",
    "partition": "equal",
    "disassociation": "chunks",
    "rmerge-rt": "mixed",
}
MODELS = {
    "table": 'model = "k-anonymity"\nk = 5',
    "sets": 'model = "km-anonymity"\nk = 5\nm = 2',
    "equal": 'model = "set-k-anonymity"\nk = 5',
    "chunks": 'model = "disassociation"\nk = 5\nm = 2',
    "mixed": 'model = "k-km-anonymity"\nk = 5\nm = 2',
}
VALUES = """age = { role = "quasi", kind = "number", hierarchy = { ranges = [5, 10, 20, 40] } }
zip = { role = "quasi", hierarchy = { mask = "right" } }
sex = { role = "quasi", hierarchy = { flat = true } }
"""
ITEMS = 'items = { role = "quasi", kind = "set", separator = " ", hierarchy = { fanout = 5 } }\n'
TARGETS = {"import shoal": 0.25, "shoal --help": 0.35}  # seconds; the first beyond numpy and pyarrow


def processor_seconds(*command: str, cache: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"SHOAL_CACHE": str(cache)}
    subprocess.run(command, check=True, env=environment, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_data(folder: Path) -> None:
    dice = random.Random(7)
    rows = [
        f"{dice.randint(18, 90)},{dice.randint(10, 49)}{dice.randint(100, 999)},{dice.choice('mf')},"
        + " ".join(sorted({f"i{int(dice.paretovariate(1.1)) % 60}" for _ in range(dice.randint(1, 6))}))
        for _ in range(1_000)
    ]
    (folder / "data.csv").write_text("age,zip,sex,items\n" + "\n".join(rows) + "\n")


def write_policy(folder: Path, algorithm: str) -> Path:
    kind = ALGORITHMS[algorithm]
    columns = (VALUES if kind in ("table", "mixed") else "") + ("" if kind == "table" else ITEMS)
    ending = "jsonl" if kind == "chunks" else "csv"
    file = folder / f"{algorithm}.toml"
    file.write_text(
        f'[data]\npath = "data.csv"\nothers = "drop"\n[columns]\n{columns}[privacy]\n{MODELS[kind]}\n'
        f'[algorithm]\nname = "{algorithm}"\nseed = 1\n[output]\npath = "published.{ending}"\n'
    )
    return file


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="of the environment that is measured")
    offer_to_keep(parser)
    python = parser.parse_args().python
    shoal = str(Path(python).with_name("shoal"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_data(folder)
        cache = folder / "cache"
        unit = min(processor_seconds(python, "-c", "import numpy, pyarrow", cache=cache) for _ in range(5))
        print(
            f"import numpy, pyarrow: {unit:.2f} s\n\n"
            "| what | s | times numpy and pyarrow |\n| --- | --- | --- |"
        )
        for what, command in {
            "import shoal": (python, "-c", "import numpy, pyarrow, shoal"),
            "shoal --help": (shoal, "--help"),
        }.items():
            seconds = min(processor_seconds(*command, cache=cache) for _ in range(5))
            print(f"| {what} | {seconds:.2f} | {seconds / unit:.1f} |")
        names = ["run of 1,000 rows", "first, empty cache", "again", "first, times", "again, times"]
        with printed_table("start", names) as add_row:
            for algorithm in ALGORITHMS:
                policy = str(write_policy(folder, algorithm))
                empty = folder / f"cache-{algorithm}"
                run = partial(processor_seconds, shoal, "run", policy, "--replace", cache=empty)
                first, again = run(), min(run() for _ in range(3))
                add_row(algorithm, *(f"{each:.2f}" for each in (first, again, first / unit, again / unit)))


if __name__ == "__main__":
    main()
