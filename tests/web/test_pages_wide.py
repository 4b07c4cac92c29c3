"""A German export with sixty columns in a real browser, with the roles as they are suggested."""

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from shoal.web.service.setting_words import ROLES
from tests.study.wide_file import COLUMNS, NAMING, REMARKED, rows, write_wide_csv
from tests.web.browsing import CHROMIUM, RUN_PATIENCE, STEPS, WITHOUT, Visitor
from tests.web.serving import Served
from tests.web.soundness import is_sound

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)

HIGHEST_CARD = 800  # pixels
MOST_CLICKS, MOST_DECISIONS = 15, 5


@pytest.fixture(scope="module")
def visitor(context: BrowserContext, served: Served) -> Visitor:
    """Somebody whose clicks are counted over several tests."""
    return Visitor(context.new_page(), served.address)


@pytest.fixture(scope="module")
def published(visitor: Visitor, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return from_upload_to_export(visitor, tmp_path_factory.mktemp("published"))


def test_it_goes_through_as_suggested(visitor, published):
    assert visitor.clicks <= MOST_CLICKS
    assert visitor.decisions <= MOST_DECISIONS
    names_nobody(published)
    visitor.go("Result")
    visitor.sees(re.compile("✓ Holds"))
    visitor.page.get_by_role("heading", name="Loss by column").scroll_into_view_if_needed()
    expect(visitor.page.locator(".chart svg").first).to_be_visible()
    cards = visitor.page.locator(".shoal-figures > *")
    assert max(card.bounding_box()["height"] for card in cards.all()) < HIGHEST_CARD
    fits(visitor)
    visitor.go("Data")
    visitor.sees("dates, %d.%m.%Y, day first")
    visitor.go("Columns")
    for name in (*NAMING, REMARKED):
        role = ROLES["drop" if name == REMARKED else "identifier"]
        expect(row_of(visitor, name)).to_contain_text(role)
    row_of(visitor, "PLZ").click()
    visitor.sees("Taken for postal codes of Germany")
    fits(visitor)
    change_many_columns(visitor)


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_page_of_sixty_columns_is_hard_to_use(visitor, published, dark):
    visitor.turn(dark=dark)
    for step in STEPS:
        visitor.go(step)
        is_sound(visitor, dark=dark)
        fits(visitor)


def from_upload_to_export(visitor: Visitor, folder: Path) -> Path:
    """The way of somebody who takes every suggestion, counted."""
    visitor.page.goto(visitor.address)
    visitor.decisions += 1
    visitor.page.get_by_label("Name").fill("Entlassungen")
    visitor.click("Create")
    visitor.at("Data")
    visitor.clicks += 1
    visitor.decisions += 1
    visitor.upload("Choose a file", write_wide_csv(folder / "Entlassungen.csv"))
    visitor.sees("3,000 records, 60 columns; read with the encoding cp1252, semicolons between cells")
    for step in ("columns", "hierarchies", "promise", "run"):
        visitor.click(f"On to the {step}")
        visitor.at(step.capitalize())
    visitor.decide("Algorithm", re.compile("^mondrian:"))  # auto searches for minutes
    visitor.click("Run")
    visitor.clicks += 1
    visitor.page.get_by_role("link", name=re.compile("^Look at it")).click(timeout=RUN_PATIENCE)
    visitor.at("Result")
    visitor.click("Export")
    visitor.at("Export")
    visitor.clicks += 1
    return visitor.download("the published file", folder)


def names_nobody(published: Path) -> None:
    """Neither a column that names people nor a value of one goes out, in the dialect of what came in."""
    text = published.read_text(encoding="cp1252")
    heads, *records = csv.reader(text.splitlines(), delimiter=";")
    assert not {*NAMING, REMARKED} & {*heads}
    assert len(records) > 2_000
    originals = rows()
    for name in (*NAMING, REMARKED):
        at = COLUMNS.index(name)
        assert not [row[at] for row in originals if len(row[at]) > 5 and row[at] in text]


def row_of(visitor: Visitor, column: str) -> Locator:
    return visitor.page.locator(f'tr[data-name="{column}"]')


def change_many_columns(visitor: Visitor) -> None:
    """Search, tick what is found with the keyboard, give all of it another role, and take that back."""
    visitor.page.get_by_label("Find a column").fill("h")
    visitor.page.get_by_label("Sorted").click()
    visitor.page.get_by_role("option", name="By name").click()
    visitor.sees("Shown: ")
    rows = visitor.page.locator("tr.shoal-pick")
    names = rows.evaluate_all("rows => rows.map(row => row.dataset.name)")
    assert names == sorted(names, key=str.casefold)
    assert all("h" in name.casefold() for name in names)
    first, second = row_of(visitor, "HbA1c"), row_of(visitor, names[names.index("HbA1c") + 1])
    first.focus()
    visitor.page.keyboard.press("Space")
    expect(first.get_by_role("checkbox")).to_be_checked()
    first.focus()  # also if it was drawn anew
    visitor.page.keyboard.press("ArrowDown")
    expect(second).to_be_focused()
    visitor.page.keyboard.press("Space")
    visitor.sees(re.compile("^2 columns$"))  # not the one that was opened before and is no longer shown
    visitor.choose("Role of the chosen columns", ROLES["insensitive"])
    visitor.sees("2 published as they are")
    visitor.button("Undo").click()
    visitor.sees("Undo: ")
    visitor.sees("60 columns: 8 that name people, 50 that somebody could know")


def fits(visitor: Visitor) -> None:
    assert visitor.nameless() == []
    assert visitor.violations() == []
    for width in (390, 1280):
        assert visitor.width_at(width) == width
    assert visitor.talk == []
