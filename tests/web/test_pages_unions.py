"""A release whose set column has unions of many items: these become lines, so that tables fit."""

import random
import re

import httpx
import pytest
from playwright.sync_api import expect

from tests.web.browsing import CHROMIUM, RUN_PATIENCE, STEPS, WITHOUT, Visitor

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)]

COLUMN_AT_MOST = 150  # pixels on average, where a table is wider than a narrow window
HIGHEST = 150  # pixels of a value
SECTIONS = {
    "data": {"path": "claims.csv"},
    "columns": {
        "age": {"role": "quasi", "kind": "number", "hierarchy": {"ranges": [5, 10, 20]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "diagnoses": {"role": "quasi", "kind": "set", "separator": " "},
    },
    "privacy": {"model": "k-km-anonymity", "k": 10, "m": 2},
    "algorithm": {"name": "rmerge-rt", "seed": 1},
}
_TABLES = """() => [...document.querySelectorAll("main table")].filter(each => each.offsetParent)
    .map(each => [each.closest("[data-name]")?.dataset.name || "", each.querySelectorAll("th").length,
                  each.offsetWidth, each.parentElement.clientWidth])"""
_LONGEST = """cells => cells
    .map(each => [each.lastElementChild.textContent.length, each.dataset.row])
    .sort((one, other) => other[0] - one[0])[0][1]"""


def claims() -> str:
    """People with a few of many diagnoses, of which every fiftieth has very many."""
    draw = random.Random(1)
    lines = [
        f"{20 + draw.randrange(40)},{draw.choice('fm')},"
        + " ".join(sorted({f"{draw.randrange(240):05d}" for _ in range(4 if number % 50 else 120)}))
        for number in range(400)
    ]
    return "\n".join(["age,sex,diagnoses", *lines])


@pytest.fixture(scope="module")
def project(client: httpx.Client) -> str:
    """The path of a project that has run, and was attacked."""
    made = client.post("/api/v1/projects", json={"name": "Claims"}).json()["id"]
    address = f"/api/v1/projects/{made}"
    client.post(f"{address}/files", params={"name": "claims.csv"}, content=claims().encode())
    assert client.put(f"{address}/policy", json=SECTIONS).json()["problems"] == []
    return f"/projects/{made}"


@pytest.fixture
def finished(visitor: Visitor, project: str) -> Visitor:
    visitor.page.goto(f"{visitor.address}{project}/run")
    visitor.at("Run")
    visitor.run()
    visitor.button("Attack it").click()
    visitor.page.get_by_role("link", name="Look at it: attack").first.click(timeout=RUN_PATIENCE)
    visitor.at("Result")
    return visitor


def test_long_unions_become_lines_and_every_table_fits(finished):
    for step in STEPS:
        finished.go(step)
        if step == "Data":
            finished.sees("The first records")
        if step == "Result":
            finished.page.get_by_role("heading", name="Records before and after").scroll_into_view_if_needed()
            expect(finished.page.locator("[data-row='0']").first).to_be_visible()
        for width in (1280, 390):
            finished.page.set_viewport_size({"width": width, "height": 844})
            for name, columns, wide, box in finished.page.evaluate(_TABLES):
                at_most = box if width == 1280 else max(box, COLUMN_AT_MOST * columns)
                assert wide <= at_most, (step, name, width)
    the_whole_value_is_told_where_it_is_pressed(finished)


def the_whole_value_is_told_where_it_is_pressed(visitor: Visitor) -> None:
    visitor.go("Result")
    expect(visitor.page.locator("[data-row='0'][data-column='2']")).to_be_visible()
    row = visitor.page.locator("[data-column='2']").evaluate_all(_LONGEST)
    cell = visitor.page.locator(f"[data-row='{row}'][data-column='2']")
    cell.scroll_into_view_if_needed()
    published = cell.locator("span").last
    assert published.evaluate("each => each.scrollHeight > each.clientHeight"), published.inner_html()
    assert published.bounding_box()["height"] < HIGHEST
    whole = published.text_content().strip()
    cell.click()
    answer = visitor.page.get_by_text(re.compile(r"^diagnoses was .* and is published as .*\.$"))
    assert answer.inner_text().endswith(f" and is published as {whole}.")
    assert visitor.page.evaluate("document.documentElement.scrollWidth") == 390
    assert visitor.violations() == []
