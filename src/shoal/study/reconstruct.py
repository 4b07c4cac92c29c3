"""What readers of a disassociated file can do with it: draw possible originals, and ask for supports."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import BadInput, InvalidParameter, Problem
from shoal.metrics.answers import Answer, support_of
from shoal.policy.output_names import MARK
from shoal.privacy.disassociation import refuse_inconsistent
from shoal.progress import Progress, Silent
from shoal.recoding import reconstruction
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.disassociated_file import read_clusters
from shoal.run.output import folder_that_appears_whole
from shoal.table.arrow_form import to_arrow
from shoal.table.columns import Sets, Table
from shoal.table.set_lines import ITEMS
from shoal.table.writing import write_table


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """One possible original: every record is a set of terms."""

    sets: Sets

    @property
    def table(self) -> Table:
        """The records as a table with one column of sets."""
        return Table.of({ITEMS: self.sets})

    @cached_property
    def frame(self) -> Any:
        """The records as a pyarrow table with one column of lists."""
        return to_arrow(self.table, {})

    def __len__(self) -> int:
        return len(self.sets)


def reconstruct(
    file: str | os.PathLike[str], *, copies: int = 1, seed: int | None = None
) -> Iterator[Reconstruction]:
    """Draw possible originals of a disassociated file at random, one after the other as they are asked for.

    Each of them projects back on the published chunks exactly. Averages over several are better estimates
    than one alone: see `mean_supports`.

    Args:
        file: The published file.
        copies: How many are drawn.
        seed: Steers the draw.

    Returns:
        One reconstruction after the other, with its records as `frame`.

    Raises:
        BadInput: The file cannot be read, or contradicts itself.
        InvalidParameter: There are fewer copies than one.

    Examples:
        >>> import tempfile
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> baskets = pa.table({"bought": [["tea", "milk"], ["tea", "figs"], ["tea", "milk"], ["tea"]]})
        >>> result = sh.anonymize(sh.read(baskets, {"bought": sh.QuasiSet()}), sh.Disassociation(k=2, m=2))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = result.save(f"{folder}/release") / "published.jsonl"
        ...     [len(copy) for copy in sh.reconstruct(file, copies=2, seed=1)]
        [4, 4]
    """
    _check_copies(copies)
    published = _read(Path(file))
    drawn = reconstruction.reconstructions(
        published, copies, np.random.default_rng(seed), source=os.fspath(file)
    )
    return (Reconstruction(sets) for sets in drawn)


def mean_supports(copies: Iterable[Reconstruction], itemsets: Sequence[Sequence[str]]) -> list[float]:
    """How many records hold each itemset, on the average of several reconstructions.

    Args:
        copies: The reconstructions.
        itemsets: Lists of terms.

    Returns:
        A number for each itemset.

    Raises:
        InvalidParameter: An itemset is a text and no list.

    Examples:
        >>> import tempfile
        >>> import pyarrow as pa
        >>> import shoal as sh
        >>> baskets = pa.table({"bought": [["tea", "milk"], ["tea", "figs"], ["tea", "milk"], ["tea"]]})
        >>> result = sh.anonymize(sh.read(baskets, {"bought": sh.QuasiSet()}), sh.Disassociation(k=2, m=2))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = result.save(f"{folder}/release") / "published.jsonl"
        ...     sh.mean_supports(sh.reconstruct(file, copies=5, seed=1), [["tea"]])
        [4.0]
    """
    for itemset in itemsets:
        if isinstance(itemset, str):
            raise InvalidParameter("mean_supports", "itemsets", itemsets, "lists of terms")
    means = reconstruction.mean_supports((copy.sets for copy in copies), itemsets)
    return [float(mean) for mean in means]


def save_reconstructions(
    file: Path,
    folder: Path,
    *,
    copies: int,
    seed: int | None = None,
    replace: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write several reconstructions as JSON lines into a folder that appears whole or not at all."""
    progress = progress or Silent()
    progress.stage("reading")
    drawn = reconstruct(file, copies=copies, seed=seed)
    digits = len(str(copies))
    names: list[str] = []
    records = 0
    with folder_that_appears_whole(folder, replace=replace) as partial:
        progress.stage("reconstructing")
        for number, copy in enumerate(drawn, start=1):
            progress.update(number - 1, copies)
            names.append(f"copy-{number:0{digits}}.jsonl")
            records = len(copy)
            write_table(copy.table, partial / names[-1])
        facts = {"source": file.name, "records": records, "copies": names}
        (partial / MARK).write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return facts


def query(file: str | os.PathLike[str], *itemsets: Sequence[str]) -> tuple[Answer, ...]:
    """How many records hold each itemset: bounds for every possible original, and an expectation."""
    if not itemsets:
        raise InvalidParameter("query", "itemsets", itemsets, "one list of terms or more")
    for itemset in itemsets:
        if isinstance(itemset, str):
            raise InvalidParameter("query", "itemset", itemset, "a list of terms")
    published = _read(Path(file))
    return tuple(support_of(published, itemset) for itemset in itemsets)


def _read(path: Path) -> Disassociated:
    published = read_clusters(path)
    refuse_inconsistent(published, str(path))
    return published


def _check_copies(copies: int) -> None:
    if type(copies) is not int or copies < 1:
        raise InvalidParameter("reconstruct", "copies", copies, "an integer of 1 or more")


def split_itemset(text: str, separator: str) -> list[str]:
    """The terms of an itemset that was written as one text."""
    if not separator:
        raise BadInput(Problem("the separator of terms is empty", "give one such as ','"))
    terms = [term.strip() for term in text.split(separator)]
    return [term for term in terms if term]
