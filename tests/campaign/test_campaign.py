"""A small campaign, and proof that its checkers notice what they are there for."""

import ast
import json
from dataclasses import replace
from pathlib import Path

import pytest

from shoal.algorithms.catalogue import ALGORITHMS
from shoal.algorithms.parameters import parameters_of
from shoal.policy.output_names import PUBLISHED_ENDINGS
from shoal.policy.policy_file import ColumnSection, DataSection, OutputSection
from shoal.privacy.catalogue import MODELS
from shoal.recoding.disassociated_file import ENDINGS as CLUSTER_ENDINGS
from tests.campaign import checkers, faults, readers
from tests.campaign.campaign import Tally, try_case
from tests.campaign.case import Case, Column
from tests.campaign.generate import _FAMILIES, ALGORITHM_NAMES, INPUTS, WRITERS, make_case
from tests.campaign.labels import built_tree, file_tree
from tests.campaign.mutate import _FORMS
from tests.campaign.readers import Literal, Published

SEED = 7
# Databases have tests of their own.
ELSEWHERE = {"url", "table", "query", "sets", "partitioned"}
WITHOUT_SHOAL = ("case.py", "checkers.py", "labels.py", "mutate.py", "readers.py")


def found_in(numbers, tmp_path):
    tally = Tally()
    for number in numbers:
        tally.add(try_case(SEED, number, keep=tmp_path))
    lines = "\n".join(finding.line() for finding in tally.findings)
    return tally, lines


def test_a_small_campaign_finds_nothing(tmp_path):
    tally, lines = found_in(range(len(ALGORITHM_NAMES)), tmp_path)
    assert not tally.findings, lines
    assert sum(outcome.released for outcome in tally.outcomes) > len(ALGORITHM_NAMES) // 2
    assert "| all |" in tally.tables()


@pytest.mark.slow
def test_a_larger_campaign_finds_nothing(tmp_path):
    _, lines = found_in(range(1000), tmp_path)
    assert not lines


@pytest.mark.slow
@pytest.mark.parametrize("number", range(18))
def test_faults_leave_nothing_behind(number, tmp_path_factory):
    (fault,) = faults.try_faults(SEED + number, 1, faults.FAULTS[number % len(faults.FAULTS)].__name__)
    assert not fault.flaws, fault


# ------------------------------------------------------------------------------------ everything is covered


def test_every_model_that_a_policy_names_is_tried():
    named = {name for name, model in MODELS.items() if model.named is not None}
    assert named == set(_FAMILIES)


def test_every_model_is_checked():
    assert set(MODELS) == checkers.CHECKED


def test_every_format_is_written_and_read():
    assert set(INPUTS) == set(WRITERS)
    endings = {
        "." + ending.strip(".").removesuffix(".gz") for ending in (*PUBLISHED_ENDINGS, *CLUSTER_ENDINGS)
    }
    assert endings <= set(readers.READERS)
    assert endings == set(_FORMS)


def test_every_key_of_a_policy_is_tried():
    cases = [make_case(1, number) for number in range(1500)]
    tried = {
        DataSection: {key for case in cases for key in case.data},
        OutputSection: {key for case in cases for key in case.output},
        ColumnSection: {key for case in cases for column in case.columns for key in column.line()},
    }
    for section, keys in tried.items():
        assert set(section.model_fields) - ELSEWHERE == keys, section
    options = {name: set() for name in ALGORITHMS}
    for case in cases:
        options.get(case.algorithm["name"], set()).update(case.algorithm)
    for name, algorithm in ALGORITHMS.items():
        declared = {each.name for each in parameters_of(algorithm)}
        assert declared <= options[name] | {"memory_limit", "on_limit", "threads"}, name


def test_a_case_is_the_same_each_time():
    for number in range(len(ALGORITHM_NAMES)):
        one, other = make_case(3, number), make_case(3, number)
        assert one.policy() == other.policy()
        assert one.rows == other.rows


@pytest.mark.parametrize("name", WITHOUT_SHOAL)
def test_judges_know_nothing_of_shoal(name):
    source = (Path(__file__).parent / name).read_text(encoding="utf-8")
    imported = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [getattr(node, "module", None) or node.names[0].name for node in imported]
    assert not [each for each in names if each.startswith("shoal")]
    assert not [
        each
        for each in names
        if each.startswith("tests.campaign.") and f"{each[15:]}.py" not in WITHOUT_SHOAL
    ]


# ------------------------------------------------------------------------------------- checkers that can fail

TREE = {
    label: frozenset(values)
    for label, values in file_tree([("a", "G", "*"), ("b", "G", "*"), ("c", "*")]).items()
}


def table_case(**privacy):
    """Two single values and a sensitive column."""
    columns = (
        Column("age", "quasi", "number", {"hierarchy": {"ranges": [10]}}, _ages()),
        Column("sex", "quasi", "category", {"hierarchy": {"flat": True}}),
        Column("ill", "sensitive"),
    )
    rows = tuple({"age": 20 + n, "sex": "f", "ill": "flu" if n % 2 else "cold"} for n in range(4))
    return _case(columns, rows, {"model": "k-anonymity", "k": 4, **privacy})


def _ages():
    tree = built_tree({"ranges": [10]}, [20, 21, 22, 23])
    return {label: frozenset(values) for label, values in tree.items()}


def set_case(model="km-anonymity", **privacy):
    column = Column("items", "quasi", "set", {"hierarchy": "tree.csv", "sensitive": ["c"]}, TREE)
    rows = tuple({"items": items} for items in (("a", "b"), ("a", "b"), ("a",), ("a", "c")))
    return _case((column,), rows, {"model": model, "k": 2, "m": 2, **privacy})


def mixed_case(**privacy):
    columns = (
        Column("sex", "quasi", "category", {"hierarchy": {"flat": True}}),
        Column("items", "quasi", "set", {"sensitive": ["c"]}, TREE),
    )
    rows = tuple({"sex": "f", "items": items} for items in (("a", "b"), ("a", "b"), ("a",), ("a", "c")))
    return _case(columns, rows, {"model": "k-km-anonymity", "k": 2, "m": 2, **privacy})


def _case(columns, rows, privacy):
    return Case(0, 0, columns, rows, {"path": "data.csv"}, privacy, {"name": "x"}, {}, {})


GOOD_TABLE = [{"age": "20-29", "sex": "f", "ill": "flu" if n % 2 else "cold"} for n in range(4)]
GOOD_SETS = [{"items": cell} for cell in ("a b", "a b", "a", "a c")]


def shown(rows, **beside):
    return Published(list(rows[0]) if rows else [], [dict(row) for row in rows], **beside)


def changed(rows, place, **cells):
    return [{**row, **cells} if number == place else dict(row) for number, row in enumerate(rows)]


def test_good_files_pass():
    for case, rows in (
        (table_case(l=2), GOOD_TABLE),
        (table_case(l=2, diversity="entropy"), GOOD_TABLE),
        (table_case(l=2, diversity="recursive", c=2), GOOD_TABLE),
        (table_case(t=0.1, alpha=0.5), GOOD_TABLE),
        (set_case(), GOOD_SETS),
        (set_case(l=2), GOOD_SETS),
    ):
        assert checkers.flaws(case, shown(rows)) == []
        assert checkers.infidelities(case, shown(rows)) == []


@pytest.mark.parametrize(
    ("case", "rows"),
    [
        (table_case(), changed(GOOD_TABLE, 0, age="20")),
        (table_case(), changed(GOOD_TABLE, 0, age=None)),
        (table_case(), changed(GOOD_TABLE, 0, age="20-29 ")),
        (table_case(), GOOD_TABLE[1:]),
        (table_case(), []),
        (table_case(), [{**row, "name": "Bob"} for row in GOOD_TABLE]),
        (table_case(), [{"age": row["age"], "ill": row["ill"]} for row in GOOD_TABLE]),
        (table_case(l=2), changed(GOOD_TABLE, 0, ill="flu")),
        (table_case(l=2), [{**row, "ill": ""} for row in GOOD_TABLE]),
        (table_case(l=3, diversity="distinct"), GOOD_TABLE),
        (table_case(l=2, diversity="entropy"), changed(GOOD_TABLE, 0, ill="flu")),
        (table_case(l=2, diversity="recursive", c=1), GOOD_TABLE),
        (table_case(alpha=0.5), changed(GOOD_TABLE, 0, ill="flu")),
        (table_case(k=1, t=0.2), changed(GOOD_TABLE, 0, sex="m")),
        (set_case(), changed(GOOD_SETS, 0, items="a")),
        (set_case(), changed(GOOD_SETS, 0, items="a b d")),
        (set_case(), changed(GOOD_SETS, 0, items="a b b")),
        (set_case(l=2), changed(GOOD_SETS, 2, items="a c")[2:]),
        (set_case("set-k-anonymity"), changed(GOOD_SETS, 0, items="a")[:2]),
        (set_case("set-k-anonymity"), [{"items": []}, {"items": None}]),
        (set_case("set-k-anonymity", l=2), [{"items": "a c"}, {"items": "a c"}]),
        (set_case(negative=True), [{"items": cell} for cell in ("a", "a", "a b", "a b", "")]),
        (mixed_case(), [{"sex": "f", "items": "a b"}, {"sex": "f", "items": "a"}]),
        (mixed_case(), [{"sex": "f", "items": "a"}, {"sex": "m", "items": "a"}]),
        (mixed_case(l=2), [{"sex": "f", "items": "a c"}, {"sex": "f", "items": "a c"}]),
    ],
)  # fmt: skip
def test_broken_files_are_noticed(case, rows):
    assert checkers.flaws(case, shown(rows))


def test_types_are_told_apart():
    rows = [{"age": 20}] * 3 + [{"age": "20"}]
    case = replace(table_case(), columns=table_case().columns[:1])
    assert checkers.flaws(case, shown(rows))
    rows = [{"age": Literal("20")}] * 3 + [{"age": Literal("20.0")}]
    assert checkers.flaws(case, shown(rows))


def test_what_is_beside_the_table_is_noticed():
    assert checkers.flaws(table_case(), shown(GOOD_TABLE, beside=["sheet 'raw'"]))


@pytest.mark.parametrize(
    "rows",
    [
        changed(GOOD_TABLE, 0, age="30-39"),
        changed(GOOD_TABLE, 0, ill="pox"),
        [*GOOD_TABLE, GOOD_TABLE[0]],
        changed(GOOD_TABLE, 0, sex="m"),
        [{**row, "ill": "flu"} for row in GOOD_TABLE],
    ],
)
def test_labels_that_cover_no_original_are_noticed(rows):
    assert checkers.infidelities(table_case(), shown(rows))


@pytest.mark.parametrize("cell", ["a b c", "G", "a", "x", "a b d"])
def test_sets_that_cover_no_original_are_noticed(cell):
    case = replace(set_case(), rows=({"items": ("a", "b")},))
    assert bool(checkers.infidelities(case, shown([{"items": cell}]))) == (cell != "G")


CLUSTER = {"size": 3, "chunks": [{"subrecords": [["a", "b"], ["a", "b"], ["a"]]}], "terms": ["c"]}


def cluster_case():
    return replace(
        set_case("disassociation"), rows=tuple({"items": x} for x in (("a", "b"), ("a", "b"), ("a", "c")))
    )


def test_good_clusters_pass():
    assert checkers.flaws_of_clusters(cluster_case(), [CLUSTER]) == []
    assert checkers.infidelities_of_clusters(cluster_case(), [CLUSTER]) == []


@pytest.mark.parametrize(
    "other",
    [
        {**CLUSTER, "size": 1},
        {**CLUSTER, "size": 2},
        {**CLUSTER, "chunks": [{"subrecords": [["a", "b"], ["a"]]}]},
        {**CLUSTER, "chunks": [{"subrecords": [["a"], ["a"], []]}]},
        {**CLUSTER, "chunks": [{"subrecords": [["a"], ["a"]]}, {"subrecords": [["a"], ["a"]]}]},
        {**CLUSTER, "chunks": [{"subrecords": [["c"], ["c"]]}], "terms": ["x"]},
        {**CLUSTER, "terms": ["a"]},
        {**CLUSTER, "terms": []} | {"chunks": [{"subrecords": [["a"], ["a"]]}]},
        {**CLUSTER, "note": "Bob"},
        {"size": 4, "shared": [], "children": [CLUSTER]},
        {"size": 3, "shared": [{"subrecords": [["a"], ["a"]]}], "children": [CLUSTER]},
        [],
    ],
)
def test_broken_clusters_are_noticed(other):
    assert checkers.flaws_of_clusters(cluster_case(), [other])


def test_other_terms_than_the_original_are_noticed():
    other = json.loads(json.dumps(CLUSTER).replace('"c"', '"d"'))
    assert checkers.infidelities_of_clusters(cluster_case(), [other])
