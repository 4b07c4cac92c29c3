"""What a column holds, and whether it names people: one look for the profile, for checks and for the page.

Evidence comes from the values first. The name of a column makes a suspicion of values that could be one, and
takes one away that rests on words alone; it never makes one of values that are something else.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from shoal.detect import categories, identifiers
from shoal.detect.dates import DateReading, are_serials, could_be_date, date_reading
from shoal.detect.free_text import free_text_share
from shoal.detect.headers import Says, says
from shoal.detect.numbers import NumberReading, has_leading_zeros, number_reading, plain_reading
from shoal.detect.observed import Observed, masked
from shoal.detect.sets import set_separator
from shoal.detect.vocabulary import known_share, leaning, word_list

FITS = 0.95  # share of rows from which a column is said to be of a kind
_SURELY = 0.05  # share of values from which what reaches people for sure makes a suspicion
_MOSTLY = 0.6
_MANY = 25  # distinct values that make a vocabulary rather than a list of choices
_LONG_DIGITS = re.compile(r"\d{7,}")
_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w\-./ #]{4,24}|(?=.*\d)\d+(?:[\-/. ]\d+)+")
_NETWORK_NAME = re.compile(r"(?=.*[a-z])[a-z0-9][a-z0-9._\-]{2,30}")
_STREET = re.compile(r"(?=.*\d)(?=.*[^\W\d_]{2})[^@]{5,}")
_MOST_YEARS = 130  # more values without a gap than ages or years have
_ROWS_OF_A_PERSON = 8  # more of a number without a gap, and it rather counts something
_EXAMPLES = 3
_TRIED = 50
NAME = 2  # how well a name tells people apart; numbers of people do better, addresses worse


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Why a column must not be published as it is: what its values look like, how many, and their shapes."""

    what: str
    share: float
    examples: tuple[str, ...]
    free_text: bool = False
    ranks_as_person: int = 0  # how well it tells one person from another, for the choice of a subject

    def in_words(self) -> str:
        """The evidence in a few words; values are shown as shapes only."""
        shapes = ", ".join(self.examples)
        return f"looks like {self.what} ({self.share:.0%} of its values, such as {shapes})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a column holds: the kind a policy would give it, how it is written, and what is suspected."""

    kind: str
    looks_like: str
    numbers: NumberReading | None = None
    dates: DateReading | None = None
    separator: str | None = None
    order: tuple[str, ...] | None = None
    prefixes: tuple[int, ...] | None = None
    suspicion: Suspicion | None = None
    fits: float = 1.0
    misfits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileHints:
    """What other columns of the same file say about how it is written."""

    decimal: str | None = None
    date_order: str | None = None


NO_HINTS = FileHints()


def look_at(column: Observed, hints: FileHints = NO_HINTS) -> Look:
    """What one column holds."""
    if column.distinct == 0:
        return Look(kind="category", looks_like="nothing")
    if _is_typed(column.type):
        return _look_at_typed(column)
    return _look_at_texts(column, hints)


def suspicion_of(column: Observed) -> Suspicion | None:
    """Whether a column looks as if it named people or held free text, whatever its role is."""
    return look_at(column).suspicion


def suspicion_of_items(items: Observed) -> Suspicion | None:
    """Whether items of sets reach people for sure; codes and names of things are what sets are made of."""
    values = items.some()
    for each in identifiers.RECOGNIZED:
        fitting = [value for value in values if each.surely and each.fits(value)]
        if len(fitting) > _SURELY * len(values):
            return _suspicion(each.what, len(fitting) / len(values), fitting)
    return None


def _is_typed(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_temporal(kind)
    )


def _look_at_typed(column: Observed) -> Look:
    kind = column.type
    if pa.types.is_boolean(kind):
        return Look(kind="category", looks_like="yes or no")
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return Look(kind="date", looks_like="dates")
    if pa.types.is_temporal(kind):
        return Look(kind="category", looks_like="times of day")
    return _look_at_numbers(column, plain_reading(column.texts), column.some())


def _look_at_texts(column: Observed, hints: FileHints) -> Look:
    values = column.some()
    if suspicion := _recognized(column, values):
        return Look(kind="category", looks_like=suspicion.what, suspicion=suspicion)
    dates = _dates(column, hints)
    if dates is not None and dates.share >= FITS:
        return _look_at_dates(dates)
    numbers = number_reading(column.texts, column.rows, hints.decimal)
    if numbers is not None and numbers.share >= FITS and not has_leading_zeros(column.texts, column.rows):
        return _look_at_numbers(column, numbers, values)
    separator = set_separator(column)
    if separator is not None and not (Says.TEXT in says(column.name) and separator in " ,"):
        return Look(kind="set", looks_like=f"sets with {separator!r} between items", separator=separator)
    return _look_at_words_and_codes(column, values)


def _look_at_dates(reading: DateReading) -> Look:
    return Look(kind="date", looks_like=f"dates, {reading.in_words()}", dates=reading, fits=reading.share)


def _look_at_numbers(column: Observed, reading: NumberReading, values: Sequence[str]) -> Look:
    said = says(column.name)
    if said & {Says.DATE, Says.BIRTH} and are_serials(values) and column.distinct > 2:
        dates = DateReading("excel", reading.share)
        return Look(kind="date", looks_like="dates, days as Excel counts them", dates=dates)
    if Says.POSTAL in said and reading.whole and not (reading.money or reading.percent):
        return Look(kind="category", looks_like="postal codes")
    suspicion = None
    if reading.whole and not (reading.money or reading.percent) and reading.style.thousands in ("", " "):
        joined = (
            [value.replace(reading.style.thousands, "") for value in values]
            if reading.style.thousands
            else values
        )
        suspicion = _numbered_people(column, joined, said)
    if suspicion is not None:
        return Look(kind="category", looks_like=suspicion.what, suspicion=suspicion)
    described = "amounts of money" if reading.money else "percent" if reading.percent else "numbers"
    if said & {Says.LATITUDE, Says.LONGITUDE} and not reading.whole:
        described = "coordinates"
    elif reading.whole and described == "numbers":
        described = "whole numbers"
    return Look(
        kind="number",
        looks_like=f"{described}, {reading.style.in_words()}"
        if reading.style.decimal == "," or reading.style.thousands
        else described,
        numbers=reading,
        fits=reading.share,
        misfits=_misfits(column, reading.style.pattern) if reading.share < 1 else (),
    )


def _misfits(column: Observed, pattern: str) -> tuple[str, ...]:
    wrong = column.texts.filter(pc.invert(pc.match_substring_regex(column.texts, pattern)))
    return tuple(wrong.slice(0, _EXAMPLES).to_pylist())


def _numbered_people(column: Observed, values: Sequence[str], said: frozenset[Says]) -> Suspicion | None:
    """Whether whole numbers are numbers of people or papers rather than counts."""
    digits = [value for value in values if value.isdigit()]
    if len(digits) < 0.9 * len(values) or column.distinct < 2:
        return None
    if found := identifiers.checked_number(digits):
        return _suspicion(f"numbers with check digits ({found[0]})", found[1], values, rank=3)
    many = column.distinct >= min(_MANY, 0.5 * column.present)
    if said & {Says.NUMBER, Says.PHONE, Says.ONLINE} and many and column.repeats < 40:
        return _suspicion("numbers of people or papers, as its name says", 1.0, values, rank=5)
    long = [value for value in digits if _LONG_DIGITS.fullmatch(value)]
    lengths = {len(value) for value in long}
    if len(long) >= 0.9 * len(values) and len(lengths) <= 2 and many:
        return _suspicion("long numbers of one length", len(long) / len(values), values, rank=4)
    return _running_number(column, values)


def _running_number(column: Observed, values: Sequence[str]) -> Suspicion | None:
    """Numbers without a gap of which none stands often, and too many for ages or years."""
    numbers = [int(value) for value in values]
    low, high = min(numbers), max(numbers)
    dense = high - low + 1 <= 1.1 * column.distinct
    alone = column.repeats < 1.05
    few = column.repeats < _ROWS_OF_A_PERSON and int(column.rows.max()) <= 3 * column.repeats + 3
    if dense and column.distinct > _MOST_YEARS and (alone or few):
        return _suspicion("running numbers", 1.0, values, rank=4)
    return None


def _recognized(column: Observed, values: Sequence[str]) -> Suspicion | None:
    said = says(column.name)
    for each in identifiers.RECOGNIZED:
        fitting = [value for value in values if each.fits(value)]
        share = len(fitting) / len(values)
        if not fitting or (each.what == "telephone numbers" and _reads_as_date(column)):
            continue
        if share >= (_SURELY if each.surely else _MOSTLY):
            if not each.surely and column.distinct < 5 and not said & {Says.PHONE, Says.NUMBER}:
                continue
            if each.what in ("telephone numbers", "numbers of payment cards"):
                return _number_of_some_kind(column, values, fitting, each.what)
            return _suspicion(each.what, share, fitting, rank=3)
    return None


def _number_of_some_kind(
    column: Observed, values: Sequence[str], fitting: Sequence[str], what: str
) -> Suspicion | None:
    """Separated digits are telephone numbers unless they are postal codes, money, dates or known numbers."""
    if categories.are_postal_codes(values):
        return None
    reading = number_reading(column.texts, column.rows)
    plain = reading is not None and reading.share >= FITS
    if plain and reading is not None and (reading.style.thousands or reading.money or not reading.whole):
        return None
    if found := identifiers.checked_number(values):
        return _suspicion(f"numbers with check digits ({found[0]})", found[1], values, rank=3)
    if plain and what == "telephone numbers" and not any(value.startswith(("0", "+")) for value in values):
        return None  # digits alone: judged as numbers
    return _suspicion(what, len(fitting) / len(values), fitting, rank=NAME)


def _dates(column: Observed, hints: FileHints) -> DateReading | None:
    if not any(map(could_be_date, column.some()[:_TRIED])):
        return None
    return date_reading(column.texts.to_pylist(), column.rows.tolist(), hints.date_order)


def _reads_as_date(column: Observed) -> bool:
    reading = _dates(column, NO_HINTS)
    return reading is not None and reading.share >= FITS


def _look_at_words_and_codes(column: Observed, values: Sequence[str]) -> Look:
    said = says(column.name)
    known = _known_categories(column, values, said)
    if known is not None:
        return known
    suspicion = _suspicious_codes(column, values, said) or _suspicious_words(column, values, said)
    if suspicion is not None:
        return Look(kind="category", looks_like=suspicion.what, suspicion=suspicion)
    return Look(kind="category", looks_like="postal codes" if Says.POSTAL in said else "categories")


def _known_categories(column: Observed, values: Sequence[str], said: frozenset[Says]) -> Look | None:
    """Categories that have an order, a build or a list of their own; None if they have not."""
    order = categories.order_of(values)
    system = categories.code_system(values)
    found: Look | None = None
    if order is not None:
        found = Look(kind="category", looks_like="ordered categories", order=order)
    elif column.distinct == 2:
        found = Look(kind="category", looks_like="one of two values")
    elif system is not None:
        found = Look(kind="category", looks_like=system[0], prefixes=system[1])
    elif categories.are_postal_codes(values) and Says.NUMBER not in said:
        found = Look(kind="category", looks_like="postal codes")
    elif categories.are_times(values):
        found = Look(kind="category", looks_like="times of day", prefixes=(2,))
    elif categories.are_countries(values):
        found = Look(kind="category", looks_like="countries")
    return found


def _suspicious_codes(column: Observed, values: Sequence[str], said: frozenset[Says]) -> Suspicion | None:
    """Codes of letters and digits of which there are about as many as people."""
    digits = [value for value in values if value.isdigit()]
    if len(digits) >= 0.9 * len(values):
        if found := identifiers.checked_number(digits):
            return _suspicion(f"numbers with check digits ({found[0]})", found[1], values, rank=3)
        if Says.POSTAL in said or (all(len(value) <= 6 for value in digits) and Says.NUMBER not in said):
            return None
    fitting = [value for value in values if _CODE.fullmatch(value) or value.isdigit()]
    share = len(fitting) / len(values)
    many = column.distinct >= _MANY and column.repeats < 40
    if share < 0.8 or not (many or (said & {Says.NUMBER} and column.distinct > 5 and column.repeats < 10)):
        return None
    if found := identifiers.checked_number(values):
        return _suspicion(f"numbers with check digits ({found[0]})", found[1], values, rank=3)
    words = sum(len(re.findall(r"[^\W\d_]{3,}", value)) for value in fitting) / len(fitting)
    if words > 1.2:
        return None  # rather addresses or names with a number
    return _suspicion(
        "codes of people or things of their own", share, fitting, rank=5 if Says.NUMBER in said else 4
    )


def _suspicious_words(column: Observed, values: Sequence[str], said: frozenset[Says]) -> Suspicion | None:
    share = free_text_share(column, values)
    if share >= 0.5 and (column.repeats < 20 or column.distinct > 200):
        return _suspicion("free text", share, values, free_text=True)
    if Says.TEXT in said and column.distinct >= 5 and share >= 0.2:
        return _suspicion("free text, as its name says", share, values, free_text=True)
    if addressed := _street_share(column, values, said):
        return _suspicion("street addresses", addressed, values, rank=1)
    if named := _network_names(column, values, said):
        return _suspicion("user names", named, values, rank=3)
    return _names_of_people(column, values, said)


def _street_share(column: Observed, values: Sequence[str], said: frozenset[Says]) -> float:
    """Words with a number of a house."""
    fitting = [value for value in values if _STREET.fullmatch(value)]
    share = len(fitting) / len(values)
    if Says.ADDRESS in said and column.distinct >= 5 and share > 0.3:
        return share
    if share < 0.7 or column.distinct < _MANY:
        return 0.0
    streets = known_share(fitting[:200], "street")
    several = sum(len(value.split()) >= 2 for value in fitting) / len(fitting)
    return share if streets > 0.3 or (several > 0.9 and column.repeats < 20) else 0.0


def _network_names(column: Observed, values: Sequence[str], said: frozenset[Says]) -> float:
    """Single words in small letters that are in no list of words, some with digits or points."""
    fitting = [value for value in values if _NETWORK_NAME.fullmatch(value)]
    share = len(fitting) / len(values)
    if share < 0.9 or column.distinct < (5 if Says.ONLINE in said else _MANY):
        return 0.0
    marked = sum(bool(re.search(r"\d|[a-z][._\-][a-z]", value)) for value in fitting) / len(fitting)
    unknown = sum(value not in word_list("word") for value in fitting) / len(fitting)
    return share if Says.ONLINE in said or marked > 0.15 or (unknown > 0.7 and column.repeats < 20) else 0.0


def _names_of_people(column: Observed, values: Sequence[str], said: frozenset[Says]) -> Suspicion | None:
    wordy = [value for value in values if re.search(r"[^\W\d_]{2,}|[\u3040-\u9fff\uac00-\ud7af]", value)]
    if len(wordy) < 0.8 * len(values):
        return None
    called_so = Says.PERSON in said
    harmless_name = bool(said & {Says.PLACE, Says.JOB, Says.THING}) and not called_so
    many_things = Says.THING in said and column.distinct >= 2 * _MANY and column.repeats < 20
    if column.distinct < (5 if called_so else 12):
        return None
    leans = leaning(wordy)
    if leans is None:
        return None
    known = known_share(wordy, "person")
    if harmless_name and not many_things and (leans.to_person < 0.25 or known < 0.6):
        return None
    enough = -0.2 if called_so else -0.02 if column.distinct >= _MANY else 0.15
    open_words = column.distinct >= _MANY and column.repeats < 40
    unheard = max(known, known_share(wordy, "place"), known_share(wordy, "word")) < 0.05 and open_words
    two_names = open_words and leans.to_person > -0.3 and _are_two_names(wordy)
    likely = leans.to_person > enough or (known > 0.6 and leans.to_person > enough - 0.1)
    if likely or (called_so and open_words) or unheard or two_names:
        return _suspicion("names of people", max(known, 0.5) if not called_so else 1.0, wordy, rank=NAME)
    return None


def _are_two_names(values: Sequence[str]) -> bool:
    """Two to four words each, all with a capital letter, and rarely a place among them."""
    named = [value for value in values if 2 <= len(value.split()) <= 4 and value.istitle()]
    return len(named) > 0.8 * len(values) and known_share(named, "place") < 0.3


def _suspicion(
    what: str, share: float, values: Sequence[str], *, rank: int = 0, free_text: bool = False
) -> Suspicion:
    step = max(len(values) // _EXAMPLES, 1)
    examples = dict.fromkeys(masked(value[:40]) for value in values[::step])
    return Suspicion(what, share, tuple(examples)[:_EXAMPLES], free_text, rank)
