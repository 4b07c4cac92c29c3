"""A release as its readers need it: from the published file and its codebook, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.kernels.arrays import Floats, Ints, Items, owners, starts_of
from shoal.policy.output_names import CODEBOOK
from shoal.report.certified import PSEUDONYM
from shoal.report.codebook import QUASI, Codebook, ColumnBook
from shoal.run.codebook_check import read_embedded
from shoal.run.published_file import AS_PUBLISHED
from shoal.run.release_codebook import read_json, stated_dialect
from shoal.study.coarsest_labels import coarsest_labels
from shoal.study.imputation import (
    Imputed,
    draw_alone,
    draw_together,
    features_of_told,
    final_values,
    line_candidates,
    named_candidates,
)
from shoal.study.label_atoms import Atoms, atoms_of, spans_of
from shoal.study.labels_at_levels import labels_at_levels
from shoal.table.arrow_form import typed_column
from shoal.table.beside import embedded_codebook
from shoal.table.columns import Carried, Coded, Kind, Sets, Table, code_counts
from shoal.table.dialect import PLAIN, Dialect
from shoal.table.frames import in_kind
from shoal.table.reading import read_published
from shoal.table.roles import Identifier, Insensitive, Quasi, QuasiSet, Role, Sensitive

Library = Literal["pandas", "polars", "pyarrow"]
MOST_COLUMNS = 5_000
_Columns = dict[str, pa.Array]


def open_release(folder_or_file: str | os.PathLike[str], *, library: Library = "pandas") -> OpenedRelease:
    """Open a release by its folder, or by its published file with the codebook beside it or in its metadata.

    Disassociated files have no rows to open: see `reconstruct`.

    Args:
        folder_or_file: The folder, or the published file.
        library: The library whose frames are given.

    Returns:
        The release, which gives its rows as labels, bounds, midpoints, probabilities or possible originals.

    Raises:
        BadInput: There is no codebook, it cannot be read, or it does not explain a label of the file.
        InvalidParameter: The library is not known.

    Examples:
        >>> import tempfile
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> data = sh.read(pa.table({"age": [31, 34, 36]}), {"age": sh.Quasi(hierarchy=sh.ranges(10))})
        >>> result = sh.anonymize(data, sh.KAnonymity(k=3), algorithm="mondrian")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     opened = sh.open_release(result.save(f"{folder}/release"), library="pyarrow")
        >>> opened
        <OpenedRelease: published.csv, 3 records>
        >>> opened.bounds().to_pylist()[0]
        {'age_lower': 30.0, 'age_upper': 39.0}
    """
    if library not in ("pandas", "polars", "pyarrow"):
        raise InvalidParameter("open_release", "library", library, "'pandas', 'polars' or 'pyarrow'")
    given = Path(folder_or_file)
    if not given.exists():
        raise BadInput(Problem("does not exist", "check the path", file=str(given)))
    beside = given / CODEBOOK if given.is_dir() else given.with_name(CODEBOOK)
    embedded = None if beside.is_file() or given.is_dir() else embedded_codebook(given)
    if embedded is not None:
        content, codebook = read_embedded(embedded, str(given))
    elif beside.is_file():
        content = read_json(beside)
        codebook = Codebook.from_json(content, str(beside))
    else:
        what = "there is no codebook.json, so nobody knows what the labels stand for"
        raise BadInput(Problem(what, "name the folder of a release", file=str(given)))
    file = beside.with_name(str(content.get("file"))) if given.is_dir() else given
    roles = {name: _role(book) for name, book in codebook.columns.items()}
    dialect = stated_dialect(content, str(beside))
    table = read_published(file, roles, AS_PUBLISHED, dialect).table
    _refuse_unexplained(table, codebook)
    return OpenedRelease(file, table, codebook, library, dialect)


def _role(book: ColumnBook) -> Role:
    if book.role == QUASI:
        return QuasiSet(separator=book.separator) if book.separator is not None else Quasi()
    if book.role == PSEUDONYM:
        return Identifier(pseudonym=True)
    return Sensitive(kind=book.kind) if book.role == "sensitive" else Insensitive(confirm=True)


def _refuse_unexplained(table: Table, codebook: Codebook) -> None:
    problems = []
    for name, book in codebook.columns.items():
        column = table.columns.get(name)
        if book.role == QUASI and isinstance(column, Coded | Sets):
            unknown = [label for label in column.domain.texts() if label not in book.covers]
            problems += [
                Problem("has no entry in the codebook", "run shoal verify", column=name, value=label)
                for label in unknown[:5]
            ]
    if problems:
        raise BadInput(*problems)


@dataclass(frozen=True, eq=False)
class OpenedRelease:
    """A published table and its codebook; `sh.open_release` gives it.

    All frames have one row per published record, in the order of the file; sensitive and insensitive columns
    are in them as they are.

    Args:
        file: The published file.
        table: What it holds.
        codebook: What its labels stand for.
        library: The library whose frames are given.
        dialect: How the file is written, if it is delimited text.

    Examples:
        >>> import tempfile
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> data = sh.read(pa.table({"age": [31, 34]}), {"age": sh.Quasi(hierarchy=sh.ranges(10))})
        >>> result = sh.anonymize(data, sh.KAnonymity(k=2), algorithm="mondrian")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     opened = sh.open_release(result.save(f"{folder}/release"), library="pyarrow")
        >>> opened.midpoints().to_pylist()
        [{'age': 34.5}, {'age': 34.5}]
    """

    file: Path
    table: Table
    codebook: Codebook
    library: Library = "pandas"
    dialect: Dialect = PLAIN

    def __repr__(self) -> str:
        return f"<OpenedRelease: {self.file.name}, {self.table.row_count:,} records>"

    def labels(self) -> Any:
        """The labels as they are published; sets are lists of labels."""
        return self._frame(self.label_columns())

    def bounds(self) -> Any:
        """Two columns for each number or date, such as `age_lower` and `age_upper`; other columns as labels.

        No bound is null. An upper bound of a half-open range is not inside: see `intervals`.
        """
        return self._frame(self.bound_columns())

    def midpoints(self) -> Any:
        """Numbers and dates in the middle of what their label covers, other columns as labels.

        Where a label has no bound, the outermost bound of the column takes its place.
        """
        return self._frame(self.midpoint_columns())

    def intervals(self) -> Any:
        """Numbers and dates as intervals, other labels as categories, each with its level, as in `age_level`.

        In pandas intervals are categories of `Interval`; elsewhere structures of `lower`, `upper` and
        `includes_upper`.
        """
        if self.library == "pandas":
            return self._pandas_intervals()
        return self._frame(self._each(self._interval_columns))

    def levels(self) -> Any:
        """Each label as the coarsest one of its column that it lies in, so that a pivot table counts right.

        What covers everything stays as it is; ranges that overlap become one. Where labels are nodes of a
        tree there is also a column for each level below its root, such as `age_level_1`: what a label lies in
        there, missing if it is coarser. Of sets, labels that are coarser are left out.
        """
        return self._frame(self.level_columns())

    def one_hot(self) -> Any:
        """One column of probabilities for each value, such as `sex=Female`; numbers and dates as midpoints.

        A label is shared out among what it covers, three quarters of it evenly and one by how often each
        value seems to occur. Of a set it is the probability that an item is held.
        """
        return self._frame(self.probability_columns())

    def imputed(self, copies: int = 5, seed: int | None = None) -> Iterator[Any]:
        """Possible originals, drawn one after the other: each value at random from what its label covers.

        How frequent values are is estimated anew for each copy from a sample of the labels, and the columns
        are drawn together (`study.imputation`), so that results differ between copies as much as they are
        uncertain. `combine` makes one result of those of all copies.
        """
        if type(copies) is not int or copies < 1:
            raise InvalidParameter("imputed", "copies", copies, "an integer of 1 or more")
        rng = np.random.default_rng(seed)
        return (self._frame(self.imputed_columns(rng)) for _ in range(copies))

    def count(
        self,
        where: Mapping[str, str | Sequence[str]] | None = None,
        by: str | Sequence[str] = (),
        bands: Mapping[str, Sequence[float | str]] | None = None,
        original: Any = None,
    ) -> Any:
        """How many records there are: `lower` for certain, `expected`, `upper` at most.

        `where` names for a column a value, several of which one counts, or a range such as 30-39; for a set
        the items that are all held. With `by` there is a row for each value of up to three columns; numbers
        and dates are grouped by `bands`, the ends of which begin the next one, or by the coarsest labels.
        With the `original`, as `sh.read` gave it or as a frame or file with its columns, there are also
        `true` and `error`: |expected - true| / max(true, 1).
        """
        from shoal.study.count import count
        from shoal.study.true_counts import OriginalRecords

        truth = None if original is None else OriginalRecords.of(original, self.codebook)
        return self._frame(count(self, where, (by,) if isinstance(by, str) else by, bands, truth).columns())

    def label_columns(self) -> _Columns:
        """The columns of `labels`."""
        return {name: self._as_it_is(name) for name in self.table.columns}

    def bound_columns(self) -> _Columns:
        """The columns of `bounds`."""
        return self._each(self._bounds)

    def midpoint_columns(self) -> _Columns:
        """The columns of `midpoints`."""
        return self._each(self._midpoints)

    def level_columns(self) -> _Columns:
        """The columns of `levels`."""
        return self._each(self._by_level)

    def probability_columns(self) -> _Columns:
        """The columns of `one_hot`."""
        return self._each(
            lambda name: self._midpoints(name) if self._is_line(name) else self._probabilities(name)
        )

    def imputed_columns(self, rng: np.random.Generator) -> _Columns:
        """The columns of one copy of `imputed`."""
        drawn = {name: self._drawn_alone(name, rng) for name in self._single}
        told = [features for name in self.table.columns if (features := self._told(name)) is not None]
        draw_together(list(drawn.values()), told, rng)
        return self._each(
            lambda name: {
                name: self._values_of(name, drawn[name], rng)
                if name in drawn
                else self._drawn_sets(name, rng)
            }
        )

    @cached_property
    def quasi(self) -> tuple[str, ...]:
        """The columns that hold labels."""
        return tuple(name for name, book in self.codebook.columns.items() if book.role == QUASI)

    @cached_property
    def atoms(self) -> Mapping[str, Atoms]:
        """What the labels of each column tell apart."""
        return {name: atoms_of(self.codebook.columns[name], self.label_texts(name)) for name in self.quasi}

    def label_texts(self, name: str) -> list[str]:
        """The labels of a column by code."""
        return self._coded(name).domain.texts()

    def label_counts(self, name: str) -> Ints:
        """How often each label of a column occurs."""
        column = self._coded(name)
        return code_counts(column)[: len(column.domain)]

    def _coded(self, name: str) -> Coded | Sets:
        column = self.table.column(name)
        if isinstance(column, Carried):
            raise TypeError(f"column {name!r} has no labels")
        return column

    def _frame(self, columns: _Columns) -> Any:
        return in_kind(pa.table(columns), None if self.library == "pyarrow" else self.library)

    def _each(self, of_labels: Callable[[str], _Columns]) -> _Columns:
        """New columns for those that hold labels, the others as they are; no two may have one name."""
        found: _Columns = {}
        for name in self.table.columns:
            more = of_labels(name) if name in self.quasi else {name: self._as_it_is(name)}
            if taken := sorted(found.keys() & more):
                what = f"two columns would be called {taken[0]!r}"
                raise BadInput(Problem(what, "rename the column of the published file", column=name))
            found |= more
        if len(found) > MOST_COLUMNS:
            what = f"there would be {len(found)} columns, and at most {MOST_COLUMNS} are made"
            raise BadInput(Problem(what, "take midpoints or levels instead"))
        return found

    def _as_it_is(self, name: str) -> pa.Array:
        column = typed_column(self.table.column(name), 0, self.table.row_count)
        return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column

    def _is_line(self, name: str) -> bool:
        return not self.codebook.columns[name].is_set and not self.atoms[name].are_named

    def _of_rows(self, name: str, of_labels: Floats, kind: Kind) -> pa.Array:
        """A number for each label as one for each row, null where it is none."""
        column = self.table.coded(name)
        values = np.append(of_labels, np.nan)[column.codes]
        is_none = ~np.isfinite(values)
        if kind is Kind.DATE:
            days = np.floor(np.where(is_none, 0, values)).astype("datetime64[D]")
            return pa.array(days, mask=is_none).cast(pa.date32())
        return pa.array(values, mask=is_none)

    def _spans(self, name: str) -> tuple[Floats, Floats]:
        book = self.codebook.columns[name]
        return spans_of([book.covers[label] for label in self.label_texts(name)])

    def _bounds(self, name: str) -> _Columns:
        kind = self.codebook.columns[name].kind
        if kind is Kind.CATEGORY or self.codebook.columns[name].is_set:
            return {name: self._as_it_is(name)}
        ends = zip(("lower", "upper"), self._spans(name), strict=True)
        return {f"{name}_{end}": self._of_rows(name, numbers, kind) for end, numbers in ends}

    def _midpoints(self, name: str) -> _Columns:
        kind = self.codebook.columns[name].kind
        if kind is Kind.CATEGORY or self.codebook.columns[name].is_set:
            return {name: self._as_it_is(name)}
        lower, upper = self._spans(name)
        finite = np.concatenate((lower, upper))
        finite = finite[np.isfinite(finite)]
        if len(finite):
            lower, upper = np.maximum(lower, finite.min()), np.minimum(upper, finite.max())
        return {name: self._of_rows(name, _middle(lower, upper), kind)}

    def _interval_columns(self, name: str) -> _Columns:
        book = self.codebook.columns[name]
        if book.is_set:
            return {name: self._as_it_is(name)}
        if book.kind is Kind.CATEGORY:
            return {name: self._as_it_is(name).dictionary_encode(), f"{name}_level": self._levels(name)}
        lower, upper = (self._of_rows(name, ends, book.kind) for ends in self._spans(name))
        texts = self.label_texts(name)
        inside = pa.array([*(book.covers[label].includes_upper for label in texts), None])
        interval = [lower, upper, inside.take(pa.array(self.table.coded(name).codes))]
        struct = pa.StructArray.from_arrays(interval, ["lower", "upper", "includes_upper"])
        return {name: struct, f"{name}_level": self._levels(name)}

    def _levels(self, name: str) -> pa.Array:
        levels = self.codebook.columns[name].levels
        of_labels = pa.array([*(levels[label] for label in self.label_texts(name)), None], type=pa.int64())
        return of_labels.take(pa.array(self.table.coded(name).codes))

    def _pandas_intervals(self) -> Any:
        import pandas as pd

        frame = self._frame(self._each(self._interval_columns))
        for name in self.quasi:
            book = self.codebook.columns[name]
            if not book.is_set and book.kind is not Kind.CATEGORY:
                codes = self.table.coded(name).codes
                intervals = self._intervals_of_labels(name)
                distinct = list(dict.fromkeys(each for each in intervals if each is not None))
                place_of = {each: place for place, each in enumerate(distinct)}
                places = np.array([*(place_of.get(each, -1) for each in intervals), -1])
                categories = pd.Index(distinct, dtype=object)
                frame[name] = pd.Categorical.from_codes(places[codes], categories=categories)
        return frame

    def _intervals_of_labels(self, name: str) -> list[Any]:
        """An interval of pandas for each label, None where it has no bound at all."""
        import pandas as pd

        book = self.codebook.columns[name]
        lower, upper = self._spans(name)
        days = book.kind is Kind.DATE
        found: list[Any] = []
        for label, low, high in zip(self.label_texts(name), lower.tolist(), upper.tolist(), strict=True):
            closed: Any = "both" if book.covers[label].includes_upper else "left"
            if np.isinf(low) and np.isinf(high):
                found.append(None)
            elif days:
                found.append(pd.Interval(pd.Timestamp(low, unit="D"), pd.Timestamp(high, unit="D"), closed))
            else:
                found.append(pd.Interval(low, high, closed))
        return found

    def _by_level(self, name: str) -> _Columns:
        book, labels = self.codebook.columns[name], self.label_texts(name)
        levels = enumerate(labels_at_levels(book, labels))
        found = {name: self._relabelled(name, coarsest_labels(book, labels))}
        return found | {f"{name}_level_{level}": self._relabelled(name, texts) for level, texts in levels}

    def _relabelled(self, name: str, texts: Sequence[str | None]) -> pa.Array:
        """A column with other texts for its labels; of a set, labels without one are left out."""
        column = self._coded(name)
        if isinstance(column, Coded):
            return pa.array([*texts, None], type=pa.string()).take(pa.array(column.codes))
        kept = np.array([text is not None for text in texts], dtype=np.bool_)[column.narrow]
        starts = starts_of(np.bincount(owners(column.starts)[kept], minlength=len(column)))
        values = pa.array(texts, type=pa.string()).take(pa.array(column.narrow[kept]))
        return pa.LargeListArray.from_arrays(pa.array(starts), values)

    def _probabilities(self, name: str) -> _Columns:
        atoms, counts = self.atoms[name], self.label_counts(name)
        if len(atoms.values) > MOST_COLUMNS:
            what = f"has {len(atoms.values)} values, and at most {MOST_COLUMNS} columns are made"
            raise BadInput(Problem(what, "take midpoints or levels instead", column=name))
        of_labels = np.zeros((len(counts) + 1, len(atoms.values)))  # a missing value is none of them
        of_labels[owners(atoms.covered.starts), atoms.covered.items] = atoms.shares(counts)
        column = self._coded(name)
        if isinstance(column, Coded):
            of_rows = of_labels[column.codes]
        else:
            of_rows = np.ones((len(column), len(atoms.values)))
            np.multiply.at(of_rows, owners(column.starts), 1 - of_labels[column.narrow])
            of_rows = 1 - of_rows
        return {f"{name}={value}": pa.array(of_rows[:, place]) for place, value in enumerate(atoms.values)}

    @cached_property
    def _single(self) -> tuple[str, ...]:
        """The columns that hold one label for each record."""
        return tuple(name for name in self.quasi if not self.codebook.columns[name].is_set)

    def _told(self, name: str) -> Floats | None:
        """What a column that is published as it is tells about the others."""
        if self.codebook.columns[name].role not in ("sensitive", "insensitive"):
            return None
        return features_of_told(self._as_it_is(name))

    def _sampled_shares(self, name: str, rng: np.random.Generator) -> Floats:
        """How likely a label stands for each of its atoms, as a sample of the labels says it."""
        counts = self.label_counts(name)
        return self.atoms[name].shares(rng.multinomial(int(counts.sum()), counts / max(1, counts.sum())))

    def _drawn_alone(self, name: str, rng: np.random.Generator) -> Imputed:
        atoms, codes = self.atoms[name], self.table.coded(name).codes
        if atoms.are_named:
            candidates = named_candidates(atoms, self._sampled_shares(name, rng))
            return draw_alone(codes, candidates, is_line=False, rng=rng)
        lows, highs = self._spans(name)
        candidates = line_candidates(lows, highs + 1 if atoms.whole else highs, whole=atoms.whole)
        return draw_alone(codes, candidates, is_line=True, rng=rng)

    def _drawn_sets(self, name: str, rng: np.random.Generator) -> pa.Array:
        atoms, column = self.atoms[name], self.table.sets(name)
        steps = np.cumsum(self._sampled_shares(name, rng))
        drawn = _drawn_atoms(atoms, steps, column.arrays.items, rng)
        items = pa.array(atoms.values, type=pa.string()).take(pa.array(drawn))
        return pa.LargeListArray.from_arrays(pa.array(column.starts), items)

    def _values_of(self, name: str, column: Imputed, rng: np.random.Generator) -> pa.Array:
        atoms, missing = self.atoms[name], column.labels >= len(self.label_texts(name))
        if atoms.are_named:
            places = np.where(missing, 0, column.places).astype(np.int64)
            return self._named(name, atoms, places, missing)
        missing |= np.isnan(column.places)  # a column of which nothing at all is told
        values = np.where(missing, 0, final_values(column, rng, whole=atoms.whole))
        if self.codebook.columns[name].kind is Kind.DATE:
            return pa.array(np.floor(values).astype("datetime64[D]"), mask=missing).cast(pa.date32())
        return pa.array(values.astype(np.int64) if atoms.whole else values, mask=missing)

    def _named(self, name: str, atoms: Atoms, drawn: Ints, missing: Any) -> pa.Array:
        if self.codebook.columns[name].kind is Kind.NUMBER:
            return pa.array(atoms.lows[drawn], mask=missing | np.isnan(atoms.lows[drawn]))
        places = pa.array(np.where(missing, 0, drawn), mask=missing)
        return pa.array(atoms.values, type=pa.string()).take(places)


def _drawn_atoms(atoms: Atoms, steps: Floats, codes: Items, rng: np.random.Generator) -> Items:
    """One atom for each code, by the shares of its label, whose running sums are `steps`."""
    starts = atoms.covered.starts
    before = np.where(starts[codes] > 0, steps[starts[codes] - 1], 0.0)
    behind = steps[starts[codes + 1] - 1]
    places = np.searchsorted(steps, before + rng.random(len(codes)) * (behind - before), side="right")
    return atoms.covered.items[np.clip(places, starts[codes], starts[codes + 1] - 1)]


def _middle(lower: Floats, upper: Floats) -> Floats:
    with np.errstate(invalid="ignore"):  # no bound at all has no middle
        middle: Floats = (lower + upper) / 2
    return middle


def columns_of(release: OpenedRelease, form: str, *, seed: int | None = None, copies: int = 5) -> _Columns:
    """The columns of a form by its name; copies of imputed values one below the other, numbered."""
    forms: Mapping[str, Callable[[], _Columns]] = {
        "labels": release.label_columns,
        "bounds": release.bound_columns,
        "midpoints": release.midpoint_columns,
        "levels": release.level_columns,
        "one-hot": release.probability_columns,
    }
    if form != "imputed":
        return forms[form]()
    rng = np.random.default_rng(seed)
    drawn: Sequence[_Columns] = [release.imputed_columns(rng) for _ in range(copies)]
    numbers = np.repeat(np.arange(1, copies + 1), release.table.row_count)
    return {"copy": pa.array(numbers)} | {
        name: pa.concat_arrays([copy[name] for copy in drawn]) for name in drawn[0]
    }
