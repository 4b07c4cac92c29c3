"""What is asked of a column of a release: groups of its values, named as the release names them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from shoal.errors import BadInput, InvalidParameter, Problem, UnknownName
from shoal.kernels.arrays import Floats, Ints
from shoal.recoding.label_cover import Cover, CoverForm, number_of, range_cover
from shoal.study.label_atoms import on_a_line, spans_of
from shoal.study.open_release import OpenedRelease
from shoal.table.arrow_form import numbers_told, text_column, typed_column
from shoal.table.columns import Column, Kind, Sets

_DAY = re.compile(r"\d{4}-\d\d-\d\d.*")
Bands = Mapping[str, Sequence[float | str]]


@dataclass(frozen=True, slots=True)
class PlainTexts:
    """Values of a column that is published as it is, each as it is written; "" is a missing one."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CoverGroups:
    """Values or items of which each group has those that its cover has."""

    names: tuple[str, ...]
    covers: tuple[Cover, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RangeGroups:
    """Numbers or days from `lows` on and before `behind`."""

    names: tuple[str, ...]
    lows: Floats
    behind: Floats


Groups = PlainTexts | CoverGroups | RangeGroups


def groups_of_values(release: OpenedRelease, name: str, wanted: Sequence[str]) -> Groups:
    """One group for each value, range or item that somebody names."""
    refuse_unknown(release, name)
    if name not in release.quasi:
        return _groups_as_they_are(release, name, wanted)
    covers = tuple(_wanted_cover(release, name, text) for text in wanted)
    if release.atoms[name].are_named:
        return CoverGroups(tuple(wanted), covers)
    return _pieces(tuple(wanted), covers, whole=release.atoms[name].whole)


def groups_of_table(release: OpenedRelease, name: str, ends: Sequence[float | str] | None) -> Groups:
    """The groups that a table has for a column: its values, bands, or the coarsest labels."""
    refuse_unknown(release, name)
    if isinstance(release.table.column(name), Sets):
        what = "holds sets, which tables are not grouped by"
        raise BadInput(Problem(what, "ask for items with where", column=name))
    column = release.table.column(name)
    is_line = (
        numbers_of(column) is not None if name not in release.quasi else not release.atoms[name].are_named
    )
    if ends is not None and not is_line:
        raise BadInput(Problem("has no numbers or dates to make bands of", "leave them out", column=name))
    if name not in release.quasi and ends is None:
        return PlainTexts(tuple(sorted(written(column)[0])))
    if not is_line:
        return all_values(release, name)
    edges = _edges(release, name, ends)
    names = tuple(_band_name(release, name, *pair) for pair in pairwise(edges))
    return RangeGroups(names, np.array(edges[:-1]), np.array(edges[1:]))


def all_values(release: OpenedRelease, name: str) -> CoverGroups:
    """One group for each value or item that readers know of."""
    values = release.atoms[name].values
    return CoverGroups(values, tuple(_atom_cover(release, name, value) for value in values))


def ends_of_bands(text: str) -> list[float | str]:
    """The ends of bands as people write them, such as 20, 40, 60: numbers, or days; BadInput for others."""
    parts = re.split(r"[,\s]+", text.strip())
    try:
        ends = [part if "-" in part.lstrip("-") else float(part) for part in parts]
        for end in ends:
            on_a_line(end)
    except ValueError as error:
        remedy = "write them as in 20, 40, 60 or 2020-01-01, 2021-01-01"
        raise BadInput(Problem(f"{text!r} are no ends of bands", remedy)) from error
    return ends


def written(column: Column) -> tuple[list[str], Ints]:
    """The different values of a column as written, "" for a missing one, and which each record has."""
    texts = text_column(column, 0, len(column))
    texts = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    encoded = texts.fill_null("").dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64)


def numbers_of(column: Column) -> Floats | None:
    """The values of a column as numbers or days, NaN for missing ones; None if they are neither."""
    return None if isinstance(column, Sets) else numbers_told(_values(column))


def _values(column: Column) -> pa.Array:
    values = typed_column(column, 0, len(column))
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def refuse_unknown(release: OpenedRelease, name: str) -> None:
    """Refuse a column that the release does not have."""
    if name not in release.table.columns:
        raise UnknownName("the release", "column", name, release.table.columns)


def _groups_as_they_are(release: OpenedRelease, name: str, wanted: Sequence[str]) -> Groups:
    """Of a column that is published as it is: values as they are written, else ranges of numbers or days."""
    column = release.table.column(name)
    numbers = numbers_of(column)
    if numbers is None or set(wanted) <= {*written(column)[0]}:
        return PlainTexts(tuple(wanted))
    covers = [range_cover(text, _kind(release, name)) for text in wanted]
    known = [cover for cover in covers if cover is not None]
    return (
        _pieces(tuple(wanted), known, whole=False) if len(known) == len(covers) else PlainTexts(tuple(wanted))
    )


def _kind(release: OpenedRelease, name: str) -> Kind:
    """What the values of a column on a line are."""
    if name in release.quasi:
        return release.codebook.columns[name].kind
    values = written(release.table.column(name))[0]
    return Kind.DATE if _DAY.fullmatch(next(filter(None, values), "")) else Kind.NUMBER


def _pieces(names: tuple[str, ...], covers: Sequence[Cover], *, whole: bool) -> RangeGroups:
    lows, highs = spans_of(covers)
    half_open = np.array([not cover.includes_upper for cover in covers])
    behind = highs + 1 if whole else np.where(half_open, highs, np.nextafter(highs, np.inf))
    return RangeGroups(names, lows, behind)


def _wanted_cover(release: OpenedRelease, name: str, text: str) -> Cover:
    """What somebody asks for: a label of the file, a range, or a value."""
    book = release.codebook.columns[name]
    if text in book.covers:
        return book.covers[text]
    number = number_of(text, book.kind)
    if number is not None or book.kind is Kind.CATEGORY:
        return Cover(CoverForm.VALUE, number, number, text=text)
    whole = release.atoms[name].whole
    if (found := range_cover(text, book.kind, whole=whole)) is not None:
        return found
    what = f"{text!r} is no label, {book.kind} or range of the column"
    raise BadInput(Problem(what, "write a value, or a range such as 30-39", column=name))


def _atom_cover(release: OpenedRelease, name: str, value: str) -> Cover:
    book = release.codebook.columns[name]
    number = number_of(value, book.kind)
    return book.covers.get(value) or Cover(CoverForm.VALUE, number, number, text=value)


def _edges(release: OpenedRelease, name: str, ends: Sequence[float | str] | None) -> list[float]:
    if ends is not None:
        if len(ends) < 2:
            raise InvalidParameter("count", "bands", list(ends), "two ends or more")
        found = [on_a_line(end) for end in ends]
        if found != sorted(set(found)):
            raise InvalidParameter("count", "bands", list(ends), "ends that ascend")
        return found
    atoms = release.atoms[name]
    lows, highs = atoms.lows, atoms.highs
    if not atoms.whole:  # labels may overlap as they like
        return sorted({float(lows.min()), float(highs.max())})
    spans = [release.codebook.columns[name].covers[label] for label in release.label_texts(name)]
    low, high = spans_of([cover for cover in spans if cover.form is not CoverForm.EVERYTHING])
    inside = [edge for edge in lows.tolist() if not ((low < edge) & (edge < high + 1)).any()]
    return sorted({*inside, float(lows.min()), float(highs.max())})


def _band_name(release: OpenedRelease, name: str, low: float, high: float) -> str:
    whole = name in release.quasi and release.atoms[name].whole
    if _kind(release, name) is Kind.DATE:
        first, last = (str(np.datetime64(int(day), "D")) for day in (low, high - 1))
        return f"[{first}, {last}]"
    return f"{low:.15g}-{high - 1:.15g}" if whole else f"[{low:.15g}, {high:.15g})"
