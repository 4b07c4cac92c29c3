"""Outcomes written by hand, as a run would hand them to the report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from shoal.kernels.arrays import frozen_ints
from shoal.privacy.verdict import Verdict
from shoal.report.outcome import Outcome, People, Promise

EVIL = """<img src=x onerror="alert(1)"><b>bold</b> & 'quoted' </script><script>alert(2)</script>"""


def sizes(*pairs: tuple[int, int]) -> Any:
    """Class sizes as (size, how many classes of it)."""
    return frozen_ints(np.repeat([size for size, _ in pairs], [count for _, count in pairs]))


def hospital(**changes: Any) -> Outcome:
    """2,000 patients, published with k = 5 and l = 2."""
    claims = (
        Verdict(
            holds=True,
            claim="satisfies k-anonymity with k=5 on age, zip, sex, admitted",
            evidence="the smallest of 251 classes has 5 rows",
            smallest=5,
            figures={"classes": 251, "rows": 1988},
            wildcard={"holds": True, "smallest": 6},
        ),
        Verdict(
            holds=True,
            claim="satisfies frequency l-diversity with l=2 on outcome",
            evidence="no value makes up more than 48.2% of a class",
            figures={"highest_share": 0.482},
        ),
    )
    outcome = Outcome(
        model="k-anonymity",
        algorithm="mondrian",
        verdicts=claims,
        quasi=("age", "zip", "sex", "admitted"),
        sensitive=("outcome",),
        records=2000,
        published_records=1988,
        suppressed_records=12,
        losses={
            "ncp": 0.2137,
            "lm": 0.1944,
            "tree": 0.41,
            "entropy": 1.93,
            "log10_am": 3.212,
            "discernibility": 24117.0,
            "c_avg": 1.597,
        },
        column_losses={
            "age": {"ncp": 0.0912, "lm": 0.08},
            "zip": {"ncp": 0.3127, "lm": 0.3},
            "sex": {"ncp": 0.184, "lm": 0.18},
            "admitted": {"ncp": 0.2669, "lm": 0.25},
        },
        class_sizes_before=sizes((1, 1641), (2, 140), (3, 19), (4, 5), (2, 1)),
        class_sizes_after=sizes(
            (5, 101), (6, 45), (53, 2), (7, 22), (8, 26), (9, 20), (13, 20), (17, 10), (27, 5)
        ),
        columns=("age", "zip", "sex", "admitted", "outcome"),
        examples=(
            (
                ("34", "53711", "female", "2024-03-18", "recovered"),
                ("30-39", "537**", "female", "2024", "recovered"),
            ),
            (("81", "53719", "male", "2023-11-02", "died"), ("80-84", "53***", "male", "2023", "died")),
            (("47", "53703", "female", "", "transferred"), ("40-49", "537**", "*", "", "transferred")),
            (
                ("29", "54601", "male", "2024-07-30", "recovered"),
                ("25-29", "546**", "*", "2024-07", "recovered"),
            ),
        ),
        seconds={"total": 1.842, "algorithm": 0.117},
        peak_memory_mb=212.4,
        publishable=True,
        notices=(
            "column 'age': the widths 5, 10, 20, 40 start at 0",
            "12 records were left out because fewer than 5 would have been suppressed together",
        ),
        policy=POLICY,
        promises=(Promise("k-anonymity", {"k": 5}), Promise("l-diversity", {"l": 2, "kind": "frequency"})),
    )
    return replace(outcome, **changes)


def visits() -> Outcome:
    """A table in which one person can have several rows."""
    return hospital(people=People(subjects=1202, smallest=5))


def evil() -> Outcome:
    """Names and values that try to become markup."""
    verdict = Verdict(
        holds=True,
        claim=f"satisfies k-anonymity with k=2 on {EVIL}",
        evidence=f"the smallest class has 2 rows {EVIL}",
        smallest=2,
        figures={"classes": 2, "label": EVIL},
        wildcard={"holds": None, "smallest": None, "not_computed": EVIL},
    )
    return hospital(
        model=EVIL,
        algorithm=EVIL,
        verdicts=(verdict,),
        promises=(Promise("k-anonymity", {"k": 2}),),
        quasi=(EVIL, "a" * 80),
        sensitive=(EVIL + "2",),
        losses={EVIL: 0.5, "ncp": 0.5},
        column_losses={EVIL: {"ncp": 0.5}, "a" * 80: {"ncp": 0.25}},
        columns=(EVIL, "a" * 80),
        examples=(((EVIL, "1"), ("*", EVIL)),),
        notices=(EVIL,),
        policy=EVIL,
        seconds={EVIL: 1.0},
    )


def baskets() -> Outcome:
    """Sets alone: no classes, and a model whose promise counts itemsets."""
    verdict = Verdict(
        holds=True,
        claim="satisfies k^m-anonymity with k=5, m=2 on items",
        evidence="the rarest pair occurs in 5 records",
        smallest=5,
    )
    return hospital(
        model="km-anonymity",
        algorithm="aa",
        verdicts=(verdict,),
        promises=(Promise("km-anonymity", {"k": 5, "m": 2}),),
        quasi=("items",),
        sensitive=(),
        columns=("items",),
        examples=((("beer wine",), ("alcohol",)),),
        losses={"ncp": 0.3, "ul": 0.05},
        column_losses={"items": {"ncp": 0.3}},
        class_sizes_before=sizes(),
        class_sizes_after=sizes(),
    )


POLICY = """\
[data]
path = "patients.csv"
missing = [""]

[columns]
name     = { role = "identifier" }
age      = { role = "quasi", kind = "number", hierarchy = { ranges = [5, 10, 20, 40] } }
zip      = { role = "quasi", hierarchy = { mask = "right" } }
sex      = { role = "quasi", hierarchy = { flat = true } }
admitted = { role = "quasi", kind = "date", hierarchy = { dates = ["month", "year", "decade"] } }
outcome  = { role = "sensitive" }

[privacy]
model = "k-anonymity"
k = 5
l = 2

[algorithm]
name = "mondrian"
seed = 7
"""
