from shoal.report.figures import loss_figure
from shoal.report.html import tag
from shoal.report.parts import one_of, pair


def test_a_figure_has_its_data_and_a_button_for_them():
    made = pair("losses", loss_figure({"age": 0.5}), "what is lost", tag("p", "table"))
    assert made.data["losses"]["rows"] == [["age", 0.5]]
    assert '<button type="button" data-csv="losses"' in made
    assert 'data-figure="losses"' in made
    assert made.startswith('<div class="pair">')
    assert "pair" not in pair("losses", loss_figure({"age": 0.5}), "what is lost")


def test_one_of_several_is_seen_and_the_others_can_be_chosen():
    made = one_of("level", "Groups:", {"<coarse>": tag("p", "A"), "fine": tag("p", "a")}, chosen="fine")
    assert '<option value="level-0">&lt;coarse&gt;</option>' in made
    assert '<option value="level-1" selected="">fine</option>' in made
    assert '<div id="level-0" hidden=""><p>A</p></div><div id="level-1"><p>a</p></div>' in made


def test_without_choice_nothing_is_asked():
    assert one_of("level", "Groups:", {"only": tag("p", "a")}, chosen="only") == "<p>a</p>"
