"""Which run to take: ranked within each promise, and never one that promises less than the policy."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.metrics.catalogue import MEASURES
from shoal.report.wording import counted
from shoal.report.wording import measure as measure_text
from shoal.study.standing import Standing

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """What a recommended run must keep.

    Args:
        loss: The measure to keep low.
        risk: The largest risk.
        seconds: The longest time.
        memory_mb: The most memory.

    Examples:
        >>> import shoal as sh
        >>> sh.Constraint(risk=0.1, seconds=60).in_words()
        'with risk at most 0.1 within 60 s'
    """

    loss: str = "ncp"
    risk: float | None = None
    seconds: float | None = None
    memory_mb: float | None = None

    def allows(self, row: Row) -> bool:
        """Whether a run keeps every bound."""
        bounds = (
            (self.risk, row["risk"]),
            (self.seconds, row["seconds"]),
            (self.memory_mb, row["peak_memory_mb"]),
        )
        return all(bound is None or (value is not None and value <= bound) for bound, value in bounds)

    def in_words(self) -> str:
        """The bounds for people."""
        words = [
            "" if self.risk is None else f"with risk at most {self.risk:g}",
            "" if self.seconds is None else f"within {self.seconds:g} s",
            "" if self.memory_mb is None else f"within {self.memory_mb:g} MB",
        ]
        return " ".join(word for word in words if word) or "of all that hold"


@dataclass(frozen=True, slots=True)
class PromiseCost:
    """What one promise costs: its runs that hold and keep the constraint, from the least loss on.

    `measure` is the loss that they are ranked by, None if no run has one; `least` is that of the first run.
    """

    promise: str
    standing: Standing
    measure: str | None
    runs: tuple[str, ...]
    least: float | None

    @property
    def best(self) -> str | None:
        """The run that loses least."""
        return self.runs[0] if self.runs else None


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The run to take, None if no run may be, the reason, and what other promises would cost.

    `measure` is the loss by which the run was found.
    """

    run: str | None
    reason: str
    costs: str = ""
    measure: str | None = None


def promise_costs(rows: Sequence[Row], constraint: Constraint) -> tuple[PromiseCost, ...]:
    """What every promise costs, the policy's own first, then stricter, weaker and other ones."""
    of_promise: dict[str, list[Row]] = {}
    for row in rows:
        of_promise.setdefault(row["promise"], []).append(row)
    found = [_cost(promise, runs, constraint) for promise, runs in of_promise.items()]
    return tuple(sorted(found, key=lambda cost: _ORDER.index(cost.standing)))


_ORDER: tuple[Standing, ...] = ("own", "stricter", "weaker", "another")


def _cost(promise: str, rows: Sequence[Row], constraint: Constraint) -> PromiseCost:
    standing = rows[0]["standing"]
    usable = [row for row in rows if row["holds"] and constraint.allows(row)]
    measure = _measure_of(usable, constraint.loss)
    if measure is None:
        return PromiseCost(promise, standing, None, (), None)
    ranked = sorted(
        (row for row in usable if row.get(measure) is not None), key=lambda row: float(row[measure])
    )
    return PromiseCost(
        promise, standing, measure, tuple(row["run"] for row in ranked), float(ranked[0][measure])
    )


def _measure_of(rows: Sequence[Row], asked: str) -> str | None:
    """The loss that was asked for if a run has it, else the first headline that most runs have."""
    if any(row.get(asked) is not None for row in rows):
        return asked
    headlines = [name for name, each in MEASURES.items() if each.headline and each.lower_is_better]
    held = {name: sum(row.get(name) is not None for row in rows) for name in headlines}
    best = max(headlines, key=lambda name: held[name])
    return best if held[best] else None


def recommend(rows: Sequence[Row], constraint: Constraint) -> Recommendation:
    """The run of the policy's own promise that loses least and keeps the constraint.

    Where there is none, the one that loses least of those that promise more. What promises less, or something
    else, is never recommended.
    """
    costs = promise_costs(rows, constraint)
    enough = [cost for cost in costs if cost.standing in ("own", "stricter") and cost.runs]
    own = [cost for cost in enough if cost.standing == "own"]
    taken = min(own or enough, key=lambda cost: cost.least or 0.0, default=None)
    if taken is None:
        return Recommendation(None, _why_none(rows, constraint), cost_sentence(costs, None))
    why = _why(taken, {row["run"]: row for row in rows}, constraint)
    return Recommendation(taken.best, why, cost_sentence(costs, taken), taken.measure)


def _why_none(rows: Sequence[Row], constraint: Constraint) -> str:
    holding = [row for row in rows if row["holds"]]
    enough = [row for row in holding if row["standing"] in ("own", "stricter")]
    if enough:
        return (
            f"no run that promises what the policy asks for keeps the constraint ({constraint.in_words()});"
            f" {len(enough)} of them hold"
        )
    others = f"; {counted(len(holding), 'other run')} would promise less or something else" if holding else ""
    return f"no run keeps what the policy promises{others}"


def _why(taken: PromiseCost, by_name: Mapping[str, Row], constraint: Constraint) -> str:
    measure, best = str(taken.measure), by_name[taken.runs[0]]
    promise = f"the policy's promise, {taken.promise}"
    if taken.standing == "stricter":
        promise = f"{taken.promise}, stricter than the policy, of whose own promise no run can be taken"
    told = (
        f"{best['run']} loses least ({measure_head(measure)} {constraint.in_words()}) under {promise}:"
        f" {best[measure]:.4g}, risk {_number(best['risk'])}, {best['seconds']:.1f} s"
    )
    if len(taken.runs) == 1:
        return f"{told}; no other run can be taken there"
    second = by_name[taken.runs[1]]
    return f"{told}; the next of {len(taken.runs)} is {second['run']} with {second[measure]:.4g}"


def cost_sentence(costs: Sequence[PromiseCost], taken: PromiseCost | None) -> str:
    """What promises other than the recommended one would cost; empty without others."""
    others = [cost for cost in costs if cost is not taken]
    told = [
        f"{words}: {', '.join(map(_cost_in_words, of_standing))}"
        for standing, words in _OTHERS.items()
        if (of_standing := [cost for cost in others if cost.standing == standing])
    ]
    return "; ".join(told)


_OTHERS: dict[Standing, str] = {
    "own": "the policy's own promise would cost",
    "stricter": "a stricter promise would cost",
    "weaker": "weaker than the policy, so never recommended",
    "another": "another promise would cost",
}


def _cost_in_words(cost: PromiseCost) -> str:
    if cost.least is None:
        return f"{cost.promise} (no run)"
    return f"{cost.promise} {measure_head(str(cost.measure))} {cost.least:.4g} ({cost.best})"


@dataclass(frozen=True, slots=True)
class CostTable:
    """What promises cost, as texts: one row per promise, with the measures that several of them share."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def cost_table(rows: Sequence[Row], costs: Sequence[PromiseCost], loss: str) -> CostTable:
    """Promises side by side, each by the run that loses least."""
    by_name = {row["run"]: row for row in rows}
    best = [by_name.get(cost.best, {}) for cost in costs]
    names = (loss, *(name for name, each in MEASURES.items() if each.headline), *QUERY_ERRORS)
    shared = [name for name in dict.fromkeys(names) if sum(row.get(name) is not None for row in best) > 1]
    return CostTable(
        ("promise", "beside the policy", "loses least", "by", *map(measure_head, shared)),
        tuple(
            (
                cost.promise,
                _STANDINGS[cost.standing],
                cost.best or "no run",
                measure_head(cost.measure or ""),
                *("" if row.get(name) is None else measure_text(name, row[name]) for name in shared),
            )
            for cost, row in zip(costs, best, strict=True)
        ),
    )


_STANDINGS: dict[Standing, str] = {
    "own": "the policy's own",
    "stricter": "stricter",
    "weaker": "weaker than the policy",
    "another": "another promise",
}

QUERY_ERRORS = {"are_1": 1, "are_2": 2}  # the error of counts of so many items, which all sets have


def measure_head(name: str) -> str:
    """A measure at the head of a column."""
    if name in QUERY_ERRORS:
        return f"ARE, {counted(QUERY_ERRORS[name], 'item')}"
    return name.upper().replace("_", "-")


def pareto_front(rows: Sequence[Row], loss: str) -> list[str]:
    """The runs that no other run beats in both loss and risk, by rising risk."""
    usable = [row for row in rows if row["holds"] and row.get(loss) is not None and row["risk"] is not None]
    front, least = [], math.inf
    for row in sorted(usable, key=lambda row: (row["risk"], row[loss])):
        if row[loss] < least:
            least = row[loss]
            front.append(row["run"])
    return front


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3g}"
