"""What the result shows on the page itself, and what can be taken away, checked and deleted."""

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.cli.commands import in_process
from tests.web.browsing import CHROMIUM, RUN_PATIENCE, WITHOUT, Visitor
from tests.web.samples import TINY, TINY_SECTIONS
from tests.web.serving import Served, helpers_of, paused

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)


@pytest.fixture
def project(client: httpx.Client) -> Iterator[str]:
    """A project with a tree that was changed by hand."""
    made = client.post("/api/v1/projects", json={"name": "Looked at"}).json()["id"]
    address = f"/api/v1/projects/{made}"
    client.post(f"{address}/files", params={"name": "tiny.csv"}, content=TINY.encode())
    client.put(f"{address}/policy", json=TINY_SECTIONS)
    edits = [{"edit": "rename", "label": "*", "to": "anybody"}]
    client.post(f"{address}/trees/sex", json={"edits": edits, "name": "sex.csv"})
    yield made
    client.delete(address)


def test_everything_about_a_result_is_on_the_page(visitor, client, served, project, tmp_path):
    visitor.page.goto(f"{visitor.address}/projects/{project}/run")
    visitor.at("Run")
    visitor.run()
    why_a_value_is_so(visitor, served)
    values_before_and_after(visitor)
    labels_and_questions(visitor)
    attackers(visitor)
    taken_away_and_checked(visitor, served, tmp_path)
    visitor.go("Run")
    visitor.sees(re.compile(r"^k-anonymity with k = 3, .*, took "))
    run = client.get(f"/api/v1/projects/{project}/jobs").json()[-1]
    visitor.button("Delete k-anonymity with mondrian").click()
    visitor.button("Delete for good").click()
    expect(visitor.button("Delete k-anonymity with mondrian")).to_have_count(0)
    assert client.get(f"/api/v1/projects/{project}/jobs/{run['id']}").status_code == 404
    a_release_of_elsewhere_is_checked(visitor, tmp_path / "published.csv")
    files_are_taken_away(visitor, tmp_path)


@pytest.mark.slow
def test_what_a_release_is_good_for_is_measured_on_the_page(visitor, project):
    visitor.page.goto(f"{visitor.address}/projects/{project}/run")
    visitor.at("Run")
    visitor.decide("What it is good for: how well models trained on it predict", "ill")
    visitor.page.wait_for_timeout(1_000)
    visitor.run()
    visitor.sees("What it is good for: predicting ill")
    rows = table_of(visitor, re.compile("^Download as CSV: Shares of records by ill"))
    assert rows[0] == ["column", "value", "ill", "original", "release"]
    assert len(rows) > 1
    assert visitor.violations() == []


def why_a_value_is_so(visitor: Visitor, served: Served) -> None:
    """Told on a click; who does not want to wait for it need not, and hears how long it takes."""
    value = visitor.page.locator("[data-row='0'][data-column='0']")
    answered = re.compile("is published as|all .* records of its class|stays as it is")
    value.click()
    visitor.sees(answered)
    with paused(helpers_of(served)):
        value.click()
        visitor.sees("how long it takes cannot be told before")
        assert visitor.violations() == []
        visitor.button("Cancel: Looking up age").click()
        visitor.sees("Cancelled; nothing was changed.")
    value.click()
    visitor.sees(answered)


def values_before_and_after(visitor: Visitor) -> None:
    figure = visitor.page.get_by_role("figure", name=re.compile("^Values before and after: age"))
    expect(figure.locator("svg").first).to_be_visible()
    visitor.choose("Values of", "sex")
    expect(
        visitor.page.get_by_role("figure", name=re.compile("^Values before and after: sex"))
    ).to_be_visible()
    rows = table_of(visitor, re.compile("^Download as CSV: sex, by "))
    assert rows[0][:3] == ["group", "original", "published"]
    assert {row[0] for row in rows[1:]} == {"f", "m"}
    assert table_of(visitor, re.compile("^Download as CSV: How many share"))[1:]


def labels_and_questions(visitor: Visitor) -> None:
    visitor.page.get_by_role("combobox", name="Column").last.scroll_into_view_if_needed()
    expect(visitor.page.get_by_role("region", name="What the labels stand for")).to_contain_text(
        "whole numbers from"
    )
    labels = table_of(visitor, "Download as CSV: What the labels stand for")
    assert labels[0] == ["Column", "Label", "Stands for"]
    assert {row[0] for row in labels[1:]} == {"age", "sex"}
    visitor.page.get_by_label("Is, such as 30-39 or f").fill("20-34")
    visitor.button("Count").click()
    expect(visitor.page.get_by_role("region", name="The answer")).to_contain_text("Expected")
    visitor.page.get_by_label("Is, such as 30-39 or f").fill("")
    visitor.page.wait_for_timeout(800)
    visitor.button("Count").click()
    visitor.sees("nothing is asked")
    records_by_bands_and_values(visitor)


def records_by_bands_and_values(visitor: Visitor) -> None:
    visitor.choose("For each", "age")
    bands = visitor.page.get_by_label("In bands with these ends, such as 20, 40, 60")
    bands.fill("20, old")
    visitor.page.wait_for_timeout(800)
    visitor.button("Count").click()
    visitor.sees("'20, old' are no ends of bands; write them as in 20, 40, 60")
    bands.fill("20, 35, 50")
    visitor.choose("And for each", "ill")
    visitor.page.wait_for_timeout(800)
    visitor.button("Count").click()
    answer = visitor.page.get_by_role("region", name="The answer")
    expect(answer).to_contain_text("20-34")
    heads, *rows = table_of(visitor, "Download as CSV: The answer", role="button")
    assert heads == ["age", "ill", "At least", "Expected", "At most"]
    assert [row[:2] for row in rows] == [[band, ill] for band in ("20-34", "35-49") for ill in "abc"]
    assert sum(float(row[3]) for row in rows) == pytest.approx(60, abs=0.01)
    assert all(float(row[2]) <= float(row[3]) <= float(row[4]) for row in rows)
    assert visitor.violations() == []


def attackers(visitor: Visitor) -> None:
    visitor.sees("Not tried yet.")
    visitor.button("Attack it").click()
    visitor.page.get_by_role("link", name=re.compile("^Look at it: attack")).click(timeout=RUN_PATIENCE)
    visitor.at("Result")
    visitor.sees("✓ Within the promise")
    for adversary in ("Prosecutor", "Journalist", "Marketer"):
        visitor.sees(adversary)
    assert len(table_of(visitor, "Download as CSV: What attackers find")) > 1
    assert visitor.violations() == []


def taken_away_and_checked(visitor: Visitor, served: Served, folder: Path) -> None:
    visitor.go("Export")
    figures = json.loads(visitor.download("all figures", folder).read_text(encoding="utf-8"))
    policy = visitor.download("the policy", folder)
    assert visitor.download("the hierarchy sex.csv", folder).read_text().split() == ["f;anybody", "m;anybody"]
    (folder / "tiny.csv").write_text(TINY, encoding="utf-8")
    again = in_process("run", policy, "--json")
    assert again.code == 0, again.err
    assert again.json["loss"] == figures["loss"]
    published = visitor.download("the published file", folder)
    with paused(helpers_of(served)):
        visitor.upload("Choose a published file", published)
        visitor.button("Cancel: Checking published.csv").click()
        visitor.sees("Cancelled; nothing was changed.")
    visitor.upload("Choose a published file", published)
    visitor.sees("✓ Holds")
    broken = folder / "broken.csv"
    broken.write_text(published.read_text() + "99,f,a\n", encoding="utf-8")
    visitor.upload("Choose a published file", broken)
    visitor.sees("✗ Does not hold")


def a_release_of_elsewhere_is_checked(visitor: Visitor, published: Path) -> None:
    """Also where nothing has been run: against the promise of the settings."""
    visitor.go("Export")
    visitor.sees("Nothing has been run to its end yet.")
    visitor.upload("Choose a published file", published)
    visitor.sees("✓ Holds")


def files_are_taken_away(visitor: Visitor, folder: Path) -> None:
    visitor.go("Data")
    assert visitor.download("tiny.csv", folder).read_text(encoding="utf-8") == TINY
    assert visitor.download("sex.csv", folder).read_text(encoding="utf-8").split() == [
        "f;anybody",
        "m;anybody",
    ]


def table_of(visitor: Visitor, name: str | re.Pattern[str], role: str = "link") -> list[list[str]]:
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role(role, name=name).click()
    return list(csv.reader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))
