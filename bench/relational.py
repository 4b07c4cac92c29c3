"""What k-anonymity of tables costs: loss, time and memory of every relational algorithm.

    python bench/relational.py [--quick] [--only PART] [--algorithm NAME] [--time-limit 300] [--known]
                               [--keep]

Adult (45,222 records, 8 columns), Nursery (12,960, 8 columns) and CoIL 2000 (5,822, the first nine columns),
with taxonomies of the shape that Section 7 of Kenig and Tassa 2012 gives; see `measuring/tables.py`. Parts:

losses      every algorithm with LM as its cost, k = 10 to 200: LM and time, as in Figures 4, 5 and 8 to 11.
            Target: kanon-cf with local search has the lowest LM of all at every k on every set.
limits      Adult with 8, 11 and 14 columns, k = 10. Target: 8 columns within 2 minutes and 4 GB; more
            columns within their limits, or a message that says what to reduce.
columns     every algorithm on Adult with 8, 11 and 14 columns, k = 10, as far as limits allow.
growth      kanon-cf, k = 10, on 30,000 to 120,000 records drawn from Adult: the exponent of its time.
diversity   l-diversity on top, as in Figures 12 to 16: Algorithm 8 with w = 0.15 after each algorithm.
entropy     as losses with entropy as the cost, as in Figure 4.
improved    as losses with a local search after every algorithm that can have one.

Each measurement has a process of its own and is compiled beforehand; it is stopped by `--time-limit`, and its
best answer so far counts, marked with a star. Times are seconds of computing, memory is the peak of the whole
process. LM is in percent, entropy in bits per cell. What was measured is kept in
bench/results/relational.jsonl, and a run goes on from there; tables and charts are beside it. `--quick`
leaves Adult out, takes two values of k, and keeps its own results.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from measuring.cells import Cell, Found, Notebook
from measuring.kept_tables import offer_to_keep
from measuring.pages import Grid, Page, chart, grid_rows, grid_table, number, write_csv
from measuring.tables import DATA, TABLES
from shoal.algorithms.catalogue import ALGORITHMS, takes
from shoal.privacy.k_anonymity import KAnonymity

OURS = "kanon-cf"
TABLE_ALGORITHMS = tuple(name for name, algorithm in ALGORITHMS.items() if KAnonymity in algorithm.serves)

MOST_SECONDS, MOST_MB = 120, 4_000
FIGURES = {"adult": (4, 5), "nursery": (8, 9), "coil2000": (10, 11)}


@dataclass(frozen=True)
class Extent:
    """How much is measured."""

    sets: Sequence[str] = ("coil2000", "nursery", "adult")
    ks: Sequence[int] = (10, 30, 50, 75, 100, 150, 200)
    sizes: Sequence[int] = (30_000, 60_000, 90_000, 120_000)
    algorithms: Sequence[str] = TABLE_ALGORITHMS
    time_limit: float = 300.0

    def cell(self, data: str, algorithm: str, k: int, **options: Any) -> Cell:
        """A cell with those of the options that the algorithm has."""
        taken = {name: value for name, value in options.items() if takes(algorithm, name)}
        return Cell(data, algorithm, k, taken, time_limit=self.time_limit)


QUICK = Extent(sets=("coil2000", "nursery"), ks=(10, 50), sizes=(5_000, 10_000), time_limit=60.0)


@dataclass
class Study:
    """A run: where cells are measured, and where results are told."""

    notebook: Notebook
    page: Page
    extent: Extent
    only_known: bool = False

    def row(self, cells: dict[Any, Cell]) -> dict[Any, Found]:
        """Measure a row of a grid; say what is slow enough to be waited for."""
        row = {}
        for value, cell in cells.items():
            found_of = self.notebook.look_up if self.only_known else self.notebook.measured
            for found in found_of([cell]):
                row[value] = found
                told = f"LM {100 * found.lm:.2f} %, {found.seconds:.1f} s, {found.peak_mb:.0f} MB"
                words = f"{cell.data} {cell.algorithm} {value}: {found.problem or told}"
                print(f"  {words}", file=sys.stderr, flush=True)
        return row

    def grid(self, rows: dict[str, dict[Any, Cell]]) -> Grid:
        """Measure a grid, row by row."""
        return {name: self.row(cells) for name, cells in rows.items()}

    def known_grid(self, rows: dict[str, dict[Any, Cell]]) -> Grid:
        """What is known of a grid."""
        return {
            name: {value: each for value, cell in cells.items() for each in self.notebook.look_up([cell])}
            for name, cells in rows.items()
        }


def plain_cells(extent: Extent, data: str, measure: str) -> dict[str, dict[Any, Cell]]:
    """Every algorithm by k, without a local search of rivals."""
    rows = {}
    for name in extent.algorithms:
        search = {"local_search": name == OURS}
        rows[_label(name, improved=name == OURS)] = {
            k: extent.cell(data, name, k, measure=measure, **search) for k in extent.ks
        }
    if OURS in extent.algorithms:
        rows[f"{OURS} alone"] = {
            k: extent.cell(data, OURS, k, measure=measure, local_search=False) for k in extent.ks
        }
    return rows


def improved_cells(extent: Extent, data: str) -> dict[str, dict[Any, Cell]]:
    """Every algorithm that can have a local search, with one."""
    return {
        _label(name, improved=True): {
            k: extent.cell(data, name, k, measure="lm", local_search=True) for k in extent.ks
        }
        for name in extent.algorithms
        if takes(name, "local_search")
    }


def _label(name: str, *, improved: bool) -> str:
    return f"{name} with local search" if improved else name


def losses(study: Study) -> None:
    for data in study.extent.sets:
        grid = study.grid(plain_cells(study.extent, data, "lm"))
        study.page.title(f"{data}: LM in percent by k, with LM as the cost")
        grid_table(study.page, grid, "algorithm", "lm", factor=100, kept_as=f"{data}-loss-by-k")
        study.page.say("Entropy of the same releases, bits per cell:\n")
        kept_as = "adult-entropy-of-loss-releases" if data == "adult" else ""
        grid_table(study.page, grid, "algorithm", "entropy", places=3, kept_as=kept_as)
        study.page.say("Seconds:\n")
        kept_as = "adult-seconds-by-k" if data == "adult" else ""
        grid_table(study.page, grid, "algorithm", "seconds", places=1, kept_as=kept_as)
        study.page.say("Peak MB:\n")
        grid_table(study.page, grid, "algorithm", "peak_mb", places=0)
        lowest_is_ours(study.page, data, grid)
        chart_scores(study, data)
        panels = {"seconds": (grid, "seconds", 1.0)}
        chart(f"relational_figure_{FIGURES[data][1]:02}", f"{data}: time", panels, "k", log=True)


def chart_scores(study: Study, data: str) -> None:
    """Losses by both measures, as far as they are known, as in Figure 4."""
    by_lm, by_entropy = (
        study.known_grid(plain_cells(study.extent, data, measure)) for measure in ("lm", "entropy")
    )
    panels = {
        "LM in percent": (by_lm, "lm", 100.0),
        "entropy of the same, bits": (by_lm, "entropy", 1.0),
        "entropy as the cost, bits": (by_entropy, "entropy", 1.0),
    }
    chart(f"relational_figure_{FIGURES[data][0]:02}", f"{data}: loss", panels, "k")


def lowest_is_ours(page: Page, data: str, grid: Grid) -> None:
    """State whether kanon-cf with local search loses least, and by how much it does not."""
    ours = _label(OURS, improved=True)
    if ours not in grid or len(grid) == 1:
        return
    better = []
    for k, found in grid[ours].items():
        others = {name: row[k].lm for name, row in grid.items() if name != ours and k in row}
        rival = min(others, key=lambda name: _or_infinite(others[name]))
        if not found.lm <= others[rival]:
            better.append(
                f"k = {k}: {rival} {number(100 * others[rival])} % against {number(100 * found.lm)} %"
            )
    words = f" at every k but: {'; '.join(better)}" if better else " at every k"
    page.expect(f"{data}: {ours} has the lowest LM{words}", met=not better)


def _or_infinite(value: float) -> float:
    return math.inf if math.isnan(value) else value


def entropy(study: Study) -> None:
    for data in study.extent.sets:
        grid = study.grid(plain_cells(study.extent, data, "entropy"))
        study.page.title(f"{data}: entropy in bits per cell by k, with entropy as the cost")
        grid_table(study.page, grid, "algorithm", "entropy", places=3, kept_as=f"{data}-entropy-by-k")
        study.page.say("Seconds:\n")
        grid_table(study.page, grid, "algorithm", "seconds", places=1)
        chart_scores(study, data)


def improved(study: Study) -> None:
    for data in study.extent.sets:
        grid = study.grid(improved_cells(study.extent, data))
        study.page.title(f"{data}: LM in percent by k, with a local search after every algorithm")
        grid_table(study.page, grid, "algorithm", "lm", factor=100, kept_as=f"{data}-improved")
        study.page.say("Seconds:\n")
        grid_table(study.page, grid, "algorithm", "seconds", places=1)
        lowest_is_ours(study.page, data, grid)


@dataclass(frozen=True)
class Diversity:
    """A figure of the paper: loss by l for every algorithm; the largest l that the table allows ends it."""

    figure: int
    data: str
    k: int
    ls: Sequence[float]
    w: float = 0.15


DIVERSITIES = (
    Diversity(12, "adult", 50, (1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.329)),
    Diversity(13, "coil2000", 100, (1.5, 2.0, 2.5, 3.0, 3.25, 3.45)),
    Diversity(14, "nursery", 30, (1.5, 2.0, 2.25, 2.5, 2.75, 3.0)),
    Diversity(15, "nursery", 30, (1.5, 2.0, 2.25, 2.5, 2.75, 3.0), w=0.0),
)


def diversity(study: Study) -> None:
    for asked in DIVERSITIES:
        if asked.data in study.extent.sets:
            grid = study.grid(diverse_cells(study.extent, asked))
            title = f"Figure {asked.figure}: {asked.data}, k = {asked.k}, w = {asked.w}: LM in percent by l"
            diverse_table(study, grid, asked.figure, title, "l")
            lowest_is_ours(study.page, f"{asked.data}, l-diversity, w = {asked.w}", grid)
    if OURS in study.extent.algorithms:
        diversity_by_k(study)


def diversity_by_k(study: Study) -> None:
    by_k = replace(DIVERSITIES[2], figure=16)
    grid = study.grid(
        {
            f"k = {k}": {l: diverse_cell(study.extent, by_k, OURS, k, l, improved=False) for l in by_k.ls}
            for k in study.extent.ks
        }
    )
    title = f"Figure 16: {OURS} alone on {by_k.data}, w = {by_k.w}: LM in percent by k and l"
    diverse_table(study, grid, by_k.figure, title, "")


def diverse_cells(extent: Extent, asked: Diversity) -> dict[str, dict[Any, Cell]]:
    """Every algorithm by l, and kanon-cf alone as the paper has it."""
    rows = {
        _label(name, improved=name == OURS): {
            l: diverse_cell(extent, asked, name, asked.k, l, improved=name == OURS) for l in asked.ls
        }
        for name in extent.algorithms
        if takes(name, "w")
    }
    if OURS in extent.algorithms:
        rows[f"{OURS} alone"] = {
            l: diverse_cell(extent, asked, OURS, asked.k, l, improved=False) for l in asked.ls
        }
    return rows


def diverse_cell(
    extent: Extent, asked: Diversity, algorithm: str, k: int, l: float, *, improved: bool
) -> Cell:
    cell = extent.cell(asked.data, algorithm, k, measure="lm", w=asked.w, local_search=improved)
    return replace(cell, l=l)


def diverse_table(study: Study, grid: Grid, figure: int, title: str, corner: str) -> None:
    study.page.title(title)
    kept_as = f"diversity-figure-{figure}"
    grid_table(study.page, grid, corner or "k", "lm", factor=100, kept_as=kept_as)
    study.page.say("Seconds:\n")
    grid_table(study.page, grid, corner or "k", "seconds", places=1)
    chart(f"relational_figure_{figure:02}", title, {"LM in percent": (grid, "lm", 100.0)}, "l")


def limits(study: Study) -> None:
    study.page.title("kanon-cf on Adult with more columns, k = 10")
    columns = ("nursery",) if "adult" not in study.extent.sets else ("adult", "adult-11", "adult-14")
    rows, first = [], None
    for data in columns:
        for on_limit in ("stop", "best"):
            cell = study.extent.cell(data, OURS, 10, measure="lm", memory_limit=4e9, on_limit=on_limit)
            for found in study.row({on_limit: cell}).values():
                first = first or found
                told = found.problem or f"LM {100 * found.lm:.2f} %; {'; '.join(found.notices)}"
                closed = f"{found.figures.get('closed_records', 0):,}"
                rows.append(
                    [data, on_limit, number(found.seconds, 1), number(found.peak_mb, 0), closed, told]
                )
    study.page.table(["columns", "at a limit", "seconds", "peak MB", "closed records", "outcome"], rows)
    if first is None:
        return
    study.page.expect(
        f"{first.cell.data}, k = 10: {first.seconds:.0f} s (at most {MOST_SECONDS}) and "
        f"{first.peak_mb:.0f} MB (at most {MOST_MB})",
        met=first.seconds <= MOST_SECONDS and first.peak_mb <= MOST_MB,
    )


def columns(study: Study) -> None:
    if "adult" not in study.extent.sets:
        return
    study.page.title("Adult with 8, 11 and 14 columns, k = 10: LM in percent")
    grid = {}
    for name in study.extent.algorithms:
        best = {"memory_limit": MOST_MB * 1e6, "on_limit": "best"} if name == OURS else {}
        grid[_label(name, improved=name == OURS)] = study.row(
            {
                data: study.extent.cell(data, name, 10, measure="lm", local_search=name == OURS, **best)
                for data in ("adult", "adult-11", "adult-14")
            }
        )
    sets, losses_of = grid_rows(grid, "lm", factor=100)
    _, seconds_of = grid_rows(grid, "seconds", places=1)
    heads = ["algorithm", *(head for data in sets for head in (f"{len(TABLES[data].quasi)} columns", "s"))]
    rows = [
        [name, *itertools.chain.from_iterable(zip(of_loss, of_seconds, strict=True))]
        for (name, *of_loss), (_, *of_seconds) in zip(losses_of, seconds_of, strict=True)
    ]
    study.page.table(heads, rows, kept_as="adult-columns")
    study.page.say("Entropy of the same releases, bits per cell:\n")
    grid_table(study.page, grid, "algorithm", "entropy", places=3)
    for row in grid.values():
        for found in row.values():
            if found.problem:
                study.page.say(f"- {found.cell.data}, {found.cell.algorithm}: {found.problem}")


def growth(study: Study) -> None:
    study.page.title("kanon-cf by the number of records, k = 10, drawn with replacement")
    data = study.extent.sets[-1]
    found = [
        each
        for search in (True, False)
        for each in study.row(
            {
                size: replace(
                    study.extent.cell(data, OURS, 10, measure="lm", local_search=search), records=size
                )
                for size in study.extent.sizes
            }
        ).values()
    ]
    study.page.table(
        ["records", "local search", "closed records", "LM %", "seconds", "peak MB"],
        [
            [
                f"{each.cell.records:,}",
                "yes" if each.cell.options["local_search"] else "no",
                f"{each.figures.get('closed_records', 0):,}",
                number(100 * each.lm, unfinished=not each.in_time),
                number(each.seconds, 1),
                number(each.peak_mb, 0),
            ]
            for each in found
        ],
        kept_as=f"{data}-growth",
    )
    for search in (True, False):
        line = [each for each in found if each.cell.options["local_search"] == search and each.in_time]
        if len(line) > 1:
            power = exponent([each.cell.records or 0 for each in line], [each.seconds for each in line])
            closed = exponent(
                [each.cell.records or 0 for each in line], [each.figures["closed_records"] for each in line]
            )
            words = "with" if search else "without"
            study.page.say(
                f"- {words} local search, time grows with the number of records to the power of {power:.2f}, "
                f"and closed records to the power of {closed:.2f}"
            )


def exponent(sizes: Sequence[float], figures: Sequence[float]) -> float:
    power, _ = np.polyfit(np.log(sizes), np.log(figures), 1)
    return float(power)


PARTS = {
    "losses": losses,
    "limits": limits,
    "columns": columns,
    "growth": growth,
    "diversity": diversity,
    "entropy": entropy,
    "improved": improved,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Loss, time and memory of k-anonymity of tables.")
    parser.add_argument("--quick", action="store_true", help="two sets, two values of k")
    parser.add_argument("--only", choices=PARTS, action="append", help="one of the parts; may be given again")
    parser.add_argument(
        "--algorithm", choices=TABLE_ALGORITHMS, action="append", help="only these; may be given again"
    )
    parser.add_argument("--data", choices=Extent.sets, action="append", help="only these; may be given again")
    parser.add_argument("--time-limit", type=float, help="seconds for one measurement; 300 unless told")
    parser.add_argument("--known", action="store_true", help="measure nothing, tell what is known")
    offer_to_keep(parser)
    arguments = parser.parse_args()
    if not DATA.exists():
        print(f"no data in {DATA}; set SHOAL_DATA")
        return 0
    extent = QUICK if arguments.quick else Extent()
    if arguments.time_limit:
        extent = replace(extent, time_limit=arguments.time_limit)
    if arguments.data:
        extent = replace(extent, sets=arguments.data)
    if arguments.algorithm:
        extent = replace(extent, algorithms=arguments.algorithm)
    name = "relational_quick" if arguments.quick else "relational"
    study = Study(Notebook.open(name), Page(name), extent, only_known=arguments.known)
    for part in arguments.only or PARTS:
        PARTS[part](study)
    write_csv(name, list(study.notebook.known.values()))
    study.page.title("Targets")
    study.page.say("\n".join(f"- missed: {each}" for each in study.page.missed) or "All targets are met.")
    study.page.write()
    return 1 if study.page.missed else 0


if __name__ == "__main__":
    sys.exit(main())
