"""What the pages keep people from doing by accident, in a real browser; projects are made over REST."""

import re
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from tests.web.browsing import CHROMIUM, RUN_PATIENCE, WITHOUT, Visitor
from tests.web.samples import TINY, TINY_SECTIONS

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)


@pytest.fixture
def project(client: httpx.Client) -> str:
    """The address of a small project without a path of pages behind it."""
    made = client.post("/api/v1/projects", json={"name": "Tiny"}).json()["id"]
    client.post(f"/api/v1/projects/{made}/files", params={"name": "tiny.csv"}, content=TINY.encode())
    assert client.put(f"/api/v1/projects/{made}/policy", json=TINY_SECTIONS).json()["problems"] == []
    return made


def put(client: httpx.Client, project: str, sections: dict[str, Any]) -> None:
    answer = client.put(f"/api/v1/projects/{project}/policy", json=sections, headers={"If-Match": "*"})
    assert answer.status_code == 200


def sections(client: httpx.Client, project: str) -> dict[str, Any]:
    return client.get(f"/api/v1/projects/{project}/policy").json()["sections"]


def test_a_weak_promise_is_confirmed_and_its_release_is_never_said_to_be_fine(
    visitor, client, project, tmp_path
):
    weak = {**TINY_SECTIONS, "privacy": {"model": "k-anonymity", "k": 2, "l": 1.5}}
    put(client, project, weak)
    visitor.page.goto(f"{visitor.address}/projects/{project}/run")
    visitor.sees("A run promises k-anonymity with k = 2, l = 1.5 on age and sex, which somebody may know")
    visitor.button("Run").click()
    visitor.sees("This has to be mended first")
    confirmation = visitor.page.get_by_label("Your confirmation, which names k = 2 and l = 1.5")
    confirmation.fill("k = 2, for a test")
    visitor.button("Confirm").click()
    visitor.sees("l = 1.5 protects people less than l = 2")
    visitor.page.wait_for_timeout(800)  # nobody double clicks so slowly
    confirmation.fill("k = 2 and l = 1.5, for a test")
    visitor.button("Confirm").click()
    visitor.sees("k = 2 and l = 1.5 is confirmed")
    visitor.page.wait_for_timeout(800)
    visitor.button("Run").dblclick()
    visitor.page.get_by_role("link", name=re.compile("^Look at it")).click(timeout=RUN_PATIENCE)
    visitor.at("Result")
    assert [job["kind"] for job in client.get(f"/api/v1/projects/{project}/jobs").json()] == ["run"]
    visitor.go("Export")
    visitor.sees("Promises little: k = 2 and l = 1.5")
    expect(visitor.page.get_by_text("May go out")).to_have_count(0)
    report = visitor.download("your own report", tmp_path).read_text(encoding="utf-8")
    assert "was confirmed in writing: k = 2 and l = 1.5, for a test" in report
    a_result_of_other_settings_is_outdated(visitor, client, project)


def test_what_was_typed_to_confirm_is_kept_while_something_else_changes(visitor, client, project):
    put(client, project, {**TINY_SECTIONS, "privacy": {"model": "k-anonymity", "k": 2}})
    visitor.page.goto(f"{visitor.address}/projects/{project}/promise")
    visitor.at("Promise")
    confirmation = visitor.page.get_by_label("Your confirmation, which names k = 2")
    confirmation.fill("k = 2, for a test")
    visitor.page.get_by_role("checkbox", name=re.compile("^Among them no value makes up")).click()
    visitor.sees(re.compile("no value of ill makes up more than"))
    visitor.page.wait_for_timeout(500)
    expect(confirmation).to_have_value("k = 2, for a test")
    visitor.button("Confirm").click()
    visitor.sees("k = 2 is confirmed")


def a_result_of_other_settings_is_outdated(visitor: Visitor, client: httpx.Client, project: str) -> None:
    put(client, project, TINY_SECTIONS)
    visitor.go("Result")
    visitor.sees("Outdated: made with other settings than those of now")
    visitor.sees("K of the promise was 2 and is 3 now.")
    visitor.sees(
        re.compile("^Made .* from tiny.csv with mondrian; it promises k-anonymity with k = 2, l = 1.5")
    )
    visitor.go("Export")
    visitor.sees("Does not match the settings any more")
    expect(visitor.page.get_by_text("May go out")).to_have_count(0)


def test_two_tabs_change_what_was_changed_in_them(visitor, client, context, project):
    visitor.page.goto(f"{visitor.address}/projects/{project}/columns")
    visitor.at("Columns")
    other = Visitor(context.new_page(), visitor.address)
    other.page.goto(f"{visitor.address}/projects/{project}/promise")
    number = "A person hides among at least so many (k), as a number"
    other.page.get_by_label(number).fill("20")
    other.page.keyboard.press("Tab")
    other.sees("At least 20 rows fit that person")
    visitor.page.locator("tr[data-name=ill]").click()
    visitor.choose("Role of ill", re.compile("^Is left out$"))
    visitor.sees("3 columns: 2 that somebody could know, 1 left out.")
    assert sections(client, project)["privacy"]["k"] == 20
    assert "ill" not in sections(client, project)["columns"]
    put(client, project, TINY_SECTIONS)
    other.page.get_by_label(number).fill("7")
    other.page.keyboard.press("Tab")
    other.sees("k of the promise was changed to 3 elsewhere, and would become 7 here")
    other.page.close()


def test_changes_are_undone_and_redone_with_buttons_and_keys_also_that_of_a_file(
    visitor, client, project, tmp_path
):
    visitor.page.goto(f"{visitor.address}/projects/{project}/promise")
    visitor.at("Promise")
    number = "A person hides among at least so many (k), as a number"
    visitor.page.get_by_label(number).fill("8")
    visitor.page.keyboard.press("Tab")
    visitor.sees("At least 8 rows fit that person")
    visitor.button("Undo").click()
    visitor.sees("Undo: k of the promise was 8 and is 3 now.")
    expect(visitor.page.get_by_label(number)).to_have_value("3")
    visitor.button("Redo").click()
    visitor.sees("Redo: k of the promise was 3 and is 8 now.")
    other = tmp_path / "other.csv"
    other.write_text(TINY.replace("sex", "gender"), encoding="utf-8")
    visitor.go("Data")
    visitor.upload("Choose a file", other)
    visitor.sees("other.csv is in use now")
    visitor.sees("Roles and hierarchies were kept of age and ill.")
    brought = sections(client, project)
    assert brought["columns"]["age"] == TINY_SECTIONS["columns"]["age"]
    assert brought["privacy"]["k"] == 8
    visitor.button("Begin anew with suggestions").click()
    expect(visitor.page.get_by_text("other.csv is in use now")).to_have_count(0)
    visitor.at("Data")
    visitor.sees("Words that stand for a missing value")
    assert sections(client, project)["data"]["path"] == "other.csv"
    visitor.page.keyboard.press("Control+z")  # to begin anew was one more change
    visitor.page.keyboard.press("Control+z")
    visitor.sees("Undo: the data file was “other.csv” and is “tiny.csv” now")
    visitor.at("Data")
    assert sections(client, project) == {**TINY_SECTIONS, "privacy": {"model": "k-anonymity", "k": 8}}
    visitor.page.keyboard.press("Control+Shift+z")
    visitor.sees("Redo: ")
    assert sections(client, project)["data"]["path"] == "other.csv"


def test_the_keyboard_leaves_the_tree_again(visitor, project):
    visitor.page.goto(f"{visitor.address}/projects/{project}/hierarchies")
    visitor.at("Hierarchies")
    boxes = visitor.page.locator(".shoal-tree .q-checkbox")
    boxes.first.focus()
    visitor.page.keyboard.press("Space")
    visitor.sees(re.compile("^Ticked: "))
    inside = "document.activeElement.closest('.shoal-tree') !== null"
    stops = boxes.count() * 3 + 5
    for key, most in {"Tab": stops, "Shift+Tab": stops, "Escape": 1}.items():
        boxes.first.focus()
        assert visitor.page.evaluate(inside)
        for _ in range(most):
            visitor.page.keyboard.press(key)
            if not visitor.page.evaluate(inside):
                break
        assert not visitor.page.evaluate(inside), key
    expect(visitor.page.get_by_label("Label", exact=True)).to_be_focused()  # behind the tree, not nowhere
    visitor.page.keyboard.press("Shift+Tab")
    assert visitor.page.evaluate(inside)


def test_keys_are_made_shown_once_and_revoked_and_who_leaves_is_out(context, served):
    assert context.browser is not None
    with context.browser.new_context() as another:
        visitor = Visitor(another.new_page(), served.address)
        visitor.page.goto(served.link)
        served.link = served.next_link()
        visitor.page.get_by_label("What the key is for").fill("nightly upload")
        visitor.button("Make a key").click()
        told = visitor.sees("The key of nightly upload, which will not be shown again:")
        key = told.locator("xpath=following-sibling::*[1]").inner_text()
        headers = {"Authorization": f"Bearer {key}"}
        with served.stranger() as program:
            assert program.get("/api/v1/projects", headers=headers).status_code == 200
            visitor.button("Revoke the key of nightly upload").click()
            expect(visitor.button("Revoke the key of nightly upload")).to_have_count(0)
            assert program.get("/api/v1/projects", headers=headers).status_code == 401
        visitor.button("Log out").click()
        visitor.sees("Each link opens one browser")
        visitor.page.get_by_label("Or give what stands behind").fill(served.link.partition("token=")[2])
        visitor.button("Enter").click()
        served.link = served.next_link()
        visitor.sees("Your projects")
        assert "token" not in visitor.page.url


def test_a_link_that_somebody_saw_opens_nothing_once_it_was_followed(context, served):
    assert context.browser is not None
    link = served.link
    token = link.partition("token=")[2]
    with context.browser.new_context() as owner, context.browser.new_context() as another:
        page = owner.new_page()
        page.goto(link)
        served.link = served.next_link()
        Visitor(page, served.address).sees("Your projects")
        history = owner.new_cdp_session(page).send("Page.getNavigationHistory")
        assert not [entry for entry in history["entries"] if token in entry["url"]]
        spied = another.new_page()
        spied.goto(link)
        Visitor(spied, served.address).sees("Each link opens one browser")
        headers = {"Authorization": f"Bearer {token}"}
        answer = another.request.get(f"{served.address}/api/v1/projects", headers=headers)
        assert answer.status == 401
