"""The whole way with the keyboard alone, and what axe-core finds on every page and state."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import BrowserContext, expect

from tests.web.browsing import CHROMIUM, RUN_PATIENCE, STEPS, WITHOUT, Visitor
from tests.web.samples import TINY, TINY_SECTIONS, slow_table
from tests.web.soundness import is_sound

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)

MOST_STOPS = 60


@pytest.mark.parametrize(
    ("width", "dark"),
    [
        (1280, False),
        pytest.param(1280, True, marks=pytest.mark.slow),
        pytest.param(390, False, marks=pytest.mark.slow),
        pytest.param(390, True, marks=pytest.mark.slow),
    ],
    ids=["wide and light", "wide and dark", "narrow and light", "narrow and dark"],
)
def test_the_whole_way_with_the_keyboard_alone(visitor, tmp_path, width, dark):
    table = tmp_path / "tiny.csv"
    table.write_text(TINY, encoding="utf-8")
    visitor.page.set_viewport_size({"width": width, "height": 844})
    visitor.page.goto(visitor.address)
    visitor.sees("A new project")
    visitor.turn(dark=dark)
    is_sound(visitor, dark=dark)
    visitor.press_to("Name")
    visitor.page.keyboard.type("With keys")
    press(visitor, "Create")
    visitor.at("Data")
    visitor.press_to("Choose a file")
    with visitor.page.expect_file_chooser() as chooser:
        visitor.page.keyboard.press("Enter")
    chooser.value.set_files(table)
    visitor.sees("60 records")
    is_sound(visitor, dark=dark)
    for step in ("Columns", "Hierarchies", "Promise", "Run"):
        press(visitor, f"On to the {step.lower()}")
        visitor.at(step)
        is_sound(visitor, dark=dark)
    visitor.press_to("Algorithm")
    visitor.page.keyboard.press("Enter")
    visitor.page.get_by_role("option", name=re.compile("^mondrian:")).wait_for()
    while "mondrian" not in visitor.page.locator(".q-manual-focusable--focused").inner_text():
        visitor.page.keyboard.press("ArrowDown")
    visitor.page.keyboard.press("Enter")
    press(visitor, "Run")
    visitor.page.get_by_role("link", name=re.compile("^Look at it")).wait_for(timeout=RUN_PATIENCE)
    press(visitor, "Look at it")
    visitor.at("Result")
    is_sound(visitor, dark=dark)
    visitor.page.reload()
    visitor.at("Result")
    assert visitor.press_to("Attack it") < MOST_STOPS
    see_why_with_arrows(visitor)
    visitor.page.reload()
    visitor.at("Result")
    press(visitor, "Export")
    visitor.at("Export")
    is_sound(visitor, dark=dark)
    visitor.press_to("Download the published file")
    with visitor.page.expect_download() as download:
        visitor.page.keyboard.press("Enter")
    assert download.value.suggested_filename == "published.csv"
    assert not Path(".nicegui").exists()  # what pages remember is in the data folder


def see_why_with_arrows(visitor: Visitor) -> None:
    """All records are one stop of the Tab key; arrows lead to a value, and Enter tells why it is so."""
    first = visitor.page.locator("[data-row='0'][data-column='0']")
    first.focus()
    for key in ("ArrowDown", "ArrowRight"):
        visitor.page.keyboard.press(key)
    expect(visitor.page.locator("[data-row='1'][data-column='1']")).to_be_focused()
    visitor.page.keyboard.press("ArrowLeft")
    visitor.page.keyboard.press("Enter")
    visitor.sees(re.compile("is published as|all .* records of its class|stays as it is"))
    inside = "document.activeElement.closest('.q-table') !== null"
    visitor.page.keyboard.press("Tab")
    assert not visitor.page.evaluate(inside)


def press(visitor: Visitor, button: str) -> None:
    visitor.press_to(button)
    visitor.page.keyboard.press("Enter")


@pytest.fixture(scope="module")
def states(client: httpx.Client) -> Iterator[dict[str, str]]:
    """Projects in which nothing, a failed and a running job are to be seen."""
    made = {}
    for state in ("empty", "failed", "running"):
        made[state] = client.post("/api/v1/projects", json={"name": state}).json()["id"]
    failing = f"/api/v1/projects/{made['failed']}"
    client.post(f"{failing}/files", params={"name": "tiny.csv"}, content=TINY.encode())
    client.put(f"{failing}/policy", json={**TINY_SECTIONS, "privacy": {"model": "k-anonymity", "k": 61}})
    client.post(f"{failing}/jobs", json={"kind": "run"})
    running = f"/api/v1/projects/{made['running']}"
    file = client.post(f"{running}/files", params={"name": "slow.csv"}, content=slow_table()).json()["id"]
    started = client.post(f"{running}/policy/start", json={"file": file}).json()
    client.put(
        f"{running}/policy",
        json={**started["sections"], "algorithm": {"name": "agglomerative"}},
        headers={"If-Match": "*"},
    )
    client.post(f"{running}/jobs", json={"kind": "run"})
    yield made
    for project in made.values():
        client.delete(f"/api/v1/projects/{project}")


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("state", ["empty", "failed", "running"])
def test_no_state_of_a_page_is_hard_to_use(context: BrowserContext, visitor, states, state, dark):
    for step in STEPS:
        visitor.page.goto(f"{visitor.address}/projects/{states[state]}/{step.lower()}")
        visitor.at(step)
        visitor.turn(dark=dark)
        if step == "Run" and state != "empty":
            visitor.sees(state)
        is_sound(visitor, dark=dark)


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_page_that_is_not_there_is_easy_to_use_too(visitor, states, dark):
    for address in (f"/projects/{'0' * 24}/data", f"/projects/{states['empty']}/nothing"):
        visitor.page.goto(visitor.address + address)
        visitor.at("Not found")
        visitor.turn(dark=dark)
        is_sound(visitor, dark=dark)


def test_the_page_that_asks_strangers_for_a_token_is_easy_to_use(context, served):
    assert context.browser is not None
    with context.browser.new_context() as another:
        stranger = Visitor(another.new_page(), served.address)
        stranger.page.goto(served.address)
        stranger.sees("Each link opens one browser")
        assert stranger.violations() == []
        assert stranger.nameless() == []
