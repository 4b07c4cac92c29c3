"""What `shoal run` publishes of the real sets with AA, LRA and VPA, checked by a few lines that know nothing.

For WebView-1, WebView-2 and FruitHut (fan-out 5) and Groceries (its own taxonomy), k = 5, m = 2 and 3: a
policy, a run of the command line, and then the published file alone, read line by line and counted with plain
dictionaries. The table has NCP, seconds (search, whole run) and peak memory as `result.json` tells them, the
smallest support that was counted here, and bench/results/km_published.md keeps it. The exit code is 1 if a
file breaks its promise.

    python bench/km_published.py [--quick]        # about five minutes; --quick: WebView-1 and Groceries
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import combinations
from pathlib import Path

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "shared" / "data")).resolve()
RESULTS = Path(__file__).parent / "results"
K = 5
FANOUT = "{ fanout = 5 }"
TREES = {
    "bms_webview1": FANOUT,
    "groceries": json.dumps(str(DATA / "hierarchies" / "groceries" / "item.csv")),
    "bms_webview2": FANOUT,
    "fruithut": FANOUT,
}
POLICY = """
[data]
path = {path}
[columns]
items = {{ role = "quasi", kind = "set", hierarchy = {tree} }}
[privacy]
model = "km-anonymity"
k = {k}
m = {m}
[algorithm]
name = "{algorithm}"
[output]
path = "published.txt"
"""
HEAD = ("data", "m", "algorithm", "NCP %", "search s", "run s", "peak MB", "records", "smallest support")


def smallest_support(path: Path, m: int) -> tuple[int, int]:
    """The records of a published file, and the smallest support of a set of at most m labels in it."""
    rows = [sorted(set(line.split())) for line in path.read_text(encoding="utf-8").splitlines()]
    supports = (
        Counter(itemset for row in rows for itemset in combinations(row, size)) for size in range(1, m + 1)
    )
    return len(rows), min(min(each.values()) for each in supports)


def run(folder: Path, data: str, m: int, algorithm: str) -> tuple[object, ...]:
    policy = folder / f"{data}-{m}-{algorithm}.toml"
    path = json.dumps(str(DATA / f"{data}.txt.gz"))
    text = POLICY.format(path=path, tree=TREES[data], k=K, m=m, algorithm=algorithm)
    policy.write_text(text, encoding="utf-8")
    out = policy.with_suffix("")
    command = [Path(sys.executable).parent / "shoal", "run", policy, "--out", out]
    subprocess.run(command, check=True, capture_output=True)
    result = json.loads((out / "result.json").read_text(encoding="utf-8"))
    records, smallest = smallest_support(out / "published.txt", m)
    return (
        data,
        m,
        algorithm,
        f"{100 * result['loss']['ncp']:.4f}",
        f"{result['seconds']['algorithm']:.2f}",
        f"{result['seconds']['total']:.2f}",
        round(result["peak_memory_mb"]),
        f"{records:,}",
        smallest,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="the two small sets only")
    names = list(TREES)[:2] if parser.parse_args().quick else list(TREES)
    lines = [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    print(*lines, sep="\n", flush=True)
    broken = 0
    with tempfile.TemporaryDirectory() as folder:
        for data in names:
            for m in (2, 3):
                for algorithm in ("aa", "lra", "vpa"):
                    cells = run(Path(folder), data, m, algorithm)
                    broken += int(cells[-1]) < K  # type: ignore[call-overload]
                    lines.append(f"| {' | '.join(map(str, cells))} |")
                    print(lines[-1], flush=True)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "km_published.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{broken} files break their promise" if broken else "every file keeps its promise")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
