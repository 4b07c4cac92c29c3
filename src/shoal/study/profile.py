"""What is in a file, how unique its people are, and which role each column could have."""

import itertools
import math
import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.detect.look import FileHints, Look, look_at
from shoal.detect.missing import missing_tokens
from shoal.detect.observed import Observed
from shoal.detect.suspicion import NAME, PROVEN
from shoal.errors import UnknownName
from shoal.kernels.arrays import Ints
from shoal.kernels.grouping import group_rows
from shoal.run.api import is_spark_frame
from shoal.study.recipes import recipe_for
from shoal.table.canonical import MissingTokens, UnsupportedType, as_text, canonical_text
from shoal.table.compressed import content_name
from shoal.table.reading import HowRead, ReadOptions, inspect_described

PAIRED = 30  # columns whose pairs are looked at
ROWS_PAIRED = 10_000_000  # over all pairs
_JOINT = "\x1f"  # between the items of a list, which may contain any usual separator
_MANY_NAMES = 25  # fewer are rather those of doctors or teachers than of whom a file is about
_REPEATS = 1.2  # rows of one person on average from which a subject is worth counting
_SUBJECT_MISSES = 0.05
TELLING = re.compile(
    r"(diagnos|disease|outcome|result|income|salary|wage|religion|party|orientation|hiv|drug|einkommen|gehalt)",
    re.I,
)


ONLY_YOU_KNOW = "roles are suggestions from names and values: only you know what an adversary could know"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnProfile:
    """One column: what it looks like, how it is written, how telling it is, and the role it could have.

    `kind` is what a policy would call it, `looks_like` says it in words; `decimal`, `thousands` and
    `date_format` are how it must be read. An `ambiguous` column can be read in two ways, and `notes` say
    which. `recipe` is the hierarchy that a policy could give it; `most_frequent` is the share of the records
    that have its most frequent value.
    """

    name: str
    kind: str
    distinct: int
    missing: int
    unique_share: float
    role: str
    reason: str
    looks_like: str = ""
    separator: str | None = None
    decimal: str = "."
    thousands: str = ""
    date_format: str | None = None
    ambiguous: bool = False
    suspicious: bool = False
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, Any] = field(default_factory=dict, hash=False)
    most_frequent: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A file at a glance; `uniqueness` pairs columns with the share of records they single out.

    `missing` are the texts that stand for missing values, `subject` is the column whose values name the
    person of a row where people have several, and `read_as` says how the file was read.
    """

    records: int
    columns: tuple[ColumnProfile, ...]
    uniqueness: tuple[tuple[tuple[str, ...], float], ...]
    missing: tuple[str, ...] = ("",)
    subject: str | None = None
    read_as: HowRead = field(default_factory=HowRead)
    notices: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Profile: {self.records:,} records, {len(self.columns):,} columns>"


@dataclass(frozen=True, slots=True)
class _Values:
    """A column as distinct texts and the text of each row; len(texts) stands for a null.

    `separator` is given if the source itself holds lists; then the texts are theirs, joined.
    """

    texts: pa.StringArray
    codes: Ints
    kind: pa.DataType
    separator: str | None = None

    def row_counts(self) -> Ints:
        """How many rows have each text."""
        counts: Ints = np.bincount(self.codes, minlength=len(self.texts) + 1)[: len(self.texts)]
        return counts


@dataclass(frozen=True, slots=True)
class CountedColumn:
    """A column of any engine: what detection sees of it, and exact counts over its rows.

    `observed` is None for a type whose values cannot be told apart, `separator` is given for lists.
    """

    name: str
    observed: Observed | None
    missing: int
    alone: int
    kind: pa.DataType
    separator: str | None = None


def profile(
    source: Any,
    options: ReadOptions = ReadOptions(),  # noqa: B008  (frozen)
    *,
    find_missing: bool = True,
) -> Profile:
    """Look at every column of a file or a frame; in Spark counts are exact, and looks are at samples.

    Args:
        source: A path, or a pandas, polars, pyarrow or Spark frame.
        options: How a file is written, as far as it is known.
        find_missing: Whether usual words for missing values count as such beside those of the options.

    Returns:
        What each column looks like, the role it could have, and how unique people are.

    Raises:
        BadInput: The source cannot be read.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> found = sh.profile(pa.table({"age": [31, 34, 36, 39], "town": ["Ulm", "Ulm", "Jena", "Jena"]}))
        >>> found
        <Profile: 4 records, 2 columns>
        >>> [(column.name, column.kind) for column in found.columns]
        [('age', 'number'), ('town', 'category')]
    """
    if is_spark_frame(source):
        from shoal.study.profile_on_spark import profile_spark

        return profile_spark(source, options)
    raw, read_as = inspect_described(source, options)
    lines = isinstance(source, str | os.PathLike) and _holds_lines(Path(source))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        encoded = pool.map(_values, raw.columns)
        values = dict(zip(raw.column_names, encoded, strict=True))
    if lines:
        values = {name: found and replace(found, separator=" ") for name, found in values.items()}
    found = _tokens_found(values) if find_missing else ()
    tokens = tuple(dict.fromkeys((*options.missing, *found)))
    known = MissingTokens.of(tokens)
    counted = [_counted(name, found, known, raw.column(name)) for name, found in values.items()]
    looks = looks_at(counted)
    columns = profiled_columns(counted, looks, raw.num_rows)
    quasi = {
        column.name: found
        for column in columns
        if column.role == "quasi" and column.kind != "set" and (found := values[column.name])
    }
    return Profile(
        records=raw.num_rows,
        columns=columns,
        uniqueness=tuple(_uniqueness(quasi)),
        missing=tokens,
        subject=subject_of(counted, looks, raw.num_rows),
        read_as=read_as,
        notices=(ONLY_YOU_KNOW,),
    )


def looks_at(counted: Sequence[CountedColumn]) -> dict[str, Look]:
    """What each column looks like; columns that can be read in two ways follow those that cannot."""
    looks = {each.name: look_at(each.observed) for each in counted if each.observed is not None}
    hints = _hints(looks.values())
    for each in counted:
        if each.observed is not None and _is_ambiguous(looks[each.name]):
            looks[each.name] = look_at(each.observed, hints)
    return looks


def profiled_columns(
    counted: Sequence[CountedColumn], looks: Mapping[str, Look], records: int
) -> tuple[ColumnProfile, ...]:
    """What each column is, from what it looks like."""
    return tuple(_column(each, looks.get(each.name), records) for each in counted)


def unique_share(raw: pa.Table, columns: Sequence[str], missing: Sequence[str]) -> float:
    """The share of the records of a table that nobody else agrees with in all of these columns."""
    unknown = [name for name in columns if name not in raw.column_names]
    if unknown or not columns:
        raise UnknownName("The file", "column", unknown[0] if unknown else "", raw.column_names)
    tokens = MissingTokens.of(tuple(missing))
    found = [_values(raw.column(name)) for name in columns]
    codes = [_without(each, tokens) for each in found if each is not None]
    return _unique_share(codes) if codes else 0.0


def _holds_lines(path: Path) -> bool:
    """Files with one set per line, by their endings."""
    return path.is_file() and content_name(path).lower().endswith((".txt", ".dat"))


def _values(column: pa.ChunkedArray) -> _Values | None:
    """None for a type whose values cannot be told apart."""
    kind = column.type
    if pa.types.is_null(kind):
        column = column.cast(pa.string())
    try:
        if pa.types.is_list(kind) or pa.types.is_large_list(kind):
            return replace(_encoded(_joined(column)), separator=" ")
        return _encoded(column)
    except (UnsupportedType, pa.ArrowNotImplementedError):
        return None


def _encoded(column: pa.ChunkedArray) -> _Values:
    encoded = (
        column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    )
    entries = encoded.chunk(0).dictionary if encoded.num_chunks else pa.array([], type=pa.string())
    indices = [chunk.indices.cast(pa.int64()).fill_null(-1) for chunk in encoded.chunks]
    places: Ints = pa.chunked_array(indices, type=pa.int64()).to_numpy()
    value_type = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    written = as_text(entries)
    texts = canonical_text(written)
    if texts.equals(written) and not texts.null_count and not pa.types.is_dictionary(column.type):
        return _Values(texts, np.where(places < 0, len(texts), places), value_type)
    distinct = texts.dictionary_encode()  # spellings of one text are one
    lookup = np.append(
        distinct.indices.fill_null(len(distinct.dictionary)).to_numpy(), len(distinct.dictionary)
    )
    return _Values(distinct.dictionary, lookup[places].astype(np.int64), value_type)


def _joined(column: pa.ChunkedArray) -> pa.ChunkedArray:
    texts = [
        pc.binary_join(pa.ListArray.from_arrays(_offsets(chunk), as_text(pc.list_flatten(chunk))), _JOINT)
        for chunk in column.chunks
    ]
    return pa.chunked_array(texts, type=pa.string())


def _offsets(lists: pa.Array) -> pa.Array:
    lengths = pc.fill_null(pc.list_value_length(lists), 0)
    return pa.array(np.concatenate(([0], np.cumsum(lengths.to_numpy(zero_copy_only=False)))), type=pa.int32())


def _tokens_found(values: Mapping[str, _Values | None]) -> list[str]:
    """Texts of the file that say that a value is missing; long ones never do."""
    found: list[str] = []
    for each in values.values():
        if each is not None and each.separator is None:
            found += missing_tokens(each.texts)
    return list(dict.fromkeys(found))


def _counted(
    name: str, values: _Values | None, missing: MissingTokens, column: pa.ChunkedArray
) -> CountedColumn:
    if values is None:
        return CountedColumn(name, None, 0, 0, column.type)
    counts = values.row_counts()
    absent = pc.is_in(values.texts, value_set=missing.texts).to_numpy(zero_copy_only=False)
    present = values.texts.filter(pa.array(~absent))
    observed = Observed.of(name, present, counts[~absent], values.kind)
    return CountedColumn(
        name,
        observed,
        missing=len(values.codes) - int(counts[~absent].sum()),
        alone=_alone(counts[~absent]),
        kind=column.type,
        separator=values.separator,
    )


def _without(values: _Values, missing: MissingTokens) -> Ints:
    absent = pc.is_in(values.texts, value_set=missing.texts).to_numpy(zero_copy_only=False)
    lookup = np.arange(len(values.texts) + 1)
    lookup[:-1][absent] = len(values.texts)
    codes: Ints = lookup[values.codes]
    return codes


def _unique_share(codes: Sequence[Ints]) -> float:
    if len(codes[0]) == 0:
        return 0.0
    class_of_row, first_rows = group_rows(np.stack(codes, axis=1))
    sizes = np.bincount(class_of_row, minlength=len(first_rows))
    return float(np.count_nonzero(sizes == 1) / len(class_of_row))


def _uniqueness(known: Mapping[str, _Values]) -> list[tuple[tuple[str, ...], float]]:
    """All columns together, then the pairs and single columns that single out most."""
    names = list(known)
    shown: list[tuple[tuple[str, ...], float]] = []
    if len(names) > 2:
        shown.append((tuple(names), _unique_share([each.codes for each in known.values()])))
    paired = sorted(names, key=lambda name: -len(known[name].texts))[: _columns_to_pair(known)]
    pairs = [
        ((one, other), _unique_pairs(known[one], known[other]))
        for one, other in itertools.combinations(sorted(paired, key=names.index), 2)
    ]
    singles = [((name,), _alone(each.row_counts()) / max(len(each.codes), 1)) for name, each in known.items()]
    shown += sorted(pairs, key=lambda entry: -entry[1])[:10]
    shown += sorted(singles, key=lambda entry: -entry[1])[:10]
    return shown


def _columns_to_pair(known: Mapping[str, _Values]) -> int:
    """How many columns can be paired in about a second; those with the most values single out most."""
    rows = max((len(each.codes) for each in known.values()), default=1)
    return max(2, min(PAIRED, int(math.sqrt(2 * ROWS_PAIRED / max(rows, 1)))))


def _unique_pairs(one: _Values, other: _Values) -> float:
    joint = np.sort(one.codes * (len(other.texts) + 1) + other.codes)
    if not len(joint):
        return 0.0
    differs = joint[1:] != joint[:-1]
    alone = np.concatenate(([True], differs)) & np.concatenate((differs, [True]))
    return float(np.count_nonzero(alone) / len(joint))


def _alone(counts: Ints) -> int:
    return int(np.count_nonzero(counts == 1))


def _is_ambiguous(look: Look) -> bool:
    numbers, dates = look.numbers, look.dates
    return bool((numbers and numbers.other) or (dates and dates.other))


def _hints(looks: Any) -> FileHints:
    """What columns that can be read in one way only say about the others."""
    certain = [look for look in looks if not _is_ambiguous(look)]
    decimals = {
        look.numbers.style.decimal
        for look in certain
        if look.numbers is not None and (look.numbers.style.thousands or not look.numbers.whole)
    }
    orders = {look.dates.order for look in certain if look.dates is not None and look.dates.order is not None}
    decimal = decimals.pop() if len(decimals) == 1 else None
    order = orders.pop() if len(orders) == 1 else None
    return FileHints(decimal, order)


def _column(counted: CountedColumn, look: Look | None, records: int) -> ColumnProfile:
    if look is None or counted.observed is None:
        reason = "no rule tells such values apart: leave the column out"
        return ColumnProfile(
            name=counted.name,
            kind=str(counted.kind),
            distinct=0,
            missing=0,
            unique_share=0.0,
            role="drop",
            reason=reason,
            looks_like=str(counted.kind),
        )
    if counted.separator is not None:
        look = Look(kind="set", looks_like="sets", separator=counted.separator)
    share = counted.alone / max(records, 1)
    role, reason = _role(counted, look, counted.observed, share)
    numbers, dates = look.numbers, look.dates
    return ColumnProfile(
        name=counted.name,
        kind="category" if role in ("identifier", "drop") else look.kind,
        distinct=counted.observed.distinct,
        missing=0 if look.kind == "set" else counted.missing,
        unique_share=share,
        role=role,
        reason=reason,
        looks_like=look.looks_like,
        separator=look.separator if role == "quasi" else None,
        decimal=numbers.style.decimal if numbers else ".",
        thousands=numbers.style.thousands if numbers else "",
        date_format=dates.format if dates else None,
        ambiguous=_is_ambiguous(look),
        suspicious=look.suspicion is not None,
        notes=tuple(_notes(look)),
        recipe=recipe_for(look, counted.observed) if role in ("quasi", "sensitive") else {},
        most_frequent=int(counted.observed.rows.max(initial=0)) / max(records, 1),
    )


def _notes(look: Look) -> list[str]:
    """What a person should look at: why a kind was taken, two readings that fit, and values that do not."""
    notes = [look.why] if look.why else []
    if look.dates is not None and look.dates.other is not None:
        notes.append(
            f"every value could also be read {look.dates.other}; it is read {look.dates.order}: say format"
            " if that is wrong"
        )
    elif look.dates is not None and look.dates.decided_by is not None:
        notes.append(f"read {look.dates.order}: other orders do not fit all values")
    if look.numbers is not None and look.numbers.other is not None:
        notes.append(
            f"every value could also be read with {look.numbers.other.in_words()}; it is read with"
            f" {look.numbers.style.in_words()}: say decimal and thousands if that is wrong"
        )
    if look.fits < 1:
        shown = ", ".join(map(repr, look.misfits))
        notes.append(f"{1 - look.fits:.1%} of the values do not fit{f', such as {shown}' if shown else ''}")
    return notes


def _role(counted: CountedColumn, look: Look, observed: Observed, unique_share: float) -> tuple[str, str]:
    if look.suspicion is not None:
        return ("drop" if look.suspicion.free_text else "identifier"), look.suspicion.in_words()
    if look.kind == "set":
        return "quasi", "a set of items that somebody could know in part"
    if look.looks_like == "categories" and unique_share > 0.9 and observed.distinct > 10:
        return "identifier", "nearly every record has a value of its own"
    if TELLING.search(counted.name):
        return "sensitive", "its name suggests something that nobody should learn about a person"
    if observed.distinct <= 1 and not counted.missing:
        return "insensitive", "all records agree"
    return "quasi", f"{look.looks_like}: could be known, and tells people apart"


def subject_of(counted: Sequence[CountedColumn], looks: Mapping[str, Look], records: int) -> str | None:
    """The column that names the person of a row, if people have several: the one that says it best.

    Namesakes are no reason where a number tells every row from the others, nor are other numbers where one
    with check digits does.
    """
    naming = [
        (suspicion.ranks_as_person, each.observed)
        for each in counted
        if each.observed is not None
        and each.separator is None
        and (suspicion := looks[each.name].suspicion) is not None
        and each.missing <= _SUBJECT_MISSES * records
        and each.observed.distinct > 1
    ]
    repeating = [(rank, column) for rank, column in naming if column.repeats >= _REPEATS and rank >= NAME]
    for certain in (PROVEN, NAME + 1):
        if _has(naming, certain) and not _has(repeating, certain):
            return None
    people = [(rank, column) for rank, column in repeating if rank > NAME or column.distinct >= _MANY_NAMES]
    best = max(people, key=_tells_people_apart, default=None)
    return best[1].name if best else None


def _tells_people_apart(naming: tuple[int, Observed]) -> tuple[int, int, int]:
    """How well: a number of people, then as many as there are, and rather one of the publisher's own."""
    rank, column = naming
    return min(rank, PROVEN - 1), column.distinct, -rank


def _has(naming: Sequence[tuple[int, Observed]], rank: int) -> bool:
    """Whether a column names people as well as that or better."""
    return any(each >= rank for each, _ in naming)
