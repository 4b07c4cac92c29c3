"""Everything that a policy can say can be said on the pages."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import openpyxl
import pytest

from shoal.policy.plan import KEYS_OF_ROLE
from shoal.policy.policy_file import HierarchySection, Policy
from tests.web.browsing import CHROMIUM, WITHOUT, Visitor

Key = tuple[str, str]
COLUMNS = "columns, role {}".format
HIERARCHY = "hierarchy"
NOT_ON_PAGES: dict[Key, str] = {
    **{("data", key): "the page takes files, not databases" for key in ("url", "table", "query", "sets")},
    **{("output", key): "the page makes files, not databases" for key in ("url", "table")},
    ("output", "partitioned"): "the page takes single files, which are in no folders",
    ("data", "path"): "follows from the file that is brought",
    ("data", "others"): "every column is shown and has its role",
    (COLUMNS("sensitive"), "hierarchy"): "no promise asks for one",
    (COLUMNS("insensitive"), "kind"): "says nothing about a column that is published as it is",
}


def keys_of_policies() -> set[Key]:
    sections = {
        (section, key)
        for section, field in Policy.model_fields.items()
        if section != "columns"
        for key in field.annotation.model_fields  # type: ignore[union-attr]
    }
    columns = {(COLUMNS(role), key) for role, keys in KEYS_OF_ROLE.items() for key in keys}
    return sections | columns | {(HIERARCHY, key) for key in HierarchySection.model_fields}


@dataclass(frozen=True)
class Field:
    """Something on a page: of a list one chooses, a text is written, a box is ticked."""

    name: str
    entered: str | re.Pattern[str] | None
    becomes: Any

    def use(self, visitor: Visitor) -> None:
        if self.entered is None:
            visitor.page.get_by_role("checkbox", name=self.name).click()
            return
        field = visitor.page.get_by_label(self.name, exact=True)
        if field.get_attribute("role") == "combobox":
            visitor.choose(self.name, self.entered)
        else:
            field.fill(str(self.entered))
            field.press("Tab")


DATA = {
    "missing": Field("Words that stand for a missing value, with | between", "?", ["", "?"]),
    "delimiter": Field("Between cells", re.compile("^Commas"), ","),
    "quote": Field("Around cells", "Double quotes", '"'),
    "encoding": Field("Encoding", "cp1252", "cp1252"),
    "decimal": Field("Decimal sign", re.compile("^A point"), "."),
    "thousands": Field("Between thousands", "An apostrophe", "'"),
    "date_format": Field("Date format", "%Y-%m-%d", "%Y-%m-%d"),
}
LEVELS = {
    "weight": Field("Weight: how much its loss counts", "3", 3),
    "unknown": Field("Values that its hierarchy lacks", "become the coarsest label", "root"),
    "min_level": Field("Made coarser by at least so many levels", "1", 1),
    "max_level": Field("And at most", "2", 2),
    "levels": Field("Only these levels of its hierarchy, as in 0, 2, 3", "0, 1", [0, 1]),
    "publish_hierarchy": Field("The codebook shows its whole hierarchy", None, True),
}
UNIT = {"unit": Field("What its numbers count, such as EUR", "EUR", "EUR")}
NUMBERS = {
    "missing": Field("Missing values", "are refused", "reject"),
    "decimal": Field("Decimal sign", re.compile("^A comma"), ","),
    "thousands": Field("Between thousands", "A blank", " "),
    **UNIT,
}
DATES = {"format": Field("Date format, such as %d.%m.%Y", "%Y-%m-%d", "%Y-%m-%d")}
PERSONAL = {
    "confirm": Field("Publish it although it looks personal", None, True),
    "reason": Field("Why {} may be published", "it was made up", "it was made up"),
}
BOUNDS = "Least and greatest value to count with, as in 0, 120"
# The role, the column that has it, and what is said of it.
OF_COLUMNS: tuple[tuple[str, str, dict[str, Field]], ...] = (
    ("identifier", "name", {"pseudonym": Field("Keep a random pseudonym in its place", None, True)}),
    ("quasi", "age", {"kind": Field("Kind of age", "numbers", "number"), **NUMBERS, **LEVELS}),
    ("quasi", "born", DATES),
    (
        "quasi",
        "height",
        {"bounds": Field("Least and greatest value to count with, as in 0, 120", "0, 9", [0, 9])},
    ),
    ("quasi", "mail", PERSONAL),
    (
        "quasi set",
        "codes",
        {
            "kind": Field("Kind of codes", "a set of items", "set"),
            "separator": Field("Between items", "|", "|"),
            "sensitive": Field("Sensitive items, with | between", "a", ["a"]),
            "multiset": Field("An item may stand in a set more than once", None, True),
            "item_weights": Field(
                "Weights of items, from 0 to 1, as in 250.00=0.5|401.9=0", "b=0.5", {"b": 0.5}
            ),
            **LEVELS,
        },
    ),
    ("quasi set", "mails", PERSONAL),
    ("sensitive", "income", {"kind": Field("Kind of income", "numbers", "number"), **NUMBERS}),
    ("sensitive", "died", DATES),
    ("sensitive", "phone", PERSONAL),
    ("insensitive", "lists", {"separator": Field("Between the items of a list", "; ", "; ")}),
    ("insensitive", "contact", PERSONAL),
    ("insensitive", "score", UNIT),
)
SEARCH = {
    "name": Field("Algorithm", re.compile("^mondrian:"), "mondrian"),
    "time_limit": Field("Stop after so many minutes", "3", "3 min"),
    "memory_limit": Field("Memory for the search, in MB", "500", "500 MB"),
    "on_limit": Field("When a limit is reached", "There is no release", "stop"),
    "seed": Field("Seed: the same number searches in the same way", "7", 7),
    "recoding": Field("What becomes of a value", "Alike in all records", "global"),
}
OUTPUT = {
    "path": Field("Name of the published file; its ending tells the format", "out.csv", "out.csv"),
    "delimiter": Field("Between cells", ";", ";"),
    "decimal": Field("Decimal sign", ",", ","),
    "encoding": Field("Encoding", "utf-8", "utf-8"),
    "bom": Field("Byte order mark, by which spreadsheets know UTF-8", "Without it", False),
    "neutralize_formulas": Field(
        "Readers may open it in a spreadsheet: put a ' before values that would run as formulas", None, True
    ),
    "keep_order": Field(
        "Keep the order of the records, for tests: such a file must not be published", None, True
    ),
}
REPORT = {"target": Field("What it is good for: how well models trained on it predict", "phone", "phone")}
WEAK = Field("Your confirmation, which names k = 2", "k = 2, for a test", "k = 2, for a test")
OF_TABLES = {
    "k": Field("A person hides among at least so many (k), as a number", "2", 2),
    "l": Field("Among those whom a person hides with, no value makes up more than one in l", None, 2),
    "diversity": Field("How values are counted", re.compile("recursive"), "recursive"),
    "c": Field("How many times as frequent the most frequent value may be, as a number", "4", 4),
    "t": Field("Among them it is spread as in the whole file", None, 0.2),
    "distance": Field("How far apart values are", re.compile("in their order"), "ordered"),
    "alpha": Field("Among them no value makes up more than the share alpha", None, 0.5),
}
OF_SETS = {
    "m": Field("Somebody knows up to so many items of a person (m), as a number", "3", 3),
    "negative": Field("Somebody may also know which items are absent", None, True),
}
EPSILON = Field("How much may depend on one person, the smaller the less (epsilon), as a number", "0.5", 0.5)
NOTHING_TO_SAY = Field("", "", True)
SCALE = "The scale, step by step, with | between"
LENGTHS = "Lengths of the beginnings, from long to short; -3 for all but the last 3; letters"
WIDTHS = {
    "ranges": Field("Widths, each a multiple of the one before", "4, 8", [4, 8]),
    "start": Field("Beginning at", "2", 2),
    "bottom": Field("All below", "10", 10),
    "top": Field("All from", "90", 90),
}
# The column, how it becomes coarser, and what is said of that.
RECIPES: tuple[tuple[str, str, dict[str, Field]], ...] = (
    ("age", "Ranges of numbers", WIDTHS),
    ("born", "Day, month, year", {"dates": Field("", "", ["month", "year", "decade"])}),
    ("town", "Hide letters", {"mask": Field("Letters are hidden", "from the left", "left")}),
    ("town", "Neighbours on a scale", {"order": Field(SCALE, "FR|DE", ["FR", "DE"])}),
    ("town", "Frequent values alone", {"keep": Field("Kept values, with | between", "FR", ["FR"])}),
    ("town", "Codes by beginnings", {"prefixes": Field(LENGTHS, "1", [1])}),
    ("town", "Countries by continent", {"continents": NOTHING_TO_SAY}),
    ("town", "Neighbours in groups", {"fanout": Field("Values in a group", "3", 3)}),
    ("town", "Codes by their first letters", {"digits": NOTHING_TO_SAY}),
    ("town", "Keep a value or hide it", {"flat": NOTHING_TO_SAY}),
)
SAID_OTHERWISE: set[Key] = {
    ("data", "sheet"),
    ("data", "subject"),
    ("data", "long"),
    ("privacy", "model"),
    ("privacy", "epsilon"),
    ("report", "weak_promise"),
    (COLUMNS("quasi"), "hierarchy"),
    (COLUMNS("quasi set"), "hierarchy"),
}


def keys_with_a_field() -> set[Key]:
    of_sections = {"data": DATA, "algorithm": SEARCH, "output": OUTPUT, "report": REPORT}
    promised = {**OF_TABLES, **OF_SETS}
    return {
        *((section, key) for section, fields in of_sections.items() for key in fields),
        *((COLUMNS(role), key) for role, _, fields in OF_COLUMNS for key in fields),
        *((HIERARCHY, key) for _, _, fields in RECIPES for key in fields),
        *(("privacy", key) for key in promised),
        *SAID_OTHERWISE,
    }


def test_every_key_of_a_policy_has_its_field_or_a_reason_why_not():
    assert keys_with_a_field() | NOT_ON_PAGES.keys() == keys_of_policies()


HEADS = "name,age,born,height,town,mail,codes,mails,income,died,phone,lists,contact,score"
ROLES: dict[str, dict[str, Any]] = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi", "hierarchy": {"flat": True}},
    "born": {"role": "quasi", "kind": "date", "hierarchy": {"fanout": 5}},
    "height": {"role": "quasi", "kind": "number"},
    "town": {"role": "quasi", "hierarchy": {"flat": True}},
    "mail": {"role": "quasi", "hierarchy": {"flat": True}},
    "income": {"role": "sensitive"},
    "died": {"role": "sensitive", "kind": "date"},
    "phone": {"role": "sensitive"},
    "lists": {"role": "insensitive"},
    "contact": {"role": "insensitive"},
    "score": {"role": "insensitive"},
}
SETS: dict[str, dict[str, Any]] = {
    "codes": {"role": "quasi", "hierarchy": {"flat": True}},
    "mails": {"role": "quasi", "kind": "set", "hierarchy": {"flat": True}},
}


def table() -> bytes:
    def mail(i: int) -> str:
        return f"person{i}@example.org"

    def items(i: int) -> str:
        return "|".join(item for place, item in enumerate("uvwxy") if (i % 31 + 1) >> place & 1)

    towns = ("FR", "DE", "IT")
    rows = (
        f"Anna Berg {i},{20 + i % 50},19{50 + i % 40}-0{1 + i % 9}-11,1.{50 + i % 40},{towns[i % 3]},"
        f"{mail(i)},{'abc'[i % 3]}|{'de'[i % 2]}|f,{mail(i)},{1000 + i},20{10 + i % 9}-05-0{1 + i % 9},"
        f"+49 30 {900_000 + i * 37},{items(i)},{mail(i + 7)},{i % 4}.5"
        for i in range(80)
    )
    return "\n".join((HEADS, *rows, "")).encode()


@dataclass(frozen=True)
class Said:
    """A project whose pages somebody fills in."""

    visitor: Visitor
    client: httpx.Client
    project: str

    def sections(self) -> dict[str, Any]:
        return self.client.get(f"/api/v1/projects/{self.project}/policy").json()["sections"]

    def put(self, columns: dict[str, Any], privacy: dict[str, Any]) -> None:
        wanted = {
            "data": {"path": "said.csv", "others": "drop"},
            "columns": columns,
            "privacy": privacy,
            "algorithm": {"name": "auto"},
        }
        address = f"/api/v1/projects/{self.project}/policy"
        assert self.client.put(address, json=wanted, headers={"If-Match": "*"}).status_code == 200

    def open(self, step: str) -> None:
        self.visitor.page.goto(f"{self.visitor.address}/projects/{self.project}/{step.lower()}")
        self.visitor.at(step)

    @contextmanager
    def drawn_anew(self, step: str) -> Iterator[None]:
        """Do something after which the page comes again."""
        with self.visitor.page.expect_event("load"):
            yield
        self.visitor.at(step)

    def unfold(self, title: str) -> None:
        self.visitor.page.get_by_text(title, exact=True).click()

    def expect(self, read: Callable[[dict[str, Any]], Any], becomes: Any) -> None:
        """Wait until the settings have it."""
        for _ in range(200):
            if (held := read(self.sections())) == becomes:
                return
            self.visitor.page.wait_for_timeout(50)
        raise AssertionError(f"{held!r} is not {becomes!r}")

    def use(self, section: str, fields: dict[str, Field]) -> None:
        for key, field in fields.items():
            field.use(self.visitor)
            self.expect(lambda held, key=key: held.get(section, {}).get(key), field.becomes)


@pytest.fixture
def said(visitor: Visitor, client: httpx.Client) -> Iterator[Said]:
    made = client.post("/api/v1/projects", json={"name": "Everything"}).json()["id"]
    client.post(f"/api/v1/projects/{made}/files", params={"name": "said.csv"}, content=table())
    yield Said(visitor, client, made)
    client.delete(f"/api/v1/projects/{made}")


in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)


@pytest.mark.slow
@in_a_browser
def test_how_a_file_is_read_can_be_said(said, tmp_path):
    said.put(ROLES, {"model": "k-anonymity", "k": 5})
    said.open("Data")
    for key, field in DATA.items():
        if key != "missing":
            said.unfold("Read it differently")
        with said.drawn_anew("Data"):
            said.use("data", {key: field})
    said.open("Columns")
    said.visitor.choose("Who is who", "Rows with the same name are one person")
    said.expect(lambda held: held["data"].get("subject"), "name")
    said.open("Data")
    said.unfold("Read it differently")
    said.visitor.choose("Column that names the person", "name")
    with said.drawn_anew("Data"):
        said.visitor.choose("Column that names the item", "town")
    said.expect(lambda held: held["data"].get("long"), {"id": "name", "item": "town"})
    said.visitor.sees("80 records")
    assert said.sections()["columns"]["items"]["kind"] == "set"
    book = openpyxl.Workbook()
    book.create_sheet("second").append(["age"])
    for age in range(30):
        book["second"].append([age])
    book.active.append(["other"])
    book.active.append([1])
    book.save(tmp_path / "book.xlsx")
    with said.drawn_anew("Data"):
        said.visitor.upload("Choose a file", tmp_path / "book.xlsx")
    said.unfold("Read it differently")
    said.use("data", {"sheet": Field("Sheet", "second", "second")})
    said.visitor.sees("30 records")


@pytest.mark.slow
@in_a_browser
def test_everything_can_be_said_of_columns(said):
    said.put({**ROLES, **SETS}, {"model": "k-km-anonymity", "k": 5, "m": 2})
    said.open("Columns")
    for _, column, fields in OF_COLUMNS:
        said.visitor.page.locator(f"tr[data-name={column}]").click()
        for key, field in fields.items():
            named = Field(field.name.format(column), field.entered, field.becomes)
            if key in {*LEVELS, "bounds", "multiset", "item_weights"}:
                unfolded(said.visitor)
            named.use(said.visitor)
            said.expect(lambda held, c=column, key=key: held["columns"][c].get(key), field.becomes)
    kept = said.sections()["columns"]
    for _, column, fields in OF_COLUMNS:  # later changes have dropped none of the earlier ones
        assert {key: kept[column].get(key) for key in fields} == {
            key: field.becomes for key, field in fields.items()
        }


def unfolded(visitor: Visitor) -> None:
    """What is folded away stays open while other things are said."""
    head = visitor.page.get_by_role("button", name=re.compile("More about it"))
    if head.get_attribute("aria-expanded") != "true":
        head.click()


@pytest.mark.slow
@in_a_browser
def test_every_recipe_of_a_hierarchy_can_be_said(said):
    numbers = {**ROLES, "age": {"role": "quasi", "kind": "number"}}
    said.put(numbers, {"model": "k-anonymity", "k": 5})
    said.open("Hierarchies")
    for column, title, fields in RECIPES:
        said.visitor.page.get_by_role("link", name=column, exact=True).click()
        said.visitor.sees(f"Hierarchy of {column}")
        said.visitor.choose("How", re.compile(f"^{title}"))
        for field in fields.values():
            if field.name:
                field.use(said.visitor)
        with said.drawn_anew("Hierarchies"):
            said.visitor.button("Save").click()
        wanted = {key: field.becomes for key, field in fields.items()}
        said.expect(lambda held, c=column: held["columns"][c].get("hierarchy"), wanted)
    said.visitor.page.get_by_role("link", name="age", exact=True).click()
    said.visitor.sees("Hierarchy of age")
    said.visitor.choose("How", re.compile("^No hierarchy"))
    said.visitor.button("Save").click()
    said.expect(lambda held: held["columns"]["age"].get("hierarchy"), None)


@pytest.mark.slow
@in_a_browser
def test_everything_can_be_promised_searched_for_and_published(said):
    said.put(ROLES, {"model": "k-anonymity", "k": 5})
    said.open("Promise")
    said.use("privacy", OF_TABLES)
    WEAK.use(said.visitor)
    said.visitor.button("Confirm").click()
    said.expect(lambda held: held.get("report", {}).get("weak_promise"), WEAK.becomes)
    said.open("Run")
    said.use("algorithm", SEARCH)
    said.unfold("Written in another way than the data file")
    said.use("output", OUTPUT)
    said.use("report", REPORT)
    said.put({"mails": SETS["mails"]}, {"model": "set-k-anonymity", "k": 5})
    said.open("Promise")
    said.visitor.page.get_by_role("radio", name="Some of a person's items", exact=True).click()
    said.expect(lambda held: held["privacy"]["model"], "km-anonymity")
    said.use("privacy", OF_SETS)
    said.visitor.page.get_by_role("radio", name=re.compile("^Anything")).click()
    said.expect(lambda held: held["privacy"]["model"], "differential-privacy")
    said.use("privacy", {"epsilon": EPSILON})
