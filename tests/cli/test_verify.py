"""`shoal verify`: the promise from the published file alone, for every model, with good and broken files."""

import json
from dataclasses import dataclass

import pytest

from shoal.report.certificate import file_disagreements
from tests.cli.commands import AGE, COLUMNS, ITEMS, NAME, SEX, records_of, shoal

FINE, BROKEN, BAD_INPUT = 0, 1, 2
K3 = 'model = "k-anonymity"\nk = 3'
TABLE = "age,sex,ill\n20-24,f,a\n20-24,f,b\n20-24,f,a\n25-29,m,a\n25-29,m,b\n25-29,m,c\n"
SETS = {"items": ITEMS}
SENSITIVE_SETS = {"items": ITEMS + ', sensitive = ["s"]'}
MIXED = {"age": AGE, "items": ITEMS}
SENSITIVE_MIXED = {"age": AGE, "items": ITEMS + ', sensitive = ["s"]'}


def verdicts(done):
    return done.json["verdicts"]


def test_a_good_file_holds_with_its_smallest_class(hospital):
    done = hospital.verify(TABLE, privacy=K3, words=("--json",))
    assert done.code == FINE
    assert done.json["holds"] is True
    assert done.json["smallest"] == 3
    assert "satisfies k-anonymity with k=3 on age, sex" in verdicts(done)[0]["claim"]


def test_one_changed_value_breaks_a_tight_class_which_is_named_with_its_rows(hospital):
    broken = TABLE.replace("25-29,m,b", "25-29,f,b")
    done = hospital.verify(broken, privacy=K3)
    assert done.code == BROKEN
    assert "BROKEN" in done.words
    assert "class age=25-29, sex=f has 1 record, fewer than k=3" in done.words
    assert "in rows 5" in done.words
    witness = verdicts(hospital.verify(broken, privacy=K3, words=("--json",)))[0]["witness"]
    assert witness["rows"] == [5]


def test_a_class_of_one_less_than_k_is_named_with_all_its_rows(hospital):
    done = hospital.verify(TABLE.replace("25-29,m,c", "20-24,f,c"), privacy=K3, words=("--json",))
    assert done.code == BROKEN
    (verdict,) = verdicts(done)
    assert verdict["smallest"] == 2
    assert "age=25-29, sex=m has 2 records" in verdict["witness"]["what"]
    assert verdict["witness"]["rows"] == [4, 5]


def test_threads_change_nothing_that_is_found(hospital):
    found = [hospital.verify(TABLE, privacy=K3, words=("--json", "--threads", n)) for n in ("1", "2")]
    assert found[0].json == found[1].json
    assert hospital.verify(TABLE, privacy=K3, words=("--threads", "0")).code == BAD_INPUT
    assert hospital.run(privacy=K3).code == FINE
    attacks = [
        shoal("attack", hospital.published, "--policy", hospital.policy, "--json", "--threads", n)
        for n in ("1", "2")
    ]
    assert attacks[0].json["findings"]
    assert attacks[0].json == attacks[1].json


def test_what_a_run_publishes_verifies_and_one_changed_value_is_caught(hospital):
    assert hospital.run(privacy=K3).code == FINE
    certificate = ("--certificate", hospital.out / "certificate.json")
    assert shoal("verify", hospital.published, "--policy", hospital.policy, *certificate).code == FINE
    lines = hospital.published.read_text().splitlines()
    cells = lines[1].split(",")
    lines[1] = ",".join(("99", *cells[1:]))
    hospital.published.write_text("\n".join(lines) + "\n")
    done = shoal("verify", hospital.published, "--policy", hospital.policy, "--json")
    assert done.code == BROKEN
    assert "age=99" in verdicts(done)[0]["witness"]["what"]
    assert verdicts(done)[0]["witness"]["rows"] == [1]


@dataclass(frozen=True)
class Case:
    """A good file and a broken one of a model; a witness names what breaks it, and its rows."""

    columns: dict[str, str]
    privacy: str
    good: str
    broken: str
    witness: str
    rows: list[int]
    name: str = "file.csv"


DISASSOCIATED = '{"size": 3, "chunks": [{"subrecords": [["a", "b"], ["a", "b"]]}], "terms": ["x"]}\n'
TWO_CLUSTERS = '{"size": 2, "chunks": [], "terms": ["x"]}\n{"size": 2, "chunks": [], "terms": ["y"]}\n'

CASES = {
    "k^m": Case(
        SETS,
        'model = "km-anonymity"\nk = 2\nm = 2',
        good="a b\na b\nc\nc\n",
        broken="a b\na\nb\nc\nc\n",
        witness="{a, b} occurs in 1 record, fewer than k=2",
        rows=[1],
        name="file.txt",
    ),
    "l^m": Case(
        SENSITIVE_SETS,
        'model = "km-anonymity"\nk = 2\nm = 2\nl = 2',
        good="a b s\na b\nc\nc\n",
        broken="a b s\na b s\nc\nc\n",
        witness="2 of 2 records that hold {a} hold the sensitive s",
        rows=[1, 2],
        name="file.txt",
    ),
    "complete k": Case(
        SETS,
        'model = "set-k-anonymity"\nk = 2',
        good="a b\na b\n\n\n",
        broken="a b\na b\na\n\n\n",
        witness="{a} is the set of 1 record, fewer than k=2",
        rows=[3],
        name="file.txt",
    ),
    "complete l": Case(
        SENSITIVE_SETS,
        'model = "set-k-anonymity"\nk = 2\nl = 2',
        good="a s\na\nc\nc\n",
        broken="a s\na s\nc\nc\n",
        witness="2 of 2 records with the set {a} hold the sensitive s",
        rows=[1, 2],
        name="file.txt",
    ),
    "(k,k^m) items": Case(
        MIXED,
        'model = "k-km-anonymity"\nk = 2\nm = 2',
        good="age,items\n20,a b\n20,a b\n30,c\n30,c\n",
        broken="age,items\n20,a b\n20,a\n30,c\n30,c\n",
        witness="{b} occurs in 1 record of class age=20, fewer than k=2",
        rows=[1],
    ),
    "(k,k^m) classes": Case(
        MIXED,
        'model = "k-km-anonymity"\nk = 2\nm = 2',
        good="age,items\n20,a\n20,a\n30,a\n30,a\n",
        broken="age,items\n20,a\n20,a\n20,a\n30,a\n",
        witness="class age=30 has 1 record, fewer than k=2",
        rows=[4],
    ),
    "(k,l^m)": Case(
        SENSITIVE_MIXED,
        'model = "k-km-anonymity"\nk = 2\nm = 2\nl = 2',
        good="age,items\n20,a s\n20,a\n30,c\n30,c\n",
        broken="age,items\n20,a s\n20,a s\n30,c\n30,c\n",
        witness="2 of 2 records of class age=20 hold the sensitive s",
        rows=[1, 2],
    ),
    "disassociation, chunk": Case(
        SETS,
        'model = "disassociation"\nk = 2\nm = 2',
        good=DISASSOCIATED,
        broken=DISASSOCIATED.replace('["a", "b"]]', '["a"]]'),
        witness="{b} occurs in 1 subrecord of chunk 1",
        rows=[1],
        name="file.jsonl",
    ),
    "disassociation, cluster": Case(
        SETS,
        'model = "disassociation"\nk = 2\nm = 2',
        good=TWO_CLUSTERS,
        broken=TWO_CLUSTERS.replace('2, "chunks": [], "terms": ["y"]', '1, "chunks": [], "terms": ["y"]'),
        witness="the simple cluster on line 2 has 1 record, fewer than k=2",
        rows=[2],
        name="file.jsonl",
    ),
    "t, ordered": Case(
        {**COLUMNS, "ill": 'role = "sensitive", kind = "number"'},
        'model = "k-anonymity"\nk = 2\nt = 0.2\ndistance = "ordered"',
        good="age,sex,ill\n20,f,1\n20,f,3\n30,f,1\n30,f,3\n",
        broken="age,sex,ill\n20,f,1\n20,f,1\n30,f,1\n30,f,3\n",
        witness="age=20, sex=f",
        rows=[1, 2],
    ),
    **{
        name: Case(
            COLUMNS,
            f'model = "k-anonymity"\nk = 3\n{parameters}',
            good=TABLE,
            broken=TABLE.replace("f,b", "f,a"),
            witness="age=20-24, sex=f",
            rows=[1, 2, 3],
        )
        for name, parameters in {
            "frequency": "l = 1.5",
            "distinct": 'l = 2\ndiversity = "distinct"',
            "entropy": 'l = 1.5\ndiversity = "entropy"',
            "recursive": 'l = 2\ndiversity = "recursive"\nc = 3',
            "t, equal": "t = 0.3",
            "(alpha,k)": "alpha = 0.7",
        }.items()
    },
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_model_accepts_a_good_file_and_names_what_breaks_a_bad_one(hospital, case):
    done = hospital.verify(case.good, case.columns, name=case.name, privacy=case.privacy, words=("--json",))
    assert done.code == FINE, done.out
    assert all(verdict["holds"] and verdict["witness"] is None for verdict in verdicts(done))

    done = hospital.verify(case.broken, case.columns, name=case.name, privacy=case.privacy, words=("--json",))
    assert done.code == BROKEN, done.out
    assert done.json["holds"] is False
    (wrong,) = [verdict for verdict in verdicts(done) if not verdict["holds"]]
    assert case.witness in wrong["witness"]["what"]
    assert wrong["witness"]["rows"] == case.rows
    told = shoal("verify", hospital.folder / case.name, "--policy", hospital.policy)
    assert told.code == BROKEN
    assert case.witness in told.words


def test_a_missing_value_is_a_class_of_its_own_and_the_weaker_reading_only_told(hospital):
    done = hospital.verify(TABLE.replace("25-29,m,b", ",m,b"), privacy=K3, words=("--json",))
    assert done.code == BROKEN
    (verdict,) = verdicts(done)
    assert verdict["smallest"] == 1
    assert "age=(missing)" in verdict["witness"]["what"]
    assert verdict["wildcard"]["smallest"] == 3
    assert verdict["wildcard"]["holds"] is True
    told = hospital.verify(TABLE.replace("25-29,m,b", ",m,b"), privacy=K3)
    assert "this weaker reading never decides" in told.words


def test_an_identifier_left_in_the_file_is_reported(hospital):
    named = "\n".join(f"{line},{'name' if row == 0 else 'x'}" for row, line in enumerate(TABLE.split()))
    done = hospital.verify(named + "\n", {**COLUMNS, "name": NAME}, privacy=K3, words=("--json",))
    assert done.code == BROKEN
    assert "'name', which should have been dropped" in verdicts(done)[0]["evidence"]
    told = hospital.verify(named + "\n", {**COLUMNS, "name": NAME}, privacy=K3)
    assert "column 'name'" in told.words


def test_a_column_that_the_policy_drops_is_reported(hospital):
    done = hospital.verify(
        TABLE, {"age": AGE, "sex": SEX}, privacy=K3, data='others = "drop"', words=("--json",)
    )
    assert done.code == BROKEN
    assert "'ill', which should have been dropped" in verdicts(done)[0]["evidence"]


def test_a_column_without_a_role_is_refused(hospital):
    done = hospital.verify(TABLE, {"age": AGE, "sex": SEX}, privacy=K3)
    assert done.code == BAD_INPUT
    assert "columns without a role: 'ill'" in done.errors[0]


def test_a_column_that_is_not_in_the_file_is_refused(hospital):
    done = hospital.verify("age,ill\n20,a\n", privacy=K3)
    assert done.code == BAD_INPUT
    assert "column 'sex': has no such column" in done.errors[0]


@pytest.mark.parametrize("content", ["", "age,sex,ill\n"])
def test_a_file_without_records_keeps_no_promise(hospital, content):
    assert hospital.verify(content, privacy=K3).code == BAD_INPUT


def test_differential_privacy_cannot_be_checked_from_a_file(hospital):
    done = hospital.verify(TABLE, privacy='model = "differential-privacy"\nepsilon = 1.0')
    assert done.code == BAD_INPUT
    assert "cannot be checked from a file" in done.errors[0]
    done = hospital.verify(TABLE, privacy='model = "differential-privacy"\nepsilon = 1.0', words=("--json",))
    assert done.json["error"]["type"] == "CannotVerify"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "holds no cluster"),
        ("junk\n", "is not JSON"),
        ("[1]\n", "a cluster is an object"),
        ('{"size": 2, "chunks": 5, "terms": []}\n', "chunks must be a list"),
        ('{"size": "2", "chunks": [], "terms": ["x"]}\n', "size"),
        ('{"sise": 2, "chunks": [], "terms": ["x"]}\n', "did you mean 'size'?"),
        ('{"size": 2, "children": ' + "[" * 5000 + "]" * 5000 + "}\n", "too deeply"),
    ],
)
def test_a_file_that_is_not_disassociated_is_refused(hospital, content, words):
    done = hospital.verify(content, SETS, name="file.jsonl", privacy='model = "disassociation"\nk = 2\nm = 2')
    assert done.code == BAD_INPUT
    assert "file.jsonl" in done.errors[0]
    assert words in done.errors[0]


@pytest.fixture
def certified(hospital):
    assert hospital.run().code == FINE
    return hospital


def verify_with_certificate(hospital, *words):
    return shoal(
        "verify", hospital.published, "--policy", hospital.policy,
        "--certificate", hospital.out / "certificate.json", *words,
    )  # fmt: skip


def test_the_certificate_agrees_with_its_file(certified):
    done = verify_with_certificate(certified, "--json")
    assert done.code == FINE
    assert done.json["certificate"] == {"agrees": True, "disagreements": []}
    assert "agrees yes" in verify_with_certificate(certified).words


def test_the_certificate_catches_every_changed_byte(certified):
    content = certified.published.read_bytes()
    certificate = json.loads((certified.out / "certificate.json").read_text())
    assert file_disagreements(certificate, certified.published) == []
    for place in range(len(content)):
        certified.published.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        (disagreement,) = file_disagreements(certificate, certified.published)
        assert "SHA-256" in disagreement


def test_a_changed_byte_is_told(certified):
    content = certified.published.read_bytes()
    certified.published.write_bytes(content[:-2] + b"x\n")
    done = verify_with_certificate(certified)
    assert done.code == BROKEN
    assert "SHA-256" in done.words


def test_rows_in_another_order_are_another_file(certified):
    header, *rows = certified.published.read_text().splitlines()
    certified.published.write_text("\n".join((header, *rows[1:], rows[0])) + "\n")
    assert shoal("verify", certified.published, "--policy", certified.policy).code == FINE
    done = verify_with_certificate(certified, "--json")
    assert done.code == BROKEN
    assert any("SHA-256" in disagreement for disagreement in done.json["certificate"]["disagreements"])


@pytest.mark.parametrize(
    "content", ["", "junk", "[]", "{}", '{"format": 1}', '{"format": "shoal-certificate-2"}']
)
def test_what_is_no_certificate_is_refused_or_disagrees(certified, content):
    (certified.out / "certificate.json").write_text(content)
    assert verify_with_certificate(certified).code in (BROKEN, BAD_INPUT)


def test_a_missing_certificate_is_named(certified):
    (certified.out / "certificate.json").unlink()
    done = verify_with_certificate(certified)
    assert done.code == BAD_INPUT
    assert "certificate.json: is not a readable certificate" in done.errors[0]


PEOPLE = "id,age,sex,ill\n" + "".join(f"p{i // 3},{20 + i % 7},f,{'abc'[i % 3]}\n" for i in range(24))


def test_k_counts_people_when_the_file_is_made_and_rows_when_it_is_read(hospital):
    done = hospital.run(PEOPLE, {"id": NAME, **COLUMNS}, data='subject = "id"', words=("--json",))
    assert done.code == FINE, done.out
    people = done.json["people"]
    assert people["subjects"] == 8
    assert people["smallest"] >= 2
    assert "id" not in records_of(hospital.published)[0]
    certificate = json.loads((hospital.out / "certificate.json").read_text())
    assert "people" not in certificate, "whoever has the file cannot count them"
    verified = shoal("verify", hospital.published, "--policy", hospital.policy)
    assert verified.code == FINE
    assert any(
        "k counts rows: one person (column 'id') can have several" in notice for notice in verified.notices
    )
    assert verify_with_certificate(hospital).code == FINE


def test_more_rows_than_people_do_not_make_k(hospital):
    done = hospital.run(
        PEOPLE, {"id": NAME, **COLUMNS}, data='subject = "id"', privacy='model = "k-anonymity"\nk = 9'
    )
    assert done.code == 3
    assert "only 8 people, so k can be at most 8" in done.errors[0]
