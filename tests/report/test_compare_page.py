"""The page of a comparison: what is recommended, and what other promises would cost."""

from shoal.report.compare_page import Advice, compare_page

ROW = {
    "run": "auto k=5",
    "algorithm": "auto",
    "variant": "auto",
    "took": "lra",
    "model": "km-anonymity",
    "promise": "km-anonymity k=5 m=2",
    "k": 5,
    "holds": True,
    "ncp": 0.3,
    "risk": 0.2,
    "mean_risk": 0.1,
    "seconds": 1.0,
    "peak_memory_mb": 100.0,
}
NEW_RECORDS = {
    **{name: value for name, value in ROW.items() if name not in ("k", "ncp")},
    "run": "diffpart epsilon=1",
    "algorithm": "diffpart",
    "took": "diffpart",
    "model": "differential-privacy",
    "promise": "differential-privacy epsilon=1",
    "risk": None,
    "mean_risk": None,
}
OWN = ("km-anonymity k=5 m=2", "the policy's own", "auto k=5", "NCP")
WEAKER = ("km-anonymity k=3 m=2", "weaker than the policy", "auto k=3", "NCP")


def advice(**changed):
    given = {"run": "auto k=5", "reason": "auto k=5 loses least", "heads": ("promise", "beside", "run", "by")}
    return Advice(**{**given, "promises": (OWN, WEAKER), **changed})


def test_shows_what_other_promises_would_cost_and_marks_weaker_ones():
    page = compare_page([ROW], ["auto k=5"], advice(costs="weaker than the policy: k=3"), "ncp")
    assert "What other promises would cost" in page
    assert "Weaker than the policy: k=3." in page
    assert '<td data-label="beside">weaker than the policy</td>' in page
    assert "the policy&#x27;s own" in page
    assert "What other promises" not in compare_page([ROW], [], advice(promises=(OWN,)), "ncp")


def test_shows_which_algorithm_was_chosen_and_what_was_left_out():
    page = compare_page(
        [ROW, NEW_RECORDS], [], advice(left_out=("aa was left out: it does not serve",)), "ncp"
    )
    assert "auto k=5 (lra)" in page
    assert "diffpart epsilon=1<" in page
    assert "Aa was left out: it does not serve." in page


def test_nothing_to_recommend_is_said():
    page = compare_page([ROW], [], advice(run=None, reason="no run keeps what the policy promises"), "ncp")
    assert "No run can be recommended" in page
