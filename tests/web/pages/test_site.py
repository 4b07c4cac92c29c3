from pathlib import Path

import pytest

from shoal.web.pages.frame import STEPS
from shoal.web.pages.site import PAGES

DOCS = Path(__file__).parents[3] / "docs"


def test_every_step_has_a_page():
    assert list(PAGES) == list(STEPS)


@pytest.mark.parametrize("page", ["projects", *PAGES])
def test_every_page_has_a_picture_in_the_docs(page):
    picture = f"images/page-{page}.png"
    assert picture in (DOCS / "web.md").read_text(encoding="utf-8")
    assert (DOCS / picture).is_file()
