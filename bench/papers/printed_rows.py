"""Rows of kept tables for the algorithms as their papers print them, from what `bench/paper.py` kept.

A row stands behind those of its algorithm, and only where it says something else than they do.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from measuring.kept_tables import KeptTable, read_table
from papers.catalogue import PAPERS
from papers.figures import TIME
from papers.release import Measured, Notebook, Release

KEPT = Path(__file__).parents[1] / "kept"
AS_PRINTED = {"as_printed": True}
RIVALS = ("kanon-cf", "agglomerative", "forest", "hilbert")
SETS = ("bms_webview1", "bms_webview2", "fruithut")

Asked = Callable[[str, int], tuple[Release, str] | None]  # by what stands above a column, and its place


@dataclass(frozen=True)
class PrintedRow:
    """A row as printed: behind which rows it stands, and which figure of which release a column shows."""

    beside: str
    asked: Asked

    def stands_behind(self, name: str) -> bool:
        """Whether a row is one of the same algorithm: alone, with more words, or together with others."""
        return name == self.beside or name.startswith(f"{self.beside} ") or self.beside in name.split(", ")

    def cells(self, columns: Sequence[str]) -> tuple[list[str], set[str]]:
        """The texts of all columns but the first, and the papers that they come from."""
        texts, papers = list[str](), set[str]()
        for place, column in enumerate(columns[1:], start=1):
            wanted = self.asked(column, place)
            known = None if wanted is None else kept_release(wanted[0])
            if wanted is None or known is None or math.isnan(known[1].figure(wanted[1])):
                texts.append("")
                continue
            papers.add(known[0])
            texts.append(_text(wanted[1], known[1]))
        return texts, papers


def completed(name: str, table: KeptTable) -> tuple[KeptTable, list[str]]:
    """A kept table with its rows as printed, and the papers whose releases these are."""
    rows, papers = [[*row] for row in table.rows], set[str]()
    for printed in ROWS.get(name, ()):
        cells, sources = printed.cells(table.columns)
        beside = [place for place, row in enumerate(rows) if printed.stands_behind(row[0])]
        if beside and any(cells) and not any(_says_the_same(cells, rows[place]) for place in beside):
            rows.insert(beside[-1] + 1, [f"{printed.beside}, as printed", *cells])
            papers |= sources
    return replace(table, rows=rows), sorted(papers)


def kept_markdown(name: str) -> str:
    """A kept table as pages show it, with its rows as printed and where they come from."""
    table, papers = completed(name, read_table(name))
    commands = ", ".join(f"`python bench/paper.py {paper}`" for paper in papers)
    return table.markdown(f"; as printed: {commands}" if papers else "")


def _says_the_same(cells: Sequence[str], row: Sequence[str]) -> bool:
    pairs = zip(cells, row[1:], strict=True)
    return all(cell == other.strip("*") for cell, other in pairs if cell)


def kept_release(release: Release) -> tuple[str, Measured] | None:
    """The paper that a release was made for, and what was measured of it."""
    return _known().get(_key(release))


@cache
def _known() -> Mapping[Hashable, tuple[str, Measured]]:
    found: dict[Hashable, tuple[str, Measured]] = {}
    for paper in PAPERS:
        for measured in Notebook(KEPT / f"{paper}.jsonl", 0, apart=False).all():
            found.setdefault(_key(measured.release), (paper, measured))
    return found


def _key(release: Release) -> Hashable:
    """What was published of what; k = 2 and k = 2.0 are the same, and so is a tree that stands in a file."""
    options = json.dumps(dict(release.options), sort_keys=True)
    data = release.data.removesuffix(":known")
    return data, release.algorithm, frozenset(release.promise.items()), options, release.records


def _text(figure: str, measured: Measured) -> str:
    value, star = measured.figure(figure), "" if measured.in_time else "*"
    if figure == TIME:
        return f"{value:.1f}{star}"
    return f"{value:.3f}{star}" if figure == "entropy" else f"{100 * value:.2f}{star}"


def _by_k(data: str, figure: str, measure: str, algorithm: str) -> PrintedRow:
    def asked(head: str, _: int) -> tuple[Release, str]:
        return Release(data, algorithm, {"k": int(head)}, {"measure": measure, **AS_PRINTED}), figure

    return PrintedRow(algorithm, asked)


def _by_diversity(data: str, k: int, w: float, algorithm: str) -> PrintedRow:
    def asked(head: str, _: int) -> tuple[Release, str]:
        options = {"measure": "lm", "w": w, **AS_PRINTED}
        return Release(data, algorithm, {"k": k, "l": float(head)}, options), "lm"

    return PrintedRow(algorithm, asked)


def _by_diversity_of_nursery(k: int) -> PrintedRow:
    def asked(head: str, _: int) -> tuple[Release, str]:
        options = {"measure": "lm", **AS_PRINTED}
        return Release("nursery", "kanon-cf", {"k": k, "l": float(head)}, options), "lm"

    return PrintedRow(str(k), asked)


def _by_columns(head: str, place: int) -> tuple[Release, str]:
    """A loss and its seconds for 8, 11 and 14 columns."""
    data = ("adult", "adult-11", "adult-14")[(place - 1) // 2]
    release = Release(data, "kanon-cf", {"k": 10}, {"measure": "lm", **AS_PRINTED})
    return release, TIME if head == "s" else "lm"


def _of_real_sets(algorithm: str) -> PrintedRow:
    """Two columns for each set: m = 2 and 3."""

    def asked(_: str, place: int) -> tuple[Release, str] | None:
        number, m = (place - 1) // 2, 2 + (place - 1) % 2
        if number >= len(SETS):
            return None
        return Release(SETS[number], algorithm, {"k": 5, "m": m}, AS_PRINTED), "ncp"

    return PrintedRow(f"`{algorithm}`", asked)


def _of_hghs(data: str) -> PrintedRow:
    def asked(head: str, _: int) -> tuple[Release, str] | None:
        if not head.isdigit():
            return None
        return Release(f"{data}:digits", "hghs", {"k": int(head), "m": 2}, AS_PRINTED), "ncp"

    return PrintedRow("`hghs`, m = 2", asked)


def _knowing(beside: str, promise: Callable[[str, int], Mapping[str, int]]) -> PrintedRow:
    def asked(head: str, place: int) -> tuple[Release, str] | None:
        if head == "whole set":
            return None
        return Release("fruithut", "vpa", promise(head, place), AS_PRINTED), "ncp"

    return PrintedRow(beside, asked)


ROWS: Mapping[str, Sequence[PrintedRow]] = {
    **{
        f"{data}-loss-by-k": [_by_k(data, "lm", "lm", algorithm) for algorithm in RIVALS]
        for data in ("adult", "nursery", "coil2000")
    },
    "adult-entropy-of-loss-releases": [_by_k("adult", "entropy", "lm", algorithm) for algorithm in RIVALS],
    "adult-entropy-by-k": [_by_k("adult", "entropy", "entropy", algorithm) for algorithm in RIVALS],
    "adult-seconds-by-k": [_by_k("adult", TIME, "lm", "kanon-cf")],
    "adult-columns": [PrintedRow("kanon-cf", _by_columns)],
    **{
        f"diversity-figure-{figure}": [_by_diversity(data, k, w, algorithm) for algorithm in RIVALS]
        for figure, data, k, w in (
            (12, "adult", 50, 0.15),
            (13, "coil2000", 100, 0.15),
            (14, "nursery", 30, 0.15),
            (15, "nursery", 30, 0.0),
        )
    },
    "diversity-figure-16": [_by_diversity_of_nursery(k) for k in (10, 50, 100, 200)],
    "km-real-sets": [_of_real_sets(algorithm) for algorithm in ("lra", "vpa", "aa")],
    "webview2-digits": [_of_hghs("bms_webview2")],
    "fruithut-digits": [_of_hghs("fruithut")],
    "knowledge-by-m": [_knowing("`vpa`, k = 5", lambda _, place: {"k": 5, "m": place})],
    "knowledge-by-k": [
        _knowing("`vpa`, m = 3", lambda head, _: {"k": int(head.removeprefix("k = ")), "m": 3})
    ],
}
