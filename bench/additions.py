"""What each addition of ours brings to the algorithms of the papers.

    python bench/additions.py [--data adult,bms_webview1] [--algorithms kanon-cf,lra] [--seconds 120] [--keep]

Every algorithm that can be had as its paper prints it runs in that form, in ours, and in ours without one
addition after the other, as their declarations name them; ours of clusterings moves records, which most do
only when asked to. Tables are Adult (8 columns, k = 10, LM), sets WebView-1 with m = 2 and k = 5 (fan-out
5; NCP; for disassociation WebView-2 by tlost, tKd-a and re of the 20 most frequent terms). What differs
between the printed form and ours without all of these has no option of its own: docs/policy-file.md lists it.
What was measured is kept in bench/results/additions.jsonl, and a run goes on from there: it can be made in
slices, and the last one, without a choice, keeps the whole table.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import shoal as sh
from auto import data_of
from measuring.cells import RESULTS
from measuring.kept_tables import offer_to_keep, printed_table
from shoal.algorithms.catalogue import ALGORITHMS, takes
from shoal.algorithms.parameters import AS_PRINTED, parameters_of
from shoal.errors import ShoalError
from shoal.privacy.model import Model

Options = dict[str, Any]
OURS = {"local_search": True}  # off unless asked for
Case = tuple[str, Model, tuple[str, ...]]
CASES: tuple[Case, ...] = (
    ("adult", sh.KAnonymity(10), ("lm",)),
    ("bms_webview1", sh.KmAnonymity(5, 2), ("ncp",)),
    *(("bms_webview2", sh.Disassociation(5, 2), (each,)) for each in ("tlost", "tkd_a", "re_top")),
)


def forms(name: str) -> Iterator[tuple[str, Options]]:
    """The printed form, ours, and ours without one addition after the other."""
    declared = [each for each in parameters_of(ALGORITHMS[name]) if each.printed is not None]
    ours = {each.name: OURS.get(each.name, each.default) for each in declared}
    yield "printed", {AS_PRINTED: True}
    yield "ours", ours
    for each in declared:
        if each.is_addition(ours[each.name]):
            assert each.printed is not None
            yield (
                f"ours, {each.name} = {str(each.printed.value).lower()}",
                ours | {each.name: each.printed.value},
            )


def loss(case: Case, name: str, options: Options, limit: float) -> str:
    """What one form loses, in percent, with a star if time was up; or why it lost nothing."""
    data, model, measures = case
    measure = {"measure": "lm"} if measures == ("lm",) and takes(name, "measure") else {}
    asked: Options = measure | options
    try:
        result = sh.anonymize(
            data_of(data), model, algorithm=name, seed=0, time_limit=limit, on_limit="best", **asked
        )
    except ShoalError as error:
        return str(error).partition(";")[0]
    lost = 100 * sum(result.outcome.cost.losses[each] for each in measures)
    stopped = any("time was up" in notice for notice in result.outcome.provenance.notices)
    return f"{lost:.2f}{'*' if stopped else ''}"


class Notebook:
    """What was measured so far."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(exist_ok=True)
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self._known: dict[str, str] = {key: lost for key, lost in map(json.loads, lines)}

    def loss(self, case: Case, name: str, options: Options, limit: float) -> str:
        """As it was written down, or measured now."""
        key = json.dumps([case[0], repr(case[1]), case[2], name, options, limit], sort_keys=True)
        if key not in self._known:
            started = time.process_time()
            self._known[key] = loss(case, name, options, limit)
            taken = time.process_time() - started
            print(f"  {name}, {options}: {taken:.0f} s of processors", file=sys.stderr)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, self._known[key]]) + "\n")
        return self._known[key]


def main() -> None:
    """A row for each form of each algorithm."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", help="only these, with commas between them")
    parser.add_argument("--algorithms", help="only these, with commas between them")
    parser.add_argument("--seconds", type=float, default=120, help="of each search")
    offer_to_keep(parser)
    given = parser.parse_args()
    names = given.algorithms.split(",") if given.algorithms else list(ALGORITHMS)
    sets = given.data.split(",") if given.data else {data for data, *_ in CASES}
    notebook = Notebook(RESULTS / "additions.jsonl")
    with printed_table("additions", ["algorithm", "data", "form", "loss in percent"]) as add_row:
        for case in CASES:
            data, model, measures = case
            for name in names if data in sets else ():
                served = type(model) in ALGORITHMS[name].serves and takes(name, AS_PRINTED)
                for form, options in forms(name) if served else ():
                    lost = notebook.loss(case, name, options, given.seconds)
                    add_row(f"`{name}`", f"{data}, {', '.join(measures)}", form, lost)


if __name__ == "__main__":
    main()
