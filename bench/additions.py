"""What each addition of ours brings to the algorithms of the papers.

    python bench/additions.py [--algorithms kanon-cf,lra] [--seconds 120]

Every algorithm that can be had as its paper prints it runs in that form, in ours, and in ours without one
addition after the other, as their declarations name them; ours of clusterings moves records, which most do
only when asked to. Tables are Adult (8 columns, k = 10, LM), sets WebView-1 with m = 2 and k = 5 (fan-out
5; NCP, of disassociation tlost), tables with sets INFORMS with k = 25 and m = 2 (delta = 0.65 where there
is one; NCP + UL). What differs between the printed form and ours without all of these has no option of its
own: docs/policy-file.md lists it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import shoal as sh
from auto import data_of
from measuring.kept_tables import offer_to_keep, printed_table
from shoal.algorithms.catalogue import ALGORITHMS, takes
from shoal.algorithms.parameters import AS_PRINTED, parameters_of
from shoal.errors import ShoalError
from shoal.privacy.model import Model

Options = dict[str, Any]
NOT_RUN = ("oa", "tfirst")  # would not end
OURS = {"local_search": True}  # off unless asked for
Case = tuple[str, Model, tuple[str, ...]]
CASES: tuple[Case, ...] = (
    ("adult", sh.KAnonymity(10), ("lm",)),
    ("bms_webview1", sh.KmAnonymity(5, 2), ("ncp",)),
    ("bms_webview1", sh.Disassociation(5, 2), ("tlost",)),
    ("informs-rt", sh.KKmAnonymity(25, 2), ("ncp", "ul")),
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


def loss(case: Case, name: str, options: Options, limit: float) -> float:
    """What one form loses, in percent."""
    data, model, measures = case
    measure = {"measure": "lm"} if measures == ("lm",) and takes(name, "measure") else {}
    asked: Options = measure | options
    result = sh.anonymize(
        data_of(data), model, algorithm=name, seed=0, time_limit=limit, on_limit="best", **asked
    )
    return 100 * sum(result.outcome.cost.losses[each] for each in measures)


def main() -> None:
    """A row for each form of each algorithm."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--algorithms", help="only these, with commas between them")
    parser.add_argument("--seconds", type=float, default=120, help="of each search")
    offer_to_keep(parser)
    given = parser.parse_args()
    names = given.algorithms.split(",") if given.algorithms else list(ALGORITHMS)
    with printed_table("additions", ["algorithm", "data", "form", "loss in percent"]) as add_row:
        for case in CASES:
            data, model, measures = case
            for name in names:
                served = type(model) in ALGORITHMS[name].serves and takes(name, AS_PRINTED)
                for form, options in forms(name) if served and name not in NOT_RUN else ():
                    try:
                        lost = f"{loss(case, name, options, given.seconds):.2f}"
                    except ShoalError as error:
                        lost = str(error).partition(";")[0]
                    add_row(f"`{name}`", f"{data}, {', '.join(measures)}", form, lost)


if __name__ == "__main__":
    main()
