"""Whole ways through the pages in a real browser."""

import contextlib
import json
import re
import runpy
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from shoal.table.sample import sample_folder
from tests.cli.commands import shoal
from tests.web.browsing import CHROMIUM, RUN_PATIENCE, STEPS, WITHOUT, Visitor
from tests.web.samples import TINY, TINY_SECTIONS, slow_table

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)

ANSWERED_AT_MOST = 20.0  # seconds for six pages, which take three where nothing else runs
IMAGE = "<img src=x onerror=alert(1)>"


@dataclass(frozen=True)
class Sample:
    title: str
    column: str
    promise: str
    losses: tuple[str, ...]


SAMPLES = {
    "table": Sample("Patients as a table", "admission", "At least 5 rows fit that person", ("ncp",)),
    "sets": Sample("Diagnoses as sets", "items", "up to 2", ("ul",)),
    "mixed": Sample("Patients with their diagnoses", "diagnoses", "up to 2", ("ncp", "ul")),
    "disassociation": Sample("Diagnoses, all as they are", "items", "For any 2 items", ("tkd",)),
}


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=pytest.mark.slow) for kind in ("table", "sets", "mixed")] + ["disassociation"],
)
def test_the_whole_way_with_a_sample(visitor, tmp_path, kind):
    sample = SAMPLES[kind]
    visitor.begin_sample(sample.title)
    visitor.sees("2,000 records")
    visitor.sees("The first records")
    sound(visitor)
    visitor.button("On to the columns").click()
    visitor.at("Columns")
    visitor.page.locator("tr.shoal-pick").last.click()
    visitor.sees("Suggested:")
    visitor.sees("Who could be singled out")
    sound(visitor)
    visitor.button("On to the hierarchies").click()
    visitor.at("Hierarchies")
    visitor.page.get_by_role("link", name=sample.column, exact=True).click()
    visitor.sees(f"Hierarchy of {sample.column}")
    sound(visitor)
    visitor.button("On to the promise").click()
    visitor.at("Promise")
    visitor.sees(sample.promise)
    sound(visitor)
    visitor.button("On to the run").click()
    visitor.at("Run")
    visitor.button("Check everything").click()
    visitor.sees("No problems found")
    sound(visitor)
    visitor.run()
    visitor.sees(re.compile("✓ Holds"))
    look_at_the_result(visitor, kind, tmp_path)
    sound(visitor)
    visitor.go("Compare")
    visitor.sees("Past runs side by side")
    sound(visitor)
    visitor.go("Export")
    sound(visitor)
    repeat_outside(visitor, tmp_path, sample)


def sound(visitor: Visitor) -> None:
    assert visitor.nameless() == []
    assert visitor.width_at(390) == 390
    assert visitor.talk == []


def look_at_the_result(visitor: Visitor, kind: str, folder: Path) -> None:
    if kind == "disassociation":
        visitor.sees("Clusters and their chunks, as published")
        visitor.sees("items that stand alone")
        possible = visitor.download("one of the originals that it can come from", folder)
        records = (sample_folder() / "diagnoses.txt").read_text(encoding="utf-8").splitlines()
        drawn = [json.loads(line)["items"] for line in possible.read_text(encoding="utf-8").splitlines()]
        assert len(drawn) == len([record for record in records if record])  # without items there is no record
        assert {item for items in drawn for item in items} <= {*" ".join(records).split()}
        return
    visitor.page.locator("td .shoal-changed").first.click()
    visitor.sees(re.compile("is published as|all .* records of its class|stays as it is"))
    visitor.sees("Hierarchies with what was published")
    visitor.sees(re.compile(r"● .* times\)"))


def repeat_outside(visitor: Visitor, folder: Path, sample: Sample) -> None:
    """What was exported gives the same verdict and loss without the page, and says the same as a script."""
    for file in ("patients.csv", "diagnoses.csv", "diagnoses.txt"):
        shutil.copy(sample_folder() / file, folder)
    figures = json.loads(visitor.download("all figures", folder).read_text(encoding="utf-8"))
    assert "<html" in visitor.download("the report for readers", folder).read_text(encoding="utf-8")
    policy = visitor.download("the policy", folder)
    assert shoal("run", policy, "--out", folder / "again").code == 0
    again = json.loads((folder / "again" / "result.json").read_text(encoding="utf-8"))
    assert again["verdict"]["holds"] is True
    assert claims(again) == claims(figures)
    assert again["loss"] == figures["loss"]
    for loss in sample.losses:
        assert figures["loss"][loss] is not None
    script = visitor.download("the python script", folder)
    with contextlib.chdir(folder):
        runpy.run_path(str(script), run_name="__main__")
    assert (folder / "out" / "result.json").is_file()


def claims(result: dict[str, Any]) -> list[tuple[str, bool]]:
    """What was checked, without the witnesses: ties are broken by the order of rows, which is drawn anew."""
    return [(check["claim"], check["holds"]) for check in result["verdict"]["checks"]]


def test_markup_in_names_and_values_is_text_on_every_page(visitor, tmp_path):
    table = tmp_path / "markup.csv"
    rows = [f"{IMAGE if i % 2 else '<b>bold</b>'},{20 + i % 9},<i>{'ab'[i % 2]}</i>" for i in range(60)]
    table.write_text("\n".join([f"{IMAGE},<b>age</b>/../x?y#z,<u>ill</u>", *rows]), encoding="utf-8")
    visitor.begin(f"Project {IMAGE}")
    visitor.upload("Choose a file", table)
    visitor.sees("60 records")
    visitor.sees(IMAGE)
    visitor.go("Run")
    visitor.choose("Algorithm", re.compile("^mondrian:"))
    visitor.run()
    visitor.sees(re.compile("✓ Holds"))
    for step in STEPS:
        visitor.go(step)
        assert visitor.page.locator("main img, main b, main i:not(.q-icon), main u").count() == 0
        assert visitor.page.locator("header").get_by_text(f"Project {IMAGE}").count() == 1
    visitor.go("Hierarchies")
    visitor.page.get_by_role("link", name="<b>age</b>/../x?y#z").click()
    visitor.sees("Hierarchy of <b>age</b>/../x?y#z")
    visitor.page.goto(visitor.address)
    visitor.sees(f"Project {IMAGE}")


def test_a_hierarchy_is_built_with_a_preview_and_edited_by_hand(visitor):
    visitor.begin_sample("Patients as a table")
    visitor.go("Hierarchies")
    visitor.page.get_by_role("link", name="age", exact=True).click()
    visitor.sees("Hierarchy of age")
    visitor.page.get_by_label("Widths").fill("50")
    visitor.page.keyboard.press("Tab")
    visitor.sees(re.compile(r"in 2 levels"))
    visitor.sees("Save it to change it by hand.")
    visitor.page.get_by_role("link", name="sex", exact=True).click()
    visitor.sees("Hierarchy of sex")
    visitor.page.get_by_role("treeitem").filter(has_text="female").last.get_by_role("checkbox").click()
    visitor.sees("Ticked: female")
    visitor.page.get_by_label("Label").fill("women")
    visitor.button("Group under a new label").click()
    visitor.sees(re.compile(r"women \("))
    visitor.page.get_by_role("treeitem").filter(has_text="women").last.get_by_role("checkbox").first.click()
    visitor.sees("Ticked: women")
    visitor.page.get_by_label("Label").fill("all women")
    visitor.button("Rename").click()
    visitor.sees(re.compile(r"all women \(1 value,"))
    visitor.page.get_by_role("treeitem").filter(has_text=re.compile("^male")).get_by_role("checkbox").click()
    visitor.sees("Ticked: male")
    visitor.page.get_by_label("Label").fill("all women")
    visitor.button("Move under this label").click()
    visitor.sees(re.compile(r"all women \(2 values,"))
    visitor.page.get_by_role("treeitem").filter(has_text="all women").last.get_by_role(
        "checkbox"
    ).first.click()
    visitor.sees("Ticked: all women")
    visitor.button("Dissolve").click()
    expect(visitor.page.get_by_text("all women")).to_have_count(0)
    visitor.sees(re.compile(r"^male \("))


def test_a_file_of_the_servers_folder_is_picked(visitor):
    visitor.begin("Picked")
    visitor.page.get_by_label("Or a file of the server's folder").click()
    visitor.page.get_by_role("option", name="patients.csv").click()
    visitor.button("Take this one").click()
    visitor.sees("2,000 records")
    visitor.go("Promise")
    visitor.sees("What this promises")


def test_a_file_with_three_problems_shows_all_three(visitor, tmp_path):
    hierarchy = tmp_path / "sex.csv"
    hierarchy.write_text("female;woman;*\nfemale;person;*\nmale\nwoman;a;*\n", encoding="utf-8")
    visitor.begin_sample("Patients as a table")
    visitor.go("Hierarchies")
    visitor.page.get_by_role("link", name="sex", exact=True).click()
    visitor.sees("Hierarchy of sex")
    visitor.upload("Choose a hierarchy file", hierarchy)
    problems = visitor.page.get_by_role("alert").get_by_role("listitem")
    expect(problems.filter(has_text="'female' has two parents, 'woman' (line 1) and 'person'")).to_have_count(
        1
    )
    expect(problems.filter(has_text="'woman' has two parents, '*' (line 1) and 'a'")).to_have_count(1)
    expect(problems.filter(has_text="sex.csv:3: has 1 columns where others have 3")).to_have_count(1)
    expect(problems.filter(has_text="/projects/")).to_have_count(0)


def test_checks_and_runs_tell_how_far_they_are_hold_nobody_up_and_are_cancelled(
    visitor, client, context, tmp_path
):
    table = tmp_path / "slow.csv"
    table.write_bytes(slow_table())
    visitor.begin("Slow")
    visitor.upload("Choose a file", table)
    visitor.sees("20,000 records")
    visitor.go("Run")
    visitor.choose("Algorithm", re.compile("^agglomerative:"))
    visitor.button("Check everything").click()
    visitor.sees(re.compile("^trying the search on a part of the records; how long this part takes"))
    with another_slow_project(client) as project:
        second = Visitor(context.new_page(), visitor.address)
        second.page.goto(f"{visitor.address}/projects/{project}/run")
        second.button("Check everything").click()
        second.sees(re.compile("queued|running"))
        others_are_answered(context, visitor.address)
        for each in (visitor, second):
            expect(each.button("Cancel: check of everything")).to_be_visible()  # both are still at it
        visitor.button("Cancel: check of everything").click()
        visitor.sees("cancelled")
        second.sees(re.compile("^trying the search on a part of the records"))  # its turn has come
        second.page.close()
    visitor.button("Run").click()
    visitor.sees("running")
    visitor.page.reload()
    visitor.sees("running")
    visitor.page.get_by_role("button", name="Cancel: k-anonymity with agglomerative").click()
    visitor.sees("cancelled")
    visitor.sees("this was cancelled; nothing was written")


@contextlib.contextmanager
def another_slow_project(client: httpx.Client) -> Iterator[str]:
    made = str(client.post("/api/v1/projects", json={"name": "Slow, too"}).json()["id"])
    address = f"/api/v1/projects/{made}"
    file = client.post(f"{address}/files", params={"name": "slow.csv"}, content=slow_table()).json()["id"]
    started = client.post(f"{address}/policy/start", json={"file": file}).json()["sections"]
    chosen = {**started, "algorithm": {"name": "agglomerative"}}
    client.put(f"{address}/policy", json=chosen, headers={"If-Match": "*"}).raise_for_status()
    yield made
    client.delete(address)


def others_are_answered(context: BrowserContext, address: str) -> None:
    """Another project has its pages while two check: a check is no question that others wait behind."""
    other = Visitor(context.new_page(), address)
    began = time.perf_counter()
    other.begin_sample("Patients as a table")
    for step in ("Columns", "Hierarchies", "Promise", "Run", "Data"):
        other.go(step)
    assert time.perf_counter() - began < ANSWERED_AT_MOST
    other.page.close()


@pytest.mark.slow
def test_of_a_search_by_trial_no_card_tells_times_that_contradict_each_other(visitor):
    visitor.begin_sample("Patients as a table")
    visitor.go("Run")
    visitor.choose("Algorithm", re.compile("^auto:"))
    visitor.button("Check everything").click()
    visitor.sees("No problems found")
    runs = visitor.page.locator("section").filter(has_text=re.compile("^Runs"))
    whole = seconds_told(r"(?:perhaps|about) (\S+) (s|min|h)\b", runs.inner_text())
    assert len(whole) == 1
    visitor.button("Run").click()
    finished = visitor.page.get_by_role("link", name=re.compile("^Look at it"))
    visitor.sees("running")
    while not finished.count():
        told = runs.inner_text()
        assert seconds_told(r"(?:perhaps|takes about) (\S+) (s|min|h)\b", told) == whole
        assert all(left <= 2 * whole[0] for left in seconds_told(r"about (\S+) (s|min|h) left", told)), told
        visitor.page.wait_for_timeout(200)


def seconds_told(pattern: str, text: str) -> list[float]:
    units = {"s": 1, "min": 60, "h": 3600}
    return [float(number.replace(",", "")) * units[unit] for number, unit in re.findall(pattern, text)]


def test_runs_are_compared_and_the_best_of_a_sweep_is_taken(visitor, client):
    project = two_runs(client)
    visitor.page.goto(f"{visitor.address}/projects/{project}/run")
    expect(visitor.page.get_by_role("link", name=re.compile("^Look at it"))).to_have_count(
        2, timeout=RUN_PATIENCE
    )
    visitor.go("Compare")
    expect(visitor.page.get_by_role("cell", name="k = 5", exact=True)).to_be_visible()
    expect(visitor.page.get_by_role("cell", name="k = 10", exact=True)).to_be_visible()
    visitor.sees("highest risk of a record")
    choose_mondrian_alone(visitor)
    visitor.page.get_by_label("Values of k").fill("2, 20")
    visitor.button("Compare").click()
    visitor.page.get_by_role("link", name=re.compile("^Look at it: comparison")).click(timeout=RUN_PATIENCE)
    visitor.sees("recommended").scroll_into_view_if_needed()
    visitor.sees("Pareto front")
    found = visitor.page.locator("section").filter(has_text="Found by the comparison")
    nothing_weaker_is_recommended(found)
    taking = found.get_by_role("button", name=re.compile("^Take "))
    before = taking.count()
    mark = found.locator(".plot path.mark").first
    mark.hover(force=True)
    mark.click(force=True)
    expect(taking).to_have_count(before + 1)
    choose_mondrian_alone(visitor)
    visitor.button("Compare").click()
    finished = visitor.page.get_by_role("link", name=re.compile("^Look at it: comparison"))
    expect(finished).to_have_count(2, timeout=RUN_PATIENCE)
    finished.last.click()
    visitor.at("Compare")
    expect(visitor.page.get_by_label("Which run")).to_be_visible()
    found.get_by_role("button", name=re.compile("^Take .*k=20.* changes the promise to")).first.click()
    visitor.sees(re.compile("^This changes the promise from .*k = 10.* to .*k = 20"))
    visitor.button("Change the promise").click()
    visitor.at("Run")
    visitor.sees(re.compile(r"^A run promises k-anonymity with k = 20 on age and sex"))
    visitor.go("Promise")
    visitor.sees("At least 20 rows fit that person")


def two_runs(client: httpx.Client) -> str:
    """A project that has run with k = 5, and with k = 10 as its settings say."""
    made = str(client.post("/api/v1/projects", json={"name": "Compared"}).json()["id"])
    address = f"/api/v1/projects/{made}"
    client.post(f"{address}/files", params={"name": "tiny.csv"}, content=TINY.encode())
    for k in (5, 10):
        sections = {**TINY_SECTIONS, "privacy": {"model": "k-anonymity", "k": k}}
        client.put(f"{address}/policy", json=sections, headers={"If-Match": "*"})
        assert client.post(f"{address}/jobs", json={"kind": "run"}).status_code == 201
    return made


def choose_mondrian_alone(visitor: Visitor) -> None:
    """Of a list that stays open: `auto` would try several algorithms for every run of a sweep."""
    visitor.page.get_by_role("combobox", name="Algorithms").click()
    for name in ("mondrian", "auto"):
        visitor.page.get_by_role("option", name=name, exact=True).click()
    visitor.page.keyboard.press("Escape")
    expect(visitor.page.get_by_role("option")).to_have_count(0)


def nothing_weaker_is_recommended(found: Locator) -> None:
    """The run that loses least promises less than the settings do, and is marked as that."""
    lines = found.locator(".shoal-line")
    weaker = lines.filter(has=found.page.get_by_text("mondrian k=2", exact=True))
    expect(weaker).to_contain_text("weaker than the policy")
    expect(weaker).not_to_contain_text("recommended")
    expect(lines.filter(has_text="recommended")).to_contain_text("k=20")


@pytest.mark.slow
def test_what_papers_print_is_chosen_among_the_options_and_compared_with_ours(visitor):
    visitor.begin_sample("Patients as a table")
    visitor.go("Run")
    visitor.page.get_by_label("Algorithm").click()
    visitor.page.get_by_role("option", name=re.compile("^kanon-cf:")).click()
    visitor.page.get_by_text("Its options").click()
    visitor.page.get_by_label("as_printed (true or false)").fill("true")
    visitor.page.keyboard.press("Tab")
    visitor.run()
    visitor.sees("kanon-cf with as_printed = true")
    visitor.go("Compare")
    visitor.sees("kanon-cf with as_printed = true")
    visitor.page.get_by_role("checkbox", name="Each also as its paper prints it").click()
    visitor.button("Compare").click()
    visitor.page.get_by_role("link", name=re.compile("^Look at it: comparison")).click(timeout=RUN_PATIENCE)
    visitor.sees(re.compile("^auto k=5 .*as_printed=false$"))
    visitor.page.get_by_role("button", name=re.compile("^Take auto k=5 .*as_printed=true")).first.click()
    visitor.at("Run")


def test_the_keyboard_reaches_everything_and_the_dark_is_dark(visitor):
    visitor.begin_sample("Patients as a table")
    visitor.sees("The first records")
    visitor.page.reload()
    visitor.at("Data")
    visitor.page.keyboard.press("Tab")
    skip = visitor.page.locator(":focus")
    expect(skip).to_have_text("Go to the content")
    expect(visitor.page.get_by_role("banner").get_by_role("navigation", name="Steps")).to_be_visible()
    expect(visitor.page.get_by_role("main").get_by_role("heading", level=1)).to_have_text("Data")
    visitor.page.keyboard.press("Enter")
    visitor.page.keyboard.press("Tab")
    expect(visitor.button("Choose a file")).to_be_focused()
    moves_only_for_those_who_do_not_mind(visitor)
    before = visitor.page.evaluate("getComputedStyle(document.body).backgroundColor")
    visitor.button("Light or dark").press("Enter")
    expect(visitor.page.locator("body.body--dark")).to_have_count(1)
    assert visitor.page.evaluate("getComputedStyle(document.body).backgroundColor") != before


def moves_only_for_those_who_do_not_mind(visitor: Visitor) -> None:
    assert visitor.page.evaluate(_MOVING) > 0
    visitor.page.emulate_media(reduced_motion="reduce")
    assert visitor.page.evaluate(_MOVING) == 0
    visitor.page.emulate_media(reduced_motion="no-preference")


_MOVING = """() => [...document.querySelectorAll('*')].map(each => getComputedStyle(each)).filter(style =>
    [style.animationDuration, style.transitionDuration].some(times =>
        times.split(',').some(time => parseFloat(time) > 0.001))).length"""
