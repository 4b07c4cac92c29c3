"""The pages in a real browser: drawn, quiet, readable at both widths, and without a single request."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import Page as Opened

from shoal.report.page import notebook_view, page
from shoal.report.public_page import public_page
from tests.report.outcomes import (
    DIGEST,
    EVIL,
    affected,
    change,
    changed,
    clinic,
    evil,
    hospital_in_full,
    published,
    supermarket,
    taken_apart,
)

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

PATIENCE = 300_000  # milliseconds, on a busy machine
WIDE, NARROW = 1280, 390
SMALLEST_LETTERS = 11.5  # pixels

KINDS = {
    "table": hospital_in_full,
    "sets": supermarket,
    "table with sets": clinic,
    "chunks": taken_apart,
}
EDITIONS = {"internal": page, "external": lambda outcome: public_page(published(outcome), DIGEST)}

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
class Heard:
    talk: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@contextmanager
def visit(browser: Browser, file: Path, text: str, scheme: str = "light") -> Iterator[tuple[Opened, Heard]]:
    file.write_text(text, encoding="utf-8")
    heard = Heard()
    context = browser.new_context(viewport={"width": WIDE, "height": 900}, color_scheme=scheme, offline=True)
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    opened.on("console", lambda message: heard.talk.append(message.text))
    opened.on("pageerror", lambda error: heard.talk.append(str(error)))
    opened.on("dialog", lambda dialog: (heard.talk.append(dialog.message), dialog.dismiss()))
    opened.on("request", lambda request: heard.requests.append(request.url))
    opened.goto(file.as_uri())
    opened.wait_for_selector(".chart rect.bar", state="attached")
    yield opened, heard
    context.close()


def drawn(opened: Opened) -> dict[str, int]:
    """The figures that are seen, each with the number of marks in its SVG."""
    return opened.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll("[data-figure]")]
            .filter((holder) => holder.getClientRects().length)
            .map((holder) => [holder.dataset.figure,
                              holder.querySelectorAll("rect.bar, path.mark").length]))"""
    )


def width(opened: Opened) -> int:
    return opened.evaluate("document.documentElement.scrollWidth")


def burst(opened: Opened) -> list[str]:
    """Figures that are wider than the page."""
    return opened.evaluate(
        """() => [...document.querySelectorAll(".chart .plot, .chart > svg")]
            .filter((svg) => svg.getBoundingClientRect().right > innerWidth + 1)
            .map((svg) => svg.closest("[data-figure]").dataset.figure)"""
    )


def smallest_letters(opened: Opened) -> float:
    return opened.evaluate(
        """() => Math.min(...[...document.querySelectorAll("body *")]
            .filter((it) => it.getClientRects().length)
            .filter((it) => [...it.childNodes].some((part) => part.nodeType === 3 && part.data.trim()))
            .map((it) => parseFloat(getComputedStyle(it).fontSize)))"""
    )


def is_fitted(opened: Opened, wanted: int) -> None:
    opened.set_viewport_size({"width": wanted, "height": 900})


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_report_is_drawn_and_readable_wide_and_narrow(browser, tmp_path, kind, edition):
    file = tmp_path / "report.html"
    with visit(browser, file, EDITIONS[edition](KINDS[kind]())) as (opened, heard):
        for wanted in (WIDE, NARROW):
            is_fitted(opened, wanted)
            assert width(opened) == wanted
            assert burst(opened) == []
            assert smallest_letters(opened) >= SMALLEST_LETTERS
        marks = drawn(opened)
        assert marks
        assert all(marks.values()), marks
        if edition == "internal":
            assert any(name.endswith("-distribution-1") or "distribution-0" in name for name in marks)
            assert ("column-0-cut" in marks) == (kind != "chunks")
        if kind == "chunks":
            assert opened.locator(".cluster .chunk").count() == 5
        assert heard.talk == []
        assert heard.requests == [file.as_uri()]


def test_darkness_changes_colours_and_nothing_else(browser, tmp_path):
    with visit(browser, tmp_path / "r.html", page(hospital_in_full()), "dark") as (opened, heard):
        colour = opened.evaluate(
            "getComputedStyle(document.querySelector('#figure-loss-plot rect.bar')).fill"
        )
        assert colour == "rgb(86, 180, 233)"
        assert all(drawn(opened).values())
        assert heard.talk == []


def test_another_level_can_be_chosen(browser, tmp_path):
    with visit(browser, tmp_path / "r.html", page(hospital_in_full())) as (opened, heard):
        assert "column-0-distribution-0" not in drawn(opened)
        opened.select_option("[data-choose=column-0-level]", index=0)
        marks = drawn(opened)
        assert marks["column-0-distribution-0"] > 0
        assert "column-0-distribution-1" not in marks
        assert heard.talk == []


def test_the_cut_is_a_line_through_the_published_labels(browser, tmp_path):
    with visit(browser, tmp_path / "r.html", page(hospital_in_full())) as (opened, _):
        legend = opened.locator("#column-0-cut-plot .legend li").all_text_contents()
        assert legend == [
            "the cut",
            "published under this label",
            "as it is, or in more detail",
            "not published by itself",
        ]
        assert "the cut" not in opened.locator("#column-1-cut-plot .legend li").all_text_contents()
        labels = " ".join(opened.locator("#column-0-cut-plot .node").all_text_contents())
        assert "20-39" in labels
        assert "2 more values" in labels


def test_every_figure_is_saved_as_data(browser, tmp_path):
    with visit(browser, tmp_path / "r.html", page(hospital_in_full())) as (opened, heard):
        assert opened.locator("[data-csv]").count() == opened.locator("[data-figure]").count()
        with opened.expect_download() as download:
            opened.click("[data-csv=figure-loss]")
        saved = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
        assert download.value.suggested_filename == "figure-loss.csv"
        assert saved[:2] == ["name,lost", "zip,0.3127"]
        assert heard.talk == []


def test_markup_in_names_neither_runs_nor_bursts_the_page(browser, tmp_path):
    outcome = evil()
    strange = change(EVIL, EVIL, "<a href='https://example.org'>x</a>", "%{x} $y$")
    for text in (
        page(with_change(outcome, strange)),
        public_page(published(outcome, labels={EVIL: {EVIL: 3, "<b>b</b>": 1}}), DIGEST),
    ):
        file = tmp_path / "report.html"
        with visit(browser, file, text) as (opened, heard):
            is_fitted(opened, NARROW)
            assert width(opened) == NARROW
            assert opened.locator("svg a, svg img, .figure b, main img").count() == 0
            ticks = " ".join(opened.locator(".tick.beside").all_text_contents())
            assert '<img src=x onerror="a…' in ticks
            for bar in opened.locator("[data-figure^=column] .plot rect.bar:visible").all()[:2]:
                bar.hover(force=True)
            assert opened.locator("svg a").count() == 0
            assert heard.talk == []
            assert heard.requests == [file.as_uri()]


def with_change(outcome, strange):
    return changed(outcome, by_column=(strange,), affected=(affected(EVIL, EVIL),))


def test_a_notebook_shows_the_verdict_and_the_figures(browser, tmp_path):
    text = f"<!DOCTYPE html><meta charset=utf-8><body>{notebook_view(hospital_in_full())}</body>"
    file = tmp_path / "notebook.html"
    file.write_text(text, encoding="utf-8")
    context = browser.new_context(viewport={"width": WIDE, "height": 900}, offline=True)
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    talk: list[str] = []
    opened.on("console", lambda message: talk.append(message.text))
    opened.on("pageerror", lambda error: talk.append(str(error)))
    opened.goto(file.as_uri(), wait_until="commit")
    frame = opened.frame_locator("iframe")
    frame.locator("#figure-loss-plot .plot rect.bar").first.wait_for(state="attached")
    assert "The promise holds" in frame.locator(".answer").inner_text()
    assert frame.locator("#figure-risk-plot .plot rect.bar").count() == 4
    assert talk == []
    context.close()
