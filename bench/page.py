"""How long pages of the web page take to answer over 1,000,000 records while two jobs run.

    python bench/page.py [--keep]        # --records 100000: a smaller file

Needs Chromium. A page counts as answered when its heading is there, and as whole when nothing of it is still
being waited for. What axe-core finds wrong with a page is printed, too. The exit code is 1 if pages are late.
"""

import argparse
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import expect

from measuring.kept_tables import offer_to_keep, printed_table

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.web.browsing import STEPS, Visitor, opened
from tests.web.samples import write_large_table
from tests.web.serving import Served

VISITS = 5
TARGET = 0.5  # seconds until a page answers, as a median over all pages


def start(visitor: Visitor, algorithm: str) -> None:
    """Choose an algorithm and run it."""
    visitor.go("Run")
    visitor.page.get_by_role("combobox", name="Algorithm").click()
    visitor.page.get_by_role("option", name=re.compile(f"^{algorithm}:")).click()
    visitor.page.wait_for_timeout(1_000)
    visitor.button("Run").click()
    visitor.page.wait_for_timeout(1_000)


def visit(visitor: Visitor, step: str) -> tuple[float, float]:
    """Seconds until a page answers, and until it is whole."""
    link = visitor.page.get_by_role("navigation", name="Steps").get_by_role("link", name=re.compile(step))
    began = time.perf_counter()
    link.click()
    expect(visitor.page.get_by_role("heading", name=step, exact=True, level=1)).to_be_visible()
    answered = time.perf_counter() - began
    visitor.at(step)
    return answered, time.perf_counter() - began


def main() -> None:
    """Bring a large file, let two searches run, and visit every page in turn."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--records", type=int, default=1_000_000)
    offer_to_keep(words)
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as name:
        served = Served(Path(name) / "data")
        try:
            with opened(served) as context:
                context.set_default_timeout(1_200_000)
                expect.set_options(timeout=1_200_000)
                in_time = measure(Visitor(context.new_page(), served.address), Path(name), given.records)
        finally:
            served.stop()
    sys.exit(0 if in_time else 1)


def measure(visitor: Visitor, folder: Path, records: int) -> bool:
    """Print the times of every page; whether they answer in time."""
    table = write_large_table(folder / "large.csv", records)
    visitor.begin("Large")
    began = time.perf_counter()
    visitor.upload("Choose a file", table)
    visitor.sees(f"{records:,} records")
    print(f"brought and looked at in {time.perf_counter() - began:.1f} s")
    start(visitor, "mondrian")
    visitor.page.get_by_role("link", name=re.compile("^Look at it")).wait_for()
    for _ in range(2):
        start(visitor, "agglomerative")
    for step in STEPS:  # what a browser loads once
        visitor.go(step)
    times: dict[str, list[tuple[float, float]]] = {step: [] for step in STEPS}
    for _ in range(VISITS):
        for step in STEPS:
            times[step].append(visit(visitor, step))
    visitor.go("Run")
    expect(visitor.page.get_by_text("running", exact=True)).to_have_count(2)
    everything = [answered for pairs in times.values() for answered, _ in pairs]
    answered, whole = (
        {step: statistics.median(pair[part] for pair in pairs) for step, pairs in times.items()}
        for part in range(2)
    )
    with printed_table("pages", ["", *STEPS]) as add_row:
        add_row("answered", *(f"{seconds:.2f}" for seconds in answered.values()))
        add_row("whole", *(f"{seconds:.2f}" for seconds in whole.values()))
    late = [step for step, seconds in answered.items() if seconds > TARGET]
    for step in STEPS:
        visitor.go(step)
        if found := visitor.violations():
            print(f"{step}: {'; '.join(found)}")
    median = statistics.median(everything)
    print(f"median over all pages {median:.2f} s, slowest {max(everything):.2f} s")
    if late:
        print(f"later than {TARGET} s by themselves: {', '.join(late)}")
    return median <= TARGET


if __name__ == "__main__":
    main()
