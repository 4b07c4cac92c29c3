"""`shoal run`: what it writes, what it says, and what it keeps to itself."""

import hashlib
import json
import re
from collections import Counter

import pytest

from shoal.algorithms.catalogue import ALGORITHMS, takes
from tests.cli.commands import (
    AGE,
    COLUMNS,
    ILL,
    ITEMS,
    K2,
    NAME,
    PATIENTS,
    SEX,
    files_in,
    records_of,
    shoal,
)

FINE, BAD_INPUT, LIMIT_REACHED = 0, 2, 4
PEOPLE = "name,age,sex,ill\n" + "".join(
    f"Person {i // 2},{20 + i % 7},{'fm'[i % 2]},{'abc'[i % 3]}\n" for i in range(12)
)


def certificate_of(hospital):
    return json.loads((hospital.out / "certificate.json").read_text())


def result_of(hospital):
    return json.loads((hospital.out / "result.json").read_text())


def test_the_files_of_a_run_lie_beside_the_policy(hospital):
    done = hospital.run()
    assert done.code == FINE, done.err
    assert files_in(hospital.out) == [
        "certificate.json",
        "codebook.json",
        "internal",
        "internal/policy.toml",
        "internal/recoding.npz",
        "internal/report.html",
        "published.csv",
        "report.html",
        "result.json",
    ]
    assert sorted(files_in(hospital.folder))[:3] == ["data.csv", "policy-out", "policy-out/certificate.json"]
    assert (hospital.out / "internal" / "policy.toml").read_text() == hospital.policy.read_text()


def test_the_folder_can_be_chosen_and_is_made_with_its_parents(hospital):
    assert hospital.run(words=("--out", hospital.folder / "a" / "b")).code == FINE
    assert (hospital.folder / "a" / "b" / "published.csv").is_file()
    assert not hospital.out.exists()


def test_the_published_file_keeps_the_promise(hospital):
    hospital.run()
    records = records_of(hospital.published)
    assert len(records) == 12
    assert min(Counter((record["age"], record["sex"]) for record in records).values()) >= 2
    assert Counter(record["ill"] for record in records) == {"a": 4, "b": 4, "c": 4}


def test_the_result_has_the_keys_that_were_promised(hospital):
    hospital.run(algorithm='name = "mondrian"')
    result = result_of(hospital)
    assert result["model"] == "k-anonymity"
    assert result["algorithm"] == "mondrian"
    assert result["verdict"]["holds"] is True
    assert result["verdict"]["smallest"] >= 2
    assert 0 <= result["loss"]["ncp"] <= 1
    assert result["records"] == 12
    assert 0 < result["seconds"]["algorithm"] <= result["seconds"]["total"]
    assert result["peak_memory_mb"] > 10


def test_a_choice_that_was_left_to_shoal_is_explained(hospital):
    done = hospital.run()
    (reason,) = [notice for notice in done.notices if "auto took" in notice]
    assert f"auto took {result_of(hospital)['algorithm']}: LM " in reason
    assert "mondrian" in reason


def test_json_is_the_result_and_where_it_lies(hospital):
    done = hospital.run(words=("--json",))
    assert (done.code, done.err) == (FINE, "")
    notices = done.json["notices"]
    files = result_of(hospital)["files"]
    assert {**done.json, "files": files} == {
        **result_of(hospital),
        "folder": str(hospital.out),
        "notices": notices,
    }
    assert set(files) < set(files_in(hospital.out))
    assert any("'ill' is sensitive" in notice for notice in notices)


def test_results_go_to_standard_output_and_talk_to_standard_error(hospital):
    done = hospital.run()
    assert "satisfies k-anonymity with k=2 on age, sex" in done.words
    assert "holds, checked on the published file" in done.words
    assert "notice" not in done.out
    assert "policy-out/published.csv" in done.err
    assert "\x1b" not in done.out + done.err


def test_the_certificate_holds_the_claim_the_verdict_and_the_hash_but_never_the_seed(hospital):
    hospital.run(algorithm="seed = 987654321")
    certificate = certificate_of(hospital)
    assert certificate["claims"] == ["satisfies k-anonymity with k=2 on age, sex"]
    assert certificate["verdict"]["holds"] is True
    assert certificate["file"]["sha256"] == hashlib.sha256(hospital.published.read_bytes()).hexdigest()
    assert "loss" not in certificate["measures"], "it compares with the original"
    for path in ("certificate.json", "published.csv"):
        assert "987654321" not in (hospital.out / path).read_text()
        assert "seed" not in (hospital.out / path).read_text()


def test_the_certificate_holds_no_value_that_is_not_published(hospital):
    data = PATIENTS.replace("20,", "71234,").replace(",a\n", ",measles\n")
    assert hospital.run(data, privacy='model = "k-anonymity"\nk = 12').code == FINE
    published, certificate = hospital.published.read_text(), (hospital.out / "certificate.json").read_text()
    assert "71234" not in published
    assert "71234" not in certificate
    assert "measles" not in certificate


def test_identifiers_are_dropped(hospital):
    assert hospital.run(PEOPLE, {"name": NAME, **COLUMNS}).code == FINE
    assert "Person" not in hospital.published.read_text()
    assert list(records_of(hospital.published)[0]) == ["age", "sex", "ill"]
    assert "Person" not in (hospital.out / "certificate.json").read_text()


def test_pseudonyms_are_keyed(hospital):
    done = hospital.run(PEOPLE, {"name": NAME + ", pseudonym = true", **COLUMNS})
    assert done.code == FINE, done.err
    published = {record["name"] for record in records_of(hospital.published)}
    names = [f"Person {number}" for number in range(6)]
    assert len(published) == 6
    assert all(re.fullmatch("[0-9a-f]{32}", pseudonym) for pseudonym in published)
    for make in (hashlib.sha256, hashlib.sha1, hashlib.md5, hashlib.blake2b):
        plain = {make(name.encode()).hexdigest()[:32] for name in names}
        assert not plain & published
    key = (hospital.out / "internal" / "pseudonym.key").read_text().strip()
    assert len(bytes.fromhex(key)) >= 16
    assert key not in (hospital.out / "certificate.json").read_text() + hospital.published.read_text()
    assert any("ties several rows of a person together" in notice for notice in done.notices)


def test_each_run_has_a_pseudonym_key_of_its_own(hospital):
    seen = []
    for _ in range(2):
        words = ("--replace",)
        hospital.run(
            PEOPLE, {"name": NAME + ", pseudonym = true", **COLUMNS}, words=words, algorithm="seed = 1"
        )
        seen.append({record["name"] for record in records_of(hospital.published)})
    assert not seen[0] & seen[1]


def test_the_order_of_rows_does_not_come_from_the_seed(hospital):
    data = "age,sex,ill\n" + "".join(f"20,f,{i}\n" for i in range(50))
    orders = set()
    for _ in range(2):
        hospital.run(data, words=("--replace",), algorithm="seed = 1")
        orders.add(tuple(record["ill"] for record in records_of(hospital.published)))
    assert len(orders) == 2
    assert tuple(map(str, range(50))) not in orders


def test_a_kept_order_is_marked_as_not_publishable(hospital):
    data = "age,sex,ill\n" + "".join(f"20,f,{i}\n" for i in range(50))
    done = hospital.run(data, output="keep_order = true")
    assert done.code == FINE
    assert [record["ill"] for record in records_of(hospital.published)] == list(map(str, range(50)))
    assert result_of(hospital)["publishable"] is False
    assert "publishable" not in certificate_of(hospital), "no reader can check it"
    assert "publishable no" in done.words


def test_published_values_are_nodes_ranges_stars_and_empty_cells(hospital):
    data = "age,height,sex,ill\n" + "".join(
        f"{'' if i < 6 else 20 + i % 10},{150 + i},{'fm'[i % 2]},a\n" for i in range(24)
    )
    columns = {
        "age": AGE,
        "height": 'role = "quasi", kind = "number", bounds = [100, 250]',
        "sex": SEX,
        "ill": ILL,
    }
    promise, algorithm = 'model = "k-anonymity"\nk = 6', 'name = "mondrian"'
    assert hospital.run(data, columns, privacy=promise, algorithm=algorithm).code == FINE
    records = records_of(hospital.published)
    assert {record["age"] for record in records} <= {"", "20-24", "25-29", "20-29", "*"}
    assert "" in {record["age"] for record in records}
    assert all(re.fullmatch(r"\[\d+, \d+\]", record["height"]) for record in records)
    assert {record["sex"] for record in records} <= {"f", "m", "*"}
    assert "*" in {record["sex"] for record in records}


@pytest.mark.parametrize(
    "name",
    ["p.tsv", "p.parquet", "p.arrow", "p.jsonl", "p.xlsx", "p.csv.gz", "p.tsv.gz", "p.jsonl.gz"],
)
def test_every_format_can_be_published_and_verified(hospital, name):
    done = hospital.run(PATIENTS + ",f,a\n,f,a\n", output=f'path = "{name}"')
    assert done.code == FINE, done.err
    verified = shoal(
        "verify", hospital.out / name, "--policy", hospital.policy,
        "--certificate", hospital.out / "certificate.json",
    )  # fmt: skip
    assert verified.code == FINE, verified.out


def test_an_existing_folder_is_refused_without_replace_and_before_the_work(hospital):
    assert hospital.run().code == FINE
    before = hospital.published.read_bytes()
    done = hospital.run()
    assert done.code == BAD_INPUT
    assert "policy-out: exists already; add --replace" in done.errors[0]
    assert hospital.published.read_bytes() == before
    assert hospital.run(words=("--replace",)).code == FINE


def test_an_empty_folder_is_no_obstacle(hospital):
    hospital.out.mkdir()
    assert hospital.run().code == FINE


def test_a_folder_that_shoal_did_not_write_is_not_replaced(hospital):
    hospital.out.mkdir()
    (hospital.out / "thesis.doc").write_text("years of work")
    done = hospital.run(words=("--replace",))
    assert done.code == BAD_INPUT
    assert "was not written by shoal" in done.errors[0]
    assert files_in(hospital.out) == ["thesis.doc"]


def test_a_folder_with_the_data_of_the_run_is_not_replaced(hospital):
    assert hospital.run().code == FINE
    (hospital.out / "data.csv").write_text(PATIENTS)
    done = hospital.run(words=("--replace",), path="policy-out/data.csv")
    assert done.code == BAD_INPUT
    assert "data.csv, which this run reads" in done.errors[0]
    assert (hospital.out / "data.csv").exists()


def test_a_failed_replacement_leaves_the_earlier_output(hospital):
    assert hospital.run().code == FINE
    before = hospital.published.read_bytes()
    assert hospital.run(privacy='model = "k-anonymity"\nk = 100', words=("--replace",)).code == 3
    assert hospital.published.read_bytes() == before


@pytest.mark.parametrize("out", ["data.csv", "data.csv/deeper/out"])
def test_an_output_folder_that_cannot_be_written_is_refused_before_the_work(hospital, out):
    done = hospital.run(words=("--out", hospital.folder / out))
    assert done.code == BAD_INPUT
    assert out in done.errors[0]
    assert "--out" in done.errors[0]
    assert files_in(hospital.folder) == ["data.csv", "policy.toml"]


@pytest.mark.parametrize("limit", ['time_limit = "0.0001 ms"', 'memory_limit = "1 MB"'])
def test_a_limit_stops_the_search(hospital, limit):
    done = hospital.run(algorithm=limit)
    assert done.code == LIMIT_REACHED
    assert f"the {limit.split(' ')[0]} of" in done.errors[0]
    assert 'on_limit = "best"' in done.errors[0]
    assert files_in(hospital.folder) == ["data.csv", "policy.toml"]


@pytest.mark.parametrize("limit", ['time_limit = "0.0001 ms"', 'memory_limit = "1 MB"'])
def test_a_limit_of_kanon_cf_says_what_to_reduce(hospital, limit):
    done = hospital.run(algorithm=f'name = "kanon-cf"\n{limit}')
    assert done.code == LIMIT_REACHED
    assert "closed generalized records were found by then" in done.errors[0]
    assert "leave out columns, give hierarchies fewer levels, or raise k" in done.errors[0]


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if takes(name, "local_search")])
def test_a_clustering_tells_how_near_to_optimal_it_is(hospital, name):
    everybody_twice = PATIENTS + PATIENTS.removeprefix("age,sex,ill\n")
    done = hospital.run(everybody_twice, algorithm=f'name = "{name}"')
    assert done.code == FINE, done.err
    told = [notice for notice in done.notices if "is within 0 % of optimal" in notice]
    assert len(told) == 1
    figures = result_of(hospital)["figures"]
    assert (figures["lower_bound"], figures["above_best_at_most"]) == (0, 0)
    assert told[0] in (hospital.out / "internal" / "report.html").read_text()


@pytest.mark.parametrize("limit", ['time_limit = "0.0001 ms"', 'memory_limit = "1 MB"'])
def test_at_a_limit_the_best_safe_result_is_published_with_a_notice(hospital, limit):
    done = hospital.run(algorithm=f'name = "mondrian"\n{limit}\non_limit = "best"')
    assert done.code == FINE, done.err
    assert any("might have been cut further" in notice for notice in done.notices)
    records = records_of(hospital.published)
    assert min(Counter((record["age"], record["sex"]) for record in records).values()) >= 2


def test_a_subject_pseudonym_beside_sets_is_refused(hospital):
    data = "name;age;items\n" + "".join(f"p{i // 2};{20 + i // 2 % 2};a b\n" for i in range(12))
    columns = {
        "name": NAME + ", pseudonym = true",
        "age": AGE,
        "items": 'role = "quasi", kind = "set", hierarchy = { flat = true }',
    }
    privacy = 'model = "k-km-anonymity"\nk = 2\nm = 2'
    done = hospital.check(data, columns, privacy=privacy, data='subject = "name"')
    assert done.code == BAD_INPUT
    assert any("column 'name': a pseudonym of the subject ties" in problem for problem in done.errors)


KM = 'model = "km-anonymity"\nk = 2\nm = 2'


def test_published_sets_are_labels_in_order_joined_by_the_separator(hospital):
    hospital.write("codes.csv", "a;low;*\nb;low;*\nx y;high;*\nz;high;*\n")
    data = "codes\n" + "z|a\na|z\nx y|b\n\nb|x y\n" * 3
    columns = {"codes": 'role = "quasi", kind = "set", separator = "|", hierarchy = "codes.csv"'}
    done = hospital.run(data, columns, privacy=KM)
    assert done.code == FINE, done.err
    sets = Counter(record["codes"] for record in records_of(hospital.published))
    assert sets == {"a|z": 6, "b|x y": 6, "": 3}


def test_labels_of_sets_never_contain_the_separator(hospital):
    hospital.write("codes.csv", "a;low risk;*\nb;low risk;*\nc;high risk;*\n")
    columns = {"codes": 'role = "quasi", kind = "set", hierarchy = "codes.csv"'}
    done = hospital.run("codes\n" + "a c\nb c\n", columns, privacy=KM)
    assert done.code == FINE, done.err
    assert {record["codes"] for record in records_of(hospital.published)} == {"c low_risk"}
    assert any("low_risk" in notice for notice in done.notices)


def test_sets_of_one_subject_are_one_record(hospital):
    data = "name,items\n" + "".join(f"p{person},{item}\n" for person in range(4) for item in "cab")
    columns = {"name": NAME, "items": ITEMS}
    done = hospital.run(data, columns, privacy=KM, data='subject = "name"', words=("--json",))
    assert done.code == FINE, done.out
    assert done.json["records"] == 4
    assert records_of(hospital.published) == [{"items": "a b c"}] * 4
    assert any("12 rows of 4 subjects were united" in notice for notice in done.json["notices"])
    verified = shoal("verify", hospital.published, "--policy", hospital.policy)
    assert verified.code == FINE
    assert not verified.notices  # a row is a person


def test_pairs_of_id_and_item_become_sets(hospital):
    data = "who,what\n" + "".join(f"p{person},{item}\n" for person in range(4) for item in "cab")
    done = hospital.run(data, {"items": ITEMS}, privacy=KM, data='long = { id = "who", item = "what" }')
    assert done.code == FINE, done.err
    assert records_of(hospital.published) == [{"items": "a b c"}] * 4
    assert shoal("verify", hospital.published, "--policy", hospital.policy).code == FINE


def test_columns_without_a_role_can_be_dropped_or_carried(hospital):
    columns = {"age": AGE, "sex": SEX}
    assert hospital.run(columns=columns, data='others = "drop"').code == FINE
    assert list(records_of(hospital.published)[0]) == ["age", "sex"]
    assert hospital.run(columns=columns, data='others = "insensitive"', words=("--replace",)).code == FINE
    assert list(records_of(hospital.published)[0]) == ["age", "sex", "ill"]


def test_names_with_markup_and_spaces_are_only_names(hospital):
    data = PATIENTS.replace("age,sex", "[/b] age,[red]sex")
    folder = hospital.folder / "[bold]out"
    done = hospital.run(
        data, {"[/b] age": AGE, "[red]sex": SEX, "ill": ILL}, words=("--out", folder), privacy=K2
    )
    assert done.code == FINE, done.err
    assert "on [/b] age, [red]sex" in done.words
    assert list(records_of(folder / "published.csv")[0]) == ["[/b] age", "[red]sex", "ill"]
    again = hospital.run(
        data, {"[/b] age": AGE, "[red]sex": SEX, "ill": ILL}, words=("--out", folder, "--replace")
    )
    assert again.code == FINE
    assert files_in(hospital.folder)[0] == "[bold]out"


def test_levels_and_global_output_of_a_policy_are_kept(hospital):
    columns = {**COLUMNS, "age": f"{AGE}, min_level = 1, max_level = 1"}
    done = hospital.run(columns=columns, algorithm='name = "mondrian"\nseed = 1')
    assert done.code == 0, done.err
    assert {row["age"] for row in records_of(hospital.published)} <= {"20-24", "25-29"}
    assert any("a free choice of labels would lose" in notice for notice in done.notices)
    done = hospital.run(algorithm='recoding = "global"', words=("--replace",))
    assert done.code == 0, done.err
    assert any("auto took full-domain" in notice for notice in done.notices)
    assert hospital.run(algorithm='recoding = "local"').errors
    done = hospital.run(columns={**COLUMNS, "age": f"{AGE}, min_level = 3"}, words=("--replace",))
    assert done.code == 2
    assert "levels 0 to 3" in " ".join(done.errors)
    done = hospital.run(columns={**COLUMNS, "ill": 'role = "sensitive", min_level = 1'})
    assert "takes no 'min_level'" in " ".join(done.errors)
