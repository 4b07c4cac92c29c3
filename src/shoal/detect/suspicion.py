"""Columns that name, reach or number people, or hold free text, and the evidence for it.

Evidence comes from the values first. The name of a column makes a suspicion of values that could be one, and
takes one away that rests on words alone; it never makes one of values that are something else.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.detect import identifiers
from shoal.detect.dates import reads_as_date
from shoal.detect.free_text import free_text_share, share_of_phrases
from shoal.detect.headers import Says, says
from shoal.detect.numbers import number_reading
from shoal.detect.observed import CLOSELY, FITS, Observed, masked
from shoal.detect.postal import are_postal_codes
from shoal.detect.vocabulary import known_share, leaning, word_list

_SURELY = 0.05  # share of values from which what reaches people for sure makes a suspicion
_MOSTLY = 0.6
_CHOSEN_FROM_A_LIST = 40  # times that a value is repeated on average
_MANY = 25  # distinct values that make a vocabulary rather than a list of choices
_LONG_DIGITS = re.compile(r"\d{7,}")
_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w\-./ #]{4,24}|(?=.*\d)\d+(?:[\-/. ]\d+)+")
_NETWORK_NAME = re.compile(r"(?=.*[a-z])[a-z0-9][a-z0-9._\-]{2,30}")
_STREET = re.compile(r"(?=.*\d)(?=.*[^\W\d_]{2})[^@]{5,}")
_MOST_YEARS = 130  # more values without a gap than ages or years have
_MOST_DIGITS = 18
_ROWS_OF_A_PERSON = 8  # more of a number without a gap, and it rather counts something
_HALF = (0.4, 0.6)
_GREEK = re.compile(r"[\u0370-\u03ff]")
_EXAMPLES = 3
# How well a name tells people apart; numbers of people do better, those with check digits best.
NAME, PROVEN = 2, 6


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


def suspicion_of_items(items: Observed) -> Suspicion | None:
    """Whether items of sets reach people for sure; codes and names of things are what sets are made of."""
    values = items.some()
    for each in identifiers.RECOGNIZED:
        fitting = [value for value in values if each.surely and each.fits(value)]
        if len(fitting) > _SURELY * len(values):
            return _suspicion(each.what, len(fitting) / len(values), fitting)
    return None


def numbered_people(column: Observed, values: Sequence[str], said: frozenset[Says]) -> Suspicion | None:
    """Whether whole numbers are numbers of people or papers rather than counts."""
    digits = [value for value in values if value.isdecimal()]
    if len(digits) < 0.9 * len(values) or column.distinct < 2:
        return None
    if found := identifiers.checked_number(digits):
        return _suspicion(f"numbers with check digits ({found[0]})", found[1], values, rank=PROVEN)
    many = column.distinct >= min(_MANY, 0.5 * column.present)
    if (
        said & {Says.NUMBER, Says.PHONE, Says.ONLINE, Says.PERSON}
        and many
        and column.repeats < _CHOSEN_FROM_A_LIST
    ):
        return _suspicion("numbers of people or papers, as its name says", 1.0, values, rank=5)
    long = [value for value in digits if _LONG_DIGITS.fullmatch(value)]
    lengths = {len(value) for value in long}
    if len(long) >= 0.9 * len(values) and len(lengths) <= 2 and many:
        return _suspicion("long numbers of one length", len(long) / len(values), values, rank=4)
    return _running_number(column, digits)


def _running_number(column: Observed, values: Sequence[str]) -> Suspicion | None:
    """Numbers without a gap, more than ages or years are, each in a few rows wherever it stands."""
    if max(map(len, values)) > _MOST_DIGITS:
        return None
    numbers = [int(value) for value in values]
    dense = max(numbers) - min(numbers) + 1 <= 1.1 * column.distinct
    if not dense or column.distinct <= _MOST_YEARS or column.repeats >= _ROWS_OF_A_PERSON:
        return None
    return _suspicion("running numbers", 1.0, values, rank=4) if _evenly_spread(column) else None


def _evenly_spread(column: Observed) -> bool:
    """Whether the middle half of the numbers has about half of the rows, as no measurement has."""
    digits = [re.sub(r"\D", "", re.sub(r"[.,]0+$", "", text)) for text in column.texts.to_pylist()]
    rows = column.rows[np.argsort([int(each[:_MOST_DIGITS] or 0) for each in digits])]
    quarter = len(rows) // 4
    middle = rows[quarter : len(rows) - quarter].sum() / rows.sum()
    return bool(_HALF[0] <= middle <= _HALF[1])


def recognized(column: Observed, values: Sequence[str]) -> Suspicion | None:
    """Whether values have a form that only identifiers have."""
    said = says(column.name)
    for each in identifiers.RECOGNIZED:
        fitting = [value for value in values if each.fits(value)]
        share = len(fitting) / len(values)
        if not fitting or (each.what == "telephone numbers" and reads_as_date(column)):
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
    if are_postal_codes(values):
        return None
    reading = number_reading(column.texts, column.rows)
    plain = reading is not None and reading.share >= FITS
    if plain and reading is not None and (reading.style.thousands or reading.money or not reading.whole):
        return None
    called_so = what == "telephone numbers" and Says.PHONE in says(column.name)
    if not called_so and (found := identifiers.checked_number(values)):
        return _suspicion(f"numbers with check digits ({found[0]})", found[1], values, rank=PROVEN)
    if plain and what == "telephone numbers" and not any(value.startswith(("0", "+")) for value in values):
        return None  # digits alone: judged as numbers
    return _suspicion(what, len(fitting) / len(values), fitting, rank=NAME)


def suspicious_codes(column: Observed, values: Sequence[str], said: frozenset[Says]) -> Suspicion | None:
    """Codes of letters and digits of which there are about as many as people."""
    digits = [value for value in values if value.isdecimal()]
    if len(digits) >= 0.9 * len(values):
        if found := identifiers.checked_number(digits):
            return _suspicion(f"numbers with check digits ({found[0]})", found[1], values, rank=PROVEN)
        if Says.POSTAL in said or (all(len(value) <= 6 for value in digits) and Says.NUMBER not in said):
            return None
    fitting = [value for value in values if _CODE.fullmatch(value) or value.isdecimal()]
    share = len(fitting) / len(values)
    many = column.distinct >= _MANY and column.repeats < _CHOSEN_FROM_A_LIST
    if share < 0.8 or not (many or (said & {Says.NUMBER} and column.distinct > 5 and column.repeats < 10)):
        return None
    if found := identifiers.checked_number(values):
        return _suspicion(f"numbers with check digits ({found[0]})", found[1], values, rank=PROVEN)
    words = sum(len(re.findall(r"[^\W\d_]{3,}", value)) for value in fitting) / len(fitting)
    if words > 1.2 or (words > 0.5 and Says.ADDRESS in said):
        return None  # rather addresses or names with a number
    return _suspicion(
        "codes of people or things of their own", share, fitting, rank=5 if Says.NUMBER in said else 4
    )


def suspicious_words(column: Observed, values: Sequence[str], said: frozenset[Says]) -> Suspicion | None:
    """Whether words are free text, addresses or names."""
    share = free_text_share(column, values)
    if share >= 0.5 and Says.JOB not in said and (column.repeats < 20 or column.distinct > 200):
        return _suspicion("free text", share, values, free_text=True)
    if Says.TEXT in said and column.distinct >= 5:
        share = share_of_phrases(values) if column.repeats < _CHOSEN_FROM_A_LIST else share
        if share >= 0.2:
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
    if len(wordy) < 0.8 * len(values) or _are_short_codes(values):
        return None
    harmless_name = bool(said & {Says.PLACE, Says.JOB, Says.THING})  # also `name_of_city`
    called_so = Says.PERSON in said and not harmless_name
    many_things = Says.THING in said and column.distinct >= 2 * _MANY and column.repeats < 20
    different = len(values) if len(values) < CLOSELY else column.distinct  # slips of the pen apart
    if different < (5 if called_so else 12) and not _are_full_names(wordy, or_single=called_so):
        return None
    leans = leaning(wordy)
    if leans is None:
        return None
    known = known_share(wordy, "person")
    if harmless_name and not many_things and (leans.to_person < 0.25 or known < 0.6):
        return None
    enough = -0.2 if called_so else -0.02 if column.distinct >= _MANY else 0.15
    if all(map(_GREEK.search, wordy[:_EXAMPLES])):
        enough -= 0.1  # the lists have few Greek names
    if known > 0.8 and all(len(value) == 1 for value in wordy):
        enough = -math.inf  # family names of one sign
    open_words = column.distinct >= _MANY and column.repeats < _CHOSEN_FROM_A_LIST
    unheard = max(known, known_share(wordy, "place"), known_share(wordy, "word")) < 0.05 and open_words
    two_names = open_words and leans.to_person > -0.3 and _are_two_names(wordy)
    likely = leans.to_person > enough or (known > 0.6 and leans.to_person > enough - 0.1)
    if likely or (called_so and open_words) or unheard or two_names:
        return _suspicion("names of people", max(known, 0.5) if not called_so else 1.0, wordy, rank=NAME)
    return None


def _are_full_names(values: Sequence[str], *, or_single: bool) -> bool:
    """Two to four words each, all with a capital letter, and most with a known name among them."""
    fewest = 1 if or_single else 2
    plain = [value.replace(",", " ") for value in values]
    titled = [value for value in plain if fewest <= len(value.split()) <= 4 and value[:1].isupper()]
    return len(titled) > 0.8 * len(values) and known_share(titled, "person") > 0.8


def _are_short_codes(values: Sequence[str]) -> bool:
    """Two to four capital letters, as airports and currencies have."""
    return sum(re.fullmatch(r"[A-Z]{2,4}", value) is not None for value in values) > 0.8 * len(values)


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
