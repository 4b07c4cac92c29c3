"""Kenig, Tassa, A Practical Approximation Algorithm for Optimal k-Anonymity, 2012."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from papers.figures import (
    TIME,
    TIME_TITLE,
    Claim,
    Figure,
    Line,
    Panel,
    Paper,
    all_of,
    below,
    highest,
    lowest,
    power_between,
)

KS = (10, 30, 50, 75, 100, 150, 200)
K_ANON_CF = "k-ANON-CF"
RIVALS = {"Agglomerative": "agglomerative", "Forest": "forest", "Hilbert": "hilbert"}
WHOLE_CLAIM = "k-ANON-CF loses least at every point"
USUALLY = "Usually the smallest losses, with diversity as well."
LEAST = [Claim(WHOLE_CLAIM, lowest(K_ANON_CF))]
SLOWEST = [Claim("k-ANON-CF is slowest at every k", highest(K_ANON_CF))]


PRINTED = {"options": {"measure": "lm", "as_printed": True}}


def lines(measure: str, rivals: Mapping[str, str] = RIVALS, **more: Any) -> list[Line]:
    """k-ANON-CF as printed and as ours, and its rivals."""
    options = {"measure": measure, **more}
    return [
        Line(K_ANON_CF, "printed", "kanon-cf", {"options": {**options, "as_printed": True}}),
        Line(K_ANON_CF, "ours", "kanon-cf", {"options": options}),
        *(
            Line(name, "printed", algorithm, {"options": {**options, "as_printed": True}})
            for name, algorithm in rivals.items()
        ),
    ]


def by_k(data: str) -> dict[str, dict[str, Any]]:
    return {str(k): {"data": data, "promise": {"k": k}} for k in KS}


def losses(data: str, unit: str) -> Panel:
    return Panel(f"LM {unit}", "lm", "k", by_k(data), lines("lm"), LEAST, percent=True)


def entropies(data: str, unit: str) -> Panel:
    return Panel(f"Entropy {unit}", "entropy", "k", by_k(data), lines("entropy"), LEAST)


def seconds(data: str, more: Sequence[Line] = (), claims: Sequence[Claim] = ()) -> Panel:
    return Panel(TIME_TITLE, TIME, "k", by_k(data), [*lines("lm"), *more], claims)


def of_all_columns() -> list[Panel]:
    """Adult with its 14 columns."""
    memory = "Peak memory in MB, program and data included"
    return [
        losses("adult-14", "in percent"),
        entropies("adult-14", "in bits per cell"),
        seconds("adult-14", claims=SLOWEST),
        Panel(memory, "memory_mb", "k", by_k("adult-14"), lines("lm")),
    ]


def by_records(data: str, over: str, records: Sequence[int]) -> list[Panel]:
    """How many closed records there are, and how long the search takes, for growing tables."""
    points = {f"{n:,}": {"data": data, "promise": {"k": 10}, "records": n} for n in records}
    growths = {
        "closed_records": ("Closed records", "They grow linearly", 1),
        TIME: (TIME_TITLE, "It grows quadratically", 2),
    }
    return [
        Panel(
            title,
            figure,
            f"{over}, k = 10, 8 columns",
            points,
            lines("lm", {}),
            [Claim(claim, power_between(power - 0.25, power + 0.25, records, K_ANON_CF))],
        )
        for figure, (title, claim, power) in growths.items()
    ]


def diverse(data: str, k: int, ls: Sequence[float], w: float) -> Panel:
    points = {f"{l:g}": {"data": data, "promise": {"k": k, "l": l}} for l in ls}
    title = f"LM in percent, k = {k}, w = {w:g}"
    return Panel(title, "lm", "l", points, lines("lm", w=w), LEAST, percent=True)


def runtimes_by_columns() -> list[Panel]:
    """As printed and ours, at every k of the paper."""
    data = {"5": "adult-5", "8": "adult", "11": "adult-11", "14": "adult-14", "14 flat": "adult-14:flat"}
    names = [f"{columns} columns" for columns in data]
    more_is_slower = all_of(*(below(few, many) for few, many in itertools.pairwise(names[:3])))
    forms = (
        ("printed", True, [Claim("5, 8 and 11 columns take longer one after the other", more_is_slower)]),
        ("ours", False, []),
    )
    return [
        Panel(
            f"{TIME_TITLE}, {form}",
            TIME,
            "k",
            by_k(""),
            [
                Line(
                    name,
                    form,
                    "kanon-cf",
                    {
                        "data": source,
                        "options": {"measure": "lm", **({"as_printed": True} if printed else {})},
                    },
                )
                for name, source in zip(names, data.values(), strict=True)
            ],
            claims,
        )
        for form, printed, claims in forms
    ]


PAPER = Paper(
    "k-anon-cf",
    "k-ANON-CF (Kenig and Tassa, 2012)",
    "Adult (45,222 records), Nursery (12,960) and CoIL 2000 (5,822) with the hierarchies that the paper"
    " describes; which values stand together where it gives only their number is our choice. The paper's"
    " charts have no numbers, so its claims are what can be compared. `printed` is the greedy cover of"
    " Algorithm 4; `ours` weighs covers otherwise, looks at full-domain solutions and moves records then.",
    (
        Figure(
            "Figures 1 to 3, Table 1",
            "examples and taxonomies",
            kind="reproduced",
            why="Held in place by tests.",
        ),
        Figure(
            "Figure 4",
            "loss on Adult by k",
            "k-ANON-CF gives much better anonymizations than Forest, and better ones than Agglomerative and"
            " Hilbert.",
            (
                losses("adult", "in percent, 8 columns"),
                entropies("adult", "in bits per cell, 8 columns"),
            ),
        ),
        Figure(
            "Figure 4, 14 columns",
            "loss on Adult with all its columns by k",
            panels=of_all_columns(),
            why="Mining every closed record of 14 columns does not end in the time that it has here (a star"
            " says that time was up). As printed the algorithm covers with what it found by then, which"
            " leaves the columns that are narrowed last at their roots; ours begins with runs along a"
            " Hilbert curve instead and moves records for the time that is left. How many levels the"
            " paper's ranges of numbers have is not said: with one level of them instead of four (20 units)"
            " 3,350,402 closed records were found at k = 200 in 40 s, and that was not all either. More"
            " seconds lose less: `--seconds` gives them to what has a star. The paper's text states neither"
            " seconds nor memory, only its machine: Java, a Core 2 Quad Q6600 of 2.4 GHz, 8 GB. Because"
            " other programs had the machine, Agglomerative was given 500 s at k = 30, 75, 100 and 150 and"
            " ours at k = 75 300 s, because in 120 s, of which it had a processor for 89, it lost 30.98 %.",
        ),
        Figure(
            "Figure 5",
            "time on Adult by k",
            "slower, but still practical.",
            (seconds("adult", claims=SLOWEST),),
            "With these 8 columns mining takes seconds, which is less than Agglomerative takes, and from k ="
            " 30 on less than Forest; with all 14 it does not end in two minutes, see above.",
        ),
        Figure(
            "Figure 6",
            "closed records and time by the number of records",
            "The closed records grow linearly with the table, the time quadratically.",
            (
                *by_records("adult", "first records of Adult", (10_000, 20_000, 30_000, 45_000)),
                *by_records("adult:drawn", "records drawn from Adult", (30_000, 60_000, 90_000, 120_000)),
            ),
            "The closed records of the first records of Adult grow with the power of 0.81, which is within"
            " what counts as linear here (0.75 to 1.25), those of drawn ones with 0.51, because drawn"
            " records repeat (how the paper generated its tables of 30,000 to 120,000 records, of 14"
            " columns, is not said). The time of the printed form grows with 1.00 and 0.48, nowhere with the"
            " square: the paper counts each closed record in the whole table, here it is counted in the rows"
            " of the one that it narrows.",
            missing="the tables that it generated",
            on="records of Adult, and records drawn from it",
        ),
        Figure(
            "Figure 7",
            "time by k, the number of columns and the height of trees",
            "The number of columns makes vast differences.",
            runtimes_by_columns(),
            "14 columns do not end in the time that they have; with flat trees they take seconds.",
        ),
        Figure(
            "Figure 8",
            "loss on Nursery by k",
            WHOLE_CLAIM + ".",
            (losses("nursery", "in percent"),),
            "As printed it is above Agglomerative at k = 10 and 30 and above Forest at k = 10, 30 and 100."
            " Looked at: the order of ties, which the paper leaves open, by other orders of the columns, does"
            " not explain it: six of them lose 21.74 to 22.01 % at k = 10, 37.57 to 37.71 % at 30 and 50.56"
            " to 51.12 % at 100. Nursery has every combination of its values, so that many closed records"
            " cost the same, and a greedy cover by them does not tile the table as one level per column"
            " does, which ours looks at as well.",
        ),
        Figure(
            "Figure 9",
            "time on Nursery by k",
            "Much faster than on Adult, because of fewer columns.",
            (
                seconds(
                    "nursery",
                    [Line("k-ANON-CF on Adult", "printed", "kanon-cf", {"data": "adult", **PRINTED})],
                    [Claim("It takes less than on Adult", below(K_ANON_CF, "k-ANON-CF on Adult"))],
                ),
            ),
        ),
        Figure(
            "Figure 10",
            "loss on CoIL 2000 by k",
            WHOLE_CLAIM + ".",
            (losses("coil2000", "in percent"),),
            "As printed it is above Agglomerative at k = 10 and 30. Looked at: with ties in six other orders"
            " of the columns it loses 12.84 to 13.02 % at k = 10 and 27.46 to 27.74 % at 30, always more than"
            " Agglomerative. The paper gives only the heights of its trees, and which codes stand together is"
            " our choice, so the difference may lie there.",
        ),
        Figure(
            "Figure 11",
            "time on CoIL 2000 by k",
            "slower, but still practical (said of Adult, and nothing else of this figure).",
            (seconds("coil2000", claims=SLOWEST),),
            "With 5,822 records and 9 columns mining takes a third of a second at most, and less for larger"
            " k: from k = 150 on Agglomerative takes as long.",
        ),
        Figure(
            "Figure 12",
            "loss on Adult by diversity",
            USUALLY,
            (diverse("adult", 50, (1.1, 1.2, 1.3), 0.15),),
            "As printed it is above Agglomerative and Hilbert at l = 1.1 and above Hilbert at 1.3. About the"
            " same share of classes has to be united for all four (at k = 50, 41 to 44 % are below 1.1 and 64"
            " to 67 % below 1.3), but k-ANON-CF has 556 of them where Agglomerative has 863 and Hilbert 723:"
            " larger ones, of which each union costs more. The table itself has 1.33.",
        ),
        Figure(
            "Figure 13",
            "loss on CoIL 2000 by diversity",
            USUALLY,
            (diverse("coil2000", 100, (1, 1.5, 2, 2.5, 3), 0.15),),
        ),
        Figure(
            "Figure 14",
            "loss on Nursery by diversity",
            USUALLY,
            (diverse("nursery", 30, (1, 1.5, 2, 2.5), 0.15),),
            "As printed it begins with more than its rivals (Figure 8), and with classes that are less"
            " diverse than those of Agglomerative, so that more of them are united: of its 220 classes at k"
            " = 30, 35 % are below 1.5 and all below 2, of Agglomerative's 216 none and 20 %, of Forest's"
            " 252 83 and 90 %. The class of Nursery follows from few of its columns, and cheap closed"
            " records hold just those fixed. Ours looks at full-domain solutions, which need not be united.",
        ),
        Figure(
            "Figure 15",
            "loss on Nursery by diversity, blind to loss",
            USUALLY,
            (diverse("nursery", 30, (1, 1.5, 2, 2.5), 0.0),),
            "With w = 0 nobody asks what a union costs, so that it is a matter of luck: as printed Forest"
            " loses least at l = 1, Agglomerative at 1.5 and 2.5 and Hilbert at 2. See also Figure 14.",
        ),
        Figure(
            "Figure 16",
            "loss on Nursery by k and diversity",
            "",
            (
                Panel(
                    "LM in percent, w = 0.15",
                    "lm",
                    "k and l",
                    {
                        f"{k}, {l:g}": {"data": "nursery", "promise": {"k": k, "l": l}}
                        for k in (10, 50, 100, 200)
                        for l in (1, 2)
                    },
                    lines("lm", {}),
                    percent=True,
                ),
            ),
            "The paper says of it only what it varies.",
        ),
        Figure(
            "No figure: public programs",
            "loss beside programs of others",
            kind="ours",
            tables=("table-peers",),
            why="NCP in percent on the first 30,162 records of Adult with 8 columns, not those of the figures"
            " above; one scoring for all, from the published texts alone (`bench/relational_peers.py` says"
            " which). `kanon-cf` is ours; as printed it loses 5.82, 8.53 and 16.61 %. ARX and the"
            " plain Mondrian were measured elsewhere.",
        ),
    ),
)
