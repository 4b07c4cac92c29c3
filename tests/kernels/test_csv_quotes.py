import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.csv_quotes import (
    AFTER_QUOTE,
    CELL_START,
    IN_CELL,
    LINE_ENDED_IN_QUOTES,
    QUOTED,
    follow_quotes,
    quote_automaton,
)
from tests.reference import table as reference

texts = st.text(alphabet='a,"\n\r', max_size=30)


def followed(text, state=CELL_START):
    automaton = quote_automaton(ord(","), ord('"'))
    return follow_quotes(np.frombuffer(text.encode(), dtype=np.uint8), automaton, state)


@settings(deadline=None)
@given(texts)
def test_knows_whether_a_quote_is_open_at_the_end(text):
    state = followed(text)
    assert (state % LINE_ENDED_IN_QUOTES == QUOTED) == reference.quote_left_open(text, ",", '"')
    assert (state >= LINE_ENDED_IN_QUOTES) == reference.line_ends_in_quotes(text, ",", '"')


@settings(deadline=None)
@given(texts, st.integers(0, 30))
def test_pieces_follow_each_other(text, cut):
    assert followed(text[cut:], followed(text[:cut])) == followed(text)


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("", CELL_START),
        ("a,", CELL_START),
        ('5"', IN_CELL),
        ('a,"b', QUOTED),
        ('"b"', AFTER_QUOTE),
        ('"b""', QUOTED),
        ('"b"c"', IN_CELL),
        ('"b\nc",', LINE_ENDED_IN_QUOTES + CELL_START),
        ("é", IN_CELL),
    ],
)
def test_states(text, state):
    assert followed(text) == state
