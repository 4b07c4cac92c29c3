"""How well `shoal.profile` sees what is in messy tables of many countries.

    python bench/scorecard.py [--tables 2] [--seed 1] [--rows 1200] [--locales de_DE fr_FR ...] [--misses 40]

Every table is profiled with names of columns in its language, in English, with misleading names and without
any. Names that mislead are held to the target for none. Exit code 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa
from babel import Locale

import shoal as sh
from measuring.reports import Report
from messy.headers import HEADERS, Header
from messy.readers import day_read, number_read
from messy.source import babel_locale
from messy.tables import LOCALES, messy_table
from messy.truth import ColumnTruth

FOUND_WITH_NAMES, FOUND_WITHOUT, ACCUSED, RIGHTLY_READ = 0.99, 0.95, 0.02, 0.99
HIDDEN = ("identifier", "drop")
ROLES = ("identifier", "drop", "quasi", "sensitive", "insensitive")
MEANINGFUL: tuple[Header, ...] = ("local", "english")
EXAMPLES = 3


class SeenColumn(Protocol):
    """What a profile says of a column, as far as it is judged."""

    name: str
    kind: str
    role: str
    reason: str
    decimal: str
    thousands: str
    date_format: str | None
    ambiguous: bool
    looks_like: str


class SeenTable(Protocol):
    columns: Sequence[SeenColumn]
    subject: str | None


@dataclass(frozen=True)
class Case:
    locale: str
    seed: int
    header: Header


@dataclass(frozen=True)
class Judged:
    """A column, what was said of it, and cells to recognize it by."""

    case: Case
    truth: ColumnTruth
    seen: SeenColumn
    right: bool | None  # None if nothing could be read wrongly
    examples: tuple[str, ...]

    @property
    def hidden(self) -> bool:
        return self.seen.role in HIDDEN

    @property
    def line(self) -> str:
        case, truth, seen = self.case, self.truth, self.seen
        said = f"{seen.kind}, {seen.role} ({seen.looks_like or seen.reason})"
        if truth.values is not None:
            said += f", decimal {seen.decimal!r}, thousands {seen.thousands!r}, date {seen.date_format!r}"
        return (
            f"{case.locale} seed {case.seed} {case.header}: {truth.name!r} is {truth.what}, seen as {said}:"
            f" {' / '.join(self.examples)}"
        )


@dataclass
class Scores:
    judged: list[Judged] = field(default_factory=list)
    subjects: Counter[tuple[str, str]] = field(default_factory=Counter)
    crashes: list[str] = field(default_factory=list)

    def of(self, *harms: str, headers: Sequence[Header] = HEADERS) -> list[Judged]:
        return [each for each in self.judged if each.truth.harm in harms and each.case.header in headers]


def judge(case: Case, table: pa.Table, truth: Sequence[ColumnTruth], seen: SeenTable) -> Iterator[Judged]:
    babel = babel_locale(case.locale)
    said = {column.name: column for column in seen.columns}
    for column in truth:
        cells = table.column(column.name).to_pylist()
        told = said[column.name]
        yield Judged(case, column, told, _rightly_read(column, cells, told, babel), _masked(cells))


def _rightly_read(truth: ColumnTruth, cells: Sequence[str], told: SeenColumn, babel: Locale) -> bool | None:
    """Whether all clean cells mean what they should, however the style of a column is told."""
    if truth.values is None:
        return None
    if truth.ambiguous and told.kind == "date" and told.ambiguous:
        return True
    if told.kind not in ("number", "date"):
        return None if truth.kind == "any" else False
    if truth.date is None:
        return told.kind == "number" and _all_mean(
            truth, cells, lambda cell: number_read(cell, told.decimal, told.thousands)
        )
    if told.kind == "number":
        return None if truth.kind == "any" else False
    return _all_mean(truth, cells, lambda cell: day_read(cell, told.date_format, babel))


def _all_mean(truth: ColumnTruth, cells: Sequence[str], read: Callable[[str], Any]) -> bool:
    if truth.values is None:
        return True
    pairs = zip(cells, truth.values, strict=True)
    return all(read(cell) == value for cell, value in pairs if value is not None)


def _masked(cells: Sequence[str]) -> tuple[str, ...]:
    """A few cells as shapes: letters and digits are nobody's business, even where they are invented."""
    different = list(dict.fromkeys(cell for cell in cells if cell.strip()))[:EXAMPLES]
    return tuple(re.sub(r"[^\W\d_]", "x", re.sub(r"\d", "9", cell))[:40] for cell in different)


def subject_seen(
    truth: Sequence[ColumnTruth], seen: SeenTable, rows: int, table: pa.Table
) -> tuple[str, str]:
    """The kind of table, and how far its subject was found."""
    able = [column.name for column in truth if column.tells_people_apart]
    people = max((len(set(table.column(name).to_pylist())) for name in able), default=rows)
    several = "several rows each" if people < 0.9 * rows else "one row each"
    if seen.subject is None:
        return several, "none"
    return several, "found" if seen.subject in able else "another column"


def assert_truth_can_be_read(case: Case, table: pa.Table, truth: Sequence[ColumnTruth]) -> None:
    """Whoever is told the truth reads every clean cell rightly; else nobody could be right."""
    babel = babel_locale(case.locale)
    for column in truth:
        cells = table.column(column.name).to_pylist()
        if column.date is not None:
            readable = _all_mean(column, cells, lambda cell, style=column.date: day_read(cell, style, babel))
        else:
            marks = column.decimal, column.thousands
            readable = _all_mean(column, cells, lambda cell, marks=marks: number_read(cell, *marks))
        assert readable, (case, column.name, column.what)


def profiled(cases: Iterable[Case], rows: int) -> Scores:
    scores = Scores()
    for case in cases:
        table, truth = messy_table(case.locale, case.seed, rows=rows, header=case.header)
        assert_truth_can_be_read(case, table, truth)
        try:
            seen = sh.profile(table)
            scores.judged += judge(case, table, truth, seen)
            scores.subjects[subject_seen(truth, seen, rows, table)] += 1
        except Exception:  # noqa: BLE001 - a crash is a finding, and the others are still to be looked at
            scores.crashes.append(f"{case}: {traceback.format_exc(limit=-1).strip()}")
    return scores


def share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def counted(part: int, whole: int) -> str:
    return f"{part}/{whole} {share(part, whole):.1%}" if whole else "-"


def found_by_kind(report: Report, scores: Scores) -> None:
    report.title("Identifiers and free text that were found, by what they are")
    groups: dict[str, Sequence[Header]] = {
        "with names": MEANINGFUL,
        "misleading": ("misleading",),
        "without names": ("none",),
    }
    harmful = {name: scores.of("identifier", "free text", headers=each) for name, each in groups.items()}
    kinds = sorted({each.truth.what for found in harmful.values() for each in found})
    print(f"{'':<26}" + "".join(f"{name:>20}" for name in groups))
    for kind in [*kinds, "all"]:
        cells = []
        for found in harmful.values():
            of_kind = [each for each in found if kind in ("all", each.truth.what)]
            cells.append(counted(sum(each.hidden for each in of_kind), len(of_kind)))
        print(f"{kind:<26}" + "".join(f"{cell:>20}" for cell in cells))
    print()
    for name, found in harmful.items():
        limit = FOUND_WITH_NAMES if name == "with names" else FOUND_WITHOUT
        reached = share(sum(each.hidden for each in found), len(found))
        report.expect(f"{reached:.2%} found {name}, at least {limit:.0%}", met=reached >= limit)


def accused_by_kind(report: Report, scores: Scores) -> None:
    report.title("Harmless columns that were accused")
    harmless = scores.of("harmless")
    accused = [each for each in harmless if each.hidden]
    totals = Counter(each.truth.what for each in harmless)
    for kind, count in Counter(each.truth.what for each in accused).most_common():
        by_header = Counter(each.case.header for each in accused if each.truth.what == kind)
        told = ", ".join(f"{header} {by_header[header]}" for header in HEADERS if by_header[header])
        print(f"{kind:<26}{counted(count, totals[kind]):>20}  {told}")
    reached = share(len(accused), len(harmless)) if harmless else 0.0
    report.expect(f"{reached:.2%} accused, at most {ACCUSED:.0%}", met=reached <= ACCUSED)


def rightly_read(report: Report, scores: Scores) -> None:
    report.title("Numbers and dates that were rightly read")
    read = [each for each in scores.judged if each.right is not None]
    for dates, name in ((False, "numbers"), (True, "dates")):
        of_kind = [each for each in read if (each.truth.date is not None) == dates]
        for what in sorted({each.truth.what for each in of_kind}):
            each_right = [bool(each.right) for each in of_kind if each.truth.what == what]
            print(f"{what:<26}{counted(sum(each_right), len(each_right)):>20}")
        reached = share(sum(bool(each.right) for each in of_kind), len(of_kind))
        report.expect(
            f"{reached:.2%} of {name} right, at least {RIGHTLY_READ:.0%}", met=reached >= RIGHTLY_READ
        )


def silent_ambiguities(scores: Scores) -> list[Judged]:
    return [
        each
        for each in scores.judged
        if each.truth.ambiguous and each.seen.kind == "date" and not each.seen.ambiguous
    ]


def ambiguous_dates(report: Report, scores: Scores) -> None:
    report.title("Dates of which both readings fit")
    ambiguous = [each for each in scores.judged if each.truth.ambiguous]
    told = sum(each.seen.kind == "date" and each.seen.ambiguous for each in ambiguous)
    silent = len(silent_ambiguities(scores))
    print(
        f"{told} of {len(ambiguous)} told, {silent} read without a word, {len(ambiguous) - told - silent} not"
    )
    report.expect(f"{silent} ambiguous dates read without a word, at most 0", met=silent == 0)


def confusion(report: Report, scores: Scores) -> None:
    report.title("What columns are, and the roles that they were given")
    table: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for each in scores.judged:
        table[each.truth.harm, each.truth.what][each.seen.role] += 1
    print(f"{'':<38}" + "".join(f"{role:>13}" for role in ROLES))
    for (harm, what), roles in sorted(table.items()):
        print(f"{harm + ': ' + what:<38}" + "".join(f"{roles[role] or '':>13}" for role in ROLES))


def misses(report: Report, scores: Scores, most: int) -> None:
    lists = {
        "Identifiers and free text that were missed": [
            each for each in scores.of("identifier", "free text") if not each.hidden
        ],
        "Harmless columns that were accused": [each for each in scores.of("harmless") if each.hidden],
        "Numbers and dates wrongly read": [each for each in scores.judged if each.right is False],
        "Ambiguous dates read without a word": silent_ambiguities(scores),
    }
    for title, found in lists.items():
        if found:
            report.title(f"{title} ({len(found)})")
        for each in found[:most]:
            print(each.line)
        if len(found) > most:
            print(f"and {len(found) - most} others: --misses {len(found)} shows all")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tables", type=int, default=2, help="of each locale, each under all kinds of names")
    parser.add_argument("--seed", type=int, default=1, help="of the first table")
    parser.add_argument("--rows", type=int, default=1200)
    parser.add_argument("--locales", nargs="+", default=LOCALES, choices=LOCALES, metavar="LOCALE")
    parser.add_argument("--misses", type=int, default=40, help="shown of each sort")
    given = parser.parse_args()
    cases = [
        Case(locale, seed, header)
        for locale in given.locales
        for seed in range(given.seed, given.seed + given.tables)
        for header in HEADERS
    ]
    started = time.perf_counter()
    scores = profiled(cases, given.rows)
    report = Report()
    misses(report, scores, given.misses)
    confusion(report, scores)
    found_by_kind(report, scores)
    accused_by_kind(report, scores)
    rightly_read(report, scores)
    ambiguous_dates(report, scores)
    report.title("Subjects")
    for (several, how), count in sorted(scores.subjects.items()):
        print(f"{several}: {how} in {count} tables")
    for crash in scores.crashes:
        print(crash)
    report.expect(
        f"{len(scores.crashes)} of {len(cases)} tables could not be profiled", met=not scores.crashes
    )
    print(f"\n{len(cases)} tables of {given.rows} rows, {time.perf_counter() - started:.0f} s")
    report.title("\n".join(("Missed:", *report.failures)) if report.failures else "All targets are met.")
    return int(bool(report.failures))


if __name__ == "__main__":
    sys.exit(main())
