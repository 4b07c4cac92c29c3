import base64
import hashlib
import json
import re
from dataclasses import replace

import pytest

from shoal.privacy.differential_privacy import DifferentialPrivacy
from shoal.report.page import page
from tests.report.outcomes import EVIL, baskets, evil, hospital, visits
from tests.report.reading import Page


@pytest.fixture(scope="module")
def hospital_page():
    return Page(page(hospital()))


def test_says_what_was_promised_whether_it_holds_and_what_stays_open(hospital_page):
    text = hospital_page.text
    assert "The promise holds" in text
    assert "Satisfies k-anonymity with k=5 on age, zip, sex, admitted." in text
    assert "At least 5 rows fit that person equally well" in text
    assert "no value of outcome makes up more than one in 2" in text
    assert "What this does not protect against" in text
    assert "Several releases of the same people" in text
    assert "it must not go out with the published file" in text


def test_shows_the_figures_the_verdict_rests_on(hospital_page):
    text = hospital_page.text
    for figure in ("251", "1,988", "21.4%", "31.3%", "1.84 s", "212 MB", "20.0%", "12.6%"):
        assert figure in text
    assert "every record could be one of at least 6 records. It never decides." in text


def test_shows_rows_before_and_after_with_the_changes_marked(hospital_page):
    cells = hospital_page.all("td")
    assert "53711" in hospital_page.text
    assert "537**" in hospital_page.text
    assert sum("changed" in (cell.get("class") or "") for cell in cells) == 13


def test_shows_notices_and_the_policy(hospital_page):
    assert "12 records were left out" in hospital_page.text
    assert "hierarchy = { ranges = [5, 10, 20, 40] }" in hospital_page.text


def test_loads_nothing(hospital_page):
    addressing = {"src", "href", "srcset", "action", "data", "poster"}
    assert not [element for element in hospital_page.elements if addressing & element[1].keys()]
    policy = next(meta["content"] for meta in hospital_page.all("meta") if meta.get("http-equiv"))
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "http:" not in policy + hospital_page.text
    assert "https:" not in policy + hospital_page.text


def test_lets_only_its_own_scripts_run():
    for outcome in (hospital(), evil()):
        parsed = Page(page(outcome))
        policy = next(meta["content"] for meta in parsed.all("meta") if meta.get("http-equiv"))
        running = [text for attributes, text in parsed.scripts if "type" not in attributes]
        assert len(running) == 1
        for script in running:
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy


def test_markup_in_names_and_values_stays_text():
    parsed = Page(page(evil()))
    assert not parsed.all("img")
    assert not parsed.all("b")
    assert not any(key.startswith("on") for _, attributes in parsed.elements for key in attributes)
    assert EVIL in parsed.text
    assert not parsed.misnested
    assert not parsed.unclosed


def test_figures_are_one_block_of_data_that_cannot_end_its_element():
    (block,) = [text for attributes, text in Page(page(evil())).scripts if attributes.get("type")]
    assert "<" not in block
    figures = json.loads(block)
    assert list(figures) == ["figure-risk", "figure-classes", "figure-loss"]
    assert all(figure["columns"] and figure["rows"] for figure in figures.values())


@pytest.mark.parametrize("outcome", [hospital(), visits(), baskets()], ids=["table", "people", "sets"])
def test_is_well_formed_and_usable_without_seeing(outcome):
    parsed = Page(page(outcome))
    assert not parsed.misnested
    assert not parsed.unclosed
    assert parsed.all("html") == [{"lang": "en"}]
    assert len(parsed.all("h1")) == 1
    assert len(parsed.all("caption")) == len(parsed.all("table"))
    assert all(cell.get("scope") for cell in parsed.all("th"))
    plots = [element for element in parsed.all("div") if "data-figure" in element]
    assert plots
    assert all(plot["role"] == "img" and plot["aria-label"] for plot in plots)
    ids = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("outcome", [hospital(), visits(), baskets()], ids=["table", "people", "sets"])
def test_never_calls_data_anonymous(outcome):
    assert not re.search(r"\banonymous\b", Page(page(outcome)).text, re.IGNORECASE)


def test_tells_people_from_rows():
    text = Page(page(visits())).text
    assert "1,988 rows stand for 1,202 people, and the smallest class holds 5 people" in text
    assert "People with several rows" not in text


def test_sets_have_no_classes_to_show():
    text = Page(page(baskets())).text
    assert "Class sizes" not in text
    assert "smallest number of records found" in text
    assert "knows up to 2 items" in text


def test_a_broken_promise_is_said_first():
    verdict = replace(hospital().claim.verdicts[0], holds=False, evidence="class 30-39 has 4 rows")
    text = Page(page(hospital(verdicts=(verdict,)))).text
    assert "The promise does not hold" in text
    assert "Class 30-39 has 4 rows." in text
    assert "The promise holds" not in text


def test_nothing_checked_is_not_a_promise_kept():
    assert "The promise does not hold" in Page(page(hospital(verdicts=()))).text


def test_a_result_that_must_not_go_out_says_so():
    assert "Run without these settings before you publish." in Page(page(hospital(publishable=False))).text


def test_a_promise_by_construction_is_not_shown_as_checked():
    text = Page(page(hospital(verdicts=(DifferentialPrivacy(1).judge_release(None),)))).text
    assert "The promise rests on how the file was made; it was not checked" in text
    assert "The promise holds" not in text
