"""Everything that a paper shows, measured with Shoal: its page, figure by figure.

    python bench/paper.py k-anon-cf|km|rt|lgr|disassociation
                          [--figure NAME] [--quick] [--page] [--seconds 600]

Each release is made by `shoal.anonymize` in a process of its own, judged by the verifier, and has so many
seconds. What was measured is kept in bench/kept, so a run that was stopped goes on where it was; delete lines
there to have them measured again. What time was up for is measured again if it is given more seconds. The
page is written to docs/papers. `--quick` takes one point of every panel and the first records of the data, a
minute for all papers, and writes to bench/results; `--page` measures nothing and writes the page of what was
kept.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from dataclasses import replace
from pathlib import Path

from papers.catalogue import PAPERS
from papers.figures import Figure, Panel, Paper
from papers.page import page
from papers.release import Notebook

HERE = Path(__file__).parent
QUICK_RECORDS, QUICK_SECONDS = 120, 3.0


def quick(paper: Paper) -> Paper:
    """The same with one point per panel and few records."""
    return replace(
        paper, figures=[replace(each, panels=[*map(_quick, each.panels)]) for each in paper.figures]
    )


def _quick(panel: Panel) -> Panel:
    """The point in the middle: with few records the ends are often too much to ask."""
    name, point = list(panel.points.items())[len(panel.points) // 2]
    records = min(point.get("records") or QUICK_RECORDS, QUICK_RECORDS)
    return replace(panel, points={name: {**point, "records": records}})


def only(paper: Paper, name: str) -> list[Figure]:
    """The figures of that name."""
    chosen = [each for each in paper.figures if name.lower() in each.name.lower()]
    if not chosen:
        sys.exit(f"no figure {name!r}; there are {', '.join(each.name for each in paper.figures)}")
    return chosen


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paper", choices=PAPERS)
    parser.add_argument("--figure", default="", help="only figures with this in their name")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--page", action="store_true", help="only write the page of what was measured")
    parser.add_argument("--seconds", type=float, default=600.0, help="for each release")
    given = parser.parse_args()
    whole: Paper = importlib.import_module(PAPERS[given.paper]).PAPER
    if given.quick:
        whole = quick(whole)
    kept = HERE / ("results/quick" if given.quick else "kept") / f"{given.paper}.jsonl"
    if given.quick:
        kept.unlink(missing_ok=True)
    notebook = Notebook(kept, QUICK_SECONDS if given.quick else given.seconds, apart=not given.quick)
    every = [] if given.page else replace(whole, figures=only(whole, given.figure)).releases()
    todo = list({release.key: release for release in every}.values())
    for number, release in enumerate(todo, start=1):
        if notebook.is_wanted(release):
            found = notebook.measure_now(release)
            told = found.problem or f"{found.figure('seconds'):.1f} s"
            print(f"{number} of {len(todo)}: {release.data} {release.algorithm} {told}", flush=True)
    folder = kept.parent if given.quick else HERE.parent / "docs" / "papers"
    folder.mkdir(parents=True, exist_ok=True)
    text = page(whole, notebook.known, f"python bench/paper.py {given.paper}")
    (folder / f"{given.paper}.md").write_text(text, encoding="utf-8")
    print(f"written to {folder / given.paper}.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
