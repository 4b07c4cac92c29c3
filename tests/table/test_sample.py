import csv
from collections import Counter
from statistics import mean

import pytest

from shoal.errors import BadInput, OutputFailed
from shoal.policy.policy_file import load_policy
from shoal.table.sample import SAMPLE_FILES, copy_sample, sample_folder
from shoal.table.sample.generate import hierarchy_lines, write_sample

POLICIES = ("table.toml", "sets.toml", "mixed.toml")


@pytest.fixture(scope="module")
def patients():
    with (sample_folder() / "patients.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def diagnoses(patients):
    return [patient["diagnoses"].split() for patient in patients]


def test_generating_again_gives_the_same_bytes(tmp_path):
    write_sample(tmp_path)
    generated = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(generated) == {"patients.csv", "diagnoses.csv", "diagnoses.txt"}
    assert generated == {name: (sample_folder() / name).read_bytes() for name in generated}


def test_the_sample_is_small_and_whole():
    assert {path.name for path in sample_folder().iterdir()} == set(SAMPLE_FILES)
    assert sum((sample_folder() / name).stat().st_size for name in SAMPLE_FILES) < 400_000


def test_figures_of_the_readme(patients, diagnoses):
    outcomes = Counter(patient["outcome"] for patient in patients)
    occurrences = Counter(code for codes in diagnoses for code in codes)
    told_apart = Counter((p["age"], p["zip"], p["sex"], p["admission"]) for p in patients)
    figures = {
        "patients": len(patients),
        "missing ages": sum(patient["age"] == "" for patient in patients),
        "missing zip codes": sum(patient["zip"] == "" for patient in patients),
        "distinct zip codes": len({patient["zip"] for patient in patients} - {""}),
        "patients unique by age, zip, sex and admission": sum(n == 1 for n in told_apart.values()),
        "patients without a diagnosis": sum(not codes for codes in diagnoses),
        "diagnoses per patient, mean": f"{mean(map(len, diagnoses)):.2f}",
        "diagnoses per patient, most": max(map(len, diagnoses)),
        "codes in the hierarchy": len(hierarchy_lines()),
        "most common code": "{} ({} patients)".format(*occurrences.most_common(1)[0]),
        "sets that only one patient has": sum(n == 1 for n in Counter(map(tuple, diagnoses)).values()),
        **{f"outcome {outcome}": count for outcome, count in outcomes.items()},
    }
    readme = (sample_folder() / "README.md").read_text(encoding="utf-8")
    assert [
        line for line in (f"| {what} | {figure} |" for what, figure in figures.items()) if line not in readme
    ] == []


def test_diversity_is_possible_and_outcomes_go_with_age(patients):
    outcomes = Counter(patient["outcome"] for patient in patients)
    assert max(outcomes.values()) < len(patients) / 2
    old = [p["outcome"] for p in patients if p["age"] and int(p["age"]) >= 65]
    young = [p["outcome"] for p in patients if p["age"] and int(p["age"]) < 65]
    assert old.count("died") / len(old) > 1.5 * young.count("died") / len(young)


def test_diagnoses_go_with_age_and_with_each_other(patients, diagnoses):
    ages = [int(patient["age"]) if patient["age"] else None for patient in patients]
    counts = {
        is_old: mean(
            len(codes)
            for age, codes in zip(ages, diagnoses, strict=True)
            if age is not None and (age >= 65) == is_old
        )
        for is_old in (False, True)
    }
    assert counts[True] > 1.3 * counts[False]
    chapters = [{code[0] for code in codes} for codes in diagnoses]
    with_metabolism = [found for found in chapters if "E" in found]
    without = [found for found in chapters if "E" not in found]
    assert mean("C" in found for found in with_metabolism) > 1.5 * mean("C" in found for found in without)


def test_diagnoses_go_with_sex(patients):
    shares = {
        sex: mean("J" in patient["diagnoses"] for patient in patients if patient["sex"] == sex)
        for sex in ("female", "male")
    }
    assert shares["male"] > 1.5 * shares["female"]


def test_the_set_file_holds_the_same_patients(diagnoses):
    lines = (sample_folder() / "diagnoses.txt").read_text(encoding="utf-8").splitlines()
    assert [line.split() for line in lines] == diagnoses


def test_the_hierarchy_is_a_tree_over_all_codes(diagnoses):
    rows = [line.split(";") for line in hierarchy_lines()]
    assert {code for codes in diagnoses for code in codes} <= {row[0] for row in rows}
    assert all(len(row) == 4 and row[-1] == "*" for row in rows)
    assert len({(row[1], row[2]) for row in rows}) == len({row[1] for row in rows})
    assert not any(" " in label for row in rows for label in row)


@pytest.mark.parametrize("name", POLICIES)
def test_policies_are_valid_and_name_columns_and_files_that_exist(name, patients):
    policy = load_policy(sample_folder() / name).policy
    known = {"items"} if name == "sets.toml" else set(patients[0])
    assert set(policy.columns) <= known
    files = [policy.data.path, *(column.hierarchy for column in policy.columns.values())]
    assert {file for file in files if isinstance(file, str)} <= set(SAMPLE_FILES)


def test_a_copy_is_complete_and_can_be_made_again(tmp_path):
    to = tmp_path / "new" / "folder"
    assert copy_sample(to) == copy_sample(to)
    assert {path.name: path.read_bytes() for path in to.iterdir()} == {
        name: (sample_folder() / name).read_bytes() for name in SAMPLE_FILES
    }


def test_a_copy_never_overwrites_what_the_user_changed(tmp_path):
    (tmp_path / "table.toml").write_text("mine")
    with pytest.raises(BadInput, match=r"table\.toml: differs from the sample's file of this name"):
        copy_sample(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["table.toml"]


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputFailed, match="the sample cannot be written here"):
        copy_sample(tmp_path / "file" / "folder")
