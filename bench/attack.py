"""Whether k^m-anonymity withstands what it promises to withstand, on all real sets and with all algorithms.

    python bench/attack.py [--sets groceries,msweb] [--algorithms aa,lra,...] [--keep]

Every file is made with k = 5, m = 2 (items in a tree of fan-out 5), published, and attacked as `shoal attack`
does, with up to three known items, the whole set and facts of absence. Printed are the shares of records with
fewer than 5 candidates, in the original and in the published file, and the seconds of processor time of the
attack; a figure of a sample says so. What is kept are those of three items and of the whole set, a row for
each algorithm. The exit code is 1 if a promise is broken.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import shoal as sh
from measuring.kept_tables import offer_to_keep, show_table
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
    offer_to_keep(parser)
    asked = parser.parse_args()
    sets, algorithms = asked.sets.split(","), asked.algorithms.split(",")
    print("| set | algorithm | 1 item | 2 items | 3 items | whole set | seconds |")
    print("|---|---|---|---|---|---|---|")
    found = {(name, algorithm): attacked(name, algorithm) for name in sets for algorithm in algorithms}
    print()
    columns = [
        "",
        *(f"3 items, {name}" for name in sets),
        *(f"whole set, {name}" for name in sets),
        "seconds",
    ]
    show_table("attacks", columns, rows(sets, algorithms, found))
    return 1 if any(each is not None and each[0].broken for each in found.values()) else 0


Timed = tuple[Attacked, float]


def rows(
    sets: Sequence[str], algorithms: Sequence[str], found: Mapping[tuple[str, str], Timed | None]
) -> list[list[str]]:
    """Before, and for each algorithm after, on every set; the seconds of all of them."""
    before = [
        next(
            (shares_of(each[0])[0] for of in algorithms if (each := found[name, of]) is not None), ["-", "-"]
        )
        for name in sets
    ]
    told = [["original", *(three for three, _ in before), *(whole for _, whole in before), ""]]
    for algorithm in algorithms:
        known = [found[name, algorithm] for name in sets]
        after = [["-", "-"] if each is None else shares_of(each[0])[1] for each in known]
        seconds = sum(each[1] for each in known if each is not None)
        cells = [*(three for three, _ in after), *(whole for _, whole in after), f"{seconds:.1f}"]
        told.append([f"`{algorithm}`", *cells])
    return told


def shares_of(found: Attacked) -> tuple[list[str], list[str]]:
    """The shares of three items and of the whole set, before and after."""
    findings = [worst(found, ITEMS), whole_set(found)]
    told = [("-", "-") if each is None or each.before is None else shares(each) for each in findings]
    return [before for before, _ in told], [after for _, after in told]


def attacked(name: str, algorithm: str) -> Timed | None:
    """What is found in one file, with its line of the table; nothing where none could be made."""
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
        return None
    print(line(name, algorithm, found, seconds), flush=True)
    return found, seconds


def model_of(algorithm: str) -> sh.KmAnonymity | sh.SetKAnonymity | sh.Disassociation:
    """What an algorithm promises."""
    if algorithm in ("partition", "lgr"):
        return sh.SetKAnonymity(k=K)
    return sh.Disassociation(k=K, m=M) if algorithm == "disassociation" else sh.KmAnonymity(k=K, m=M)


def line(name: str, algorithm: str, found: Attacked, seconds: float) -> str:
    """A line of the table: before and after, for each amount of knowledge."""
    findings = [*(worst(found, items) for items in range(1, ITEMS + 1)), whole_set(found)]
    cells = ["-" if each is None or each.before is None else " -> ".join(shares(each)) for each in findings]
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


def whole_set(found: Attacked) -> Finding | None:
    """What is found by whoever knows all items."""
    return next((finding for finding in found.findings if finding.adversary == "exact set"), None)


def shares(finding: Finding) -> tuple[str, str]:
    """The shares before and after, and whether all was gone through."""
    assert finding.before is not None
    sample = "" if finding.after.exact else " (sample)"
    return f"{100 * finding.before.below_k:.2f} %", f"{100 * finding.after.below_k:.2f} %{sample}"


if __name__ == "__main__":
    sys.exit(main())
