"""A German export with sixty columns in a real browser, with the roles as they are suggested."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from shoal.web.pages.columns import ROLES
from tests.study.wide_file import NAMING, REMARKED, write_wide_csv
from tests.web.browsing import CHROMIUM, WITHOUT, Visitor, opened
from tests.web.serving import Served

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)

HIGHEST_CARD = 800  # pixels


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Visitor]:
    served = Served(tmp_path / "data")
    try:
        with opened(served) as context:
            yield Visitor(context.new_page(), served.address)
    finally:
        served.stop()


def test_it_goes_through_as_suggested(visitor, tmp_path):
    visitor.begin("Entlassungen")
    visitor.upload("Choose a file", write_wide_csv(tmp_path / "Entlassungen.csv"))
    visitor.sees("3,000 records, 60 columns; read with the encoding cp1252, semicolons between cells")
    visitor.sees("dates, %d.%m.%Y, day first")
    fits(visitor)
    visitor.button("On to the columns").click()
    visitor.at("Columns")
    for name in (*NAMING, REMARKED):
        role = visitor.page.get_by_label(f"Role of {name}", exact=True)
        expect(role).to_have_value(ROLES["drop" if name == REMARKED else "identifier"])
    visitor.sees("Taken for postal codes of Germany")
    fits(visitor)
    visitor.go("Hierarchies")
    fits(visitor)
    visitor.go("Run")
    visitor.page.get_by_label("Algorithm").click()
    visitor.page.get_by_role("option", name=re.compile("^mondrian:")).click()  # auto searches for minutes
    visitor.run()
    visitor.sees(re.compile("✓ Holds"))
    visitor.page.get_by_role("heading", name="Loss by column").scroll_into_view_if_needed()
    expect(visitor.page.locator(".chart svg").first).to_be_visible()
    cards = visitor.page.locator(".shoal-figures > *")
    assert max(card.bounding_box()["height"] for card in cards.all()) < HIGHEST_CARD
    fits(visitor)


def fits(visitor: Visitor) -> None:
    assert visitor.nameless() == []
    assert visitor.width_at(390) == 390
    assert visitor.talk == []
