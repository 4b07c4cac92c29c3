from datetime import date

import pyarrow as pa
import pytest
from babel.dates import format_date
from hypothesis import given
from hypothesis import strategies as st

from shoal.detect.look import FileHints, look_at
from shoal.table.columns import Kind
from shoal.table.reading import ReadOptions, read_table
from shoal.table.roles import Quasi
from tests.detect.columns import column
from tests.table.views import plain

DAYS = [date(1950 + n, 1 + n * 5 % 12, 1 + n * 7 % 28) for n in range(60)]


@pytest.mark.parametrize(
    ("texts", "written", "ambiguous"),
    [
        (("1999-12-31", "2001-02-03"), None, False),
        (("1999-12-31T10:00:00", "2001-02-03T11:30:00"), None, False),
        (("31.12.1999", "03.02.2001"), "%d.%m.%Y", False),
        (("12/31/1999", "02/03/2001"), "%m/%d/%Y", False),
        (("31/12/99", "03/02/01"), "%d/%m/%y", False),
        (("01/02/2003", "03/04/2005"), "%d/%m/%Y", True),
        (("31. 12. 1999", "3. 2. 2001"), "%d. %m. %Y", False),
        (("19991231", "20010203"), "%Y%m%d", False),
        (("3. März 2021", "14. Mai 2020"), "%d. %b %Y", False),
        (("3 de marzo de 2021", "14 de mayo de 2020"), "%d de %b de %Y", False),
        (("March 3, 2021", "May 14, 2020"), "%b %d, %Y", False),
        (("31.12.1999 10:30", "03.02.2001 11:15"), "%d.%m.%Y %H:%M", False),
    ],
)
def test_the_way_of_writing_is_found(texts, written, ambiguous):
    look = look_at(column(texts))
    assert look.kind == "date"
    assert look.dates is not None
    assert (look.dates.format, look.dates.other is not None) == (written, ambiguous)


def test_other_columns_of_the_file_decide_what_both_readings_fit():
    look = look_at(column(["01/02/2003", "03/04/2005"]), FileHints(date_order="month first"))
    assert look.dates is not None
    assert look.dates.format == "%m/%d/%Y"
    assert look.dates.other == "day first"


def test_serials_are_dates_only_where_the_name_says_so():
    serials = [str(n) for n in range(40_000, 45_000, 37)]
    assert look_at(column(serials, "Aufnahmedatum")).kind == "date"
    assert look_at(column(serials, "steps")).kind == "number"


def read_back(texts, look):
    role = Quasi(kind=Kind.DATE, date_format=look.dates.format)
    return plain(read_table(pa.table({"day": texts}), {"day": role}, ReadOptions()).table)["day"]


@pytest.mark.parametrize(
    "language",
    [
        "en",
        "de",
        "fr",
        "es",
        "it",
        "pt",
        "nl",
        "sv",
        "da",
        "nb",
        "fi",
        "pl",
        "cs",
        "hu",
        "ro",
        "bg",
        "hr",
        "el",
        "tr",
        "ru",
        "uk",
    ],
)
@pytest.mark.parametrize("length", ["short", "medium", "long"])
def test_days_as_a_language_writes_them_are_read_as_they_were(language, length):
    texts = [format_date(day, length, locale=language) for day in DAYS]
    look = look_at(column(texts, "visit"))
    assert look.kind == "date"
    century = {f"{day:%m-%d}" for day in DAYS}
    read = read_back(texts, look)
    if length == "short":
        assert {day[5:] for day in read} == century
    else:
        assert read == [day.isoformat() for day in DAYS]


@given(
    st.lists(st.dates(date(1900, 1, 1), date(2030, 1, 1)), min_size=1, max_size=20),
    st.sampled_from(["%d.%m.%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y-%m-%d", "%d.%m.%Y %H:%M:%S"]),
)
def test_what_is_detected_reads_as_the_same_days_unless_two_readings_are_told(days, written):
    texts = [day.strftime(written) for day in days]
    look = look_at(column(texts, "day"))
    assert look.dates is not None
    if look.dates.other is None:
        assert read_back(texts, look) == [day.isoformat() for day in days]
