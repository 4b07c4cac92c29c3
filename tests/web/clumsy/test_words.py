"""What people are told of their mistakes: in the words of the pages, not in those of a policy file."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.web.browsing import CHROMIUM, WITHOUT
from tests.web.samples import TINY, TINY_SECTIONS

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)]

JARGON = re.compile(
    r"`|quasi|\[\w+\]|[\[{]|= ?(true|false|\")|\b[a-z]+_[a-z]+|(^|\s)--[a-z]|\.toml|\w/\w|category"
    r"|\b(role|kind|model|others) =|None|True|False|(columns|privacy|data|output)\.[a-z]"
)
COLUMNS: dict[str, Any] = TINY_SECTIONS["columns"]
IN_SETS = {**COLUMNS, "sex": {"role": "quasi", "kind": "set", "separator": " "}}


def with_column(name: str, **entry: Any) -> dict[str, Any]:
    return {"columns": {**COLUMNS, name: entry}}


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "words without a hierarchy": (with_column("sex", role="quasi"), "need a hierarchy"),
    "words that are taken for numbers": (with_column("sex", role="quasi", kind="number"), "is not a number"),
    "words that are taken for dates": (with_column("ill", role="sensitive", kind="date"), "is not a date"),
    "a sensitive set": (with_column("ill", role="sensitive", kind="set"), "cannot be sensitive as a whole"),
    "levels that contradict each other": (
        with_column("age", role="quasi", kind="number", min_level=2, max_level=1),
        "not below",
    ),
    "a hierarchy that is shown although data made it": (
        with_column("age", **COLUMNS["age"], publish_hierarchy=True) | {"data": {"path": "tiny.csv"}},
        "would tell which values the data hold",
    ),
    "many values that are published as they are": (
        with_column("age", role="insensitive"),
        "could tell people apart",
    ),
    "nothing that somebody could know": (
        {"columns": {name: {"role": "sensitive"} for name in COLUMNS}},
        "say which columns could be known",
    ),
    "a promise for sets only": (
        {"privacy": {"model": "km-anonymity", "k": 3, "m": 2}},
        "does not cover the column",
    ),
    "a promise that leaves a set out": ({"columns": IN_SETS}, "does not cover the set column"),
    "a promise about sensitive values without any": (
        with_column("ill", role="insensitive") | {"privacy": {"model": "k-anonymity", "k": 3, "l": 2}},
        "nothing is sensitive",
    ),
    "an order of words that have none": (
        {"privacy": {"model": "k-anonymity", "k": 3, "t": 0.2, "distance": "ordered"}},
        "needs numbers or dates in their order",
    ),
    "more people than there are": ({"privacy": {"model": "k-anonymity", "k": 61}}, "only 60 records"),
    "a name that is a path": ({"output": {"path": "../out.csv"}}, "must be a plain one"),
    "a format with a decimal sign": (
        {"output": {"path": "out.parquet", "decimal": ","}},
        "are for delimited text",
    ),
    "formulas in a format without any": (
        {"output": {"path": "out.parquet", "neutralize_formulas": True}},
        "formulas are neutralized in delimited text only",
    ),
    "a limit that is over at once": ({"algorithm": {"time_limit": "0 min"}}, "must be above 0"),
    "a column that is nowhere": (with_column("weight", role="sensitive"), "no such column"),
}


@pytest.fixture(scope="module")
def project(client: httpx.Client) -> Iterator[str]:
    made = client.post("/api/v1/projects", json={"name": "Told"}).json()["id"]
    client.post(f"/api/v1/projects/{made}/files", params={"name": "tiny.csv"}, content=TINY.encode())
    yield made
    client.delete(f"/api/v1/projects/{made}")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_the_words_of_the_pages(visitor, client, project, mistake):
    sections, told = MISTAKES[mistake]
    client.put(
        f"/api/v1/projects/{project}/policy", json={**TINY_SECTIONS, **sections}, headers={"If-Match": "*"}
    ).raise_for_status()
    visitor.page.goto(f"{visitor.address}/projects/{project}/run")
    visitor.at("Run")
    visitor.button("Check everything").click()
    visitor.sees(told)
    runs = visitor.page.locator("section").filter(has_text=re.compile("^Runs"))
    sentences = [line for line in runs.inner_text().splitlines() if told in line]
    assert sentences
    assert [line for line in runs.inner_text().splitlines() if JARGON.search(line)] == []
    visitor.page.get_by_role("button", name="Delete check of everything").click()
    visitor.button("Delete for good").click()
    visitor.sees("None yet.")
