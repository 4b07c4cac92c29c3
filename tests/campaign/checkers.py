"""Plain, obvious checks of every promise on what a published file shows, with nothing of Shoal.

`flaws` judges a file by the promise alone, `infidelities` compares it with the original.
"""

from __future__ import annotations

import ast
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import accumulate, combinations
from typing import Any

from tests.campaign.case import Case, Column, Row, Value, text_of
from tests.campaign.labels import covers, covers_item, leaves_under
from tests.campaign.readers import LISTED, Published, as_text, told_apart

WHITE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
PSEUDONYM = re.compile(r"[0-9a-f]{32}")
Item = tuple[str, ...]  # the column, what can be told apart of the item, the how-manieth of its kind

# Promises that `flaws` checks, by the names of their models; the last one no file can show.
CHECKED = frozenset(
    {
        "k-anonymity",
        "l-diversity",
        "t-closeness",
        "alpha-k-anonymity",
        "km-anonymity",
        "lm-diversity",
        "set-k-anonymity",
        "set-l-diversity",
        "k-km-anonymity",
        "k-lm-diversity",
        "disassociation",
        "differential-privacy",
    }
)


def canonical(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip(WHITE))


def exact(number: Any) -> Fraction:
    return Fraction(str(number))


# ------------------------------------------------------------------------------------------- the promise


def flaws(case: Case, published: Published) -> list[str]:
    """Why a published table does not keep its promise; empty if it does."""
    if case.model == "differential-privacy" and not published.rows:
        return []
    found = [*_flaws_of_columns(case, published), *_beside(published.beside)]
    if any(what.startswith("column") for what in found):
        return found
    if not published.rows:
        return [*found, "no records"]
    found += [*_telling_columns(case, published), *_wrong_kinds(case, published)]
    if any("is no" in what for what in found):
        return found
    return found + list(_BY_MODEL[case.model](case, published))


def _beside(found: Iterable[str]) -> list[str]:
    return [f"beside the table: {what}" for what in found if not what.startswith(LISTED)]


def _of_tables(case: Case, published: Published) -> Iterator[str]:
    yield from _small_classes(case, published)
    yield from _undiverse_classes(case, published)


def _of_sets(case: Case, published: Published) -> Iterator[str]:
    yield from _of_items(case, published, range(len(published.rows)))
    if case.privacy.get("negative"):
        yield from _rare_absences(case, published, int(case.privacy["k"]), int(case.privacy["m"]))


def _of_both(case: Case, published: Published) -> Iterator[str]:
    yield from _small_classes(case, published)
    yield from _far_classes(case, published)
    for rows in _classes(case, published).values():
        yield from _of_items(case, published, rows)


def _of_items(case: Case, published: Published, rows: Sequence[int]) -> Iterator[str]:
    k, m = int(case.privacy["k"]), int(case.privacy["m"])
    yield from _rare_itemsets(case, published, rows, k, m)
    if "l" in case.privacy:
        yield from _likely_guesses(case, published, rows, m)


def _of_equal_sets(case: Case, published: Published) -> Iterator[str]:
    for key, rows in _equal_sets(case, published).items():
        if len(rows) < int(case.privacy["k"]):
            yield f"the set {key} occurs {len(rows)} times"
        if "l" in case.privacy:
            yield from _likely_guesses(case, published, rows, 0)


_BY_MODEL: dict[str, Callable[[Case, Published], Iterator[str]]] = {
    "k-anonymity": _of_tables,
    "km-anonymity": _of_sets,
    "k-km-anonymity": _of_both,
    "set-k-anonymity": _of_equal_sets,
    "differential-privacy": lambda *_: iter(()),  # which no file can show
}


def _flaws_of_columns(case: Case, published: Published) -> Iterator[str]:
    wanted = {canonical(column.name) for column in case.columns if column.published}
    named = [canonical(column.name) for column in case.columns]
    if len(set(map(canonical, published.names))) < len(published.names):
        yield "columns with one name"
    for name in published.names:
        if canonical(name) in wanted:
            continue
        if canonical(name) in named or case.data.get("others", "error") != "insensitive":
            yield f"column {name!r} should not be there"
    pseudonyms = {canonical(column.name) for column in case.of_role("identifier")}
    for name in wanted.difference(map(canonical, published.names), pseudonyms):
        yield f"column {name!r} is missing"
    for column in case.of_role("identifier"):
        if column.published and column.name in published.names:
            cells = published.column(column.name)
            if not all(
                cell in (None, "") or (isinstance(cell, str) and PSEUDONYM.fullmatch(cell)) for cell in cells
            ):
                yield f"column {column.name!r} holds no pseudonyms"


def _wrong_kinds(case: Case, published: Published) -> Iterator[str]:
    """Sensitive cells that are no numbers or dates, so that nothing can be said about their order."""
    for column, cells in _cells(case, published, "sensitive"):
        for value in (_sensitive_value(case, column, cell) for cell in cells):
            if column.kind == "number" and isinstance(value, str):
                yield f"{value!r} is no number"
            if column.kind == "date" and value is not None and not _is_day(value):
                yield f"{value!r} is no date"


def _is_day(text: str) -> bool:
    try:
        return bool(datetime.fromisoformat(text))
    except ValueError:
        return False


def _telling_columns(case: Case, published: Published) -> Iterator[str]:
    k = int(case.privacy.get("k", 1))
    if k == 1:
        return
    named = {column.name: column for column in case.columns}
    for name in published.names:
        column = named.get(name)
        if column is not None and (column.role != "insensitive" or column.settings.get("confirm")):
            continue
        distinct = len({told_apart(cell) for cell in published.column(name)})
        if distinct > max(1, len(published.rows) / k):
            yield f"the insensitive column {name!r} tells rows apart"


def _cells(
    case: Case, published: Published, role: str, *, sets: bool = False
) -> list[tuple[Column, list[Any]]]:
    names = {canonical(name): name for name in published.names}
    return [
        (column, published.column(names[canonical(column.name)]))
        for column in case.of_role(role)
        if column.is_set == sets and canonical(column.name) in names
    ]


def _classes(case: Case, published: Published) -> dict[Any, list[int]]:
    """Rows that agree on all single quasi-identifiers, to the letter."""
    columns = [cells for _, cells in _cells(case, published, "quasi")]
    classes = defaultdict(list)
    for row in range(len(published.rows)):
        classes[tuple(told_apart(cells[row]) for cells in columns)].append(row)
    return classes


def _small_classes(case: Case, published: Published) -> Iterator[str]:
    k = int(case.privacy["k"])
    for key, rows in _classes(case, published).items():
        if len(rows) < k:
            yield f"the class {key} has {len(rows)} rows"


def _sensitive_value(case: Case, column: Column, cell: Any) -> Any:
    """What of a sensitive cell counts: None for a missing one, the number or the text otherwise."""
    text = as_text(cell)
    missing = {"", "*", *map(canonical, case.data.get("missing", ()))}
    if text is None or canonical(text) in missing:
        return None
    if column.kind == "number":
        return Decimal(canonical(text)) if NUMBER.fullmatch(canonical(text)) else canonical(text)
    return canonical(text)


def _undiverse_classes(case: Case, published: Published) -> Iterator[str]:
    tests: list[Callable[[Counter[Any], Counter[Any]], bool]] = []
    privacy = case.privacy
    if "l" in privacy:
        tests.append(_diverse(privacy.get("diversity", "frequency"), privacy["l"], privacy.get("c")))
    if "alpha" in privacy:
        tests.append(lambda counts, _: max(counts.values()) <= exact(privacy["alpha"]) * sum(counts.values()))
    if "t" in privacy:
        tests.append(_close(privacy["t"], privacy.get("distance", "equal")))
    yield from _judged(case, published, tests)


def _far_classes(case: Case, published: Published) -> Iterator[str]:
    privacy, tests = case.privacy, list[Callable[[Counter[Any], Counter[Any]], bool]]()
    if "t" in privacy:
        tests.append(_close(privacy["t"], privacy.get("distance", "equal")))
    if "alpha" in privacy:
        tests.append(lambda counts, _: max(counts.values()) <= exact(privacy["alpha"]) * sum(counts.values()))
    yield from _judged(case, published, tests)


def _judged(
    case: Case, published: Published, tests: Sequence[Callable[[Counter[Any], Counter[Any]], bool]]
) -> Iterator[str]:
    for column, cells in _cells(case, published, "sensitive") if tests else ():
        values = [_sensitive_value(case, column, cell) for cell in cells]
        totals = Counter(value for value in values if value is not None)
        for key, rows in _classes(case, published).items():
            counts = Counter(values[row] for row in rows if values[row] is not None)
            if not counts:
                yield f"the class {key} has no value of {column.name!r}"
            elif not all(test(counts, totals) for test in tests):
                yield f"the class {key} gives {column.name!r} away: {dict(counts)}"


def _diverse(kind: str, l: Any, c: Any) -> Callable[[Counter[Any], Counter[Any]], bool]:
    def frequency(counts: Counter[Any], _: Counter[Any]) -> bool:
        return max(counts.values()) * exact(l) <= sum(counts.values())

    def distinct(counts: Counter[Any], _: Counter[Any]) -> bool:
        return len(counts) >= exact(l)

    def entropy(counts: Counter[Any], _: Counter[Any]) -> bool:
        size = sum(counts.values())
        found = -sum(n / size * math.log(n / size) for n in counts.values())
        return found >= math.log(l) - 1e-9

    def recursive(counts: Counter[Any], _: Counter[Any]) -> bool:
        ordered = sorted(counts.values(), reverse=True)
        return ordered[0] < exact(c) * sum(ordered[int(l) - 1 :])

    return {"frequency": frequency, "distinct": distinct, "entropy": entropy, "recursive": recursive}[kind]


def _close(t: Any, distance: str) -> Callable[[Counter[Any], Counter[Any]], bool]:
    def close(counts: Counter[Any], totals: Counter[Any]) -> bool:
        size, table = sum(counts.values()), sum(totals.values())
        differences = [
            Fraction(counts[value], size) - Fraction(totals[value], table) for value in sorted(totals)
        ]
        if distance == "equal":
            return sum(map(abs, differences)) / 2 <= exact(t)
        return sum(map(abs, accumulate(differences))) / max(1, len(differences) - 1) <= exact(t)

    return close


def items_of(column: Column, cell: Any) -> tuple[list[Any], list[str]]:
    """The items of a set that may be known, and those that are sensitive."""
    if isinstance(cell, list):
        pieces: list[Any] = [each for each in cell if each is not None]
    else:
        text = as_text(cell)
        pieces = [] if text is None else [piece for piece in text.split(column.separator) if piece]
    secret = {canonical(item) for item in column.sensitive_items}
    secret_as_written = {written: item for item in secret for written in (item, f"'{item}")}  # with its mark
    known = [piece for piece in pieces if canonical(str(as_text(piece))) not in secret_as_written]
    written = {canonical(str(as_text(piece))) for piece in pieces}.intersection(secret_as_written)
    return known, sorted({secret_as_written[each] for each in written})


def _known_items(case: Case, published: Published) -> list[frozenset[Item]]:
    """What may be known of the items of each row; a repeated item is another one each time."""
    known: list[set[Item]] = [set() for _ in published.rows]
    for column, cells in _cells(case, published, "quasi", sets=True):
        as_lists = any(isinstance(cell, list) for cell in cells)
        for row, cell in enumerate(cells):
            if cell is None and as_lists:  # whoever reads the file can tell it from an empty set
                known[row].add((column.name, "NoneType", "None", "0"))
            for item, times in Counter(map(told_apart, items_of(column, cell)[0])).items():
                known[row].update((column.name, *item, str(nth)) for nth in range(times))
    return list(map(frozenset, known))


def _secrets(case: Case, published: Published) -> Iterator[tuple[str, list[str | None]]]:
    """What must not be learnt: for each sensitive item or column, what each row shows of it."""
    for column, cells in _cells(case, published, "quasi", sets=True):
        held = [items_of(column, cell)[1] for cell in cells]
        for item in sorted({item for row in held for item in row}):
            yield f"{column.name}: {item}", [item if item in row else "" for row in held]
    for column, cells in _cells(case, published, "sensitive"):
        values = [_sensitive_value(case, column, cell) for cell in cells]
        yield column.name, [None if value is None else str(value) for value in values]


def _itemsets(items: Iterable[Item], m: int) -> Iterator[tuple[Item, ...]]:
    ordered = sorted(items)
    for size in range(m + 1):
        yield from combinations(ordered, size)


def _rare_itemsets(case: Case, published: Published, rows: Sequence[int], k: int, m: int) -> Iterator[str]:
    known = _known_items(case, published)
    supports = Counter(itemset for row in rows for itemset in _itemsets(known[row], m) if itemset)
    for itemset, support in supports.items():
        if support < k:
            yield f"the items {itemset} occur in {support} rows"


def _likely_guesses(case: Case, published: Published, rows: Sequence[int], m: int) -> Iterator[str]:
    known, l = _known_items(case, published), exact(case.privacy["l"])
    for name, shown in _secrets(case, published):
        counts: dict[tuple[Item, ...], Counter[str]] = defaultdict(Counter)
        for row in rows:
            value = shown[row]
            if value is not None:
                for itemset in _itemsets(known[row], m):
                    counts[itemset][value] += 1
        for itemset, values in counts.items():
            guessed = max((count for value, count in values.items() if value), default=0)
            if guessed * l > sum(values.values()):
                yield f"who knows {itemset} guesses {name}"


def _rare_absences(case: Case, published: Published, k: int, m: int) -> Iterator[str]:
    """Items that are absent may be known, too: a label costs as many facts as it stands for items."""
    known = _known_items(case, published)
    column = next(column for column in case.of_role("quasi") if column.is_set)
    labels = sorted({item for row in known for item in row})
    cost = {item: leaves_under(column, str(as_text_of(item))) or 1 for item in labels}
    for absent_count in range(1, m + 1):
        for absent in combinations(labels, absent_count):
            facts = sum(cost[item] for item in absent)
            if facts > m:
                continue
            without = [row for row in known if not row.intersection(absent)]
            supports = Counter(itemset for row in without for itemset in _itemsets(row, m - facts))
            for itemset, support in supports.items():
                if support < k:
                    yield f"{support} rows hold {itemset} and none of {absent}"


def as_text_of(item: Item) -> str:
    """The text of an item that was told apart by its type and how Python writes it."""
    return str(ast.literal_eval(item[2])) if item[1] == "str" else item[2]


def _equal_sets(case: Case, published: Published) -> dict[Any, list[int]]:
    known = _known_items(case, published)
    nulls = [
        cells
        for _, cells in _cells(case, published, "quasi", sets=True)
        if any(isinstance(cell, list) or cell == "" for cell in cells)  # else a null is how it writes nothing
    ]
    classes = defaultdict(list)
    for row, items in enumerate(known):
        classes[tuple(sorted(items)), tuple(cells[row] is None for cells in nulls)].append(row)
    return classes


# ----------------------------------------------------------------------------------- disassociated data


def flaws_of_clusters(case: Case, clusters: Sequence[Any]) -> list[str]:
    """Why disassociated data do not keep their promise."""
    k, m = int(case.privacy["k"]), int(case.privacy["m"])
    sensitive = frozenset(map(canonical, case.columns[_place_of_sets(case)].sensitive_items))
    try:
        found = [
            what for cluster in clusters for what in _flaws_of_cluster(cluster, k, m, case.privacy, sensitive)
        ]
        spellings = Counter(canonical(term) for term in {t for c in clusters for t in _all_terms(c)})
    except (KeyError, TypeError, AttributeError) as error:
        return [f"no cluster: {error!r}"]
    found += [f"{term!r} is spelt in several ways" for term, count in spellings.items() if count > 1]
    return found if clusters else ["no clusters"]


def _place_of_sets(case: Case) -> int:
    return next(place for place, column in enumerate(case.columns) if column.is_set)


def _flaws_of_cluster(cluster: Any, k: int, m: int, privacy: Any, sensitive: frozenset[str]) -> Iterator[str]:
    size, joint = cluster["size"], "children" in cluster
    expected = {"size", "shared", "children"} if joint else {"size", "chunks", "terms"}
    if set(cluster) != expected or type(size) is not int or size < 0:
        yield f"a cluster of another form: {sorted(cluster)}"
        return
    chunks = [chunk["subrecords"] for chunk in cluster["shared" if joint else "chunks"]]
    seen: Counter[str] = Counter()
    for subrecords in chunks:
        yield from _flaws_of_chunk(subrecords, size, k, m)
        seen.update({term for subrecord in subrecords for term in subrecord})
        if sensitive.intersection(canonical(term) for subrecord in subrecords for term in subrecord):
            yield "a sensitive term in a chunk"
    if joint:
        below = {term for child in cluster["children"] for term in _all_terms(child)}
        seen.update(below.intersection(seen))
        if size != sum(child["size"] for child in cluster["children"]) or not cluster["children"]:
            yield "sizes that do not add up"
        for child in cluster["children"]:
            yield from _flaws_of_cluster(child, k, m, privacy, sensitive)
    else:
        terms = cluster["terms"]
        if len(set(terms)) < len(terms):
            yield "a term twice in a term chunk"
        seen.update(set(terms))
        subrecords_of_all = sum(map(len, chunks))
        if not terms and (not chunks or subrecords_of_all < size + k * (min(m, len(chunks)) - 1)):
            yield "too few subrecords without a term chunk"
        if size < k or ("l" in privacy and size < exact(privacy["l"])):
            yield f"a cluster of {size} records"
    if any(times > 1 for times in seen.values()):
        yield "a term in two chunks"


def _flaws_of_chunk(subrecords: Sequence[Any], size: int, k: int, m: int) -> Iterator[str]:
    if any(not subrecord or len(set(subrecord)) < len(subrecord) for subrecord in subrecords):
        yield "an empty subrecord, or a repeated term"
    if len(subrecords) > size:
        yield "more subrecords than records"
    supports = Counter(
        itemset
        for subrecord in subrecords
        for n in range(1, m + 1)
        for itemset in combinations(sorted(set(subrecord)), n)
    )
    if any(support < k for support in supports.values()):
        yield "a rare itemset in a chunk"


def _all_terms(cluster: Any) -> Iterator[str]:
    for chunk in (*cluster.get("shared", ()), *cluster.get("chunks", ())):
        for subrecord in chunk["subrecords"]:
            yield from subrecord
    yield from cluster.get("terms", ())
    for child in cluster.get("children", ()):
        yield from _all_terms(child)


def infidelities_of_clusters(case: Case, clusters: Sequence[Any]) -> list[str]:
    """How disassociated data differ from what the original lets expect."""
    column = case.columns[_place_of_sets(case)]
    if column.settings.get("multiset"):
        return []  # terms carry counts, which are the business of the table's own checks
    if column.settings.get("unknown") == "suppress":
        return []  # items that the hierarchy lacks are left out
    records = [set(_held(column, row)) for row in case.rows]
    records = [record for record in records if record]
    found = []
    if sum(cluster["size"] for cluster in clusters) != len(records):
        found.append("another number of records")
    exactly, vague = Counter[str](), Counter[str]()
    for cluster in clusters:
        _count_terms(cluster, exactly, vague)
    supports = Counter(term for record in records for term in record)
    if set(supports) != set(exactly) | set(vague):
        found.append(f"other terms: {set(supports) ^ (set(exactly) | set(vague))}")
    found += [
        f"{term!r} is in {supports[term]} records; the file shows {exactly[term]} and {vague[term]} chunks"
        for term in supports
        if exactly[term] + vague[term] > supports[term]
        or (not vague[term] and exactly[term] < supports[term])
    ]
    subrecords = Counter(frozenset(each) for cluster in clusters for each in _all_subrecords(cluster))
    found += [
        f"the subrecord {sorted(each)} fits too few records"
        for each, count in subrecords.items()
        if sum(each <= record for record in records) < count
    ]
    return found


def _count_terms(cluster: Any, exactly: Counter[str], vague: Counter[str]) -> None:
    for subrecord in _own_subrecords(cluster):
        exactly.update(subrecord)
    vague.update(cluster.get("terms", ()))
    for child in cluster.get("children", ()):
        _count_terms(child, exactly, vague)


def _own_subrecords(cluster: Any) -> Iterator[list[str]]:
    for chunk in (*cluster.get("shared", ()), *cluster.get("chunks", ())):
        yield from chunk["subrecords"]


def _all_subrecords(cluster: Any) -> Iterator[list[str]]:
    yield from _own_subrecords(cluster)
    for child in cluster.get("children", ()):
        yield from _all_subrecords(child)


# ------------------------------------------------------------------------------------------ the original


def infidelities(case: Case, published: Published) -> list[str]:
    """How a published table differs from what the original lets expect: labels that cover no original."""
    if case.model == "differential-privacy":
        return list(_foreign_items(case, published))
    columns = [column for column in case.columns if column.published and column.role != "identifier"]
    rows = sorted(published.rows, key=lambda row: _is_suppressed(columns, row))
    found = [f"no pseudonyms {name!r}" for name in _lost_pseudonyms(case, published)]
    if len(rows) > len(case.rows):
        found.append(f"{len(rows)} rows of {len(case.rows)} records")
    originals = [[column_value(column, row) for column in columns] for row in case.rows]
    cover = _Cover(case, columns)
    fits = [[place for place, original in enumerate(originals) if cover.row(row, original)] for row in rows]
    unmatched = [row for row, places in zip(rows, fits, strict=True) if not places]
    if unmatched:
        return [*found, f"a row covers no original: {unmatched[0]}"]
    if not _matching(fits):
        found.append("rows cover originals, but not each another one")
    return found


def _lost_pseudonyms(case: Case, published: Published) -> list[str]:
    return [c.name for c in case.of_role("identifier") if c.published and c.name not in published.names]


def column_value(column: Column, row: Row) -> Value:
    return row[column.name]


def _is_suppressed(columns: Sequence[Column], row: dict[str, Any]) -> bool:
    """Whether a row is all stars, which may stand for any record."""
    empty: tuple[Any, ...] = ("", "*", None, [])
    return all(row[column.name] in empty for column in columns) and any(
        row[column.name] == "*" for column in columns if column.role == "quasi"
    )


class _Cover:
    """Whether published rows may stand for original ones; answers about single cells are kept."""

    def __init__(self, case: Case, columns: Sequence[Column]) -> None:
        self._case, self._columns = case, columns
        self._known: dict[Any, bool] = {}
        # What may not go as high as it has to is suppressed.
        kept_low = any(key in column.settings for column in columns for key in ("max_level", "levels"))
        vanish = case.algorithm.get("name") in _ITEMS_VANISH or case.model == "k-km-anonymity"
        self._items_vanish = vanish or kept_low

    def row(self, published: dict[str, Any], original: Sequence[Value]) -> bool:
        return _is_suppressed(self._columns, published) or all(
            self._cell(place, column, published[column.name], value)
            for place, (column, value) in enumerate(zip(self._columns, original, strict=True))
        )

    def _cell(self, place: int, column: Column, cell: Any, value: Value) -> bool:
        key = (place, told_apart(cell), value)
        if key not in self._known:
            self._known[key] = self._covers(column, cell, value)
        return self._known[key]

    def _covers(self, column: Column, cell: Any, value: Value) -> bool:
        if isinstance(value, tuple):
            return self._covers_set(column, cell, value)
        text = self._plain(as_text(cell))
        if column.role == "quasi":
            return covers(column, text, value)
        if value is None:
            return text in (None, "")
        return text == text_of(value) or _same_number(text, value)

    def _covers_set(self, column: Column, cell: Any, items: tuple[str, ...]) -> bool:
        held, sensitive = Counter(items), column.sensitive_items
        pieces = (
            cell
            if isinstance(cell, list)
            else [p for p in (as_text(cell) or "").split(column.separator) if p]
        )
        labels = [str(self._plain(as_text(piece))) for piece in pieces]
        if column.role != "quasi":
            return sorted(labels) == sorted(items)
        if {label for label in labels if label in sensitive} != set(held) & sensitive:
            return False
        shown = [label for label in labels if label not in sensitive]
        open_items = {item: times for item, times in held.items() if item not in sensitive}
        if not all(any(covers_item(column, label, *item) for item in open_items.items()) for label in shown):
            return False
        vanish = self._items_vanish or column.settings.get("unknown") == "suppress"
        return vanish or all(
            any(covers_item(column, label, *item) for label in shown) for item in open_items.items()
        )

    def _plain(self, text: str | None) -> str | None:
        """Without the mark that keeps a spreadsheet from running a text."""
        marked = self._case.output.get("neutralize_formulas") and text is not None and text.startswith("'")
        return text[1:] if marked and text is not None else text


_ITEMS_VANISH = ("hghs", "auto")


def _same_number(text: str | None, value: Value) -> bool:
    try:
        return Decimal(text or "") == Decimal(text_of(value))
    except InvalidOperation:
        return False


def _matching(fits: Sequence[Sequence[int]]) -> bool:
    """Whether each published row can have an original of its own."""
    row_of: dict[int, int] = {}

    def place(row: int, tried: set[int]) -> bool:
        for original in fits[row]:
            if original not in tried:
                tried.add(original)
                if original not in row_of or place(row_of[original], tried):
                    row_of[original] = row
                    return True
        return False

    return all(place(row, set()) for row in range(len(fits)))


def _foreign_items(case: Case, published: Published) -> Iterator[str]:
    column = case.columns[_place_of_sets(case)]
    known = {item for items in (column.tree or {}).values() for item in items}
    for cell in published.column(column.name):
        for piece in items_of(column, cell)[0]:
            label = str(as_text(piece)).removeprefix("'")  # the mark of a neutralized formula
            if label not in known and not (
                column.settings.get("multiset") and re.sub(r"\(\d+\)$", "", label) in known
            ):
                yield f"{label!r} is no item of the hierarchy"


def _held(column: Column, row: Row) -> tuple[str, ...]:
    held = row[column.name]
    return held if isinstance(held, tuple) else ()
