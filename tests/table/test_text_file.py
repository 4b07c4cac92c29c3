import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import BadInput
from shoal.table import text_file
from shoal.table.text_file import open_text
from tests.reference import table as reference


@settings(max_examples=60, deadline=None)
@given(text=st.text(alphabet='a,"\n', min_size=1, max_size=40), piece=st.integers(1, 9))
def test_open_quotes_are_found_however_the_text_is_cut(tmp_path_factory, text, piece):
    path = tmp_path_factory.mktemp("text") / "d.csv"
    path.write_text(text, newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_file, "_PIECE", piece)
        if reference.quote_left_open(text, ",", '"'):
            with pytest.raises(BadInput, match="no quote ends it"):
                open_text(path).has_quoted_line_ends(",", '"')
        else:
            assert open_text(path).has_quoted_line_ends(",", '"') == line_end_inside_quotes(text)


def line_end_inside_quotes(text):
    ends = [place for place, character in enumerate(text) if character == "\n"]
    return any(reference.quote_left_open(text[:end], ",", '"') for end in ends)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_line_of_an_open_quote_is_told(tmp_path, monkeypatch, encoding):
    monkeypatch.setattr(text_file, "_PIECE", 16)
    path = tmp_path / "d.csv"
    path.write_bytes(('a,b\n"x\ny",1\n' * 20 + 'z,"open\n' + "1,2\n" * 20).encode(encoding))
    with pytest.raises(BadInput, match=r"d\.csv:61: "):
        open_text(path).has_quoted_line_ends(",", '"')


def test_a_character_may_be_cut_in_two(tmp_path, monkeypatch):
    monkeypatch.setattr(text_file, "_PIECE", 3)
    path = tmp_path / "d.csv"
    path.write_bytes("aé€𝄞é\n".encode())
    assert open_text(path).encoding == "utf-8"
    path.write_bytes("aé€𝄞".encode()[:-1])
    with pytest.raises(BadInput, match="ends in the middle of a character"):
        open_text(path, "utf-8")
