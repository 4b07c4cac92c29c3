"""The page in a real browser: drawn, quiet, and without a single request."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from shoal.report.page import page
from tests.report.outcomes import baskets, evil, hospital

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

PATIENCE = 120_000  # milliseconds, on a busy machine

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="needs the system's Chromium: install the package chromium"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


@dataclass
class Seen:
    talk: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    width: int = 0
    plots: list[str] = field(default_factory=list)
    bars: int = 0
    ticks: str = ""


def visit(browser: Browser, file: Path, width: int, scheme: str = "light") -> Seen:
    seen = Seen()
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    opened.on("console", lambda message: seen.talk.append(message.text))
    opened.on("pageerror", lambda error: seen.talk.append(str(error)))
    opened.on("dialog", lambda dialog: (seen.talk.append(dialog.message), dialog.dismiss()))
    opened.on("request", lambda request: seen.requests.append(request.url))
    opened.goto(file.as_uri())
    opened.wait_for_selector(".js-plotly-plot .bars .point path", state="attached")
    seen.width = opened.evaluate("document.documentElement.scrollWidth")
    seen.plots = opened.eval_on_selector_all(".js-plotly-plot", "plots => plots.map(plot => plot.id)")
    seen.bars = opened.locator(".js-plotly-plot .bars .point path").count()
    seen.ticks = " ".join(opened.locator(".ytick text").all_text_contents())
    context.close()
    return seen


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_draws_its_figures_and_asks_for_nothing(browser, tmp_path, width, scheme):
    file = tmp_path / "report.html"
    file.write_text(page(hospital()), encoding="utf-8")
    seen = visit(browser, file, width, scheme)
    assert seen.talk == []
    assert seen.requests == [file.as_uri()]
    assert seen.plots == ["figure-risk-plot", "figure-classes-plot", "figure-loss-plot"]
    assert seen.bars == 4 + 2 * 6 + 4
    assert seen.width == width


@pytest.mark.parametrize("width", [1280, 390])
def test_markup_in_names_neither_runs_nor_bursts_the_page(browser, tmp_path, width):
    file = tmp_path / "report.html"
    file.write_text(page(evil()), encoding="utf-8")
    seen = visit(browser, file, width)
    assert seen.talk == []
    assert seen.requests == [file.as_uri()]
    assert '<img src=x onerror="a…' in seen.ticks
    assert seen.width == width


def test_a_page_about_sets_draws_what_there_is(browser, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(page(baskets()), encoding="utf-8")
    seen = visit(browser, file, 1280)
    assert seen.talk == []
    assert seen.plots == ["figure-loss-plot"]
    assert seen.bars == 1
