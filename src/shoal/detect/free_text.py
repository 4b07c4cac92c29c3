"""Sentences and remarks: many words, an open vocabulary, hardly two cells alike."""

import re
from collections.abc import Sequence

from shoal.detect.observed import Observed

_WORD = re.compile(r"[^\W\d_]{2,}")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f]")  # scripts without spaces between words
_WORDS_OF_A_PHRASE = 3
_SENTENCE = re.compile(r"[.!?。！？](\s|$)")


def share_of_phrases(values: Sequence[str]) -> float:
    """The share of values with three words or more: remarks, where a column is called so."""
    return sum(_words(value) >= _WORDS_OF_A_PHRASE for value in values) / max(len(values), 1)


def free_text_share(column: Observed, values: Sequence[str]) -> float:
    """The share of values that read like remarks; 0 for a column whose values are chosen from a list."""
    counts = [_words(value) for value in values]
    average = sum(counts) / max(len(counts), 1)
    sentences = sum(bool(_SENTENCE.search(value)) for value in values) / max(len(values), 1)
    if column.distinct < 5 or (average < 3 and not (sentences > 0.5 and average >= 2)):
        return 0.0
    if average < 5 and sentences < 0.3 and not _varied(counts):
        return 0.0
    return share_of_phrases(values)


def _words(value: str) -> int:
    return len(_WORD.findall(value)) + len(_UNSPACED.findall(value)) // 3


def _varied(counts: Sequence[int]) -> bool:
    """Remarks have few words here and many there; titles and names do not."""
    return max(counts) >= 7 and len(set(counts)) >= 5
