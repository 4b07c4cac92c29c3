"""What a cell means, cell by cell, on plain texts."""

import re
import unicodedata
from datetime import date, datetime
from fractions import Fraction

WHITE_SPACE = "".join(
    map(chr, (*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F))
) + "\u3000\ufeff"  # fmt: skip


def canonical(text):
    while text and text[0] in WHITE_SPACE:
        text = text[1:]
    while text and text[-1] in WHITE_SPACE:
        text = text[:-1]
    return unicodedata.normalize("NFC", text)


def category(cell, missing=()):
    """The value of a cell; None when it is missing."""
    text = canonical(cell or "")
    return None if text in {"", *map(canonical, missing)} else text


def number(cell, missing=()):
    """The number of a cell, None when it is missing, ValueError when it is none."""
    text = category(cell, missing)
    if text is None:
        return None
    value = decimal(text)
    tokens = {decimal(canonical(token)) for token in missing if is_decimal(canonical(token))}
    return None if value in tokens else value


def is_decimal(text):
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text, re.ASCII) is not None


def decimal(text):
    if not is_decimal(text) or abs(Fraction(text)) >= 2**53:
        raise ValueError(text)
    return float(text)


def day(cell, missing=(), date_format=None):
    text = category(cell, missing)
    if text is None:
        return None
    if date_format is not None:
        return datetime.strptime(text, date_format).date()
    if not re.match(r"\d{4}-\d\d-\d\d([T ]|$)", text, re.ASCII):
        raise ValueError(text)
    return date.fromisoformat(text[:10])


def item_set(cell, separator, missing=()):
    """The items of a cell, without repeats, in text order."""
    if category(cell, missing) is None:
        return []
    items = {category(piece, missing) for piece in cell.split(separator)}
    return sorted(items - {None})


def united(subjects, rows):
    """One set per subject in the order of first appearance; a row without a subject stays alone."""
    together = {}
    for place, (subject, items) in enumerate(zip(subjects, rows, strict=True)):
        together.setdefault(("nobody", place) if subject is None else subject, set()).update(items)
    return [sorted(items) for items in together.values()]


def quote_left_open(text, delimiter, quote):
    """Whether the text ends inside quotes, character by character."""
    inside, at_start, place = False, True, 0
    while place < len(text):
        here = text[place]
        if inside and here == quote and text[place + 1 : place + 2] == quote:
            place += 1
        elif inside and here == quote:
            inside, at_start = False, False
        elif not inside and here == quote and at_start:
            inside = True
        elif not inside:
            at_start = here in (delimiter, "\n", "\r")
        place += 1
    return inside


def line_ends_in_quotes(text, delimiter, quote):
    ends = [place for place, character in enumerate(text) if character in "\n\r"]
    return any(quote_left_open(text[:end], delimiter, quote) for end in ends)
