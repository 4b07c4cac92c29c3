import re
from importlib.resources import files
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.explain.levels import CutNode, CutTree, Level
from shoal.report.chart import numbers_axis
from shoal.report.class_sizes import risk_of, size_bands
from shoal.report.figures import (
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
    return figure.columns, list(figure.rows)


def drawing_of(figure):
    return ElementTree.fromstring(figure.drawing)  # noqa: S314 - our own


def with_class(figure, *names, tag="*"):
    return [each for each in drawing_of(figure).iter(tag) if set(names) <= classes(each)]


def classes(element):
    return set(element.get("class", "").split())


def bars(figure, look):
    return [each for each in with_class(figure, "bar", look, tag="rect") if each.find("title") is not None]


def extents(figure, look, side):
    return [float(bar.get(side).removesuffix("%")) for bar in bars(figure, look)]


def names_of(figure):
    return ["".join(entry.itertext()).strip() for entry in drawing_of(figure).iter("li")]


def test_labels_are_on_one_line_and_short():
    assert label("two\nlines\tof  text") == "two lines of text"
    assert label("a" * 40) == "a" * 21 + "…"
    assert label("a" * 22) == "a" * 22


def test_losses_keep_their_order_and_names_that_look_alike_stay_apart():
    long = "a" * 30
    figure = loss_figure({long + "1": 0.5, long + "2": 0.25, "2020": 0.1})
    widths = extents(figure, "after", "width")
    assert widths == pytest.approx([50 / 1.08, 25 / 1.08, 10 / 1.08], abs=0.01)
    downs = extents(figure, "after", "y")
    assert downs == sorted(set(downs))
    assert [each.text for each in with_class(figure, "beside")] == [label(long), label(long), "2020"]


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


DRAWN = {"div", "svg", "g", "path", "line", "rect", "text", "title", "ul", "li"}


@pytest.mark.parametrize("name", FIGURES)
def test_no_markup_of_the_data_becomes_part_of_a_drawing(name):
    assert {element.tag for element in drawing_of(FIGURES[name]).iter()} <= DRAWN


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_carries_its_data(name):
    columns, rows = data_of(FIGURES[name])
    assert rows
    assert all(len(row) == len(columns) for row in rows)


def test_every_colour_can_be_told_from_the_others_by_everybody():
    okabe_ito = {"#e69f00", "#0072b2", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#f0e442", "#999999"}
    style = files("shoal.report").joinpath("chart.css").read_text(encoding="utf-8")
    assert set(re.findall("#[0-9a-f]{6}", style.lower())) <= okabe_ito | {"#767676"}


@pytest.mark.parametrize("name", FIGURES)
def test_every_look_has_its_colour(name):
    style = files("shoal.report").joinpath("chart.css").read_text(encoding="utf-8")
    drawn = [each for each in drawing_of(FIGURES[name]).iter() if classes(each) & {"bar", "mark", "line"}]
    assert drawn
    for each in drawn:
        (look,) = classes(each) - {"bar", "mark", "line"}
        assert f".chart .{look}" in style


def test_data_are_whole_where_labels_are_short():
    long = "a" * 60
    assert data_of(loss_figure({long: 0.25})) == (("name", "lost"), [(long, 0.25)])


def test_readers_of_a_publication_see_one_side_only():
    for name in ("published classes", "published risk", "published"):
        assert bars(FIGURES[name], "after")
        assert not bars(FIGURES[name], "before")
        assert "original" not in FIGURES[name].drawing
        assert names_of(FIGURES[name]) == []


def test_a_distribution_stacks_what_is_coarser_on_what_is_told():
    figure = distribution_figure(EVIL_LEVEL)
    (told,), (spread,), (before,) = (bars(figure, look) for look in ("after", "coarser", "before"))
    across = {
        name: float(bar.get("width").removesuffix("%"))
        for name, bar in {"told": told, "spread": spread, "before": before}.items()
    }
    assert across["told"] + across["spread"] == pytest.approx(across["before"], abs=0.02)
    assert float(spread.get("x").removesuffix("%")) == pytest.approx(across["told"], abs=0.02)
    assert spread.get("y") == told.get("y") != before.get("y")


def test_a_cut_is_drawn_only_where_there_is_one():
    assert "the cut" in names_of(FIGURES["cut"])
    local = cut_figure(CutTree(nodes=EVIL_NODES, one_cut=False, gone=0))
    assert "the cut" not in names_of(local)
    assert not with_class(local, "line", "cut")


def test_class_sizes_are_shares_of_records():
    figure = class_size_figure(size_bands(sizes((1, 2), (2, 1)), sizes((4, 1)), 2))
    before, after = extents(figure, "before", "height"), extents(figure, "after", "height")
    assert before[0] == before[1] == pytest.approx(after[1] / 2, abs=0.1)
    assert after[0] == 0


def test_risks_are_highest_and_mean():
    figure = risk_figure(risk_of(sizes((1, 2), (2, 1))), risk_of(sizes((4, 1))))
    highest, mean = extents(figure, "before", "height")
    assert mean == pytest.approx(0.75 * highest, abs=0.1)
    assert extents(figure, "after", "height") == pytest.approx([highest / 4] * 2, abs=0.1)
    assert [each.text for each in with_class(figure, "value")] == ["100%", "75%", "25%", "25%"]


def test_the_two_sides_differ_in_more_than_colour():
    style = files("shoal.report").joinpath("chart.css").read_text(encoding="utf-8")
    assert re.search(r"\.bar\.before \{ fill-opacity: 0\.\d+", style)
    assert re.search(r"\.line\.before \{ stroke-dasharray", style)


def test_marks_tell_where_they_belong_so_that_they_can_be_picked():
    figure = comparison_figure(
        {"a": [(1, 2, "r1")], "b": [(2, 1, "r2"), (3, 1, "r3")]}, [(1, 2)], ("k", "ncp")
    )
    marks = [each for each in drawing_of(figure).iter() if each.get("data-mark")]
    told = {each.get("data-mark"): each.find("title").text.partition(":")[0] for each in marks}
    assert told == {"1,0": "r1", "2,0": "r2", "2,1": "r3"}


@given(st.lists(st.floats(-1e9, 1e9), max_size=5), st.booleans())
def test_axes_reach_around_all_values_by_round_steps(values, percent):
    axis = numbers_axis("x", values, percent=percent)
    assert axis.low <= min([0, *values])
    assert axis.high >= max(values, default=0)
    assert axis.low < axis.high
    assert 2 <= len(axis.ticks) <= 8
