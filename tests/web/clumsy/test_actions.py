"""Thirty things that people do by mistake or out of impatience; each is told in a sentence, none harms."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from tests.web.browsing import CHROMIUM, WITHOUT, Visitor
from tests.web.samples import TINY, TINY_SECTIONS, slow_table

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)

K = "A person hides among at least so many (k), as a number"


@pytest.fixture
def project(client: httpx.Client) -> Iterator[str]:
    made = client.post("/api/v1/projects", json={"name": "Clumsy"}).json()["id"]
    client.post(f"/api/v1/projects/{made}/files", params={"name": "tiny.csv"}, content=TINY.encode())
    assert client.put(f"/api/v1/projects/{made}/policy", json=TINY_SECTIONS).json()["problems"] == []
    yield made
    client.delete(f"/api/v1/projects/{made}")


@pytest.fixture
def empty(client: httpx.Client) -> Iterator[str]:
    made = client.post("/api/v1/projects", json={"name": "Empty"}).json()["id"]
    yield made
    client.delete(f"/api/v1/projects/{made}")


def sections(client: httpx.Client, project: str) -> dict[str, Any]:
    return client.get(f"/api/v1/projects/{project}/policy").json()["sections"]


def open_step(visitor: Visitor, project: str, step: str) -> None:
    visitor.page.goto(f"{visitor.address}/projects/{project}/{step.lower()}")
    visitor.at(step)


def test_steps_in_the_wrong_order_say_what_comes_first(visitor, empty):
    for step, told in {
        "Columns": "Choose a data file first.",
        "Hierarchies": "No column is one that somebody could know",
        "Promise": "No column is one that somebody could know",
        "Run": "Choose a promise first.",
        "Result": "Nothing has been run to its end yet.",
        "Compare": "Nothing has been run to its end yet.",
        "Export": "Nothing has been run to its end yet.",
    }.items():
        open_step(visitor, empty, step)
        visitor.sees(told)
    visitor.button("Undo").click()
    visitor.sees("There is nothing to undo.")
    visitor.page.goto(f"{visitor.address}/projects/{empty}/nothing")
    visitor.sees("There is no such step.")
    visitor.page.goto(f"{visitor.address}/projects/{'0' * 24}/data")
    visitor.sees("There is no such project")


@pytest.mark.slow
def test_names_that_are_none_make_no_project(visitor, client):
    before = len(client.get("/api/v1/projects").json())
    visitor.page.goto(visitor.address)
    for name in ("", "   ", "n" * 300):
        visitor.page.get_by_label("Name", exact=True).fill(name)
        visitor.button("Create").click()
        visitor.sees("a name has 1 to 200 characters that can be shown")
    visitor.page.get_by_label("What the key is for").fill("")
    visitor.button("Make a key").click()
    visitor.sees("a name has 1 to 200 characters that can be shown")
    visitor.page.wait_for_timeout(800)
    visitor.page.get_by_label("Name", exact=True).fill("Twice clicked")
    visitor.button("Create").dblclick()
    visitor.at("Data")
    made = [each for each in client.get("/api/v1/projects").json() if each["name"] == "Twice clicked"]
    assert len(made) == 1
    visitor.page.goto(visitor.address)
    visitor.button("Delete Twice clicked").click()
    visitor.button("Keep it").click()
    assert len(client.get("/api/v1/projects").json()) == before + 1
    visitor.button("Delete Twice clicked").click()
    visitor.button("Delete for good").click()
    expect(visitor.button("Delete Twice clicked")).to_have_count(0)


@pytest.mark.slow
def test_files_that_are_none_are_refused_with_a_reason(visitor, client, empty, tmp_path):
    open_step(visitor, empty, "Data")
    for name, content, told in (
        ("data.zip", b"PK", "has an ending that is not read"),
        ("empty.csv", b"", "is empty"),
        ("packed.csv.gz", b"no gzip", "is no gzip file"),
        ("book.xlsx", b"no workbook", "is no workbook"),
    ):
        (tmp_path / name).write_bytes(content)
        visitor.upload("Choose a file", tmp_path / name)
        visitor.sees(told)
    (tmp_path / "large.csv").write_bytes(b"a\n" * 2**21)
    visitor.upload("Choose a file", tmp_path / "large.csv")
    visitor.sees("This file is larger than the")
    assert client.get(f"/api/v1/projects/{empty}/files").json() == []
    for name, content, told in (
        ("twice.csv", b"a,a\n1,2\n", re.compile("twice|two columns|more than one", re.I)),
        ("tiny.csv", TINY.encode(), "60 records"),
        ("tiny.csv", TINY.encode(), "tiny-2.csv is in use now"),
    ):
        (tmp_path / name).write_bytes(content)
        visitor.upload("Choose a file", tmp_path / name)
        visitor.sees(told)
    open_step(visitor, empty, "Data")
    visitor.button("Delete tiny-2.csv").click()
    visitor.button("Delete for good").click()
    visitor.sees("tiny-2.csv is in use")
    visitor.button("Delete tiny.csv").click()
    visitor.button("Leave it as it is").click()
    names = [each["name"] for each in client.get(f"/api/v1/projects/{empty}/files").json()]
    assert {"tiny.csv", "tiny-2.csv"} <= {*names}


@pytest.mark.slow
def test_columns_and_promises_that_make_no_sense_are_told_and_taken_back(visitor, client, project):
    open_step(visitor, project, "Columns")
    visitor.page.get_by_role("checkbox", name="Choose all that are shown").click()
    visitor.choose("Role of the chosen columns", re.compile("^Is left out$"))
    visitor.sees("3 columns: 3 left out.")
    visitor.go("Promise")
    visitor.sees("No column is one that somebody could know")
    visitor.button("Undo").click()
    visitor.sees("What this promises")
    assert sections(client, project)["columns"] == TINY_SECTIONS["columns"]
    visitor.page.get_by_label(K).fill("")
    visitor.page.keyboard.press("Tab")
    assert sections(client, project)["privacy"]["k"] == 3
    visitor.page.get_by_label(K).fill("1")
    visitor.page.keyboard.press("Tab")
    visitor.sees("k = 1 has to be confirmed")
    visitor.page.get_by_label("Your confirmation, which names k = 1").fill("because")
    visitor.button("Confirm").click()
    visitor.sees("a sentence that names k = 1 and says why")
    visitor.page.wait_for_timeout(800)
    visitor.page.get_by_label("Your confirmation, which names k = 1").fill("k = 1 is what I want")
    visitor.button("Confirm").click()
    visitor.sees("k = 1 promises nothing")
    assert client.post(f"/api/v1/projects/{project}/jobs", json={"kind": "run"}).status_code == 422
    visitor.page.get_by_label(K).fill("61")
    visitor.page.keyboard.press("Tab")
    visitor.sees("At least 61 rows fit that person")
    visitor.go("Run")
    visitor.button("Run").click()
    visitor.sees(re.compile("k = 61|61 .*60|more than|fewer than"))
    visitor.page.get_by_role("link", name="3 Hierarchies").click()
    visitor.at("Hierarchies")
    visitor.page.get_by_label("Widths").fill("abc")
    visitor.page.keyboard.press("Tab")
    visitor.sees("are no numbers")
    visitor.page.get_by_label("Widths").fill("5, 7")
    visitor.button("Save").click()
    visitor.sees(re.compile("multiple"))
    visitor.page.reload()
    visitor.at("Hierarchies")
    visitor.button("Dissolve").click()
    visitor.sees("Tick at least one label first.")


@pytest.mark.slow
def test_impatience_with_runs_starts_one_and_stops_it(visitor, client, context, tmp_path):
    made = client.post("/api/v1/projects", json={"name": "Impatient"}).json()["id"]
    address = f"/api/v1/projects/{made}"
    file = client.post(f"{address}/files", params={"name": "slow.csv"}, content=slow_table()).json()["id"]
    started = client.post(f"{address}/policy/start", json={"file": file}).json()["sections"]
    chosen = {**started, "algorithm": {"name": "agglomerative"}}
    client.put(f"{address}/policy", json=chosen, headers={"If-Match": "*"})
    open_step(visitor, made, "Run")
    visitor.button("Run").dblclick()
    visitor.sees("running")
    visitor.page.reload()
    visitor.sees("running")
    visitor.page.go_back()
    visitor.page.go_forward()
    visitor.at("Run")
    assert [job["kind"] for job in client.get(f"{address}/jobs").json()] == ["run"]
    other = Visitor(context.new_page(), visitor.address)
    open_step(other, made, "Run")
    other.page.get_by_role("button", name=re.compile("^Cancel: ")).click()
    visitor.sees("cancelled")
    visitor.page.get_by_role("button", name=re.compile("^Delete ")).click()
    visitor.button("Delete for good").click()
    visitor.sees("None yet.")
    other.page.get_by_role("button", name=re.compile("^Try again: ")).click()
    other.sees("there is no job")
    other.page.close()
    open_step(visitor, made, "Compare")
    visitor.page.get_by_label("Values of k").fill("five")
    visitor.button("Compare").click()
    visitor.sees("the values of k are no numbers")
    visitor.page.goto(f"{visitor.address}/projects/{made}/result/{'0' * 24}")
    visitor.sees("Nothing has been run to its end yet.")
    client.delete(address)
