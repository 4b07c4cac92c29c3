import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.quotes import AFTER_QUOTE, CELL_START, QUOTED, follow_quotes
from tests.reference import table as reference

texts = st.text(alphabet='a,"\n\r', max_size=30)


def followed(*pieces):
    state = np.array([CELL_START, 0, 0, 0], dtype=np.int64)
    for piece in pieces:
        follow_quotes(np.frombuffer(piece.encode(), dtype=np.uint8), ord(","), ord('"'), state)
    return state


@settings(deadline=None)
@given(texts)
def test_knows_whether_a_quote_is_open_at_the_end(text):
    assert (followed(text)[0] == QUOTED) == reference.quote_left_open(text, ",", '"')


@settings(deadline=None)
@given(texts, st.integers(0, 30))
def test_pieces_follow_each_other(text, cut):
    assert followed(text[:cut], text[cut:]).tolist() == followed(text).tolist()


def test_notes_where_the_last_quote_opened_and_line_ends_inside_quotes():
    assert followed('a,"b\nc",d\n"e').tolist() == [QUOTED, 12, 10, 1]
    assert followed('a,"b"').tolist() == [AFTER_QUOTE, 5, 2, 0]
