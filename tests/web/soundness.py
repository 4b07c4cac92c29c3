"""What every page must be, whatever it shows."""

import itertools

from playwright.sync_api import expect

from tests.web.browsing import Visitor

_HEADINGS = "[...document.querySelectorAll('h1, h2, h3, h4')].map(each => each.tagName)"


def is_sound(visitor: Visitor, *, dark: bool) -> None:
    """Nothing that axe-core finds or that has no name, no gap in the headings, no wider than the window."""
    expect(visitor.page.locator("body.body--dark")).to_have_count(1 if dark else 0)
    assert visitor.violations() == []
    assert visitor.nameless() == []
    levels = [int(each[1]) for each in visitor.page.evaluate(_HEADINGS)]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    width = visitor.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width[0] <= width[1]
