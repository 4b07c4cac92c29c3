import pytest

from shoal.report.wording import counted, in_words, measure, measure_in_words, sentence, share


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0%"),
        (1, "100%"),
        (0.5, "50.0%"),
        (0.0001, "below 0.1%"),
        (0.99999, "above 99.9%"),
        (0.2137, "21.4%"),
    ],
)
def test_only_true_extremes_are_written_as_such(value, text):
    assert share(value) == text


def test_measures_come_in_their_unit():
    assert measure("ncp", 0.25) == "25.0%"
    assert measure("entropy", 1.9345) == "1.93 bits"
    assert measure("discernibility", 24117.4) == "24,117"
    assert measure("c_avg", 1.6) == "1.6 × k"
    assert measure("unheard-of", 0.123456) == "0.123"


def test_measures_are_described_where_they_are_known():
    assert measure_in_words("ncp")
    assert measure_in_words("unheard-of") == ""


def test_counts_and_names_read_well():
    assert counted(1, "row") == "1 row"
    assert counted(2000, "person", "people") == "2,000 people"
    assert in_words("smallest_class") == "smallest class"


def test_sentences_begin_and_end():
    assert sentence("it holds ") == "It holds."
    assert sentence("Why?") == "Why?"
