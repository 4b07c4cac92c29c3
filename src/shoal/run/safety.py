"""What makes a release unsafe whatever the search finds, asked of data wherever they are.

All checks before and after a run that are not a model's own stand here, against the port: one that looked at
rows in memory could not be written here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice
from typing import Any

from shoal.algorithms.search import Search
from shoal.detect.last_look import PERSONAL_FORM, personal_values
from shoal.detect.look import suspicion_of
from shoal.detect.observed import masked
from shoal.detect.suspicion import Suspicion, suspicion_of_items
from shoal.engine.port import Port, Question
from shoal.errors import BadInput, Problem
from shoal.policy.coverage import coverage_problems
from shoal.policy.plan import KEEPS_ORDER
from shoal.privacy.catalogue import MODELS
from shoal.privacy.model import Form
from shoal.privacy.promise import Promise
from shoal.privacy.verdict import Verdict, Witness
from shoal.table.pseudonyms import PSEUDONYM_FORM
from shoal.table.roles import Identifier, Insensitive, Role, Sensitive, is_confirmed

_CONFIRM = (
    'give it role "identifier" or leave it out; to publish it knowingly, set confirm = true and say why in'
    " reason"
)
_COMBINATIONS_TOLD = 5
_COLUMNS_TOGETHER = 3  # more at once are looked at only all together
_COLUMNS_COMBINED = 10


_ALL_BUT_NOTHING = 1 - 1e-9


def refuse_unanswerable(promise: Promise, data: Port) -> None:
    """Raise BadInput for a promise that cannot be checked where the data are."""
    for model in promise:
        if not model.asks <= data.answers:
            names = ", ".join(name for name, each in MODELS.items() if each.questions <= data.answers)
            raise BadInput(
                Problem(
                    f"Spark does not yet verify {model.name}",
                    f"it verifies {names}; other releases can be verified on one machine",
                )
            )


def coverage(promise: Promise, data: Port) -> list[Problem]:
    """Columns that the promise leaves open."""
    return [
        Problem(what, remedy, column=column)
        for column, what, remedy in coverage_problems(promise, data.roles)
    ]


def release_problems(data: Port, promise: Promise, search: Search) -> list[Problem]:
    """What makes a release of these columns unsafe."""
    problems = [
        *coverage(promise, data),
        *_telling_problems(data, promise.k),
        *_counts_absent(data, promise),
    ]
    if promise.form is Form.CLUSTERS:
        problems += _columns_beside_clusters(data)
        if search.keep_order:
            problems.append(Problem(KEEPS_ORDER, "leave keep_order out"))
    return problems


def personal_problems(data: Port) -> list[Problem]:
    """Columns that look like names, numbers or addresses of people, or like free text, in whatever role."""
    return [
        Problem(suspicion.in_words(), _CONFIRM, column=name)
        for name, role in data.roles.items()
        if not isinstance(role, Identifier) and not is_confirmed(role)
        if (suspicion := _suspicion(data, name)) is not None
    ]


def _suspicion(data: Port, name: str) -> Suspicion | None:
    observed = data.observed(name)
    return suspicion_of_items(observed) if name in data.quasi_sets else suspicion_of(observed)


def personal_values_problems(data: Port, roles: Mapping[str, Role]) -> list[Problem]:
    """What a release holds that reaches a person for sure, wherever it stands: the last look at it."""
    problems = []
    for name, role in data.roles.items():
        if isinstance(role, Identifier) or is_confirmed(roles.get(name, role)):
            continue
        found = personal_values(data.matching(name, PERSONAL_FORM))
        if found:
            shapes = ", ".join(dict.fromkeys(masked(text) for text, _ in found[:3]))
            what = f"would be published with {found[0][1]} in it ({len(found)} values of the form {shapes})"
            problems.append(Problem(what, _CONFIRM, column=name))
    return problems


def _counts_absent(data: Port, promise: Promise) -> list[Problem]:
    """Counts of items, of which no hierarchy says how many there could be: their absence is no fact."""
    if not any(Question.ABSENCE in model.asks for model in promise):
        return []
    what = "facts of absence are not counted where items have counts of their own"
    remedy = "leave out multiset = true, or negative = true"
    return [
        Problem(what, remedy, column=name)
        for name in data.quasi_sets
        if getattr(data.roles[name], "multiset", False)
    ]


def _untouched(data: Port) -> Iterator[str]:
    """Columns that were said to tell nothing, without a word of the publisher that he is sure."""
    for name in data.with_role(Insensitive):
        role = data.roles[name]
        if isinstance(role, Insensitive) and not role.confirm:
            yield name


def _telling_problems(data: Port, k: int) -> list[Problem]:
    return [
        Problem(
            f"is published untouched and has {data.combinations([name]).distinct} distinct values, more than"
            f" records / k = {data.row_count / k:g}: it could tell people apart",
            'give it role "quasi", drop it, or set confirm = true if it really tells nothing',
            column=name,
        )
        for name in _untouched(data)
        if tells_apart(data, name, k)
    ]


def lost_columns_notices(losses: Mapping[str, Mapping[str, float]]) -> tuple[str, ...]:
    """Columns of which nothing is left, given the losses of each: a release that is safe, and useless."""
    lost = [repr(name) for name, of_column in losses.items() if of_column.get("ncp", 0.0) > _ALL_BUT_NOTHING]
    if not lost:
        return ()
    which = f"column {lost[0]}" if len(lost) == 1 else f"columns {', '.join(lost)}"
    return (
        f"nothing is left of {which}: every value is published as the root of its hierarchy; a hierarchy with"
        ' more levels, a smaller k, fewer columns or name = "auto" may keep more',
    )


def tells_apart(data: Port, column: str, k: int) -> bool:
    """Whether an untouched column has more values than a promise of k could leave classes."""
    return _tell_apart(data, [column], k)


def _tell_apart(data: Port, columns: Sequence[str], k: int) -> bool:
    return k > 1 and data.combinations(columns).distinct > max(data.row_count / k, 1)


def together_notices(data: Port, k: int) -> list[str]:
    """Columns that are published untouched and tell records apart together, though none does alone."""
    columns = [name for name in data.with_role(Insensitive) if not tells_apart(data, name, k)]
    if len(columns) < 2 or not _tell_apart(data, columns, k):
        return []
    found = list(islice(_smallest_telling(data, columns, k), _COMBINATIONS_TOLD + 1)) or [tuple(columns)]
    told = [_together(data, names, k) for names in found[:_COMBINATIONS_TOLD]]
    return [*told, "further columns tell records apart together"] if len(found) > len(told) else told


def _smallest_telling(data: Port, columns: Sequence[str], k: int) -> Iterator[tuple[str, ...]]:
    """Combinations of a few columns that tell records apart while no part of them does."""
    found: list[set[str]] = []
    for size in range(2, min(_COLUMNS_TOGETHER, len(columns)) + 1):
        for names in combinations(columns[:_COLUMNS_COMBINED], size):
            if not any(smaller <= set(names) for smaller in found) and _tell_apart(data, names, k):
                found.append(set(names))
                yield names


def _together(data: Port, columns: Sequence[str], k: int) -> str:
    counted = data.combinations(columns)
    names = ", ".join(map(repr, columns[:-1])) + f" and {columns[-1]!r}"
    return (
        f"{names} are published untouched, and together they tell records apart: they have"
        f" {counted.distinct:,} combinations, more than records / k = {data.row_count / k:g}, and"
        f" {counted.unique:,} of {data.row_count:,} records are alone with theirs; make one a"
        " quasi-identifier or drop it"
    )


def _columns_beside_clusters(data: Port) -> list[Problem]:
    """Disassociated data hold the terms of one set column and have no rows for anything else."""
    first = data.quasi_sets[:1]
    shown = [name for name, role in data.roles.items() if not isinstance(role, Identifier) or role.pseudonym]
    return [
        Problem(
            "cannot be published beside disassociated sets, which have no rows left",
            'leave it out of [columns] and set others = "drop" under [data]',
            column=name,
        )
        for name in shown
        if name not in first
    ]


def unprotected_notices(data: Port, promise: Promise) -> list[str]:
    """Sensitive columns and items that no promise protects."""
    if promise.diverse:
        return []
    names = list(data.with_role(Sensitive))
    names += [name for name in data.quasi_sets if getattr(data.roles[name], "sensitive", ())]
    return [
        f"column {name!r} is sensitive, but nothing is promised about it: add l, t or alpha to [privacy]"
        for name in names
    ]


def verify_release(
    data: Port,
    promise: Promise,
    dropped: Sequence[str] = (),
    beside: Sequence[str] = (),
    *,
    just_made: bool = False,
) -> tuple[Verdict, ...]:
    """One verdict per model; columns that should not be there, or tell people apart, break the first.

    `dropped` are columns that the release holds although they should have been left out, `beside` is what it
    holds beside its table. Of a release that was `just_made` also what no file can show is known.
    """
    refuse_unanswerable(promise, data)
    verdicts = verdicts_of(data, promise, beside, just_made=just_made)
    flaws = [
        (evidence.format(", ".join(map(repr, columns))), columns)
        for evidence, columns in _flaws_of_columns(data, promise.k, dropped)
    ]
    if not flaws:
        return verdicts
    _, first = flaws[0]
    witness = f"{'column' if len(first) == 1 else 'columns'} {', '.join(map(repr, first))}"
    return _broken(verdicts, "; ".join(evidence for evidence, _ in flaws), witness)


def verdicts_of(
    data: Any, promise: Promise, beside: Sequence[str] = (), *, just_made: bool = False
) -> tuple[Verdict, ...]:
    """One verdict per model; whatever a file holds beside its table breaks the first."""
    verdicts = tuple(model.judge_release(data) if just_made else model.verify(data) for model in promise)
    return _broken(verdicts, "; ".join(beside), "the file") if beside else verdicts


def _broken(verdicts: tuple[Verdict, ...], evidence: str, what: str) -> tuple[Verdict, ...]:
    first, *others = verdicts
    if not first.holds:
        return (replace(first, evidence=f"{first.evidence}; {evidence}"), *others)
    return (replace(first, holds=False, evidence=evidence, witness=Witness(what, (), 0)), *others)


def _flaws_of_columns(data: Port, k: int, dropped: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    if dropped:
        yield "the release holds {}, which should have been dropped", dropped
    if telling := [name for name in _untouched(data) if tells_apart(data, name, k)]:
        yield (
            "{} is published untouched and has more values than records / k: it could tell people apart",
            telling,
        )
    if plain := [
        name
        for name, role in data.roles.items()
        if isinstance(role, Identifier) and role.pseudonym and not data.all_match(name, PSEUDONYM_FORM)
    ]:
        yield "the values of {} are no pseudonyms that Shoal made", plain
