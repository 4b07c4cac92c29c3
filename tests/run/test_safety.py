"""Whatever the data and the policy: a release that is written keeps its promise and says nothing untrue.

The written file is read with the csv module and judged by the twins, which know nothing of Shoal.
"""

import csv
import re
import tempfile
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from shoal.errors import BadInput, Infeasible, PromiseBroken, ShoalError
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import load_policy
from shoal.run.release import run
from shoal.run.verification import verify_published
from tests.examples import examples
from tests.reference import privacy_sets, privacy_tables

MISSING = ("", "NA")


@pytest.fixture(autouse=True, scope="module")
def no_report():
    """Drawing the report would take most of the time, and it is not what is tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.run.result.page", lambda _: "")
        yield


NUMBERS = st.sampled_from(["-3", "0", "1", "1.0", "2", "3", "4", "7", "12"])
FRACTIONS = st.sampled_from(["-0.5", "0", "0.25", "1e1", "3", "3.75"])
WORDS = st.sampled_from(["a", "b", "a..b", "a*", "é", "e\u0301", " b ", "0-1", "[0, 1]", 'q"q', "x,y"])
CODES = st.sampled_from(["1", "12", "120", "127", "13", "2"])
DATES = st.sampled_from(["2023-01-31", "2023-02-01", "2024-02-29", "2031-12-31"])


def within(low: str, high: str, value: str, read=float) -> bool:
    return read(low) <= read(value) <= read(high)


def nothing_covers(label: str, value: str) -> bool:
    return False


def range_covers(label: str, value: str) -> bool:
    ends = re.fullmatch(r"(-?[\d.]+)-(-?[\d.]+)|\[(-?[\d.]+), (-?[\d.]+)[\])]", label)
    return bool(ends) and within(*filter(None, ends.groups()), value)


def beginning_covers(label: str, value: str) -> bool:
    return value.startswith(label.rstrip("*"))


def span_covers(label: str, value: str) -> bool:
    return any(
        within(*label.split("..", cut)[:: len(label.split("..", cut)) - 1], value, str) for cut in (1, -1)
    )


def days_cover(label: str, value: str) -> bool:
    ends = re.fullmatch(r"\[(\S+), (\S+)\]", label)
    return within(*ends.groups(), value, str) if ends else value.startswith(label)


@dataclass(frozen=True)
class Recipe:
    """A kind of quasi-identifier, its values, and when a label that is not the value covers it."""

    entry: str
    values: st.SearchStrategy
    covers: object
    numeric: bool = False


RECIPES = [
    Recipe('kind = "number", hierarchy = { ranges = [2, 4] }', NUMBERS, range_covers, numeric=True),
    Recipe('kind = "number", hierarchy = { fanout = 2 }', NUMBERS, range_covers, numeric=True),
    Recipe('kind = "number"', NUMBERS, range_covers, numeric=True),
    Recipe('kind = "number"', FRACTIONS, range_covers, numeric=True),
    Recipe('kind = "number", bounds = [-10, 100], weight = 2', FRACTIONS, range_covers, numeric=True),
    Recipe("hierarchy = { flat = true }", WORDS, nothing_covers),
    Recipe('hierarchy = { mask = "right" }', CODES, beginning_covers),
    Recipe("hierarchy = { digits = true }", CODES, beginning_covers),
    Recipe("hierarchy = { fanout = 2 }", st.sampled_from("abcdefg"), span_covers),
    Recipe('kind = "date", hierarchy = { dates = ["month", "year"] }', DATES, days_cover),
    Recipe('kind = "date"', DATES, days_cover),
]


@dataclass(frozen=True)
class Case:
    rows: list[dict[str, str]]
    quasi: dict[str, Recipe]
    rejecting: set[str]
    k: int
    diversity: tuple[str, Fraction] | None
    mode: str
    by_person: bool

    def policy(self) -> str:
        columns = [
            f'{name} = {{ role = "quasi", {recipe.entry}{REJECT if name in self.rejecting else ""} }}'
            for name, recipe in self.quasi.items()
        ]
        privacy = ['model = "k-anonymity"', f"k = {self.k}"]
        if self.diversity:
            privacy += [f'diversity = "{self.diversity[0]}"', f"l = {float(self.diversity[1])}"]
        return "\n".join(
            (
                '[data]\npath = "data.csv"\nmissing = ["", "NA"]',
                'subject = "who"' if self.by_person else "",
                '[columns]\nwho = { role = "identifier" }\nill = { role = "sensitive" }',
                *columns,
                "[privacy]",
                *privacy,
                f'[algorithm]\nname = "mondrian"\nmode = "{self.mode}"',
                "[output]\nkeep_order = true\n",
            )
        )

    def people(self) -> list:
        return [row["who"] for row in self.rows] if self.by_person else list(range(len(self.rows)))

    def keeps_promise(self, rows: list[dict[str, str | None]], quasi: list[str]) -> bool:
        people = self.people()
        holds, _ = privacy_tables.k_anonymity(rows, quasi, self.k, people)
        if holds and self.diversity:
            kind, l = self.diversity
            twin = {"frequency": privacy_tables.frequency, "distinct": privacy_tables.distinct}[kind]
            return privacy_tables.every_class(rows, quasi, "ill", people, lambda *of: twin(*of, l))
        return holds


REJECT = ', missing = "reject"'
DIVERSITIES = st.sampled_from(
    [None, ("frequency", Fraction(5, 4)), ("frequency", Fraction(3, 2)), ("distinct", Fraction(2))]
)


@st.composite
def cases(draw) -> Case:
    recipes = draw(st.lists(st.sampled_from(RECIPES), min_size=1, max_size=3))
    quasi = {f"q{place}": recipe for place, recipe in enumerate(recipes)}
    absent = draw(st.sampled_from([(), MISSING]))
    count = draw(st.integers(1, 9))
    columns = {
        name: draw(st.lists(st.one_of(recipe.values, *map(st.just, absent)), min_size=count, max_size=count))
        for name, recipe in quasi.items()
    }
    columns["who"] = draw(st.lists(st.sampled_from("pqrs"), min_size=count, max_size=count))
    columns["ill"] = draw(
        st.lists(st.sampled_from(["flu", "cold", " flu", "", "NA"]), min_size=count, max_size=count)
    )
    return Case(
        rows=[dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)],
        quasi=quasi,
        rejecting=draw(st.sets(st.sampled_from(sorted(quasi)), max_size=1)) if draw(st.booleans()) else set(),
        k=draw(st.integers(2, 4)),
        diversity=draw(DIVERSITIES),
        mode=draw(st.sampled_from(["strict", "relaxed"])),
        by_person=draw(st.booleans()),
    )  # fmt: skip


def canonical(text: str) -> str | None:
    clean = unicodedata.normalize("NFC", text.strip())
    return None if clean in MISSING else clean


def written(path: Path) -> list[dict[str, str | None]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return [{name: cell or None for name, cell in row.items()} for row in csv.DictReader(lines)]


def write_case(folder: Path, case: Case) -> Path:
    with (folder / "data.csv").open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(case.rows[0]))
        writer.writeheader()
        writer.writerows(case.rows)
    policy = folder / "policy.toml"
    policy.write_text(case.policy(), encoding="utf-8")
    return policy


def is_true(recipe: Recipe, label: str | None, original: str) -> bool:
    value = canonical(original)
    if label == "*" or value is None:
        return label in (None, "*")
    if label is None:
        return False
    same = float(label) == float(value) if recipe.numeric and is_number(label) else label == value
    return same or recipe.covers(label, value)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@examples(80, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_a_written_table_is_safe_and_true_or_refused_with_a_reason(case):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = plan_of(load_policy(write_case(folder, case)))
        originals = [{name: canonical(cell) for name, cell in row.items()} for row in case.rows]
        try:
            out = run(plan).save(folder / "out")
        except ShoalError as error:
            assert not (folder / "out").exists()
            assert_reason(error, case, originals)
            return
        assert verify_published(out / "published.csv", plan, out / "certificate.json").holds
        published = written(out / "published.csv")
    assert len(published) == len(case.rows)
    assert list(published[0]) == [name for name in case.rows[0] if name != "who"]
    assert case.keeps_promise(published, list(case.quasi))
    for row, original, raw in zip(published, originals, case.rows, strict=True):
        assert row["ill"] == original["ill"]
        for name, recipe in case.quasi.items():
            assert is_true(recipe, row[name], raw[name]), (row[name], raw[name])


def assert_reason(error: ShoalError, case: Case, originals: list[dict[str, str | None]]) -> None:
    """A refusal must have its reason in the data; a release that fails its own check never is one."""
    assert not isinstance(error, PromiseBroken)
    if isinstance(error, Infeasible):
        assert not case.keeps_promise(originals, [])
    else:
        assert isinstance(error, BadInput)
        assert any(row[name] is None for row in originals for name in case.rejecting)


SETS = st.lists(st.sets(st.sampled_from("abcde"), max_size=4), min_size=1, max_size=9)
TREE = {"a": "low", "b": "low", "c": "mid", "d": "mid", "e": "high"}


@examples(40, suppress_health_check=[HealthCheck.too_slow])
@given(SETS, st.integers(2, 4), st.integers(1, 3))
@pytest.mark.parametrize("algorithm", ["aa"])
def test_written_sets_are_safe_and_true_or_refused_with_a_reason(algorithm, sets, k, m):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data.txt").write_text("".join(" ".join(items) + "\n" for items in sets))
        (folder / "tree.csv").write_text("".join(f"{leaf};{above};*\n" for leaf, above in TREE.items()))
        (folder / "policy.toml").write_text(
            '[data]\npath = "data.txt"\n'
            '[columns]\nitems = { role = "quasi", kind = "set", hierarchy = "tree.csv" }\n'
            f'[privacy]\nmodel = "km-anonymity"\nk = {k}\nm = {m}\n[algorithm]\nname = "{algorithm}"\n'
            '[output]\npath = "published.txt"\nkeep_order = true\n'
        )
        plan = plan_of(load_policy(folder / "policy.toml"))
        try:
            out = run(plan).save(folder / "out", published=plan.output_path)
        except Infeasible:
            assert sum(map(bool, sets)) < k
            assert not (folder / "out").exists()
            return
        assert verify_published(out / "published.txt", plan, out / "certificate.json").holds
        lines = (out / "published.txt").read_text().split("\n")[:-1]
    published = [set(line.split()) for line in lines]
    assert len(published) == len(sets)
    rarest = privacy_sets.rarest(published, m)
    assert rarest is None or rarest[0] >= k
    for line, labels, items in zip(lines, published, sets, strict=True):
        assert line == " ".join(sorted(labels))
        assert all({item, TREE[item], "*"} & labels for item in items)
        assert all(any(label in (item, TREE[item], "*") for item in items) for label in labels)
