"""What disassociation loses, beside generalization and differential privacy.

    python bench/disassociation_loss.py [--quick] [--only real|k|copies|quest|others] [--keep]

WebView-1, WebView-2 and FruitHut, which stands in for the paper's POS; k = 5 and m = 2 unless said otherwise.
Parts, after the figures of Terrovitis, Liagouris, Mamoulis and Skiadopoulos 2012:

real        all measures on the real sets, as in Figure 7a: HORPART and VERPART alone, with the paper's
            REFINE, with records that settle before, and with terms ranked by REFINE once or early. Targets:
            re over the 20 most frequent terms below 0.22, 0.27 and 0.24, for one and for ten reconstructions,
            and at most 25 % of WebView-2's terms lost.
k           the real sets with k = 2 to 25, as in Figures 7b and 7c.
copies      FruitHut: re over ranks 0, 100, .. 400 with 1, 2, 5 and 10 reconstructions, as in Figure 7d.
quest       Quest data of other sizes, domains and lengths, as in Figure 8.
others      beside AA (tKd-ML2, re) and DiffPart (tKd, re; the best of four budgets), as in Figure 11.

Tables and charts are in bench/results. `--quick` takes fewer values, and smaller Quest data.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from plotly.subplots import make_subplots

import shoal as sh
from measuring.cells import RESULTS
from measuring.kept_tables import offer_to_keep, show_table
from measuring.pages import COLOURS, Page
from measuring.tables import DATA
from shoal.algorithms.catalogue import make_algorithm
from shoal.algorithms.sets.diffpart.algorithm import DiffPart
from shoal.engine.local import LocalData
from shoal.hierarchy.arx import write_arx
from shoal.hierarchy.binding import bind
from shoal.kernels.arrays import SetArrays
from shoal.kernels.set_recoding import recoded_sets
from shoal.metrics.mining import chunks_loss, generalized_loss, in_codes_of, records_loss
from shoal.metrics.pair_supports import pair_error, pair_supports, terms_of_ranks
from shoal.progress import Silent
from shoal.recoding.disassociated import Disassociated
from shoal.recoding.reconstruction import reconstructions
from shoal.recoding.synthetic import new_records
from shoal.table.columns import Sets, Table
from shoal.table.quest import quest

NAMES = {"bms_webview1": "WebView-1", "bms_webview2": "WebView-2", "fruithut": "FruitHut"}
REAL = tuple(NAMES)
TARGETS = {"bms_webview1": 0.22, "bms_webview2": 0.27, "fruithut": 0.24}
K, M, FANOUT = 5, 2, 5
KS = (2, 5, 10, 15, 20, 25)
COPIES = (1, 2, 5, 10)
BUDGETS = (0.5, 0.75, 1.0, 1.25)
QUEST = {"records": 1_000_000, "terms": 5_000, "length": 10}
# What the text of the paper prints; its charts have no numbers.
PAPER_WORST_RE = 0.18
PAPER_TKD = {"disassociation": 0.05, "diffpart": 0.75}
MOST_LOST = {"bms_webview2": 0.25}
ALL_STEPS = "settled, terms ranked early"
STEPS: dict[str, dict[str, Any]] = {
    "HORPART and VERPART": {"refine": False, "settle": False},
    "as in the paper": {"settle": False, "term_order": "renewed"},
    "terms ranked once": {"settle": False, "term_order": "once"},
    "settled": {"term_order": "renewed"},
    ALL_STEPS: {},
}
STEPS_IN_WORDS = {
    "HORPART and VERPART": "without REFINE",
    "as in the paper": "as in the paper",
    "terms ranked once": "terms ranked once",
    "settled": "as in the paper, settled",
    ALL_STEPS: "ours",
}
KEPT_COLUMNS = ("", "tKd-a", "tKd", "tlost", "re, ranks 200-219 (ten)", "re, top 20 (ten)")
MEASURES = ("tkd_a", "tkd", "re_a", "re", "re_top_a", "re_top", "tlost")


@dataclass(frozen=True)
class Source:
    """Some sets without a tree, and with the tree of a file, as generalization and noise want it."""

    plain: LocalData
    bound: LocalData

    @property
    def sets(self) -> Sets:
        return self.plain.table.sets("items")


def real(name: str, folder: Path) -> Source:
    """A real set; the tree is a fan-out over its items, taken as known to everybody."""
    path = DATA / f"{name}.txt.gz"
    built = sh.read(path, {"items": sh.QuasiSet(hierarchy=sh.fanout(FANOUT))}).local
    file = folder / f"{name}.csv"
    write_arx(built.trees["items"], file)
    return Source(
        sh.read(path, {"items": sh.QuasiSet()}).local,
        sh.read(path, {"items": sh.QuasiSet(hierarchy=file)}).local,
    )


def baskets(records: int, terms: int, length: int) -> Source:
    column = quest(records, terms, length, seed=1)
    role = sh.QuasiSet(hierarchy=sh.fanout(FANOUT))
    tied = bind("items", column, role)
    return Source(
        LocalData(Table.of({"items": column}), {"items": sh.QuasiSet()}),
        LocalData(Table.of({"items": tied.column}), {"items": role}, {"items": tied.tree}),
    )


def disassociate(source: Source, k: int = K, **options: Any) -> Disassociated:
    algorithm = make_algorithm("disassociation", options)
    found: Any = algorithm.find(source.plain, [sh.Disassociation(k, M)], np.random.default_rng(0), Silent())
    verdict = sh.Disassociation(k, M).verify(found.clusters)
    if not verdict.holds:
        sys.exit(f"the promise is broken: {verdict.evidence}")
    return found.clusters  # type: ignore[no-any-return]


def copies_of(source: Source, published: Disassociated, count: int) -> list[SetArrays]:
    drawn = reconstructions(published, count, np.random.default_rng(1))
    return [in_codes_of(source.sets.domain, published, copy) for copy in drawn]


def losses(source: Source, published: Disassociated, k: int, copies: int = 1) -> dict[str, float]:
    drawn = copies_of(source, published, copies)
    measured = records_loss(source.sets, drawn, None) | chunks_loss(source.sets, published, k)
    return measured.losses


def real_sets(page: Page, *, quick: bool) -> None:  # noqa: ARG001 - short as it is
    page.title(f"Real sets, k = {K}, m = {M} (Figure 7a)")
    rows, kept = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for name in REAL:
            source = real(name, Path(folder))
            for words, options in STEPS.items():
                published = disassociate(source, **options)
                for copies in (1, 10):
                    found = losses(source, published, K, copies)
                    kept[name, words, copies] = found
                    rows.append([name, words, copies, *(f"{found[measure]:.3f}" for measure in MEASURES)])
    page.table(["data", "algorithm", "copies", *MEASURES], rows)
    show_table("disassociation-loss", KEPT_COLUMNS, side_by_side(kept))
    for name, limit in TARGETS.items():
        for copies in (1, 10):
            error = kept[name, ALL_STEPS, copies]["re_top"]
            page.expect(
                f"{name}: re over the 20 most frequent terms, {copies} copies: {error:.3f} (below {limit})",
                met=error < limit,
            )
    for name, limit in MOST_LOST.items():
        lost = kept[name, ALL_STEPS, 1]["tlost"]
        page.expect(f"{name}: tlost {lost:.3f} (at most {limit})", met=lost <= limit)
    worst = max(found["re_top"] for (_, words, _), found in kept.items() if words == ALL_STEPS)
    page.say(f"The paper prints {PAPER_WORST_RE} as its worst re over these terms; here it is {worst:.3f}.")
    chart(
        "disassociation_real",
        "Real sets",
        {measure: {name: kept[name, ALL_STEPS, 1][measure] for name in REAL} for measure in MEASURES},
        "data",
    )


def side_by_side(kept: Mapping[tuple[str, str, int], Mapping[str, float]]) -> Iterator[list[str]]:
    """A row for each set and form: one reconstruction, and for re the mean of ten in brackets."""
    for name, steps in itertools.product(REAL, STEPS):
        one, ten = (
            {measure: f"{loss:.3f}".removeprefix("0") for measure, loss in kept[name, steps, copies].items()}
            for copies in (1, 10)
        )
        errors = (f"{one[measure]} ({ten[measure]})" for measure in ("re", "re_top"))
        yield [f"{NAMES[name]}, {STEPS_IN_WORDS[steps]}", one["tkd_a"], one["tkd"], one["tlost"], *errors]


def by_k(page: Page, *, quick: bool) -> None:
    for name in REAL[-1:] if quick else REAL:
        page.title(f"{name} by k (Figures 7b and 7c)")
        with tempfile.TemporaryDirectory() as folder:
            source = real(name, Path(folder))
        found = {k: losses(source, disassociate(source, k), k) for k in (KS[::2] if quick else KS)}
        sweep(page, "k", found)
        chart(f"disassociation_k_{name}", f"{name} by k", turned(found), "k")


def by_copies(page: Page, *, quick: bool) -> None:
    page.title("FruitHut: re by rank and number of reconstructions (Figure 7d)")
    with tempfile.TemporaryDirectory() as folder:
        source = real("fruithut", Path(folder))
    rows = []
    for form, options in {"printed": {"as_printed": True}, "ours": {}}.items():
        found = errors_of_copies(source, (0, 200) if quick else (0, 100, 200, 300, 400), **options)
        rows += [
            [form, first, *(f"{error:.3f}" for error in errors.values())] for first, errors in found.items()
        ]
        chart(f"disassociation_copies_{form}", "FruitHut: re by rank", turned(found), "first rank")
    page.table(["form", "first rank", *(f"re-r{count}" for count in COPIES)], rows, "disassociation-copies")


def errors_of_copies(source: Source, ranks: Sequence[int], **options: Any) -> dict[int, dict[str, float]]:
    """re of 20 terms from each rank on, from several originals that were drawn of one release."""
    drawn = copies_of(source, disassociate(source, **options), max(COPIES))
    found: dict[int, dict[str, float]] = {}
    for first in ranks:
        terms = terms_of_ranks(source.sets.arrays, len(source.sets.domain), first, first + 19)
        true = pair_supports(source.sets.arrays, terms)
        each = [pair_supports(copy, terms) for copy in drawn]
        found[first] = {f"re-r{count}": pair_error(true, each[:count]).error or 0.0 for count in COPIES}
    return found


def on_quest(page: Page, *, quick: bool) -> None:
    base = QUEST | ({"records": 100_000} if quick else {})
    sweeps: dict[str, Sequence[int]] = {
        "records": [base["records"] // 4, base["records"] // 2, base["records"]],
        "terms": [2_000, 5_000, 10_000],
        "length": [5, 10, 15],
    }
    for name, values in sweeps.items():
        page.title(f"Quest data by {name} (Figure 8)")
        found = {}
        for value in values:
            source = baskets(**(base | {"records": base["records"] // 4} | {name: value}))
            found[value] = losses(source, disassociate(source), K)
        sweep(page, name, found)
        chart(f"disassociation_quest_{name}", f"Quest data by {name}", turned(found), name)


def beside_others(page: Page, *, quick: bool) -> None:
    page.title(f"Beside AA and DiffPart, k = {K}, m = {M} (Figure 11)")
    rows: list[list[Any]] = []
    kept: dict[str, dict[str, Mapping[str, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in REAL[:1] if quick else REAL:
            source = real(name, Path(folder))
            for algorithm, found in (
                ("disassociation", disassociated_losses(source)),
                ("aa", generalized_losses(source)),
                ("diffpart", noisy_losses(source)),
            ):
                kept.setdefault(algorithm, {})[name] = found
                rows.append([name, algorithm, *(shown(found, each) for each in ("tkd", "tkd_ml2", "re_top"))])
    page.table(["data", "algorithm", "tKd", "tKd-ML2", "re, 20 most frequent"], rows)
    for measure in ("tkd", "tkd_ml2", "re_top"):
        lines = {
            name: {data: of[measure] for data, of in by.items() if measure in of} for name, by in kept.items()
        }
        chart(f"disassociation_others_{measure}", f"Beside AA and DiffPart: {measure}", lines, "data")
    page.say(
        f"The paper prints a tKd of {PAPER_TKD['disassociation']:.0%} for disassociation and"
        f" {PAPER_TKD['diffpart']:.0%} for DiffPart in its best case, and re above 1 for AA and DiffPart"
        f" against {PAPER_WORST_RE} for disassociation at worst."
    )


def disassociated_losses(source: Source) -> Mapping[str, float]:
    """With tKd-ML2 over the same tree."""
    published = disassociate(source)
    column = source.bound.table.sets("items")
    drawn = reconstructions(published, 1, np.random.default_rng(1))
    copies = [in_codes_of(column.domain, published, copy) for copy in drawn]
    return records_loss(column, copies, source.bound.trees["items"]).losses


def generalized_losses(source: Source) -> Mapping[str, float]:
    data = source.bound
    found: Any = make_algorithm("aa", {}).find(
        data, [sh.KmAnonymity(K, M)], np.random.default_rng(0), Silent()
    )
    column = data.table.sets("items")
    nodes = recoded_sets(column.arrays, found.cuts.part_of_row, found.cuts.node_of_leaf)
    return generalized_loss(column, nodes, data.trees["items"]).losses


def noisy_losses(source: Source) -> Mapping[str, float]:
    """The best of all budgets by each measure; the noise is repeatable, so nothing of it may be published."""
    data = source.bound
    column = data.table.sets("items")
    found = []
    for epsilon in BUDGETS:
        rng = np.random.default_rng(0)
        noisy = DiffPart().find_repeatably(data, [sh.DifferentialPrivacy(epsilon)], rng, Silent())
        records = new_records(noisy, column).sets("items").arrays
        found.append(records_loss(column, [records], None).losses)
    return {measure: min(each[measure] for each in found) for measure in found[0]}


def shown(found: Mapping[str, float], measure: str) -> str:
    return f"{found[measure]:.3f}" if measure in found else "-"


def sweep(page: Page, name: str, found: Mapping[int, Mapping[str, float]]) -> None:
    measures = list(dict.fromkeys(measure for each in found.values() for measure in each))
    rows = [[value, *(shown(each, measure) for measure in measures)] for value, each in found.items()]
    page.table([name, *measures], rows)


def turned(found: Mapping[Any, Mapping[str, float]]) -> dict[str, dict[Any, float]]:
    """By measure first."""
    measures = dict.fromkeys(measure for each in found.values() for measure in each)
    return {
        measure: {value: each[measure] for value, each in found.items() if measure in each}
        for measure in measures
    }


def chart(name: str, title: str, lines: Mapping[str, Mapping[Any, float]], x: str) -> None:
    """Lines over what grows, bars over data that have no order."""
    RESULTS.mkdir(exist_ok=True)
    figure = make_subplots()
    for place, (measure, values) in enumerate(lines.items()):
        points = {"x": [str(value) for value in values], "y": list(values.values()), "name": measure}
        colour = COLOURS[place % len(COLOURS)]
        if x == "data":
            figure.add_bar(**points, marker_color=colour)
        else:
            figure.add_scatter(**points, mode="lines+markers", line={"color": colour})
    figure.update_layout(template="simple_white", title=title)
    figure.update_xaxes(title=x, type="category")
    figure.update_yaxes(title="loss", rangemode="tozero")
    figure.write_html(RESULTS / f"{name}.html", include_plotlyjs=True)


PARTS = {
    "real": real_sets,
    "k": by_k,
    "copies": by_copies,
    "quest": on_quest,
    "others": beside_others,
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer values and smaller data")
    parser.add_argument("--only", choices=PARTS, help="one part only")
    offer_to_keep(parser)
    asked = parser.parse_args()
    page = Page("disassociation_loss")
    for name, part in PARTS.items():
        if asked.only in (None, name):
            part(page, quick=asked.quick)
    RESULTS.mkdir(exist_ok=True)
    page.write()
    return 1 if page.missed else 0


if __name__ == "__main__":
    sys.exit(main())
