"""`shoal apply`: an earlier decision for another file; what is refused is said, and nothing is written."""

from collections import Counter

import pytest

from tests.cli.commands import AGE, COLUMNS, PATIENTS, SEX, Hospital, files_in, records_of, shoal

LATER = "age,sex,ill\n" + "".join(f"{20 + i % 7},{'fm'[i % 2]},{'abc'[i % 3]}\n" for i in range(24))


def classes(*files):
    return Counter((row["age"], row["sex"]) for file in files for row in records_of(file))


@pytest.fixture
def run(hospital: Hospital) -> Hospital:
    assert hospital.run().code == 0
    hospital.write("later.csv", LATER)
    return hospital


def apply(hospital: Hospital, *words: object, data: str = "later.csv", recoding: object = None):
    return shoal(
        "apply", recoding or hospital.out, hospital.folder / data, "--out", hospital.folder / "later", *words
    )


def test_another_file_is_published_by_an_earlier_decision(run):
    done = apply(run, "--together-with", run.out)
    assert done.code == 0, done.err
    published = run.folder / "later" / "published.csv"
    assert min(classes(published).values()) >= 2
    assert min(classes(published, run.published).values()) >= 2
    assert set(files_in(run.folder / "later")) == set(files_in(run.out))
    assert any("together with the earlier release" in notice for notice in done.notices)
    assert shoal("verify", published, "--policy", run.policy).code == 0
    certificate = run.folder / "later" / "certificate.json"
    assert shoal("verify", published, "--certificate", certificate).code == 0


def test_a_file_of_a_recoding_and_a_policy_do_as_well(run):
    (run.folder / "decisions").mkdir()
    moved = run.write("decisions/first.npz", (run.out / "internal" / "recoding.npz").read_bytes())
    done = apply(run, "--json", recoding=moved)
    assert done.code == 2
    assert "--policy" in done.json["error"]["message"]
    done = apply(run, "--policy", run.policy, "--json", recoding=moved)
    assert done.code == 0
    assert done.json["figures"]["left_out"] == 24 - done.json["published_records"]
    assert done.json["algorithm"] == "an earlier recoding"


def test_it_does_not_overwrite_unless_asked(run):
    assert apply(run).code == 0
    assert apply(run).code == 2
    assert apply(run, "--replace").code == 0
    done = shoal("apply", run.out, run.folder / "later.csv", "--out", run.out, "--replace")
    assert done.code == 2
    assert run.published.exists()


def test_suppressing_shows_records_that_fit_nowhere_as_stars(run):
    run.write("odd.csv", LATER + "71,f,a\n" * 3)
    assert apply(run, "--misfits", "suppress", data="odd.csv").code == 0
    assert classes(run.folder / "later" / "published.csv")["*", "*"] == 3
    assert apply(run, "--replace", data="odd.csv").code == 0
    assert ("*", "*") not in classes(run.folder / "later" / "published.csv")
    assert apply(run, "--replace", "--misfits", "forget").code == 2


BAD_FILES = {
    "nothing fits": ("age,sex,ill\n" + "71,f,a\n" * 5, 3, "none of the 5 records"),
    "another column": ("age,gender,ill\n" + "20,f,a\n" * 5, 2, "sex"),
    "a column more": ("age,sex,ill,zip\n" + "20,f,a,1\n" * 5, 2, "zip"),
    "another separator": ("age|sex|ill\n" + "20|f|a\n" * 5, 2, "age"),
    "no numbers": ("age,sex,ill\n" + "young,f,a\n" * 5, 2, "age"),
    "empty": ("", 2, "later.csv"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_data_are_refused_and_nothing_is_written(run, case):
    content, code, word = BAD_FILES[case]
    run.write("later.csv", content)
    done = apply(run, "--policy", run.write_policy(data='delimiter = ","'))
    assert done.code == code, done.err
    assert word in " ".join(done.errors)
    assert not (run.folder / "later").exists()


def test_damaged_recodings_are_refused_and_nothing_is_written(run):
    content = (run.out / "internal" / "recoding.npz").read_bytes()
    for name, damaged in {"short": content[:-50], "empty": b"", "other": b"age,sex\n1,f\n"}.items():
        path = run.write(f"{name}.npz", damaged)
        done = apply(run, "--policy", run.policy, recoding=path)
        assert done.code == 2
        assert f"{name}.npz" in " ".join(done.errors)
    done = apply(run, "--policy", run.policy, recoding=run.folder / "nowhere.npz")
    assert done.code == 2
    assert not (run.folder / "later").exists()


def test_another_promise_or_role_is_refused(run):
    policy = run.write_policy(privacy='model = "k-anonymity"\nk = 3')
    done = apply(run, "--policy", policy)
    assert done.code == 2
    assert "decided for k-anonymity (k=2), and the policy says k-anonymity (k=3)" in " ".join(done.errors)
    done = apply(run, "--policy", run.write_policy({**COLUMNS, "sex": 'role = "insensitive"'}))
    assert done.code == 2
    assert "column 'sex'" in " ".join(done.errors)
    assert not (run.folder / "later").exists()


def test_an_earlier_release_that_is_none_is_refused(run):
    for words in (("--together-with", run.folder), ("--together-with", run.folder / "nowhere.csv")):
        assert apply(run, *words).code == 2
    alone = run.write("alone.csv", "age,sex,ill\n20,f,a\n21,m,b\n")
    done = apply(run, "--together-with", alone)
    assert done.code == 1
    assert "earlier release does not keep the promise" in " ".join(done.errors)
    assert not (run.folder / "later").exists()


def test_a_copied_policy_that_lost_its_hierarchies_asks_for_the_policy(hospital):
    hospital.write("sex.csv", "f,*\nm,*\n")
    columns = {**COLUMNS, "age": AGE, "sex": SEX.replace("{ flat = true }", '"sex.csv"')}
    assert hospital.run(PATIENTS, columns).code == 0
    hospital.write("later.csv", LATER)
    done = apply(hospital)
    assert done.code == 2
    assert "--policy" in " ".join(done.errors)
    assert apply(hospital, "--policy", hospital.policy).code == 0
