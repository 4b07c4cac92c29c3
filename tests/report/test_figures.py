import json

from shoal.report.class_sizes import risk_of, size_bands
from shoal.report.figures import AFTER, BEFORE, class_size_figure, label, loss_figure, risk_figure
from tests.report.outcomes import EVIL, sizes


def test_labels_are_text_and_short():
    assert label("<b>x</b> & y") == "&lt;b&gt;x&lt;/b&gt; &amp; y"
    assert label("two\nlines\tof  text") == "two lines of text"
    assert label("a" * 40) == "a" * 21 + "…"
    assert label("a" * 22) == "a" * 22


def test_losses_keep_their_order_and_names_that_look_alike_stay_apart():
    long = "a" * 30
    figure = loss_figure({long + "1": 0.5, long + "2": 0.25, "2020": 0.1})
    assert list(figure.data[0].x) == [0.5, 0.25, 0.1]
    assert list(figure.data[0].y) == [0, 1, 2]
    assert list(figure.layout.yaxis.ticktext) == [label(long), label(long), "2020"]


def test_no_markup_reaches_a_figure():
    assert "<" not in loss_figure({EVIL: 0.5}).to_json()


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
