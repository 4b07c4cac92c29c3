import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput
from shoal.table import text_file
from shoal.table.text_file import open_text
from tests.examples import examples
from tests.reference import table as reference


@examples(60)
@given(
    text=st.text(alphabet='a,"\n', min_size=1, max_size=40),
    piece=st.integers(1, 9),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_quotes_are_followed_however_the_text_is_cut(tmp_path_factory, text, piece, encoding):
    path = tmp_path_factory.mktemp("text") / "d.csv"
    path.write_bytes(text.encode(encoding))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_file, "_PIECE", piece)
        found = open_text(path).quotes(",", '"')
    assert found == (
        reference.quote_left_open(text, ",", '"'),
        reference.line_ends_in_quotes(text, ",", '"'),
    )


def test_a_character_may_be_cut_in_two(tmp_path, monkeypatch):
    monkeypatch.setattr(text_file, "_PIECE", 3)
    path = tmp_path / "d.csv"
    path.write_bytes("aé€𝄞é\n".encode())
    assert open_text(path).encoding == "utf-8"
    path.write_bytes("aé€𝄞".encode()[:-1])
    with pytest.raises(BadInput, match="ends in the middle of a character"):
        open_text(path, "utf-8")
