import json
import re

import pytest

from shoal.report.public_page import public_page
from tests.report.outcomes import DIGEST, EVIL, clinic, evil, hospital, published, supermarket, taken_apart
from tests.report.reading import Page

KINDS = {"table": hospital, "sets": supermarket, "table with sets": clinic, "chunks": taken_apart}


@pytest.fixture(scope="module", params=KINDS, name="public")
def public_pages(request):
    return Page(public_page(published(KINDS[request.param]()), DIGEST))


def test_tells_the_promise_its_limits_and_whether_it_holds(public):
    assert "The promise holds" in public.text
    assert "What was promised" in public.text
    assert "What this does not protect against" in public.text
    assert "Everything here was computed from the published file alone." in public.text


def test_tells_nothing_of_the_original_the_run_or_the_policy(public):
    text = public.text + " ".join(script for attributes, script in public.scripts if attributes.get("type"))
    for secret in ("mondrian", "rmerge", "seed", "53711", "2,000", "1.84 s", "212 MB", "Time and memory"):
        assert secret not in text
    for words in ("detail lost", "before and after", "lost most", "suppressed", "policy"):
        assert words not in text


def test_figures_show_one_side(public):
    (block,) = [text for attributes, text in public.scripts if attributes.get("type")]
    figures = json.loads(block)
    assert figures
    for figure in figures.values():
        assert len(figure["rows"]) <= 24
    looks = {each["class"].split()[1] for each in public.all("rect") if "bar" in (each.get("class") or "")}
    assert looks == {"after"}


def test_is_well_formed(public):
    assert not public.misnested
    assert not public.unclosed
    assert len(public.all("caption")) == len(public.all("table"))
    ids = [attributes["id"] for _, attributes in public.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert not re.search(r"\banonymous\b", public.text, re.IGNORECASE)


def test_markup_in_names_and_labels_stays_text():
    parsed = Page(public_page(published(evil(), labels={EVIL: {EVIL: 3}}), DIGEST))
    assert not parsed.all("img")
    assert not parsed.all("b")
    assert EVIL in parsed.text
    assert not parsed.misnested


def test_clusters_and_chunks_are_drawn():
    parsed = Page(public_page(published(taken_apart()), DIGEST))
    classes = [attributes.get("class") for attributes in parsed.all("div")]
    assert classes.count("cluster") == 3
    assert classes.count("cluster joint") == 1
    assert classes.count("chunk shared") == 1
    assert classes.count("chunk terms") == 3
    assert "joint cluster of 10 records" in parsed.text
    assert " ×3" in parsed.text


def test_a_file_that_must_not_go_out_says_so():
    assert "Not for publication." in Page(public_page(published(hospital(), publishable=False), DIGEST)).text
