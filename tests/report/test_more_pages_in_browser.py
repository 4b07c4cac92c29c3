"""The pages of attacks and comparisons in a real browser: drawn, quiet, and without a single request."""

import shutil
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, sync_playwright

from shoal.attack.attacked import Attacked
from shoal.attack.finding import CandidateBand, Exposure, Finding
from shoal.attack.homogeneity import Confidence
from shoal.attack.journalist import Journalist
from shoal.report.attack_page import attack_page
from shoal.report.compare_page import Advice, compare_page
from tests.report.outcomes import EVIL

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE = 120_000  # milliseconds, on a busy machine

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="needs the system's Chromium: install the package chromium"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


def exposure(below, smallest=5):
    return Exposure(
        records=1_000,
        below_k=below,
        expected=31.25,
        unique=below / 2,
        smallest=smallest,
        distribution=(CandidateBand(1, 1, 10), CandidateBand(5, 9, 890), CandidateBand(10_000, None, 100)),
        interval=(0.01, 0.2) if below else None,
    )


def findings(adversary):
    return [
        Finding(
            adversary=adversary,
            known=f"the values of {EVIL} and {items} items of the set, the least favourable",
            after=exposure(0.1 * (items > 2)),
            before=exposure(0.2 * items),
            items=items,
            promised=items <= 2,
        )
        for items in (1, 2, 3, 4)
    ]


FOUND = Attacked(
    k=5,
    m=2,
    records=1_000,
    published_records=990,
    findings=(*findings("items"), *findings("values and items"), *findings("chunks")),
    confidences=(
        Confidence(
            known="up to 1 item", items=1, because=(EVIL,), sensitive="ill = flu", holding=3, knowing=4
        ),
    ),
    journalist=Journalist(smallest=5, mean=0.1, unique=0.0, people=5_000, unique_people=0.4, sampled=True),
    weaknesses=("Cover problem: somebody who knows how the algorithm works learns of 3 pairs.",),
    notices=("repeated items were counted once",),
)


def run(algorithm, k, loss, holds=True):
    return {
        "run": f"{algorithm} k={k}",
        "algorithm": algorithm,
        "model": "km-anonymity",
        "promise": f"km-anonymity k={k} m=2",
        "k": k,
        "holds": holds,
        "ncp": loss if holds else None,
        "risk": 1 / k if holds else None,
        "mean_risk": 0.5 / k if holds else None,
        "seconds": 0.5 * k if holds else None,
        "peak_memory_mb": 1_234.5,
        "error": None if holds else "no promise can be kept for so few records",
    }


ALGORITHMS = ("aa", "lra", "vpa", "hghs", "a-name-that-is-much-longer-than-any-other")
RUNS = [
    run(algorithm, k, 0.01 * k + 0.003 * place)
    for place, algorithm in enumerate(ALGORITHMS)
    for k in (2, 5, 10, 25, 50)
] + [run("aa", 5_000, 0, holds=False)]
ADVICE = Advice(
    run="aa k=5",
    reason="aa k=5 loses least",
    costs="a stricter promise would cost: km-anonymity k=50 m=2 NCP 0.5 (aa k=50)",
    heads=("promise", "beside the policy", "loses least", "by", "NCP", "ARE, 1 item"),
    promises=(
        ("km-anonymity k=5 m=2", "the policy's own", "aa k=5", "NCP", "5.0%", "0.2"),
        ("km-anonymity k=50 m=2", "stricter", "aa k=50", "NCP", "50.0%", "1.2"),
        ("km-anonymity k=2 m=2", "weaker than the policy", "aa k=2", "NCP", "2.0%", ""),
    ),
    left_out=(f"{EVIL} was left out",),
)
PAGES = {
    "attack": (lambda: attack_page(FOUND), ["items", "chunks", "values-and-items"]),
    "compare": (
        lambda: compare_page(RUNS, ["aa k=10", "aa k=5", "aa k=2"], ADVICE, "ncp"),
        ["loss", "risk", "time"],
    ),
}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_draws_its_figures_and_asks_for_nothing(browser, tmp_path, name, width, scheme):
    make, figures = PAGES[name]
    file = tmp_path / "page.html"
    file.write_text(make(), encoding="utf-8")
    talk, requests = [], []
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    opened.set_default_navigation_timeout(PATIENCE)
    opened.on("console", lambda message: talk.append(message.text))
    opened.on("pageerror", lambda error: talk.append(str(error)))
    opened.on("dialog", lambda dialog: (talk.append(dialog.message), dialog.dismiss()))
    opened.on("request", lambda request: requests.append(request.url))
    opened.goto(file.as_uri())
    opened.wait_for_selector(f"#figure-{figures[-1]}-plot .plot path.mark", state="attached")
    drawn = {figure: opened.locator(f"#figure-{figure}-plot .plot path.mark").count() for figure in figures}
    too_wide = opened.evaluate(
        "[...document.querySelectorAll('.pair .scroll, .wide .scroll')]"
        ".filter(part => part.scrollWidth > part.clientWidth + 1).length"
    )
    assert talk == []
    assert requests == [file.as_uri()]
    assert opened.evaluate("document.documentElement.scrollWidth") == width
    assert drawn == dict.fromkeys(figures, 2 * 4 if name == "attack" else len(RUNS) - 1)
    if name == "attack":
        assert too_wide == 0, "a narrow table beside its figure is not cropped"
    context.close()


def test_no_table_beside_a_figure_is_cropped_on_a_wide_page(browser, tmp_path):
    file = tmp_path / "page.html"
    rows = [run(algorithm, k, 0.01 * k) for algorithm in ("aa", "lra", "vpa", "hghs") for k in (2, 5, 50)]
    file.write_text(compare_page(rows, ["aa k=50"], replace(ADVICE, run=None), "ncp"), encoding="utf-8")
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    opened.set_default_timeout(PATIENCE)
    opened.goto(file.as_uri(), timeout=PATIENCE)
    cropped = opened.evaluate(
        "[...document.querySelectorAll('.scroll')].filter(part => part.scrollWidth > part.clientWidth + 1)"
        ".map(part => part.getAttribute('aria-label'))"
    )
    assert cropped == []
    opened.close()
