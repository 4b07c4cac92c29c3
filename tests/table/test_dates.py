import calendar
from datetime import date, datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput, InvalidParameter
from shoal.table import dates
from shoal.table.columns import Kind
from shoal.table.dates import EPOCH, read_days
from shoal.table.month_names import LANGUAGES, folded, month_names
from shoal.table.reading import ReadOptions, read_table
from shoal.table.roles import Quasi, Sensitive
from tests.table.views import values

DATE = Quasi(kind=Kind.DATE)


def days(date_format, *texts):
    found = read_days(texts, date_format)
    return [None if np.isnan(day) else date.fromordinal(int(day) + EPOCH).isoformat() for day in found]


@pytest.mark.parametrize(
    ("date_format", "text"),
    [
        ("%d.%m.%Y", "03.04.2021"),
        ("%d.%m.%Y", "3.4.2021"),
        ("%d.%m.%Y", "3.4.2021 10:30"),
        ("%d.%m.%Y", "3.4.2021, 10:30:59.123"),
        ("%d.%m.%Y %H:%M", "3.4.2021"),
        ("%d.%m.%Y %H Uhr", "3.4.2021 7 Uhr"),
        ("%m/%d/%Y", "04/03/2021 1:05 pm"),
        ("%Y%m%d", "20210403"),
        ("%H:%M %d.%m.%Y", "10:30 3.4.2021"),
        ("%d.%m.%y", "3.4.21"),
        ("%d. %B %Y", "3. April 2021"),
        ("%d %B %Y", "3. APRIL 2021"),
        ("%d %B %Y", "3 de abril de 2021"),
        ("%d %B %Y", "3º de abril de 2021"),
        ("%d %B %Y", "3 d’abril del 2021"),
        ("%d %B %Y", "sábado, 3 de abril de 2021"),
        ("%d %B %Y", "3rd April 2021"),
        ("%B %d, %Y", "Apr. 3, 2021"),
        ("%B %d, %Y", "Saturday, April 3rd, 2021 10:15 a.m."),
        ("%A %d %B %Y", "samedi 3 avril 2021"),
        ("%d-%b-%y", "03-APR-21"),
        ("%d %B %Y", "3 апреля 2021"),
        ("%d %B %Y", "3 ΑΠΡΙΛΙΟΥ 2021"),
        ("%d %B %Y", "3 kwietnia 2021"),
        ("%Y. %B %d.", "2021. április 3."),
        ("excel", "44289"),
        ("excel", "44289.75"),
    ],
)
def test_one_day_in_many_ways(date_format, text):
    assert days(date_format, text) == ["2021-04-03"]


@pytest.mark.parametrize(
    ("date_format", "text"),
    [
        ("%d.%m.%Y", "31.4.2021"),
        ("%d.%m.%Y", "29.2.2021"),
        ("%d.%m.%Y", "3/4/2021"),
        ("%d.%m.%Y", "3.4.21"),
        ("%d.%m.%Y", "3.4.2021 25:00"),
        ("%d.%m.%Y", "3.4.2021 noon"),
        ("%d.%m.%Y", "1st.4.2021"),
        ("%d.%m.%Y", "2021-04-03"),
        ("%d %B %Y", "3 Foo 2021"),
        ("%d %B %Y", "Foo 3 April 2021"),
        ("%d %B %Y", "30 Februar 2021"),
        ("%d.%m.%Y", "0.4.2021"),
        ("excel", "60"),
        ("excel", "0"),
        ("excel", "-1"),
        ("excel", "2958466"),
        ("excel", "2021-04-03"),
    ],
)
def test_what_is_no_date(date_format, text):
    assert days(date_format, text) == [None]


def test_days_of_excel_around_its_29_february_1900():
    assert days("excel", "1", "59", "60", "61") == ["1900-01-01", "1900-02-28", None, "1900-03-01"]


def test_a_two_digit_year_is_never_after_the_current_one(monkeypatch):
    class Then(date):
        @classmethod
        def today(cls):
            return cls(2026, 7, 1)

    monkeypatch.setattr(dates, "date", Then)
    assert days("%d.%m.%y", "1.2.26", "1.2.27", "1.2.45", "1.2.00") == [
        "2026-02-01",
        "1927-02-01",
        "1945-02-01",
        "2000-02-01",
    ]


class TestMonthNames:
    def test_a_name_of_several_months_is_read_where_the_column_tells_its_language(self):
        assert days("%d. %B %Y", "1. listopad 2021") == [None]
        assert days("%d. %B %Y", "1. listopad 2021", "1. kolovoz 2021") == ["2021-10-01", "2021-08-01"]
        assert days("%d. %B %Y", "1. listopad 2021", "1. srpen 2021") == ["2021-11-01", "2021-08-01"]

    def test_a_word_that_is_no_month_does_not_hide_the_language(self):
        assert days("%d %B %Y", "1 listopad 2021", "1 srpen 2021", "1 foo 2021")[0] == "2021-11-01"

    def test_languages_may_be_mixed_where_names_are_certain(self):
        assert days("%d %B %Y", "1 März 2021", "1 août 2021", "1 listopad 2021") == [
            "2021-03-01",
            "2021-08-01",
            None,
        ]

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_every_language_has_all_months(self, language):
        assert set(month_names([language]).values()) == set(range(1, 13))

    def test_names_of_all_languages_mean_one_month(self):
        names = month_names()
        assert names["marz"] == names["mars"] == names["marzo"] == 3
        assert "listopad" not in names

    def test_turkish_letters(self):
        assert folded("KASIM") == folded("Kasım") == "kasim"


formats = st.permutations(["%d", "%Y", "%m"]).flatmap(
    lambda parts: st.sampled_from([".", "/", "-", " ", ", "]).map(lambda mark: mark.join(parts))
)


@given(st.dates(date(1000, 1, 1)), formats, st.sampled_from(["", " %H:%M", " %H:%M:%S", "T%H:%M"]))
def test_written_dates_agree_with_strptime(day, date_format, time_format):
    with_time = date_format + time_format
    text = datetime(day.year, day.month, day.day, 13, 5, 9).strftime(with_time)
    assert days(with_time, text) == [datetime.strptime(text, with_time).date().isoformat()]


@given(st.text("0123456789./ -", max_size=10), formats)
def test_what_strptime_refuses_is_no_date_and_the_rest_is_the_same(text, date_format):
    try:
        expected = datetime.strptime(text, date_format).date().isoformat()
    except ValueError:
        expected = None
    assert days(date_format, text) == [expected]


@given(st.dates(date(1000, 1, 1)), st.sampled_from(["%d %B %Y", "%B %d, %Y", "%b-%d-%Y", "%A, %d. %B %Y"]))
def test_english_month_names_agree_with_strptime(day, date_format):
    text = day.strftime(date_format)
    assert calendar.month_name[day.month][:3] in text
    assert days(date_format, text, day.strftime(date_format).upper())[0] == day.isoformat()


@pytest.mark.parametrize("wrong", ["%d.%m", "%j %Y", "%d.%d.%Y", "%B %b %Y", "Excel", "", "%"])
def test_formats_that_are_none(wrong):
    with pytest.raises(InvalidParameter, match="date_format must be 'excel', or a format with a year"):
        ReadOptions(date_format=wrong)
    with pytest.raises(InvalidParameter, match="Sensitive: date_format"):
        Sensitive(kind=Kind.DATE, date_format=wrong)


class TestColumns:
    def test_the_options_speak_for_all_columns_and_a_role_for_its_own(self):
        frame = pa.table({"a": ["3.4.2021"], "b": ["04/03/2021"], "c": ["3.4.2021"]})
        roles = {
            "a": DATE,
            "b": Quasi(kind=Kind.DATE, date_format="%m/%d/%Y"),
            "c": Sensitive(kind=Kind.DATE),
        }
        loaded = read_table(frame, roles, ReadOptions(date_format="%d.%m.%Y"))
        assert [values(loaded.table.column(name)) for name in "abc"] == [["2021-04-03"]] * 3

    def test_typed_dates_have_no_format(self):
        frame = pa.table({"a": [date(2021, 4, 3)], "b": [datetime(2021, 4, 3, 5)]})
        loaded = read_table(frame, {"a": DATE, "b": DATE}, ReadOptions(date_format="%d.%m.%Y"))
        assert [values(loaded.table.column(name)) for name in "ab"] == [["2021-04-03"]] * 2

    def test_day_numbers_of_excel_may_be_typed(self):
        frame = pa.table({"a": [44289, 44290], "b": [44289.5, None], "c": [date(2021, 4, 3)] * 2})
        loaded = read_table(frame, dict.fromkeys("abc", DATE), ReadOptions(date_format="excel"))
        assert [values(loaded.table.column(name)) for name in "abc"] == [
            ["2021-04-03", "2021-04-04"],
            ["2021-04-03", None],
            ["2021-04-03", "2021-04-03"],
        ]

    def test_a_text_that_is_no_date_says_what_to_do(self):
        with pytest.raises(BadInput, match=r"is not a date.*say how dates are written \(format\)"):
            read_table(pa.table({"a": ["3.4.2021"]}), {"a": DATE})
