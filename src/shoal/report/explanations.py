"""Every promise in plain words, and what it does not protect against, for people who know no theory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.report.outcome import Outcome, Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What is promised, and of which columns; `columns` are all that are published, `sets` those of sets."""

    promises: Sequence[Promise]
    quasi: Sequence[str]
    sensitive: Sequence[str]
    columns: Sequence[str]
    counts_people: bool = False
    sets: Sequence[str] = ()

    @classmethod
    def of(cls, outcome: Outcome) -> Scope:
        """The scope of a run."""
        return cls(
            promises=outcome.promises or (Promise(outcome.model),),
            quasi=outcome.quasi,
            sensitive=outcome.sensitive,
            columns=outcome.columns,
            counts_people=outcome.people is not None,
            sets=tuple(outcome.sets),
        )


@dataclass(frozen=True, slots=True)
class Limit:
    """Something that a promise does not stop; `advice` is what the publisher can do about it."""

    title: str
    text: str
    advice: str = ""

    @property
    def in_full(self) -> str:
        """The text with the advice."""
        return f"{self.text} {self.advice}".rstrip()


def promises_in_words(outcome: Outcome) -> list[str]:
    """One paragraph per promise; a model that is not known here is left to its claim."""
    return scope_in_words(Scope.of(outcome)) or [verdict.claim for verdict in outcome.verdicts]


def scope_in_words(scope: Scope) -> list[str]:
    """One paragraph per promise that has words here."""
    return [
        _TEMPLATES[_key(promise)].format_map(_words(scope, promise))
        for promise in scope.promises
        if _key(promise) in _TEMPLATES
    ]


def limits(outcome: Outcome) -> list[Limit]:
    """What the promises of a run together leave open."""
    return limits_of(Scope.of(outcome))


def limits_of(scope: Scope) -> list[Limit]:
    """What the promises together leave open."""
    names = {promise.model for promise in scope.promises}
    if "differential-privacy" in names:
        return [_BUDGET, _POPULATION]
    return [
        *([_SIMILAR_VALUES] if names & _DIVERSE else [_shared_value(scope)]),
        *([_MORE_ITEMS] if names & _BOUNDED_KNOWLEDGE else []),
        *([_COVERS] if "disassociation" in names else []),
        _other_columns(scope),
        _SEVERAL_RELEASES,
        _METHOD,
        _SINGLING_OUT,
        _MEMBERSHIP,
        *([] if scope.counts_people else [_ROWS_NOT_PEOPLE]),
    ]


_DIVERSE = {
    "l-diversity",
    "t-closeness",
    "alpha-k-anonymity",
    "lm-diversity",
    "set-l-diversity",
    "k-lm-diversity",
}
_BOUNDED_KNOWLEDGE = {"km-anonymity", "lm-diversity", "k-km-anonymity", "k-lm-diversity", "disassociation"}

_TEMPLATES = {
    "k-anonymity": (
        "Take a reader who knows what a person in this file has in the columns {quasi}. At least {k} rows fit"
        " that person equally well, and these columns give no way to tell which of them is the right one."
    ),
    "l-diversity frequency": (
        "Among the rows that fit a person, no value of {sensitive} makes up more than one in {l}, so"
        " finding the right group of rows does not give the value away."
    ),
    "l-diversity distinct": "The rows that fit a person show at least {l} different values of {sensitive}.",
    "l-diversity entropy": (
        "The values of {sensitive} among the rows that fit a person are at least as mixed (by their entropy)"
        " as {l} values that are equally frequent."
    ),
    "l-diversity recursive": (
        "Among the rows that fit a person, the most frequent value of {sensitive} occurs less than {c} times"
        " as often as the values from the {l}th most frequent on taken together."
    ),
    "t-closeness": (
        "The values of {sensitive} among the rows that fit a person are spread as in the whole file, up to a"
        " distance of {t}: finding the group tells little more than the file as a whole."
    ),
    "alpha-k-anonymity": (
        "At least {k} rows fit a person on {quasi}, and no value of {sensitive} makes up more than a share of"
        " {alpha} of them."
    ),
    "km-anonymity": (
        "Take a reader who knows up to {m} items of a person's set. If any row of the file fits these items,"
        " at least {k} do."
    ),
    "lm-diversity": (
        "Knowing up to {m} items of a person's set does not give a sensitive item away: it occurs in no more"
        " than one in {l} of the rows that fit."
    ),
    "set-k-anonymity": (
        "Every set in the file occurs at least {k} times, so even a reader who knows a person's whole set"
        " finds at least {k} rows that fit."
    ),
    "set-l-diversity": "Among equal sets, no sensitive item occurs in more than one in {l} rows.",
    "k-km-anonymity": (
        "Take a reader who knows all single values of a person in the columns {values}, and up to {m} items"
        " of {sets}. If any row fits, at least {k} do."
    ),
    "k-lm-diversity": (
        "Take a reader who knows all single values of a person in the columns {values}, and up to {m} items"
        " of {sets}. If any row fits, at least {k} do, and no sensitive item or value belongs to more than"
        " one in {l} of them."
    ),
    "disassociation": (
        "All items stay as they are, but records are cut into pieces. For any {m} items that could belong"
        " together, an original is possible in which at least {k} records hold them."
    ),
    "differential-privacy": (
        "Adding or removing one person changes the chance of any published result at most by a factor of"
        " e^{epsilon}. This follows from how the file was made and cannot be checked from the file."
    ),
}


def _shared_value(scope: Scope) -> Limit:
    named = f" of {_listed(scope.sensitive)}" if scope.sensitive else ""
    return Limit(
        "What a whole group has in common",
        f"If all rows that fit a person show the same value{named}, a reader learns it without knowing which"
        " row is the right one.",
        "Promise l-diversity, t-closeness or (alpha,k)-anonymity too, to limit this.",
    )


def _other_columns(scope: Scope) -> Limit:
    covered = set(scope.quasi)
    others = [name for name in scope.columns if name not in covered]
    verb = "is" if len(others) == 1 else "are"
    beyond = f" In this file, {_listed(others)} {verb} not covered." if others else ""
    return Limit(
        "Knowledge beyond these columns",
        f"The promise covers {_listed(scope.quasi) or 'the columns it names'} and nothing else. A reader"
        f" who knows anything else that is in the file may find fewer rows.{beyond}",
    )


_SIMILAR_VALUES = Limit(
    "Values that are different but alike",
    "Different values can mean much the same: gastritis and gastric ulcer both say stomach. And a reader who"
    " can rule some of the values out for a person is left with fewer.",
)
_MORE_ITEMS = Limit(
    "Readers who know more items",
    "The promise ends at the stated number of items. Someone who knows one more, who knows that an item is"
    " absent, or who knows the exact set may find fewer rows, even a single one.",
)
_COVERS = Limit(
    "Readers who know how the pieces were cut",
    "Where an item was kept out of an earlier piece, someone who knows the method can sometimes conclude that"
    " two items do occur together (the cover problem).",
)
_SEVERAL_RELEASES = Limit(
    "Several releases of the same people",
    "Two files about the same people can each keep their promise and still be combined to narrow a person"
    " down. That includes publishing this data again with other settings.",
)
_METHOD = Limit(
    "Readers who know the method",
    "Values are made no coarser than necessary. Someone who knows that can sometimes rule out originals that"
    " would not have needed it, and undo part of the coarsening (minimality and downcoding attacks).",
)
_SINGLING_OUT = Limit(
    "Singling out",
    "It may still be possible to describe a condition that exactly one person meets. The promise is a"
    " statement about these columns, not a legal verdict about the file.",
)
_MEMBERSHIP = Limit(
    "Being in the file",
    "The promise does not hide that a person is in the data, if a reader knows or can guess that.",
)
_ROWS_NOT_PEOPLE = Limit(
    "People with several rows",
    "The promise counts rows. If one person can have several, fewer people stand behind them.",
    "Name the column that tells people apart under subject in the policy to have people counted.",
)
_BUDGET = Limit(
    "Many results",
    "Each further result about the same people adds to what can be learned; the epsilons add up.",
)
_POPULATION = Limit(
    "What is true of people in general",
    "If a file shows that smokers fall ill more often, a reader learns that about any smoker,"
    " in the file or not.",
)


def _key(promise: Promise) -> str:
    if promise.model == "l-diversity":
        return f"l-diversity {promise.parameters.get('kind', 'frequency')}"
    return promise.model


class _Words(dict[str, str]):
    """Parameters as words; one that is not known keeps its letter."""

    def __missing__(self, key: str) -> str:
        return key


def _words(scope: Scope, promise: Promise) -> Mapping[str, Any]:
    return _Words(
        {name: f"{value}" for name, value in promise.parameters.items()}
        | {
            "quasi": _listed(scope.quasi) or "covered values",
            "values": _listed([name for name in scope.quasi if name not in scope.sets]) or "covered",
            "sets": _listed(scope.sets) or "a set",
            "sensitive": _listed(scope.sensitive) or "the sensitive column",
        }
    )


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
