from shoal.report.html import Html, join, raw_element, table, tag


def test_texts_are_escaped_and_markup_is_not():
    assert tag("p", "a < b & c", tag("b", "x")) == "<p>a &lt; b &amp; c<b>x</b></p>"
    assert isinstance(tag("p"), Html)


def test_attributes_are_escaped_named_and_left_out_when_none():
    assert (
        tag("p", class_='"x"', aria_label="a&b", id=None)
        == '<p class="&quot;x&quot;" aria-label="a&amp;b"></p>'
    )


def test_void_elements_have_no_end():
    assert tag("meta", charset="utf-8") == '<meta charset="utf-8">'


def test_nothing_is_left_of_none():
    assert join("a", None, "<") == "a&lt;"


def test_raw_text_stays_as_it_is():
    assert raw_element("style", "a > b {}") == "<style>a > b {}</style>"


def test_a_table_has_a_caption_and_names_its_rows():
    made = table("<what>", ("name", "n"), [("<x>", "1")], numeric=(1,))
    assert "<caption><span>&lt;what&gt;</span></caption>" in made
    assert '<tr><th scope="row">&lt;x&gt;</th><td class="number">1</td></tr>' in made
    assert 'aria-label="&lt;what&gt;"' in made


def test_data_of_parts_are_data_of_the_whole():
    one, other = Html("a", {"x": 1}), Html("b", {"y": 2})
    whole = tag("div", tag("p", one), "text", join(other, None))
    assert whole == "<div><p>a</p>textb</div>"
    assert whole.data == {"x": 1, "y": 2}
    assert tag("p", "alone").data == {}
