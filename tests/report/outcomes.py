"""Outcomes written by hand, as a run would hand them to the report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from shoal.engine.answers import SizeCounts
from shoal.explain.affected import AffectedValue
from shoal.explain.items import GeneralizedItem
from shoal.explain.levels import ColumnChange, CutNode, CutTree, Level
from shoal.kernels.arrays import frozen_ints
from shoal.privacy.disassociation import Disassociation
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import Verdict
from shoal.recoding.disassociated import chunk_figures, disassociated
from shoal.report.certificate import Statement
from shoal.report.clusters import drawn_clusters
from shoal.report.outcome import Attacks, Changes, Claim, Cost, Outcome, People, Provenance
from shoal.report.public_page import PublicFacts

EVIL = """<img src=x onerror="alert(1)"><b>bold</b> & 'quoted' </script><script>alert(2)</script>"""

DIGEST = "0123456789abcdef" * 4


def sizes(*pairs: tuple[int, int]) -> Any:
    """Class sizes as (size, how many classes of it)."""
    listed = np.repeat([size for size, _ in pairs], [count for _, count in pairs])
    return SizeCounts.of(frozen_ints(listed))


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
    facts = dict(
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
        promise=Promise((KAnonymity(5), LDiversity(2))),
    )
    return outcome_of(**(facts | changes))


_PARTS = {"claim": Claim, "cost": Cost, "changes": Changes, "provenance": Provenance}


def outcome_of(**facts: Any) -> Outcome:
    """An outcome from facts by name, each of which goes into the part that has it."""
    parts = {
        part: kind(**{name: facts.pop(name) for name in kind.__dataclass_fields__ if name in facts})
        for part, kind in _PARTS.items()
    }
    assert not facts, facts
    return Outcome(**parts)


def changed(outcome: Outcome, **facts: Any) -> Outcome:
    """The same outcome with other facts."""
    for part, kind in _PARTS.items():
        own = {name: facts.pop(name) for name in kind.__dataclass_fields__ if name in facts}
        outcome = replace(outcome, **{part: replace(getattr(outcome, part), **own)})
    assert not facts, facts
    return outcome


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
        algorithm=EVIL,
        verdicts=(verdict,),
        promise=Promise((KAnonymity(2),)),
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
        algorithm="aa",
        verdicts=(verdict,),
        promise=Promise((KmAnonymity(5, 2),)),
        quasi=("items",),
        sensitive=(),
        columns=("items",),
        examples=((("beer wine",), ("alcohol",)),),
        losses={"ncp": 0.3, "ul": 0.05},
        column_losses={"items": {"ncp": 0.3}},
        class_sizes_before=sizes(),
        class_sizes_after=sizes(),
    )


def change(column: str, *labels: str, one_cut: bool = True) -> ColumnChange:
    """A column whose first label was generalized and whose others stayed as they were."""
    count = len(labels)
    level = Level(
        name=f"{count} values",
        groups=labels,
        before=tuple(range(10, 10 * count + 1, 10)),
        told=(0, *range(20, 10 * count + 1, 10)),
        spread=(10, *[0] * (count - 1)),
    )
    nodes = (
        CutNode(label="*", parent=-1, values=count + 1, occurrences=100, published=0),
        CutNode(
            label=f"{count - 1} more values",
            parent=0,
            values=count - 1,
            occurrences=60,
            published=60,
            folded=True,
        ),
        CutNode(label=labels[0], parent=0, values=2, occurrences=40, published=40),
    )
    return ColumnChange(
        column=column,
        levels=(replace(level, name="level 1 (2 groups)", groups=("low", *labels[1:])), level),
        kept={"level 1 (2 groups)": 1.0, f"{count} values": 0.6},
        cut=CutTree(nodes=nodes, one_cut=one_cut, gone=0 if one_cut else 3),
    )


def affected(column: str, value: str) -> AffectedValue:
    """A value that became coarser."""
    return AffectedValue(
        column=column,
        value=value,
        occurrences=40,
        published_as="*",
        times=31,
        reason=f"as {value} instead, one of its classes would be left with 2 records alike",
    )


def hospital_in_full() -> Outcome:
    """The same 2,000 patients with what became of their columns."""
    return hospital(
        by_column=(change("age", "20-39", "40-59", "60-79"), change("zip", "537**", "546**", one_cut=False)),
        affected=(affected("age", "34"), affected("zip", "53711")),
    )


def clinic() -> Outcome:
    """A table with sets."""
    verdict = Verdict(
        holds=True,
        claim="satisfies (k,k^m)-anonymity with k=5, m=2 on age, diagnoses",
        evidence="the rarest pair of a class occurs in 5 records",
        smallest=5,
        figures={"classes": 251, "smallest_class": 5, "smallest_itemset_in_a_class": 5},
    )
    return hospital(
        algorithm="rmerge-rt",
        verdicts=(verdict,),
        promise=Promise((KKmAnonymity(5, 2),)),
        quasi=("age", "diagnoses"),
        losses={"ncp": 0.3, "item_ncp": 0.12, "ul": 0.45},
        column_losses={"age": {"ncp": 0.3}, "diagnoses": {"ncp": 0.12, "ul": 0.45}},
        figures={
            "clusters": 12,
            "frontier": [
                {"delta": 0.6, "relational_loss": 0.58, "utility_loss": 0.2, "clusters": 3, "holds": True},
                {"delta": 0.3, "relational_loss": 0.3, "utility_loss": 0.7, "clusters": 40, "holds": True},
            ],
        },
        by_column=(
            change("age", "20-39", "40-59"),
            change("diagnoses", "(D21|G14|I32|J33|L12|M11|M23)", "C11", one_cut=False),
        ),
        affected=(affected("age", "34"), affected("diagnoses", "D21")),
    )


def supermarket() -> Outcome:
    """Sets alone with what became of their items."""
    reason = GeneralizedItem(label="alcohol", items=2, occurrences=40, itemset=("beer", "milk"), support=2)
    return changed(
        baskets(),
        generalized_items=(reason,),
        by_column=(change("items", "alcohol", "milk", "bread"),),
        affected=(affected("items", "beer"),),
        class_sizes_before=sizes((1, 1641), (2, 140)),
        class_sizes_after=sizes((1, 101), (6, 45)),
    )


CLUSTERS = (
    {"size": 5, "chunks": [{"subrecords": [*[["beer", "milk"]] * 2, *[["beer"]] * 3]}], "terms": ["truffle"]},
    {
        "size": 10,
        "shared": [{"subrecords": [["wine"]] * 6}],
        "children": [
            {"size": 5, "chunks": [], "terms": ["rice"]},
            {"size": 5, "chunks": [], "terms": ["ink"]},
        ],
    },
)


def taken_apart() -> Outcome:
    """Sets in chunks."""
    released, model = disassociated(CLUSTERS), Disassociation(k=2, m=2)
    level = Level(
        name="3 values", groups=("beer", "wine", "ink"), before=(7, 6, 2), told=(5, 6, 0), spread=(0, 0, 1)
    )
    return changed(
        baskets(),
        algorithm="disassociation",
        verdicts=(model.verify(released),),
        promise=Promise((model,)),
        examples=(),
        column_losses={},
        losses={"tkd": 0.3, "tlost": 0.05},
        class_sizes_before=sizes((1, 5), (2, 5)),
        by_column=(ColumnChange(column="items", levels=(level,)),),
        affected=(affected("items", "truffle"),),
        chunks=chunk_figures(released),
        drawn=drawn_clusters(released),
        cluster_sizes=released.clusters.sizes[released.clusters.simple],
        attacks=Attacks(("Cover problem: nothing is covered.",), {"cover_problem": {"covered": 0}}),
    )


def stated(outcome: Outcome, **changes: Any) -> Statement:
    """What may be certified of the file of an outcome."""
    statement = Statement(
        promise=outcome.claim.promise,
        columns={name: {"role": "quasi"} for name in outcome.changes.columns},
        verdicts=outcome.claim.verdicts,
        records=outcome.cost.published_records,
        class_sizes=outcome.cost.class_sizes_after,
        attacks=outcome.claim.attacks,
    )
    return replace(statement, **changes)


def published(outcome: Outcome, **changes: Any) -> PublicFacts:
    """What the file of an outcome would show."""
    publication = PublicFacts(
        statement=stated(outcome),
        quasi=outcome.claim.quasi,
        sensitive=outcome.claim.sensitive,
        sets=tuple(outcome.sets),
        labels={name: {f"{name} {i}": 50 - i for i in range(30)} for name in outcome.claim.quasi},
        chunks=outcome.changes.chunks,
        clusters=outcome.changes.drawn,
        cluster_sizes=outcome.changes.cluster_sizes,
    )
    return replace(publication, **changes)


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
