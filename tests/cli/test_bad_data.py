"""Bad data: every row of the specification of bad input, and more; each has its message and exit code."""

import gzip

import pytest

from tests.cli.commands import AGE, COLUMNS, ILL, ITEMS, PATIENTS, SEX, files_in, records_of, shoal

BAD_INPUT, INFEASIBLE = 2, 3
SETS = 'model = "km-anonymity"\nk = 2\nm = 2'


@pytest.fixture
def refused(hospital):
    """Run something that must be refused with one message, leave no output, and be refused by check too."""

    def run(*args, code=BAD_INPUT, check=True, **kwargs):
        done = hospital.run(*args, **kwargs)
        assert (done.code, done.out) == (code, ""), done.err
        assert not hospital.out.exists()
        assert not [name for name in files_in(hospital.folder) if "partial" in name]
        if check:
            assert hospital.check(*args, **kwargs).code == code
        return done.errors

    return run


def test_k_above_the_number_of_records_names_the_number_and_the_largest_k(refused):
    (problem,) = refused(privacy='model = "k-anonymity"\nk = 13', code=INFEASIBLE)
    assert "k=13 cannot be met" in problem
    assert "only 12 records" in problem
    assert "k can be at most 12" in problem


@pytest.mark.parametrize("content", ["age,sex,ill\n", "age,sex,ill", "age,sex,ill\n\n\n"])
def test_a_header_alone_is_refused(refused, content):
    (problem,) = refused(content)
    assert "data.csv" in problem
    assert "holds no records" in problem


def test_an_empty_file_is_refused(refused):
    (problem,) = refused("")
    assert "data.csv: is empty" in problem


def test_an_empty_compressed_file_is_refused(refused, hospital):
    hospital.write("data.csv.gz", gzip.compress(b""))
    (problem,) = refused(path="data.csv.gz")
    assert "is empty" in problem


def test_all_values_that_the_hierarchy_lacks_are_listed_with_counts_and_nearest_labels(refused, hospital):
    hospital.write("sexes.csv", "female;*\nmale;*\n")
    data = "age,sex,ill\n" + "20,femal,a\n" * 3 + "20,mael,b\n" * 2 + "20,female,a\n20,x,a\n"
    columns = {**COLUMNS, "sex": 'role = "quasi", hierarchy = "sexes.csv"'}
    problems = refused(data, columns)
    assert "column 'sex': 3 values in 6 cells are not in the hierarchy" in problems[0]
    assert all(word in problems[0] for word in ("add them", '"root"', '"suppress"'))
    of_value = {value: p for p in problems[1:] for value in ("femal", "mael", "x") if f"value '{value}'" in p}
    assert "stands in 3 rows; it resembles 'female'" in of_value["femal"]
    assert "stands in 2 rows; it resembles 'male'" in of_value["mael"]
    assert "stands in 1 row" in of_value["x"]
    assert len(problems) == 4


@pytest.mark.parametrize(("rule", "published"), [("root", {"f", "m", "*"}), ("suppress", {"f", "*"})])
def test_unknown_values_are_kept_under_the_root_or_suppressed_when_asked(hospital, rule, published):
    hospital.write("sexes.csv", "f;*\n")
    done = hospital.run(
        columns={**COLUMNS, "sex": f'role = "quasi", hierarchy = "sexes.csv", unknown = "{rule}"'}
    )
    assert done.code == 0, done.err
    assert any("1 value in 6 cells that the hierarchy lacks" in notice for notice in done.notices)
    assert {record["sex"] for record in records_of(hospital.published)} <= published


def test_all_problems_of_a_hierarchy_are_listed_with_their_lines(refused, hospital):
    hospital.write("sexes.csv", "f;x;*\nm;x\nf;y;*\n")
    problems = refused(columns={**COLUMNS, "sex": 'role = "quasi", hierarchy = "sexes.csv"'})
    ragged, two_parents = sorted(problems)
    assert "sexes.csv:2" in ragged
    assert "2 columns where others have 3" in ragged
    assert "sexes.csv:3" in two_parents
    assert "'f' has two parents, 'x' (line 1) and 'y'" in two_parents


def test_a_missing_hierarchy_file_is_named(refused):
    (problem,) = refused(columns={**COLUMNS, "sex": 'role = "quasi", hierarchy = "sexes.csv"'})
    assert "sexes.csv" in problem
    assert "No such file" in problem


def test_a_missing_value_is_a_value_of_its_own(hospital):
    done = hospital.run(PATIENTS + ",f,a\n,m,b\n")
    assert done.code == 0, done.err
    assert [record["age"] for record in records_of(hospital.published)].count("") in (0, 2)


def test_missing_values_are_refused_when_asked_with_their_lines(refused):
    columns = {**COLUMNS, "age": AGE + ', missing = "reject"'}
    (problem,) = refused(PATIENTS + ",f,a\n?,m,b\n", columns, data='missing = ["?"]')
    assert "data.csv:14" in problem
    assert "column 'age'" in problem
    assert "lines 14, 15" in problem
    assert 'missing = "own"' in problem


def test_a_category_without_a_hierarchy_is_refused_when_the_policy_is_read(refused):
    (problem,) = refused(None, {**COLUMNS, "sex": 'role = "quasi"'}, check=False)
    assert "policy.toml" in problem
    assert "column 'sex'" in problem
    assert "needs a hierarchy" in problem


def test_a_sensitive_column_that_nothing_protects_is_a_warning(hospital):
    done = hospital.run()
    assert done.code == 0
    assert any("'ill' is sensitive, but nothing is promised" in notice for notice in done.notices)
    checked = hospital.check(words=("--json",))
    assert any("'ill' is sensitive" in notice for notice in checked.json["notices"])


def test_a_protected_sensitive_column_is_no_warning(hospital):
    done = hospital.run(privacy='model = "k-anonymity"\nk = 2\nl = 1.5')
    assert done.code == 0
    assert not any("sensitive" in notice for notice in done.notices)


def test_what_many_quasi_identifiers_cost_is_estimated_before_the_run(hospital):
    names = [f"q{number}" for number in range(80)]
    rows = ["".join(f"{(row * column) % 5}," for column in range(80))[:-1] for row in range(50)]
    hospital.write("data.csv", ",".join(names) + "\n" + "\n".join(rows) + "\n")
    done = hospital.check(None, dict.fromkeys(names, SEX), words=("--json",))
    assert done.code == 0, done.out
    assert done.json["records"] == 50
    assert len(done.json["columns"]) == 80
    assert 0 < done.json["estimated_seconds"] < 60
    assert done.json["estimated_memory_mb"] > 0


def test_empty_sets_are_records_and_repeated_items_count_once_with_a_notice(hospital):
    hospital.write("data.txt", "a a b\nb a\n\na b b\n\n")
    policy = {"columns": {"items": ITEMS}, "privacy": SETS, "path": "data.txt"}
    done = hospital.run(None, **policy, output='path = "published.txt"')
    assert done.code == 0, done.err
    assert sorted((hospital.out / "published.txt").read_text().splitlines()) == ["", "", "a b", "a b", "a b"]
    assert any("column 'items': repeated items were counted once, in 2 rows" in n for n in done.notices)
    assert any("in 2 rows" in notice for notice in hospital.check(None, **policy).notices)


def test_repeated_items_of_a_published_file_do_not_hide(hospital):
    done = hospital.verify("a a b\na b\na b\n", {"items": ITEMS}, name="sets.txt", privacy=SETS)
    assert done.code == 1, done.out
    assert "fewer than k=2" in done.words


@pytest.mark.parametrize("command", ["run", "check"])
def test_an_item_that_contains_the_separator_is_refused(hospital, command):
    hospital.write("data.jsonl", '{"items": ["a b", "c"]}\n{"items": ["a b", "c"]}\n')
    done = hospital.run(None, {"items": ITEMS}, privacy=SETS, path="data.jsonl", command=command)
    assert done.code == BAD_INPUT
    (problem,) = done.errors
    assert "data.jsonl, column 'items', value 'a b'" in problem
    assert "contains the separator ' '" in problem
    assert "choose a separator" in problem


@pytest.mark.parametrize("hierarchy", ["{ flat = true }", '{ mask = "right" }'])
def test_a_suppressed_cell_of_an_earlier_release_is_not_taken_for_a_value(refused, hierarchy):
    columns = {**COLUMNS, "sex": f'role = "quasi", hierarchy = {hierarchy}'}
    (problem,) = refused(PATIENTS + "20,*,a\n20,*,a\n", columns)
    assert "column 'sex', value '*'" in problem
    assert "also the label of the tree's root" in problem
    assert "missing values" in problem


def test_suppressed_cells_of_an_earlier_release_can_stay_suppressed(hospital):
    hospital.write("sexes.csv", "f;*\nm;*\n")
    columns = {**COLUMNS, "sex": 'role = "quasi", hierarchy = "sexes.csv", unknown = "suppress"'}
    assert hospital.run(PATIENTS + "20,*,a\n20,*,a\n", columns).code == 0
    assert [record["sex"] for record in records_of(hospital.published)].count("*") >= 2


def test_a_suppressed_cell_is_no_number(refused):
    (problem,) = refused(PATIENTS + "*,f,a\n")
    assert "data.csv:14, column 'age', value '*': is not a number" in problem


def test_a_published_file_can_be_verified_and_profiled_again(hospital):
    assert hospital.run(PATIENTS, {**COLUMNS, "age": SEX, "ill": ILL}).code == 0
    assert "*" in {record["age"] for record in records_of(hospital.published)}
    assert shoal("verify", hospital.published, "--policy", hospital.policy).code == 0
    assert shoal("profile", hospital.published).code == 0


def test_a_column_that_is_not_there_is_named_with_the_nearest(refused):
    problems = refused(columns={"agee": AGE, "sex": SEX, "ill": ILL})
    assert any("column 'agee'" in p and "did you mean 'age'?" in p for p in problems)
    assert any("columns without a role: 'age'" in p and 'others = "insensitive"' in p for p in problems)


def test_binary_junk_is_refused(refused):
    (problem,) = refused(bytes(range(256)) * 40)
    assert "data.csv" in problem
    assert "not text" in problem


@pytest.mark.parametrize(
    "ending",
    ["tsv", "txt", "dat", "jsonl", "json", "parquet", "arrow", "feather", "xlsx", "csv.gz", "txt.gz"],
)
@pytest.mark.parametrize(
    "junk", [bytes(range(256)) * 4, b"PK\x03\x04" + bytes(60), b"\x1f\x8b\x08junk", b"PAR1"]
)
def test_junk_is_refused_in_every_format(hospital, ending, junk):
    hospital.write(f"data.{ending}", junk)
    done = shoal("profile", hospital.folder / f"data.{ending}")
    assert done.code == BAD_INPUT, (done.out, done.err)
    assert f"data.{ending}" in done.errors[0]


def test_a_file_with_an_unknown_ending_is_refused(hospital):
    done = shoal("profile", hospital.write("data.doc", "a,b\n1,2\n"))
    assert done.code == BAD_INPUT
    assert "cannot tell the format" in done.errors[0]


@pytest.mark.parametrize("name", ["data.csv", "data"])
def test_a_folder_is_no_file(refused, hospital, name):
    (hospital.folder / name).mkdir()
    (problem,) = refused(None, path=name)
    assert f"{name}: holds no files" in problem


def test_a_missing_file_is_named(refused):
    (problem,) = refused(None, path="nowhere/data.csv")
    assert "data.csv: does not exist" in problem


@pytest.mark.parametrize(
    ("line", "place", "what"),
    [("30,f\n", "data.csv:14", "2 cells where the header has 3"), ('30,"f,a\n', "data.csv:14", "quote")],
)
def test_broken_lines_are_refused_with_their_number(refused, line, place, what):
    (problem,) = refused(PATIENTS + line)
    assert place in problem
    assert what in problem


def test_two_columns_of_one_name_are_refused(refused):
    (problem,) = refused(PATIENTS.replace("age,sex", "sex,sex"))
    assert "several columns named 'sex'" in problem


@pytest.mark.parametrize(("kind", "value"), [("number", "about 20"), ("date", "2024-02-30")])
def test_values_of_another_kind_are_refused_with_their_lines(refused, kind, value):
    data = f"age\n{'20' if kind == 'number' else '2024-02-28'}\n{value}\n"
    (problem,) = refused(data, {"age": f'role = "quasi", kind = "{kind}"'})
    assert f"data.csv:3, column 'age', value '{value}': is not a {kind}" in problem


def test_an_insensitive_column_that_tells_records_apart_must_be_confirmed(refused, hospital):
    data = "age,sex,note\n" + "".join(f"{20 + i % 7},f,n{i % 7}\n" for i in range(12))
    columns = {"age": AGE, "sex": SEX, "note": 'role = "insensitive"'}
    (problem,) = refused(data, columns)
    assert "column 'note'" in problem
    assert "7 distinct values, more than records / k = 6" in problem
    assert "confirm = true" in problem
    done = hospital.run(data, {**columns, "note": 'role = "insensitive", confirm = true'})
    assert done.code == 0, done.err
    assert {record["note"] for record in records_of(hospital.published)} == {f"n{i}" for i in range(7)}


def test_a_silent_column_need_not_be_confirmed(hospital):
    data = "age,sex,note\n" + "".join(f"{20 + i % 7},f,n{i % 6}\n" for i in range(12))
    assert hospital.run(data, {"age": AGE, "sex": SEX, "note": 'role = "insensitive"'}).code == 0


def test_lists_that_nobody_looked_at_must_be_confirmed(hospital):
    lines = "".join(f'{{"age": {20 + i % 2}, "sex": "f", "tags": ["t{i}"]}}\n' for i in range(12))
    hospital.write("data.jsonl", lines)
    columns = {"age": AGE, "sex": SEX, "tags": 'role = "insensitive"'}
    done = hospital.run(None, columns, path="data.jsonl")
    assert done.code == BAD_INPUT
    assert "column 'tags'" in done.errors[0]
    confirmed = {**columns, "tags": 'role = "insensitive", confirm = true'}
    done = hospital.run(None, confirmed, path="data.jsonl")
    assert done.code == BAD_INPUT
    assert "column 'tags': holds lists, which .csv files hold only as texts; give it a sep" in done.errors[0]
    joined = {**columns, "tags": 'role = "insensitive", confirm = true, separator = "|"'}
    assert hospital.run(None, joined, path="data.jsonl").code == 0
    assert (
        hospital.run(
            None, confirmed, path="data.jsonl", output='path = "published.parquet"', words=("--replace",)
        ).code
        == 0
    )


@pytest.mark.parametrize(
    ("extra", "figure"),
    [
        ("l = 4", "the table's own diversity is 3, so l can be at most 3"),
        ('l = 4\ndiversity = "distinct"', "l can be at most 3"),
        ('l = 3.5\ndiversity = "entropy"', "l can be at most 3"),
        ("alpha = 0.25", "the table's own highest share is 0.333333"),
    ],
)
def test_an_impossible_diversity_names_what_the_table_itself_has(refused, extra, figure):
    (problem,) = refused(privacy=f'model = "k-anonymity"\nk = 2\n{extra}', code=INFEASIBLE)
    assert figure in problem
    assert "column ill" in problem
