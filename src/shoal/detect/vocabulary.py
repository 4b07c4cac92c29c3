"""Whether words are rather names of people, names of places, or other words.

No list holds all names, so endings and beginnings are compared: how often the letter groups of a word stand
in the names, in the places and in the other words of the lists that `mimesis` ships in some forty languages.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from shoal.kernels.arrays import Floats, Ints
from shoal.user_cache import kept

_BUCKETS = 2**18
_LENGTHS = (2, 3, 4)  # of letter groups
_EVEN_OUT = 0.3  # per hundred thousand groups: how much an unseen group counts
_BEGIN, _END = "\x02", "\x03"
_STROKES = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "ħ": "h", "þ": "th"}
)
_WORD = re.compile(r"[^\W\d_]+")

_LISTS = {
    "person": (("person", "names"), ("person", "surnames"), ("person", "patronymic")),
    "place": (("address", "city"), ("address", "state")),
    "word": (
        ("person", "occupation"),
        ("person", "language"),
        ("person", "academic_degree"),
        ("text", "words"),
        ("text", "color"),
        ("text", "quotes"),
        ("food", "dishes"),
        ("food", "drinks"),
        ("food", "fruits"),
        ("food", "spices"),
        ("food", "vegetables"),
    ),
}


def folded(text: str) -> str:
    """A text without case and without accents."""
    apart = unicodedata.normalize("NFKD", text.casefold().translate(_STROKES))
    marks = {ord(mark): None for mark in set(apart) if unicodedata.combining(mark)}
    return unicodedata.normalize("NFC", apart.translate(marks))


def words_of(text: str) -> list[str]:
    """The words of a text in lower case and without accents."""
    return _WORD.findall(folded(text))


@dataclass(frozen=True, slots=True)
class Leaning:
    """How far words lean to one class against the next likely one, per letter group, over all words."""

    person: float
    place: float
    word: float

    @property
    def to_person(self) -> float:
        """Above 0: rather names of people."""
        return self.person - max(self.place, self.word)


def leaning(texts: Sequence[str]) -> Leaning | None:
    """What the words of some texts rather are; None without words."""
    words = [word for text in texts for word in words_of(text)]
    if not words:
        return None
    tables = _tables()
    scores: list[float] = []
    for index in range(len(_LISTS)):
        total, count = 0.0, 0
        for length, table in tables.items():
            groups = _groups(words, length)
            total += float(table[index][groups].sum())
            count += len(groups)
        scores.append(total / max(count, 1))
    return Leaning(*scores)


def known_share(texts: Sequence[str], of: str) -> float:
    """The share of texts that have a word of a list in them: `person`, `place`, `word` or `street`."""
    known = word_list(of)
    return sum(any(word in known for word in words_of(text)) for text in texts) / max(len(texts), 1)


@cache
def word_list(of: str) -> frozenset[str]:
    """All words of the lists of one class."""

    def words() -> bytes:
        places = (("address", "street"),) if of == "street" else _LISTS[of]
        return "\n".join(sorted(set(_WORD.findall(folded("\n".join(_listed(places))))))).encode()

    return frozenset(_kept(f"words-{of}", words).decode().split("\n"))


@cache
def country_names() -> frozenset[str]:
    """Countries as the lists name them, folded."""

    def names() -> bytes:
        return folded("\n".join(_listed((("address", "country"),)))).encode()

    return frozenset(_kept("countries", names).decode().split("\n"))


@cache
def _tables() -> Mapping[int, Floats]:
    """For each length of letter groups the leaning of each group to each class."""
    content = _kept("leanings", lambda: b"".join(map(_leanings, _LENGTHS)))
    tables = np.frombuffer(content, dtype="<f8").reshape(len(_LENGTHS), len(_LISTS), _BUCKETS)
    return dict(zip(_LENGTHS, tables, strict=True))


def _leanings(length: int) -> bytes:
    counts = np.stack(
        [
            np.bincount(_groups(sorted(word_list(name)), length), minlength=_BUCKETS).astype(np.float64)
            for name in _LISTS
        ]
    )
    likely = np.log(counts / counts.sum(axis=1, keepdims=True) * 1e5 + _EVEN_OUT)
    leaned: Floats = (likely - likely.mean(axis=0)).astype("<f8")
    return leaned.tobytes()


def _kept(name: str, make: Callable[[], bytes]) -> bytes:
    """What is made from the lists takes most of a second; it depends on their version and on this file."""
    made_from = version("mimesis") + Path(__file__).read_text(encoding="utf-8")
    return kept("words", name, made_from, make)


def _groups(words: Sequence[str], length: int) -> Ints:
    """The buckets of all groups of neighbouring letters, ends of words included."""
    joined = "".join(f"{_BEGIN}{word}{_END}" for word in words)
    letters = np.frombuffer(joined.encode("utf-32-le"), dtype=np.uint32).astype(np.int64)
    count = max(len(letters) - length + 1, 0)
    groups = np.full(count, length, dtype=np.int64)
    within = np.ones(count, dtype=np.bool_)
    for offset in range(length):
        letter = letters[offset : offset + count]
        groups = groups * 1_000_003 + letter
        if offset < length - 1:
            within &= letter != ord(_END)
    groups ^= groups >> 17
    buckets: Ints = groups[within] % _BUCKETS
    return buckets


def _listed(places: Iterable[tuple[str, str]]) -> list[str]:
    root = files("mimesis") / "datasets"
    texts: list[str] = []
    for locale in sorted(root.iterdir(), key=lambda each: each.name):
        for file, key in places:
            path = locale / f"{file}.json"
            if path.is_file():
                texts += _leaves(_content(locale.name, file).get(key, ()))
    return texts


@cache
def _content(locale: str, file: str) -> Mapping[str, Any]:
    path = files("mimesis") / "datasets" / locale / f"{file}.json"
    content: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _leaves(found: object) -> list[str]:
    if isinstance(found, Mapping):
        return [leaf for part in found.values() for leaf in _leaves(part)]
    if isinstance(found, list):
        return [leaf for leaf in found if isinstance(leaf, str)]
    return []
