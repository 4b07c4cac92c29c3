"""How long pages take with a large file while a job runs; the figures are in docs/measurements.md."""

import random
import re
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.web.browsing import CHROMIUM, STEPS, WITHOUT, Visitor, opened
from tests.web.serving import Served

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)]

RECORDS, COLUMNS = 100_000, 10
VISITS = 5


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Visitor]:
    served = Served(tmp_path / "data")
    try:
        with opened(served) as context:
            yield Visitor(context.new_page(), served.address)
    finally:
        served.stop()


def large_table() -> str:
    draw = random.Random(1)
    sizes = (90, 2, 60, 12, 200, 5, 30, 1000, 8, 400)
    names = ",".join(f"column {place}" for place in range(COLUMNS))
    rows = (",".join(str(draw.randrange(size)) for size in sizes) for _ in range(RECORDS))
    return "\n".join([names, *rows])


def seconds_to(visitor: Visitor, step: str) -> tuple[float, float]:
    """Until the page of another step answers with its frame, and until its content is there."""
    link = visitor.page.get_by_role("navigation", name="Steps").get_by_role("link", name=re.compile(step))
    start = time.perf_counter()
    link.click()
    expect(visitor.page.get_by_role("heading", name=step, exact=True, level=1)).to_be_visible()
    framed = time.perf_counter() - start
    visitor.at(step)
    return framed, time.perf_counter() - start


def seconds_to_figures(visitor: Visitor) -> float:
    """Until the first figure of a page is drawn, which comes when everything else is there."""
    start = time.perf_counter()
    expect(visitor.page.locator(".chart svg").first).to_be_visible()
    return time.perf_counter() - start


def tell(name: str, seconds: list[float]) -> None:
    sys.stdout.write(f"\n{name}: {statistics.median(seconds):.2f} s, at worst {max(seconds):.2f} s")


def test_every_page_answers_while_a_job_runs(visitor, tmp_path, capsys):
    table = tmp_path / "large.csv"
    table.write_text(large_table(), encoding="utf-8")
    visitor.begin("Large")
    visitor.upload("Choose a file", table)
    visitor.sees("100,000 records")
    visitor.run()
    visitor.go("Run")
    visitor.page.get_by_label("Algorithm").click()
    visitor.page.get_by_role("option", name=re.compile("^agglomerative:")).click()
    visitor.button("Run").click()
    visitor.sees("running")
    for step in STEPS:  # what a browser loads once
        visitor.go(step)
    answered: dict[str, list[float]] = {step: [] for step in STEPS}
    whole: dict[str, list[float]] = {step: [] for step in STEPS}
    drawn = []
    for _ in range(VISITS):
        for step in STEPS:
            framed, filled = seconds_to(visitor, step)
            answered[step].append(framed)
            whole[step].append(filled)
            if step == "Result":
                drawn.append(seconds_to_figures(visitor))
    with capsys.disabled():
        for step in STEPS:
            tell(f"{step} answered", answered[step])
            tell(f"{step} whole", whole[step])
        tell("figures of Result, after that", drawn)
    visitor.go("Run")
    visitor.sees("running")
    assert visitor.talk == []
