"""Every promise in plain words, and what it does not protect against, for people who know no theory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from shoal.privacy.model import Form, Model
from shoal.privacy.promise import Promise
from shoal.report.outcome import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What is promised, and of which columns; `columns` are all that are published, `sets` those of sets."""

    promises: Sequence[Model]
    quasi: Sequence[str]
    sensitive: Sequence[str]
    columns: Sequence[str]
    counts_people: bool = False
    sets: Sequence[str] = ()

    @classmethod
    def of(cls, outcome: Outcome) -> Self:
        """The scope of a run."""
        return cls(
            promises=outcome.claim.promise,
            quasi=outcome.claim.quasi,
            sensitive=outcome.claim.sensitive,
            columns=outcome.changes.columns,
            counts_people=outcome.claim.people is not None,
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
    return scope_in_words(Scope.of(outcome)) or [verdict.claim for verdict in outcome.claim.verdicts]


def scope_in_words(scope: Scope) -> list[str]:
    """One paragraph per promise that has words here."""
    return [model.meaning.format_map(_words(scope, model)) for model in scope.promises if model.meaning]


def limits(outcome: Outcome) -> list[Limit]:
    """What the promises of a run together leave open."""
    return limits_of(Scope.of(outcome))


def limits_of(scope: Scope) -> list[Limit]:
    """What the promises together leave open."""
    promise = Promise(scope.promises)
    if promise and promise.form is Form.NEW_RECORDS:
        return [_BUDGET, _POPULATION]
    return [
        *([_SIMILAR_VALUES] if promise.diverse else [_shared_value(scope)]),
        *([_MORE_ITEMS] if any(model.bounded for model in promise) else []),
        *([_COVERS] if promise and promise.form is Form.CLUSTERS else []),
        _other_columns(scope),
        _SEVERAL_RELEASES,
        _METHOD,
        _SINGLING_OUT,
        _MEMBERSHIP,
        *([] if scope.counts_people else [_ROWS_NOT_PEOPLE]),
    ]


def _shared_value(scope: Scope) -> Limit:
    named = f" of {listed(scope.sensitive)}" if scope.sensitive else ""
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
    beyond = f" In this file, {listed(others)} {verb} not covered." if others else ""
    return Limit(
        "Knowledge beyond these columns",
        f"The promise covers {listed(scope.quasi) or 'the columns it names'} and nothing else. A reader"
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
    "Readers who know how the chunks were made",
    "Where an item was kept out of an earlier chunk, someone who knows the method can sometimes conclude that"
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


class _Words(dict[str, str]):
    """Parameters as words; one that is not known keeps its letter."""

    def __missing__(self, key: str) -> str:
        return key


def _words(scope: Scope, model: Model) -> Mapping[str, Any]:
    return _Words(
        {name: f"{value}" for name, value in model.parameters.items()}
        | {
            "quasi": listed(scope.quasi) or "covered values",
            "values": listed([name for name in scope.quasi if name not in scope.sets]) or "covered",
            "sets": listed(scope.sets) or "a set",
            "sensitive": listed(scope.sensitive) or "the sensitive column",
        }
    )


def listed(names: Sequence[str]) -> str:
    """Names as in a sentence."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
