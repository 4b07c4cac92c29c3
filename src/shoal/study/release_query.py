"""Questions to any release, answered from the published file and its codebook alone."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.metrics.answers import Answer
from shoal.policy.output_names import CODEBOOK
from shoal.report.codebook import Codebook
from shoal.run.prepare import Data
from shoal.run.release_codebook import read_json
from shoal.run.result import Result
from shoal.study.count import Where, count
from shoal.study.count_groups import Bands
from shoal.study.open_release import Library, OpenedRelease, open_release
from shoal.study.reconstruct import query as supports_of_terms
from shoal.study.true_counts import OriginalRecords
from shoal.table.parts import parts_of

_Path = str | os.PathLike[str]
_LONGEST_BEGINNING = 20


def query(
    release: _Path | Result,
    *itemsets: Sequence[str],
    where: Where | None = None,
    by: str | Sequence[str] = (),
    bands: Bands | None = None,
    library: Library | None = None,
    original: Any = None,
) -> Any:
    """How many records have certain values or hold certain items: no fewer, as expected, no more.

    The answer is made from the published file and its codebook alone; beside it stands the true count if the
    original is given.

    Args:
        release: The folder of a release, its published file, or the result of a run; what is disassociated
            is asked for itemsets.
        *itemsets: Lists of items that a record holds all of.
        where: For a column a value, several of which one counts, or a range such as 30-39.
        by: Up to three columns, for each value of which there is a row.
        bands: The ends of bands by which numbers and dates are grouped.
        library: The library whose frame is given; without it polars for the result of a polars frame, and
            pandas for all others.
        original: The data of the release as `sh.read` gave them, such as `result.data`, or a frame or file
            that holds its columns.

    Returns:
        An answer for each itemset; with `where` or `by` a frame with `lower`, `expected` and `upper`: see
        `OpenedRelease.count`. With the original also `true` and the relative `error` of what is expected,
        |expected - true| / max(true, 1).

    Raises:
        BadInput: The release or the original cannot be read, or itemsets could be of several columns.
        UnknownName: A column is not in the release, or a value neither in the original nor in its hierarchy.
        InvalidParameter: Nothing is asked, or itemsets are asked for beside `where` and `by`.

    Examples:
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> data = sh.read(pa.table({"age": [31, 34, 52, 57]}), {"age": sh.Quasi(hierarchy=sh.ranges(10))})
        >>> result = sh.anonymize(data, sh.KAnonymity(k=2), algorithm="mondrian")
        >>> print(sh.query(result, where={"age": "30-39"}).to_string(index=False))
         lower  expected  upper
             2       2.0      2
        >>> print(sh.query(result, where={"age": "31"}, original=data).to_string(index=False))
         lower  expected  upper  true  error
             0       0.2      2     1    0.8
    """
    if (where or by) and itemsets:
        raise InvalidParameter("query", "itemsets", itemsets, "left out beside `where` and `by`: use `where`")
    if isinstance(release, Result):  # answered from what readers would have, and nothing else
        own: Library = "polars" if release.data.loaded.source.library == "polars" else "pandas"
        with tempfile.TemporaryDirectory(prefix="shoal-query-") as folder:
            saved = release.save(Path(folder, "release"))
            kind = library or own
            return query(saved, *itemsets, where=where, by=by, bands=bands, library=kind, original=original)
    if not (where or by):
        return supports(release, *itemsets, original=original)
    return open_release(release, library=library or "pandas").count(where, by, bands, original)


def supports(release: _Path, *itemsets: Sequence[str], original: Any = None) -> tuple[Answer, ...]:
    """How many records hold each itemset, in a disassociated file or the only set column of a table."""
    path = Path(release)
    if not has_codebook(path) or not _is_table(path):
        answers = supports_of_terms(published_file(path), *itemsets)
        return answers if original is None else beside_truth(answers, _original_of_clusters(path, original))
    if not itemsets or any(isinstance(itemset, str) for itemset in itemsets):
        raise InvalidParameter("query", "itemsets", itemsets, "one list of items or more")
    opened = open_release(path)
    name = only_set_column(opened)
    truth = None if original is None else OriginalRecords.of(original, opened.codebook)
    return tuple(_support(opened, name, itemset, truth) for itemset in itemsets)


def beside_truth(answers: Sequence[Answer], original: OriginalRecords) -> tuple[Answer, ...]:
    """Answers about the only sets of the original, with their true counts."""
    name = original.only_sets()
    return tuple(replace(answer, true=original.support(name, answer.itemset)) for answer in answers)


def _original_of_clusters(path: Path, original: Any) -> OriginalRecords:
    if not has_codebook(path) and not isinstance(original, Data):
        what = "without codebook.json beside the file nobody knows the columns of its original"
        raise BadInput(Problem(what, "give the data that sh.read makes", file=str(path)))
    if not has_codebook(path):
        return OriginalRecords(original.original, original.local.trees, {})
    file = path / CODEBOOK if path.is_dir() else path.with_name(CODEBOOK)
    return OriginalRecords.of(original, Codebook.from_json(read_json(file), str(file)))


def only_set_column(opened: OpenedRelease) -> str:
    """The column that itemsets are about."""
    sets = [name for name, book in opened.codebook.columns.items() if book.is_set]
    if len(sets) != 1:
        what = f"an itemset is of one set column, and there are {len(sets)}"
        raise BadInput(Problem(what, "name the column: where={column: items}"))
    return sets[0]


def has_codebook(path: Path) -> bool:
    """Whether there is a codebook with a release that is named by its folder or file."""
    return (path / CODEBOOK if path.is_dir() else path.with_name(CODEBOOK)).is_file()


def published_file(path: Path) -> Path:
    """The published file of a release that is named by its folder or file."""
    if not path.is_dir() or not has_codebook(path):
        return path
    return path / str(read_json(path / CODEBOOK).get("file"))


def _is_table(path: Path) -> bool:
    """Whether a release with a codebook has rows; lines of clusters say how many records each has."""
    return not any(map(_begins_with_a_cluster, parts_of(published_file(path))))


def _begins_with_a_cluster(file: Path) -> bool:
    with file.open("rb") as lines:
        return lines.readline(_LONGEST_BEGINNING).startswith(b'{"size":')


def _support(
    opened: OpenedRelease, name: str, itemset: Sequence[str], original: OriginalRecords | None
) -> Answer:
    found = count(opened, {name: itemset}, original=original)
    bounds = found.lower[0], found.expected[0], found.upper[0]
    true = None if found.true is None else found.true[0]
    return Answer(tuple(itemset), *bounds, opened.table.row_count, true=true)
