"""Try to falsify epsilon: events whose odds one record more changes by more than e^epsilon.

For a pair of data sets that differ in one record, the mechanism is run many times on both. Half of the runs
choose events, the other half tests them: a violation is an event whose probability on one side is, beyond
any doubt that the confidence bound leaves, more than e^epsilon times that on the other side.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
from scipy.stats import beta  # type: ignore[import-untyped]

from shoal.algorithms.sets.diffpart import algorithm as diffpart
from shoal.algorithms.sets.diffpart.algorithm import DiffPart
from shoal.errors import ShoalError
from shoal.privacy.differential_privacy import DifferentialPrivacy
from shoal.privacy.promise import Promise
from shoal.progress import Silent
from shoal.run.api import anonymize
from shoal.run.prepare import Data, read
from shoal.table.roles import QuasiSet
from tests.campaign.product import reports_written

Feature = tuple[str, ...]
Features = dict[Feature, int]  # what is seen of one output; whatever is not named is 0
Mechanism = Callable[[np.random.Generator], Features]
Record = tuple[str, ...]

DOUBT = 1e-6  # that all violations together are chance
EVENTS_TRIED = 4  # for each pair, in each direction


# ------------------------------------------------------------------------------------------------- statistics


@dataclass(frozen=True)
class Event:
    """A feature that has a value, or at least that value."""

    feature: Feature
    value: int
    at_least: bool

    def __str__(self) -> str:
        return f"{' '.join(self.feature)} {'>=' if self.at_least else '='} {self.value}"


@dataclass
class Seen:
    """How often each feature had each value, in so many runs."""

    runs: int = 0
    counts: dict[Feature, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, features: Features) -> None:
        self.runs += 1
        for feature, value in features.items():
            self.counts[feature][value] += 1

    def times(self, event: Event) -> int:
        """In how many runs the event happened."""
        counts = self.counts.get(event.feature, Counter())
        named = sum(counts.values())
        held = sum(n for value, n in counts.items() if _happened(event, value))
        return held + (self.runs - named if _happened(event, 0) else 0)


def _happened(event: Event, value: int) -> bool:
    return value >= event.value if event.at_least else value == event.value


@dataclass(frozen=True)
class Violation:
    """An event that is too much likelier on one side."""

    event: Event
    pair: str
    epsilon: float
    likelier: float
    rarer: float

    def __str__(self) -> str:
        ratio = math.inf if self.rarer == 0 else math.log(self.likelier / self.rarer)
        return (
            f"{self.pair}: '{self.event}' has probability {self.likelier:.4g} or more on one side and"
            f" {self.rarer:.4g} or less on the other: epsilon is {ratio:.3g} at least, not {self.epsilon:g}"
        )


def events_of(seen: Sequence[Seen]) -> Iterator[Event]:
    """All events that some run showed, and their absence."""
    values: dict[Feature, set[int]] = defaultdict(lambda: {0})
    for side in seen:
        for feature, counts in side.counts.items():
            values[feature].update(counts)
    for feature, those in values.items():
        for value in those:
            yield Event(feature, value, at_least=False)
            if value > 0:
                yield Event(feature, value, at_least=True)


def likeliest_to_differ(one: Seen, other: Seen, most: int = EVENTS_TRIED) -> list[Event]:
    """The events with the largest cautious ratio of their odds on the first side to those on the second."""

    def score(event: Event) -> float:
        often, seldom = one.times(event), other.times(event)
        lower = (often - 2 * math.sqrt(often + 1)) / one.runs
        upper = (seldom + 2 * math.sqrt(seldom + 1) + 1) / other.runs
        return lower / upper

    return sorted(events_of([one, other]), key=score, reverse=True)[:most]


def violations(
    pair: str, epsilon: float, choosing: tuple[Seen, Seen], testing: tuple[Seen, Seen], doubt: float
) -> list[Violation]:
    """Events chosen on one half of the runs that break epsilon on the other half."""
    found = []
    for one, other in ((0, 1), (1, 0)):
        for event in likeliest_to_differ(choosing[one], choosing[other]):
            share = doubt / (2 * EVENTS_TRIED * 2)  # two directions, events, two bounds
            often, seldom = testing[one].times(event), testing[other].times(event)
            likelier = lower_bound(often, testing[one].runs, share)
            rarer = upper_bound(seldom, testing[other].runs, share)
            if likelier > math.exp(epsilon) * rarer:
                found.append(Violation(event, pair, epsilon, likelier, rarer))
    return found


def lower_bound(times: int, runs: int, doubt: float) -> float:
    """What the probability is at least (Clopper and Pearson)."""
    return 0.0 if times == 0 else float(beta.ppf(doubt, times, runs - times + 1))


def upper_bound(times: int, runs: int, doubt: float) -> float:
    """What the probability is at most."""
    return 1.0 if times == runs else float(beta.ppf(1 - doubt, times + 1, runs - times))


# ------------------------------------------------------------------------------------------------------ pairs


@dataclass(frozen=True)
class Pair:
    """Data with and without one record, and how they are published."""

    name: str
    records: tuple[Record, ...]
    more: Record
    ways: tuple[tuple[str, ...], ...]  # the hierarchy
    epsilon: float
    role: Mapping[str, Any]
    options: Mapping[str, float]


_EXTRA = ("ordinary", "duplicates", "new item", "unknown item", "very long", "empty", "only one")
TO_THE_LAST_FILE = range(len(_EXTRA), 2 * len(_EXTRA))  # one pair of each kind
_EPSILONS = (0.2, 0.5, 0.5, 1.0, 1.0, 2.0)
_TREES: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("a", "G", "*"), ("b", "G", "*"), ("c", "H", "*"), ("d", "H", "*")),
    (("a", "*"), ("b", "*"), ("c", "*")),
    (("a", "G", "*"), ("b", "G", "*"), ("c", "*")),
    (
        ("a", "G", "I", "*"),
        ("b", "G", "I", "*"),
        ("c", "H", "I", "*"),
        ("d", "J", "J", "*"),
        ("e", "H", "I", "*"),
    ),
)


def make_pair(seed: int, number: int) -> Pair:
    """The pair of a number; what is added takes turns."""
    rng = random.Random(f"dp/{seed}/{number}")
    ways = rng.choice(_TREES)
    items = [way[0] for way in ways]
    used = items[:-1] if len(items) > 2 else items
    few = [_record(rng, used) for _ in range(rng.choice((1, 2, 4)))]
    records = [rng.choice(few) for _ in range(rng.choice((1, 2, 5, 12, 40, 100)))]
    kind = _EXTRA[number % len(_EXTRA)]
    more: Record = {
        "ordinary": records[0] if records[0] else ("a",),
        "duplicates": (used[0], used[0]),
        "new item": (items[-1],),
        "unknown item": ("zebra", used[0]),
        "very long": tuple(items * 40),
        "empty": (),
        "only one": (rng.choice(items),),
    }[kind]
    role: dict[str, Any] = {"unknown": "suppress"} if kind == "unknown item" or rng.random() < 0.3 else {}
    if kind == "duplicates" or rng.random() < 0.2:
        role["multiset"] = kind == "duplicates" and number % 2 == 0
    options = {}
    if rng.random() < 0.8:  # with the usual thresholds little is published of so few records
        options = {
            "partition_threshold": rng.choice((0.0, 0.0, 0.5)),
            "leaf_threshold": rng.choice((0.0, 0.5, 1.0)),
        }
    return Pair(f"pair {number} ({kind})", tuple(records), more, ways, rng.choice(_EPSILONS), role, options)


def _record(rng: random.Random, items: Sequence[str]) -> Record:
    return tuple(sorted(rng.sample(items, rng.randint(0 if rng.random() < 0.1 else 1, min(3, len(items))))))


# -------------------------------------------------------------------------------------------------- mechanism


def loaded(pair: Pair, records: Sequence[Record], folder: Path) -> Data:
    """The records as a run reads them."""
    file = folder / "tree.csv"
    file.write_text("".join(";".join(way) + "\n" for way in pair.ways), encoding="utf-8")
    frame = pa.table({"items": pa.array(list(map(list, records)), pa.list_(pa.string()))})
    return read(frame, {"items": QuasiSet(hierarchy=str(file), **pair.role)})


def released_itemsets(pair: Pair, data: Data) -> Mechanism:
    """The mechanism itself, without files: what it would publish, as features."""
    algorithm, promise = DiffPart(**pair.options), Promise([DifferentialPrivacy(pair.epsilon)])
    labels = data.local.table.sets("items").domain.texts()

    def run(rng: np.random.Generator) -> Features:
        found = algorithm.find_repeatably(data.local, promise, rng, Silent())
        return features_of(found, labels)

    return run


def features_of(found: Any, labels: Sequence[str]) -> Features:
    """What can be seen of published records: how many, which, with which items, and what is told beside."""
    starts, items = found.itemsets.starts.tolist(), found.itemsets.items.tolist()
    counts = found.counts.tolist()
    features: Features = {("rows",): sum(counts), ("different sets",): len(counts)}
    for place, count in enumerate(counts):
        names = [labels[item] for item in items[starts[place] : starts[place + 1]]]
        key = ("set", *sorted(names))
        features[key] = features.get(key, 0) + count
        for name in names:
            features["item", name] = features.get(("item", name), 0) + count
    for notice in found.notices:
        features["notice", notice] = 1
    return features


@contextmanager
def data_checked_once() -> Iterator[None]:
    """Let the algorithm look at the same data once: it reads the hierarchy's file again for every run."""
    check, known = diffpart._column_alone, dict[int, tuple[Any, str]]()

    def checked(data: Any) -> str:
        if id(data) not in known:
            known[id(data)] = data, check(data)  # the data are kept, so that no others get their number
        return known[id(data)][1]

    with mock.patch.object(diffpart, "_column_alone", checked):
        yield


def refused(error: ShoalError) -> Mechanism:
    """A mechanism that publishes nothing and says why."""
    return lambda _: {("refused", str(error)[:80]): 1}


def mechanism_of(pair: Pair, records: Sequence[Record], folder: Path) -> Mechanism:
    try:
        mechanism = released_itemsets(pair, loaded(pair, records, folder))
        mechanism(np.random.default_rng(0))
    except ShoalError as error:
        return refused(error)
    return mechanism


def whole_release(pair: Pair, records: Sequence[Record], folder: Path) -> Mechanism:
    """A run to the last file, with the noise of the product: what the certificate says is seen, too."""
    out = folder / "out"

    def run(_: np.random.Generator) -> Features:
        try:
            data = loaded(pair, records, folder)
            result = anonymize(data, DifferentialPrivacy(pair.epsilon), algorithm="diffpart", **pair.options)
            with reports_written(wanted=False):
                result.save(out, published="p.txt", replace=True)
        except ShoalError as error:
            return {("refused", str(error)[:80]): 1}
        seen: Features = {("lines", line): 1 for line in set((out / "p.txt").read_text().splitlines())}
        certificate = json.loads((out / "certificate.json").read_text())
        certificate.pop("file")
        certificate.pop("digest", None)
        return seen | {("certificate", place): 1 for place in _leaves(certificate)}

    return run


def _leaves(value: Any, place: str = "") -> Iterator[str]:
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    )
    if entries is None:
        yield (
            f"{place} = {value!r}" if not isinstance(value, int | float) or isinstance(value, bool) else place
        )
        return
    for key, below in entries:
        yield from _leaves(below, f"{place}.{key}")


# ------------------------------------------------------------------------------------------------------- test


def events_that_break(
    pair: Pair,
    runs: int,
    doubt: float,
    seed: int,
    make: Callable[[Pair, Sequence[Record], Path], Mechanism] = mechanism_of,
) -> list[Violation]:
    """Run the mechanism on both sides and look for events that break epsilon."""
    halves = []
    with tempfile.TemporaryDirectory(prefix="dp-") as folder, data_checked_once():
        for side, records in enumerate((pair.records, (*pair.records, pair.more))):
            mechanism = make(pair, records, Path(folder))
            rng = np.random.default_rng([seed, side])
            halves.append(tuple(_seen(mechanism, rng, runs // 2) for _ in range(2)))
    (choose_one, test_one), (choose_other, test_other) = halves
    return violations(pair.name, pair.epsilon, (choose_one, choose_other), (test_one, test_other), doubt)


def _seen(mechanism: Mechanism, rng: np.random.Generator, runs: int) -> Seen:
    seen = Seen()
    for _ in range(runs):
        seen.add(mechanism(rng))
    return seen


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.dp_tester", description=__doc__)
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--runs", type=int, default=20_000, help="of each side of a pair")
    parser.add_argument(
        "--whole", type=int, default=400, help="runs to the last file, with the product's noise"
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    found: list[Violation] = []
    started = time.monotonic()
    doubt = DOUBT / (2 * given.pairs)
    for number in range(given.pairs):
        pair = make_pair(given.seed, number)
        found += events_that_break(pair, given.runs, doubt, number)
        if given.whole and number in TO_THE_LAST_FILE:
            found += events_that_break(pair, given.whole, doubt, number, whole_release)
        seconds = time.monotonic() - started
        left = seconds / (number + 1) * (given.pairs - number - 1)
        sys.stderr.write(f"{pair.name}, epsilon {pair.epsilon:g}; about {left:.0f} s left\n")
    for violation in found:
        sys.stdout.write(f"{violation}\n")
    runs = f"{given.pairs} pairs, {given.runs} runs of each side, {given.whole} to the last file"
    sys.stdout.write(f"{runs}: {len(found)} events break epsilon\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
