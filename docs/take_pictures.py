"""Takes the pictures of the docs from the bundled sample, report and web page alike: `make pictures`."""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from shoal.policy.plan import plan_of
from shoal.policy.policy_file import load_policy
from shoal.progress import Silent
from shoal.run.release import run
from shoal.table.sample import copy_sample

IMAGES = Path(__file__).with_name("images")
# The verdict and the risk; all else is for those who read the report itself.
SHOWN = """() => {
    const risk = document.getElementById("figure-risk-plot").closest("section");
    const kept = [document.querySelector(".verdict"), risk];
    for (const part of document.querySelectorAll("header, footer, main > *")) {
        if (!kept.includes(part)) part.remove();
    }
}"""
STEPS = ("Data", "Columns", "Hierarchies", "Promise", "Run", "Result", "Compare", "Export")
PATIENCE = 600_000  # milliseconds: a run is among what is waited for


def main() -> None:
    """Take every picture anew."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        take_report(browser, Path(name))
        with served(Path(name) / "data") as link:
            take_pages(browser, link)
        browser.close()


def take_report(browser: Browser, folder: Path) -> None:
    """Run the sample's table, and take what the picture of the README shows from its report."""
    sample = folder / "sample"
    copy_sample(sample)
    run(plan_of(load_policy(sample / "table.toml")), Silent()).save(sample / "out")
    page = browser.new_page(viewport={"width": 980, "height": 900}, device_scale_factor=1.15)
    page.goto((sample / "out" / "internal" / "report.html").as_uri())
    page.evaluate(SHOWN)
    page.screenshot(path=IMAGES / "report.png", full_page=True)
    page.close()


def take_pages(browser: Browser, link: str) -> None:
    """Go through all pages with the sample's table, and take each."""
    expect.set_options(timeout=PATIENCE)
    page = browser.new_page(viewport={"width": 1180, "height": 860})
    page.set_default_timeout(PATIENCE)
    page.goto(link)
    page.get_by_role("heading", name="Try the sample").wait_for()
    take(page, "projects")
    page.get_by_role("button", name="Patients as a table").click()
    wait_for(page, "Data")
    go(page, "Run")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("link", name=re.compile("^Look at it")).click()
    wait_for(page, "Result")
    page.get_by_role("button", name="Attack it").click()
    page.get_by_role("link", name=re.compile("^Look at it: attack")).wait_for()
    for step in STEPS:
        go(page, step)
        if step == "Columns":
            page.locator("tr.shoal-pick").nth(2).click()
            page.get_by_role("combobox", name="Role of zip").wait_for()
        take(page, step.lower())
    page.close()


def take(page: Page, name: str) -> None:
    """One picture, without the marks of a pointer that is somewhere."""
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / f"page-{name}.png")


def go(page: Page, step: str) -> None:
    """Another step by its link."""
    page.get_by_role("navigation", name="Steps").get_by_role("link", name=re.compile(step)).click()
    wait_for(page, step)


def wait_for(page: Page, step: str) -> None:
    """Until a step is there with its content."""
    expect(page.get_by_role("heading", name=step, exact=True, level=1)).to_be_visible()
    expect(page.locator("main .q-spinner")).to_have_count(0)


@contextmanager
def served(data: Path) -> Iterator[str]:
    """The link of a server that runs for a while."""
    start = "from shoal.cli.main import main; main()"
    words = [sys.executable, "-c", start, "serve", "--port", "0", "--data", str(data)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None  # noqa: S101 - it is a pipe
        try:
            yield next(line.strip() for line in server.stdout if line.startswith("http"))
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
