"""The pages in a real browser, as somebody in front of it uses them."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright
from playwright.sync_api import TimeoutError as NotInTime

from tests.web.serving import Served

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WITHOUT = "needs the system's Chromium: install the package chromium"
OPENED_AT_MOST = 10
PATIENCE = 120_000  # milliseconds, on a busy machine
RUN_PATIENCE = 600_000  # the first run of an installation compiles
STEPS = ("Data", "Columns", "Hierarchies", "Promise", "Run", "Result", "Compare", "Export")
# What is drawn in a figure is no name of it.
_NAMELESS = """() => [
    ...[...document.querySelectorAll('a[href], button, input, textarea, [role=button]')]
        .filter(each => each.offsetParent !== null && each.type !== 'file')
        .filter(each => !(each.innerText.trim() || each.getAttribute('aria-label')
                          || (each.labels && each.labels.length) || each.closest('label')?.innerText.trim())),
    ...[...document.querySelectorAll('[role=figure], .plot')]
        .filter(each => !each.closest('[role=figure]')?.getAttribute('aria-label')),
].map(each => each.outerHTML.slice(0, 200))"""


AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
_RUN_AXE = """() => axe.run(document, {resultTypes: ["violations"]}).then(found =>
    found.violations.map(each => ({id: each.id, nodes: each.nodes.map(node => node.html.slice(0, 200))})))"""
# A page that was drawn anew has its focus on the body, which holds the words of every button.
_FOCUSED = """() => {
    const at = document.activeElement;
    if (at.tabIndex < 0) return '';  // a part of the page, whose text holds the names of all in it
    const labels = at.labels ? [...at.labels].map(label => label.innerText) : [];
    return [at.getAttribute('aria-label') || '', at.innerText || '', ...labels].join(' ');
}"""


@contextmanager
def opened(served: Served) -> Iterator[BrowserContext]:
    """A browser with a session of a server."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser: Browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(PATIENCE)
        first = context.new_page()
        first.goto(served.link)
        served.link = served.next_link()
        first.close()
        yield context
        browser.close()


@dataclass
class Visitor:
    """Somebody with one tab; `talk` is what the browser complained about meanwhile."""

    page: Page
    address: str
    talk: list[str] = field(default_factory=list)
    clicks: int = 0
    decisions: int = 0

    def __post_init__(self) -> None:
        self.page.on("console", lambda said: said.type == "error" and self.talk.append(said.text))
        self.page.on("pageerror", lambda error: self.talk.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.talk.append(dialog.message), dialog.dismiss()))
        # Dialogs for files are caught from the start: asking for one beside the key that opens it is late.
        self.page.on("filechooser", lambda _: None)

    def begin_sample(self, title: str) -> None:
        self.page.goto(self.address)
        self.button(title).click()
        self.at("Data")

    def begin(self, name: str) -> None:
        self.page.goto(self.address)
        self.page.get_by_label("Name").fill(name)
        self.button("Create").click()
        self.at("Data")

    def upload(self, button: str, file: Path) -> None:
        with self.page.expect_file_chooser() as chooser:
            self.button(button).click()
        chooser.value.set_files(file)

    def click(self, button: str) -> None:
        """Press a button, which is counted."""
        self.clicks += 1
        self.button(button).click()

    def decide(self, field: str, option: str | re.Pattern[str]) -> None:
        """Choose something of a list: two clicks and a decision."""
        self.clicks += 2
        self.decisions += 1
        self.choose(field, option)

    def choose(self, field: str, option: str | re.Pattern[str]) -> None:
        """Choose something of a list, and open it again if the page was drawn anew under it."""
        chosen = self.page.get_by_role("option", name=option)
        for _ in range(OPENED_AT_MOST):
            self.page.get_by_role("combobox", name=field, exact=True).click()
            try:
                chosen.wait_for(timeout=PATIENCE / OPENED_AT_MOST / 4)
            except NotInTime:
                continue
            break
        chosen.click()
        chosen.wait_for(state="hidden")  # else the next list might be taken for this one

    def at(self, step: str) -> None:
        """Wait until a step is there with its content."""
        expect(self.page.get_by_role("heading", name=step, exact=True, level=1)).to_be_visible()
        expect(self.page.locator("main .q-spinner")).to_have_count(0)

    def go(self, step: str) -> None:
        self.page.get_by_role("navigation", name="Steps").get_by_role("link", name=re.compile(step)).click()
        self.at(step)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def sees(self, text: str | re.Pattern[str]) -> Locator:
        found = self.page.get_by_text(text).filter(visible=True).first  # not the title of a mark
        expect(found).to_be_visible()
        return found

    def run(self) -> None:
        """Run, and look at what came of it."""
        self.go("Run")
        finished = self.page.get_by_role("link", name=re.compile("^Look at it: .* with "))
        before = finished.count()
        self.button("Run").click()
        expect(finished).to_have_count(before + 1, timeout=RUN_PATIENCE)
        finished.first.click()
        self.at("Result")

    def download(self, what: str, folder: Path) -> Path:
        """Take something away from the export page."""
        with self.page.expect_download() as download:
            self.page.get_by_role("link", name=f"Download {what}").click()
        target = folder / download.value.suggested_filename
        download.value.save_as(target)
        return target

    def nameless(self) -> list[str]:
        """What a screen reader could not name on this page."""
        return list(self.page.evaluate(_NAMELESS))

    def width_at(self, width: int) -> int:
        """How wide the page becomes in a window of some width."""
        self.page.set_viewport_size({"width": width, "height": 844})
        found = int(self.page.evaluate("document.documentElement.scrollWidth"))
        self.page.set_viewport_size({"width": 1280, "height": 900})
        return found

    def turn(self, *, dark: bool) -> None:
        """Make the page dark or light, which every page remembers."""
        is_dark = self.page.locator("body.body--dark")
        if is_dark.count() != dark:
            self.button("Light or dark").press("Enter")
        expect(is_dark).to_have_count(int(dark))

    def violations(self) -> list[str]:
        """What axe-core finds wrong with this page: each rule, and where it is broken."""
        self.page.evaluate(AXE)
        found = self.page.evaluate(_RUN_AXE)
        return [f"{each['id']}: {' | '.join(each['nodes'][:3])}" for each in found]

    def press_to(self, name: str, most: int = 200) -> int:
        """Press Tab until something with this name has the focus; how often that was."""
        for pressed in range(1, most + 1):
            self.page.keyboard.press("Tab")
            if name in self.page.evaluate(_FOCUSED):
                return pressed
        raise AssertionError(f"{name!r} is not reached with {most} presses of Tab")
