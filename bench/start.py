"""How long people wait before anything happens: imports, help, first and later runs of a thousand rows.

Run with an environment that has Shoal installed, from a wheel to see what a wheel brings:
`python bench/start.py [--python PATH]`. Every figure is processor time, the least of several except where a
cache is empty, and stands beside that of importing numpy and pyarrow in the same run, which nothing here can
do without. The exit code is 1 if a target is missed.
"""

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from measuring.kept_tables import offer_to_keep, printed_table

ALGORITHMS = {
    "mondrian": "table",
    "kanon-cf": "table",
    "aa": "sets",
    "lra": "sets",
    "partition": "equal",
    "lgr": "equal",
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
COLUMNS = ("what", "s", "target, s", "met", "times numpy and pyarrow")
IMPORT, HELP, AGAIN = 0.25, 0.35, 1.2  # targets in seconds; the first beyond numpy and pyarrow
FIRST_FROM_A_WHEEL = dict.fromkeys(ALGORITHMS, 3.0) | {"kanon-cf": 4.0}
# Half of what they took when every first run compiled.
FIRST_FROM_SOURCE = {
    "mondrian": 11.0,
    "kanon-cf": 31.0,
    "aa": 9.5,
    "lgr": 16.0,
    "disassociation": 28.5,
    "rmerge-rt": 18.0,
}
COMPLETION = {"_SHOAL_COMPLETE": "complete_bash", "COMP_WORDS": "shoal ver", "COMP_CWORD": "1"}
HAS_COMPILED_KERNELS = "import shoal.kernels.compile as c, sys; sys.exit(not any(c._SHIPPED.glob('*.nbc')))"


def processor_seconds(*command: str, cache: Path, **environment: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    full = os.environ | {"SHOAL_CACHE": str(cache)} | environment
    subprocess.run(command, check=True, env=full, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least(measured: Callable[[], float], times: int = 5) -> float:
    return min(measured() for _ in range(times))


def is_from_a_wheel(python: str) -> bool:
    return subprocess.run([python, "-c", HAS_COMPILED_KERNELS], check=False).returncode == 0


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
    first_targets = FIRST_FROM_A_WHEEL if is_from_a_wheel(python) else FIRST_FROM_SOURCE
    missed = []
    with tempfile.TemporaryDirectory() as name, printed_table("start", COLUMNS) as add_row:
        folder = Path(name)
        write_data(folder)
        seconds_of = partial(processor_seconds, cache=folder / "cache")
        unit = least(lambda: seconds_of(python, "-c", "import numpy, pyarrow"))

        def add(what: str, seconds: float, target: float | None = None) -> None:
            met = "" if target is None else "yes" if seconds <= target else "no"
            add_row(what, f"{seconds:.2f}", "" if target is None else target, met, f"{seconds / unit:.1f}")
            if met == "no":
                missed.append(what)

        add("import numpy, pyarrow", unit)
        both = least(lambda: seconds_of(python, "-c", "import numpy, pyarrow, shoal"))
        add("import shoal, beyond that", both - unit, IMPORT)
        add("shoal --help", least(lambda: seconds_of(shoal, "--help")), HELP)
        add("completion in a shell", least(lambda: seconds_of(shoal, **COMPLETION)), HELP)
        for algorithm in ALGORITHMS:
            policy = str(write_policy(folder, algorithm))
            empty = folder / f"cache-{algorithm}"
            run = partial(processor_seconds, shoal, "run", policy, "--replace", cache=empty)
            add(f"first run, {algorithm}", run(), first_targets.get(algorithm))
            add(f"again, {algorithm}", least(run, 3), AGAIN)
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
