import json
import re

import pytest

from shoal.explain.levels import CutNode, CutTree, Level
from shoal.report.class_sizes import risk_of, size_bands
from shoal.report.figures import (
    AFTER,
    BEFORE,
    attack_figure,
    class_size_figure,
    comparison_figure,
    cut_figure,
    distribution_figure,
    frontier_figure,
    label,
    loss_figure,
    published_figure,
    risk_figure,
)
from tests.report.outcomes import EVIL, sizes


def data_of(figure):
    table = figure.layout.meta
    return tuple(table["columns"]), [tuple(row) for row in table["rows"]]


def test_labels_are_text_and_short():
    assert label("<b>x</b> & y") == "&lt;b&gt;x&lt;/b&gt; &amp; y"
    assert label("two\nlines\tof  text") == "two lines of text"
    assert label("a" * 40) == "a" * 21 + "…"
    assert label("a" * 22) == "a" * 22
    assert label("$x$") == "&#36;x&#36;"


def test_losses_keep_their_order_and_names_that_look_alike_stay_apart():
    long = "a" * 30
    figure = loss_figure({long + "1": 0.5, long + "2": 0.25, "2020": 0.1})
    assert list(figure.data[0].x) == [0.5, 0.25, 0.1]
    assert list(figure.data[0].y) == [0, 1, 2]
    assert list(figure.layout.yaxis.ticktext) == [label(long), label(long), "2020"]


EVIL_LEVEL = Level(name=EVIL, groups=(EVIL,), before=(3,), told=(1,), spread=(2,))
EVIL_NODES = (
    CutNode(label=EVIL, parent=-1, values=2, occurrences=3, published=1),
    CutNode(label=EVIL, parent=0, values=1, occurrences=2, published=2, folded=True),
)
BANDS = size_bands(sizes((1, 2), (2, 1)), sizes((4, 1)), 2)
RISK = risk_of(sizes((1, 2), (2, 1)))
FIGURES = {
    "loss": loss_figure({EVIL: 0.5}),
    "distribution": distribution_figure(EVIL_LEVEL),
    "published": published_figure({EVIL: 3}),
    "cut": cut_figure(CutTree(nodes=EVIL_NODES, one_cut=True, gone=0)),
    "classes": class_size_figure(BANDS),
    "published classes": class_size_figure(BANDS, published_only=True),
    "risk": risk_figure(RISK, RISK),
    "published risk": risk_figure(None, RISK),
    "frontier": frontier_figure([{"delta": 0.5, "relational_loss": 0.4, "utility_loss": 0.1}]),
    "attack": attack_figure([1, 2], [0.5, 0.6], [0, 0.1], 1),
    "comparison": comparison_figure({EVIL: [(1, 2, EVIL)]}, [(1, 2)], ("k", "ncp")),
}


@pytest.mark.parametrize("name", FIGURES)
def test_no_markup_reaches_what_plotly_shows(name):
    shown = json.loads(FIGURES[name].to_json())
    del shown["layout"]["meta"]  # the data, which nothing shows
    assert "<" not in json.dumps(shown).replace("<br>", "")


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_carries_its_data(name):
    columns, rows = data_of(FIGURES[name])
    assert rows
    assert all(len(row) == len(columns) for row in rows)


@pytest.mark.parametrize("name", FIGURES)
def test_every_colour_can_be_told_from_the_others_by_everybody(name):
    okabe_ito = {"#E69F00", "#0072B2", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#999999"}
    greys = {"#767676", "#BBBBBB"}
    found = set(re.findall("#[0-9A-Fa-f]{6}", str(FIGURES[name].to_json())))
    assert found <= okabe_ito | greys


def test_data_are_whole_where_labels_are_short():
    long = "a" * 60
    assert data_of(loss_figure({long: 0.25})) == (("name", "lost"), [(long, 0.25)])


def test_readers_of_a_publication_see_one_side_only():
    for name in ("published classes", "published risk", "published"):
        assert [trace.meta for trace in FIGURES[name].data] == ["after"]
        assert "original" not in str(FIGURES[name].to_json())


def test_a_distribution_stacks_what_is_coarser_on_what_is_told():
    before, told, spread = distribution_figure(EVIL_LEVEL).data
    assert (list(before.x), list(told.x), list(spread.x)) == ([3], [1], [2])
    assert list(spread.base) == [1]
    assert (before.offsetgroup, told.offsetgroup, spread.offsetgroup) == ("before", "after", "after")


def test_a_cut_is_drawn_only_where_there_is_one():
    names = [trace.name for trace in FIGURES["cut"].data]
    assert "the cut" in names
    local = cut_figure(CutTree(nodes=EVIL_NODES, one_cut=False, gone=0))
    assert "the cut" not in [trace.name for trace in local.data]


def test_class_sizes_are_shares_of_records():
    bands = size_bands(sizes((1, 2), (2, 1)), sizes((4, 1)), 2)
    before, after = class_size_figure(bands).data
    assert list(before.y) == [0.5, 0.5]
    assert list(after.y) == [0, 1]


def test_risks_are_highest_and_mean():
    before, after = risk_figure(risk_of(sizes((1, 2), (2, 1))), risk_of(sizes((4, 1)))).data
    assert list(before.y) == [1, 0.75]
    assert list(after.y) == [0.25, 0.25]


def test_the_two_sides_differ_in_more_than_colour():
    before, after = risk_figure(risk_of(sizes((1, 2))), risk_of(sizes((2, 1)))).data
    assert (before.marker.color, after.marker.color) == (BEFORE, AFTER)
    assert before.marker.pattern.shape != after.marker.pattern.shape
    assert json.loads(before.to_json())["meta"] == "before"
