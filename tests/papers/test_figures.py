"""How claims of papers are judged from measured lines."""

import json
import math
from dataclasses import asdict

import pytest

from papers.figures import (
    Claim,
    Figure,
    Line,
    Panel,
    Paper,
    at_most,
    at_most_times,
    below,
    falls,
    lowest,
    rises,
    same,
    within_twice,
)
from papers.page import page, standing, verdicts
from papers.release import Measured, Notebook, Release

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
    assert standing(figure(lowest("A")), lambda release: Measured(release, {"ul": 0.1})) == "not measured yet"
    assert standing(figure(lowest("A")), lambda release: Measured(release, problem="no")) == "measured"
    assert standing(Figure("Figure 2", "an example", kind="example"), known) == "example"


@pytest.mark.parametrize(
    ("judge", "holds"),
    [
        (lowest("A"), True),
        (lowest("B"), False),
        (below("A", "B"), True),
        (at_most(0.2, "A"), True),
        (at_most(0.1, "A"), False),
        (at_most_times(2, "B", "A"), True),
        (at_most_times(1.2, "B", "A"), False),
        (rises("A", "B"), True),
        (falls("A"), False),
        (same("A", "B"), False),
        (same("A", "B", by=1.0), True),
        (within_twice("A"), True),
    ],
)
def test_judges(judge, holds):
    assert judge({"A": [0.1, 0.2], "B": [0.15, 0.3]}) is holds


def test_lines_that_vary_more_than_twice_are_not_insensitive():
    assert not within_twice("A")({"A": [0.1, 0.21, 0.15]})


def test_a_rival_that_gave_nothing_beats_nobody():
    assert lowest("A")({"A": [0.1], "B": [math.nan]})
    assert not lowest("A")({"A": [math.nan], "B": [0.1]})


def test_what_time_was_up_for_is_wanted_again_only_with_more_time(tmp_path):
    release = Release("some", "kanon-cf", {"k": 5})
    late = Measured(release, problem="time was up", in_time=False, limit=60.0)
    file = tmp_path / "kept.jsonl"
    file.write_text(json.dumps(asdict(late)) + "\n", encoding="utf-8")
    assert Notebook(file, 100, apart=False).is_wanted(release)
    assert not Notebook(file, 60, apart=False).is_wanted(release)
    file.write_text(json.dumps(asdict(Measured(release, {"lm": 0.1}))) + "\n", encoding="utf-8")
    assert not Notebook(file, 100, apart=False).is_wanted(release)


def test_a_star_says_after_how_many_seconds_time_was_up():
    late = figure(lowest("A"))
    text = page(
        Paper("some", "Some", "", [late]),
        lambda release: Measured(release, {"ncp": 0.5}, in_time=release.algorithm != "lra", limit=60.0),
        "python bench/paper.py some",
    )
    assert "| 2 | 0.5 | 0.5* | 0.5 |" in text
    assert "\n\\* time was up after 60 s on the clock.\n" in text
