"""How claims of papers are judged from measured lines."""

import math

import pytest

from papers.figures import Claim, Figure, Line, Panel, at_most, below, falls, lowest, rises, same
from papers.page import standing, verdicts
from papers.release import Measured

PRINTED, OURS, RIVAL = Line("A", "printed", "aa"), Line("A", "ours", "lra"), Line("B", "printed", "vpa")
POINTS = {str(k): {"data": "some", "promise": {"k": k, "m": 2}} for k in (2, 5)}
LOSSES = {"aa": (0.2, 0.4), "lra": (0.1, 0.2), "vpa": (0.15, 0.3)}


def known(release):
    return Measured(release, {"ncp": LOSSES[release.algorithm][(2, 5).index(release.promise["k"])]})


def figure(holds):
    panel = Panel("NCP", "ncp", "k", POINTS, [PRINTED, OURS, RIVAL], [Claim("A is best", holds)])
    return Figure("Figure 1", "loss", panels=(panel,))


def test_a_claim_is_judged_for_every_form_and_counts_as_printed():
    (panel,) = figure(lowest("A")).panels
    assert list(verdicts(panel, known)) == [("A is best", [("printed", False), ("ours", True)])]
    assert standing(figure(lowest("A")), known) == "differs"
    assert standing(figure(rises("A", "B")), known) == "reproduced"


def test_what_was_not_measured_is_said():
    assert standing(figure(lowest("A")), lambda _: None) == "not measured yet"
    assert standing(Figure("Figure 2", "an example", kind="example"), known) == "example"


@pytest.mark.parametrize(
    ("judge", "holds"),
    [
        (lowest("A"), True),
        (lowest("B"), False),
        (below("A", "B"), True),
        (at_most(0.2, "A"), True),
        (at_most(0.1, "A"), False),
        (rises("A", "B"), True),
        (falls("A"), False),
        (same("A", "B"), False),
        (same("A", "B", by=1.0), True),
    ],
)
def test_judges(judge, holds):
    assert judge({"A": [0.1, 0.2], "B": [0.15, 0.3]}) is holds


def test_a_rival_that_gave_nothing_beats_nobody():
    assert lowest("A")({"A": [0.1], "B": [math.nan]})
    assert not lowest("A")({"A": [math.nan], "B": [0.1]})
