"""National numbers of countries that write a day of birth into them, with their check digits.

Faker counts back from today for these, and a table must be the same on every day.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from stdnum import luhn
from stdnum.cn import ric
from stdnum.ee import ik
from stdnum.lv import pvn
from stdnum.no import fodselsnummer

from messy.source import Source

_FINNISH_MARKS = "0123456789ABCDEFHJKLMNPRSTUVWXY"


def national_id(source: Source) -> str:
    draw = _WITH_DAYS.get(source.locale)
    if draw is None:
        return source.fake.ssn()
    return draw(source, date(1940, 1, 1) + timedelta(source.rng.randint(0, 21_000)))


def _finnish(source: Source, day: date) -> str:
    number = f"{day:%d%m%y}{source.rng.randint(2, 899):03}"
    return f"{number[:6]}-{number[6:]}{_FINNISH_MARKS[int(number) % 31]}"


def _norwegian(source: Source, day: date) -> str:
    """Not every number has check digits."""
    while True:
        number = f"{day:%d%m%y}{source.rng.randint(0, 499):03}"
        first = fodselsnummer.calc_check_digit1(number)
        second = fodselsnummer.calc_check_digit2(number + first)
        if (first + second).isdigit() and len(first + second) == 2:
            return number + first + second


def _swedish(source: Source, day: date) -> str:
    number = f"{day:%y%m%d}{source.rng.randint(1, 999):03}"
    return f"{number[:6]}-{number[6:]}{luhn.calc_check_digit(number)}"


def _chinese(source: Source, day: date) -> str:
    area = source.rng.choice(("110101", "110105", "120101", "310101", "310105"))
    number = f"{area}{day:%Y%m%d}{source.rng.randint(1, 999):03}"
    return number + ric.calc_check_digit(f"{number}0")


def _estonian(source: Source, day: date) -> str:
    number = f"{source.rng.choice('34')}{day:%y%m%d}{source.rng.randint(1, 999):03}"
    return number + ik.calc_check_digit(f"{number}0")


def _latvian(source: Source, day: date) -> str:
    number = f"{day:%d%m%y}1{source.rng.randint(1, 999):03}"
    return f"{number[:6]}-{number[6:]}{pvn.calc_check_digit_pers(number)}"


_WITH_DAYS: dict[str, Callable[[Source, date], str]] = {
    "fi_FI": _finnish,
    "no_NO": _norwegian,
    "sv_SE": _swedish,
    "zh_CN": _chinese,
    "et_EE": _estonian,
    "lv_LV": _latvian,
}
