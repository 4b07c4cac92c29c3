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
    """Until the page answers with its frame, and until its content is there."""
    link = visitor.page.get_by_role("navigation", name="Steps").get_by_role("link", name=re.compile(step))
    start = time.perf_counter()
    link.click()
    expect(visitor.page.get_by_role("heading", name=step, exact=True, level=1)).to_be_visible()
    framed = time.perf_counter() - start
    visitor.at(step)
    return framed, time.perf_counter() - start


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
    for step in STEPS:
        visitor.go(step)
    for step in STEPS:
        times = [seconds_to(visitor, step) for _ in range(VISITS)]
        whole = sorted(content for _, content in times)
        answered = statistics.median(frame for frame, _ in times)
        told = (
            f"answered in {answered:.2f} s, whole in {whole[VISITS // 2]:.2f} s, at worst {whole[-1]:.2f} s"
        )
        with capsys.disabled():
            sys.stdout.write(f"\n{step}: {told}")
    visitor.go("Run")
    visitor.sees("running")
    assert visitor.talk == []
