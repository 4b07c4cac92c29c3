"""Whether k^m-anonymity withstands what it promises to withstand, on all real sets and with all algorithms.

    python bench/attack.py [--sets groceries,msweb] [--algorithms aa,lra,...]

Every file is made with k = 5, m = 2 (items in a tree of fan-out 5), published, and attacked as `shoal attack`
does, with up to three known items, the whole set and facts of absence. Printed are the shares of records with
fewer than 5 candidates, in the original and in the published file, and the seconds of processor time of the
attack; a figure of a sample says so. The exit code is 1 if a promise is broken.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import shoal as sh
from shoal.attack.attacked import Attacked
from shoal.attack.finding import Finding
from shoal.errors import ShoalError

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[1] / ".." / "shared" / "data"))
SETS = ("groceries", "bms_webview1", "bms_webview2", "msweb", "fruithut")
ALGORITHMS = ("aa", "lra", "vpa", "da", "hghs", "pcta", "partition", "lgr", "disassociation")
K, M, ITEMS = 5, 2, 3


def main() -> int:
    """Attack and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--algorithms", default=",".join(ALGORITHMS))
    asked = parser.parse_args()
    print("| set | algorithm | 1 item | 2 items | 3 items | whole set | seconds |")
    print("|---|---|---|---|---|---|---|")
    kept = True
    for name in asked.sets.split(","):
        for algorithm in asked.algorithms.split(","):
            kept &= attacked(name, algorithm)
    return 0 if kept else 1


def attacked(name: str, algorithm: str) -> bool:
    """Whether one file keeps its promise, with its line of the table."""
    tree = None if algorithm in ("pcta", "disassociation") else sh.fanout(5)
    data = sh.read(DATA / f"{name}.txt.gz", {"items": sh.QuasiSet(hierarchy=tree)})
    model = model_of(algorithm)
    try:
        with tempfile.TemporaryDirectory() as folder:
            saved = sh.anonymize(data, model, algorithm=algorithm, seed=1).save(Path(folder) / "out")
            published = next(saved.glob("published.*"))
            sh.attack(published, data, model, items=1)  # compiled
            began = time.process_time()
            found = sh.attack(published, data, model, items=ITEMS)
            seconds = time.process_time() - began
    except ShoalError as error:
        print(f"| {name} | {algorithm} | {error} |", flush=True)
        return True
    print(line(name, algorithm, found, seconds), flush=True)
    return not found.broken


def model_of(algorithm: str) -> sh.KmAnonymity | sh.SetKAnonymity | sh.Disassociation:
    """What an algorithm promises."""
    if algorithm in ("partition", "lgr"):
        return sh.SetKAnonymity(k=K)
    return sh.Disassociation(k=K, m=M) if algorithm == "disassociation" else sh.KmAnonymity(k=K, m=M)


def line(name: str, algorithm: str, found: Attacked, seconds: float) -> str:
    """A line of the table: before and after, for each amount of knowledge."""
    whole = next((finding for finding in found.findings if finding.adversary == "exact set"), None)
    cells = [shares(worst(found, items)) for items in range(1, ITEMS + 1)] + [shares(whole)]
    return f"| {name} | {algorithm} | {' | '.join(cells)} | {seconds:.1f} |"


def worst(found: Attacked, items: int) -> Finding | None:
    """What is found with the least favourable items."""
    return next(
        (
            finding
            for finding in found.findings
            if finding.adversary in ("items", "chunks")
            and (finding.items, finding.chosen) == (items, "worst")
        ),
        None,
    )


def shares(finding: Finding | None) -> str:
    """The shares before and after, and whether all was gone through."""
    if finding is None or finding.before is None:
        return "-"
    sample = "" if finding.after.exact else " (sample)"
    return f"{finding.before.below_k:.2%} -> {finding.after.below_k:.2%}{sample}"


if __name__ == "__main__":
    sys.exit(main())
