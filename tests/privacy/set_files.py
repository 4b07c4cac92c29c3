"""Small random files with sets, a single value and something sensitive, for our models and for the twins."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from shoal.engine.local import LocalData
from shoal.table.roles import Quasi, QuasiSet, Sensitive
from tests.builders import local_data

ITEMS = ("a", "b", "c")
SECRETS = ("s", "t")
AGES = ("20-24", "*", None)
OUTCOMES = ("good", "bad", None)

ROLES = {
    "age": Quasi(),
    "diagnoses": QuasiSet(sensitive=SECRETS),
    "outcome": Sensitive(),
}

Record = tuple[str | None, frozenset[str], str | None]


@dataclass(frozen=True)
class SetFile:
    """Records of an age, a set of diagnoses and an outcome."""

    records: tuple[Record, ...]

    @property
    def data(self) -> LocalData:
        return local_data(self.records, ROLES)

    @property
    def sets_only(self) -> LocalData:
        """The diagnoses alone: nothing is sensitive but items."""
        return local_data([(items,) for items in self.sets], {"diagnoses": ROLES["diagnoses"]})

    @property
    def ages(self) -> list[str | None]:
        return [age for age, _, _ in self.records]

    @property
    def sets(self) -> list[frozenset[str]]:
        return [items for _, items, _ in self.records]

    @property
    def outcomes(self) -> list[str | None]:
        return [outcome for _, _, outcome in self.records]

    def changed(self, row: int, record: Record) -> SetFile:
        return replace(self, records=(*self.records[:row], record, *self.records[row + 1 :]))


records = st.tuples(
    st.sampled_from(AGES), st.frozensets(st.sampled_from(ITEMS + SECRETS)), st.sampled_from(OUTCOMES)
)
set_files = st.lists(records, min_size=1, max_size=8).map(lambda drawn: SetFile(tuple(drawn)))


@st.composite
def files_after_one_change(draw: st.DrawFn) -> tuple[SetFile, SetFile]:
    """A file, and the same with one item added, removed or replaced, or another value in one cell."""
    file = draw(set_files)
    row = draw(st.integers(0, len(file.records) - 1))
    age, items, outcome = file.records[row]
    match draw(st.sampled_from(["add", "remove", "replace", "age", "outcome"])):
        case "add":
            items |= {draw(st.sampled_from(ITEMS + SECRETS))}
        case "remove" if items:
            items -= {draw(st.sampled_from(sorted(items)))}
        case "replace" if items:
            items = (items - {draw(st.sampled_from(sorted(items)))}) | {
                draw(st.sampled_from(ITEMS + SECRETS))
            }
        case "age":
            age = draw(st.sampled_from(AGES))
        case "outcome":
            outcome = draw(st.sampled_from(OUTCOMES))
    return file, file.changed(row, (age, items, outcome))
