"""Cells that hold several items."""

import re

import pyarrow as pa
import pyarrow.compute as pc

from shoal.detect.observed import Observed

SEPARATORS = ("|", ";", ",", "/", "+", " ")
_SEVERAL = 3
_MOST_WORDS = 2.5  # of an item on average; longer ones are sentences
_READS_ON = re.compile(r"[^\W\d_]{2,}[.;:!?](\s|$)")


def set_separator(column: Observed) -> str | None:
    """What stands between the items of cells, if they hold items that return in other cells."""
    texts = column.texts
    return next((mark for mark in SEPARATORS if _separates(texts, mark)), None)


def _separates(texts: pa.StringArray, mark: str) -> bool:
    pieces = pc.split_pattern(texts, mark)
    sizes = pc.list_value_length(pieces)
    if pc.mean(sizes).as_py() <= 1.5 or pc.count_distinct(sizes).as_py() <= 2:
        return False
    items = pc.utf8_trim_whitespace(pc.list_flatten(pieces))
    if pc.count_distinct(items).as_py() >= len(texts) / 2 and not _are_numbered(items, len(texts)):
        return False
    if mark == " ":
        return not _are_sentences(texts)
    words = pc.mean(pc.add(pc.count_substring(items, " "), 1)).as_py()
    return bool(words <= _MOST_WORDS) and not (mark == "," and _are_sentences(texts))


def _are_numbered(items: pa.StringArray, cells: int) -> bool:
    """Numbers of things, several in a cell and each in several cells, however many things there are."""
    if len(items) < _SEVERAL * max(cells, pc.count_distinct(items).as_py()):
        return False
    return bool(pc.all(pc.match_substring_regex(items, "^[0-9]{1,8}$")).as_py())


def _are_sentences(texts: pa.StringArray) -> bool:
    some = texts.slice(0, 400).to_pylist()
    read_on = sum(bool(_READS_ON.search(text)) for text in some) / len(some)
    begin_large = sum(
        text[:1].isupper() and any(word[:1].islower() for word in text.split()[1:]) for text in some
    ) / len(some)
    repeated = sum(len(set(text.split())) < len(text.split()) for text in some) / len(some)
    return read_on > 0.1 or begin_large > 0.3 or repeated > 0.1
