"""What can be said of a file, its columns and the promise, and that what is shown changes with it."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from tests.web.browsing import CHROMIUM, WITHOUT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)]

ROWS = "".join(
    f"P{i};{20 + i % 30},5;{'NA' if i % 10 == 0 else 'fm'[i % 2]};{'abcd'[i % 4]}\n" for i in range(80)
)
FILE = "patient;weight;sex;diagnosis\n" + ROWS


@pytest.fixture
def project(client: httpx.Client) -> Iterator[str]:
    made = client.post("/api/v1/projects", json={"name": "Said"}).json()["id"]
    address = f"/api/v1/projects/{made}"
    file = client.post(f"{address}/files", params={"name": "said.csv"}, content=FILE.encode()).json()["id"]
    client.post(f"{address}/policy/start", json={"file": file})
    yield made
    client.delete(address)


def sections(client: httpx.Client, project: str) -> dict[str, Any]:
    return client.get(f"/api/v1/projects/{project}/policy").json()["sections"]


def test_what_is_said_is_kept_and_shown(visitor, client, project):
    how_the_file_is_written(visitor, client, project)
    what_columns_are(visitor, client, project)
    what_is_promised(visitor, client, project)
    visitor.turn(dark=True)
    visitor.go("Run")
    expect(visitor.page.locator("body.body--dark")).to_have_count(1)
    visitor.turn(dark=False)


def how_the_file_is_written(visitor, client, project) -> None:
    visitor.page.goto(f"{visitor.address}/projects/{project}/data")
    visitor.at("Data")
    sex = visitor.page.get_by_role("region", name="What is in the columns").get_by_role(
        "row", name=re.compile("^sex")
    )
    expect(sex).to_contain_text("8")
    words = visitor.page.get_by_label("Words that stand for a missing value, with | between")
    words.fill("")
    words.press("Tab")
    expect(sex.get_by_role("cell").nth(2)).to_have_text("3")
    expect(sex.get_by_role("cell").nth(3)).to_have_text("0")
    visitor.page.get_by_text("Read it differently").click()
    visitor.choose("Between cells", "Commas")
    visitor.sees("This has to be mended first")  # numbers have commas, too
    visitor.choose("Between cells", "Bars")
    visitor.sees("patient;weight;sex;diagnosis")
    assert list(sections(client, project)["columns"]) != ["patient", "weight", "sex", "diagnosis"]
    visitor.button("Undo").click()
    visitor.sees("80 records, 4 columns")
    visitor.button("Undo").click()
    expect(sex.get_by_role("cell").nth(3)).to_have_text("8")


def what_columns_are(visitor, client, project) -> None:
    visitor.go("Columns")
    before = sections(client, project)
    assert before["columns"]["diagnosis"]["role"] == "sensitive"
    assert before["privacy"]["l"] == 2
    visitor.choose("Who is who", "Rows with the same sex are one person")
    visitor.sees("2 that name people")
    visitor.choose("Who is who", "No: every row is another person")
    visitor.sees("1 that name people")
    assert sections(client, project)["columns"]["sex"] == before["columns"]["sex"]
    visitor.page.locator("tr[data-name=weight]").click()
    visitor.page.get_by_text("More about it").click()
    field = visitor.page.get_by_label("Weight: how much its loss counts")
    field.fill("3")
    field.press("Tab")
    visitor.sees("“Somebody could know it”")
    expect(visitor.page.get_by_role("combobox", name="Decimal sign")).to_have_value(re.compile("comma"))
    visitor.page.wait_for_timeout(500)
    assert sections(client, project)["columns"]["weight"]["weight"] == 3


def what_is_promised(visitor, client, project) -> None:
    visitor.go("Promise")
    visitor.sees("no value of diagnosis makes up more than one in 2")
    visitor.choose("How values are counted", re.compile("recursive"))
    visitor.sees("How many times as frequent the most frequent value may be")
    expect(visitor.page.get_by_role("combobox", name="How values are counted")).to_be_visible()
    visitor.page.wait_for_timeout(500)
    promised = sections(client, project)["privacy"]
    assert (promised["diversity"], promised["c"]) == ("recursive", 3)
    assert visitor.violations() == []
