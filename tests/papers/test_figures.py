"""How claims of papers are judged from measured lines."""

import json
import math
from dataclasses import asdict, replace

import pytest

from papers.figures import (
    Claim,
    Figure,
    Line,
    Panel,
    Paper,
    above_at_the_end,
    at_least,
    at_most,
    at_most_times,
    below,
    crosses,
    falls,
    grows_less,
    highest,
    highest_at,
    lowest,
    power_between,
    rises,
    same,
    so_many_times,
    within,
    within_factor,
)
from papers.page import NOTHING_SAID, page, standing, verdicts
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
    assert standing(figure(lowest("A")), lambda release: Measured(release, problem="no")) == NOTHING_SAID
    assert standing(Figure("Figure 2", "an example", kind="reproduced"), known) == "reproduced"


def test_what_the_paper_has_and_nobody_here_is_said():
    judged = replace(figure(lowest("A")), missing="POS")
    assert standing(judged, known) == "not possible on the paper's data (POS); on a stand-in: differs"
    described = Figure("Table 1", "the data", kind="not possible", missing="POS")
    assert standing(described, known) == "not possible on the paper's data (POS)"


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
        (within_factor(2, "A"), True),
        (within(0.1, "A"), True),
        (within(0.1, "B"), False),
        (highest("B"), True),
        (highest("A"), False),
        (highest_at(1, "A", "B"), True),
        (highest_at(0, "A"), False),
        (at_least(0.1, "A", "B"), True),
        (at_least(0.15, "A"), False),
        (so_many_times(1.5, "B", "A"), True),
        (so_many_times(1.6, "B", "A"), False),
        (above_at_the_end("A", "B"), True),
        (above_at_the_end("B", "A"), False),
        (crosses("A", "B"), False),
        (grows_less("A", "B"), False),
        (power_between(0.9, 1.1, [10, 20], "A", "B"), True),
        (power_between(1.9, 2.1, [10, 20], "A"), False),
    ],
)
def test_judges(judge, holds):
    assert judge({"A": [0.1, 0.2], "B": [0.15, 0.3]}) is holds


def test_a_limit_is_kept_by_what_there_is():
    assert at_most(0.2, "A")({"A": [math.nan, 0.2]})
    assert not at_most(0.2, "A")({"A": [math.nan, math.nan]})


def test_lines_cross_and_grow():
    lines = {"A": [0.1, 0.4], "B": [0.2, 0.3]}
    assert crosses("A", "B")(lines)
    assert grows_less("B", "A")(lines)


def test_lines_that_vary_more_than_twice_are_not_insensitive():
    assert not within_factor(2, "A")({"A": [0.1, 0.21, 0.15]})


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
