"""`import shoal as sh`: what Python users do, with the frames of their choice."""

import contextlib
import io
import json
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal as sh
from shoal.errors import BadInput, CannotVerify, Infeasible, InvalidParameter, LimitReached, UnknownName
from shoal.privacy.verdict import Verdicts
from shoal.table.sample import sample_folder

README = Path(__file__).parents[2] / "README.md"
RECORDS = {
    "name": [f"Person {i}" for i in range(12)],
    "age": [20 + i % 7 for i in range(12)],
    "sex": ["fm"[i % 2] for i in range(12)],
    "ill": ["abc"[i % 3] for i in range(12)],
    "ward": [1.5 * (i % 2) for i in range(12)],
}
COLUMNS = {
    "name": sh.Identifier(),
    "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10)),
    "sex": sh.Quasi(hierarchy=sh.flat()),
    "ill": sh.Sensitive(),
    "ward": sh.Insensitive(),
}
FRAMES = {
    "pandas": lambda: pd.DataFrame(RECORDS, index=[7 * i % 12 for i in range(12)]),
    "polars": lambda: pl.DataFrame(RECORDS),
    "pyarrow": lambda: pa.table(RECORDS),
}


def rows_of(frame) -> list[tuple]:
    if isinstance(frame, pa.Table):
        return [tuple(row.values()) for row in frame.to_pylist()]
    return list(frame.itertuples(index=False, name=None)) if isinstance(frame, pd.DataFrame) else frame.rows()


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_the_same_kind_of_frame_comes_back(make):
    frame = make()
    result = sh.anonymize(sh.read(frame, COLUMNS), sh.KAnonymity(k=2), seed=7)
    assert type(result.frame) is type(frame)
    rows = rows_of(result.frame)
    assert Counter(row[2:] for row in rows) == Counter(zip(RECORDS["ill"], RECORDS["ward"], strict=True))
    assert min(Counter(row[:2] for row in rows).values()) >= 2
    assert result.verdict.holds
    assert result.verdict.smallest >= 2
    assert 0 <= result.loss["ncp"] <= 1


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_the_input_stays_as_it_is(make):
    frame, untouched = make(), make()
    sh.anonymize(sh.read(frame, COLUMNS), sh.KAnonymity(k=2))
    assert frame.equals(untouched)


def test_a_pandas_frame_has_a_fresh_index_and_other_columns_their_types():
    result = sh.anonymize(sh.read(FRAMES["pandas"](), COLUMNS), sh.KAnonymity(k=2))
    assert list(result.frame.index) == list(range(12))
    assert list(result.frame.columns) == ["age", "sex", "ill", "ward"]
    assert result.frame["ward"].dtype == "float64"


def test_values_that_stay_single_keep_their_type():
    frame = pd.DataFrame({"age": [20, 20, 30, 30], "ill": list("abab")})
    columns = {"age": sh.Quasi(kind="number"), "ill": sh.Sensitive()}
    result = sh.anonymize(sh.read(frame, columns), sh.KAnonymity(k=2))
    assert sorted(result.frame["age"]) in (["20", "20", "30", "30"], [20, 20, 30, 30])


def test_a_file_gives_an_arrow_table(tmp_path):
    pd.DataFrame(RECORDS).to_csv(tmp_path / "data.csv", index=False)
    result = sh.anonymize(sh.read(tmp_path / "data.csv", COLUMNS), sh.KAnonymity(k=2))
    assert isinstance(result.frame, pa.Table)
    assert sh.read(str(tmp_path / "data.csv"), COLUMNS).row_count == 12


def test_a_result_is_saved_as_the_files_of_a_run(tmp_path):
    data = sh.read(pd.DataFrame(RECORDS), COLUMNS)
    result = sh.anonymize(data, [sh.KAnonymity(k=2), sh.LDiversity(l=1.5)])
    folder = result.save(tmp_path / "out")
    assert not (folder / "internal" / "policy.toml").exists()  # there was none
    assert json.loads((folder / "certificate.json").read_text())["verdict"]["holds"] is True
    assert (folder / "internal" / "report.html").stat().st_size > 1000
    verdicts = sh.verify(folder / "published.csv", COLUMNS, result.models)
    assert [verdict.holds for verdict in verdicts] == [True, True]
    with pytest.raises(BadInput, match="exists already"):
        result.save(tmp_path / "out")
    result.save(tmp_path / "out", replace=True)


@pytest.mark.parametrize("name", ["../x.csv", "certificate.json", "x.doc", ""])
def test_a_published_file_has_a_plain_name(tmp_path, name):
    result = sh.anonymize(sh.read(pd.DataFrame(RECORDS), COLUMNS), sh.KAnonymity(k=2))
    with pytest.raises(BadInput, match="published file"):
        result.save(tmp_path / "out", published=name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_frames_are_verified(make):
    result = sh.anonymize(sh.read(make(), COLUMNS), sh.KAnonymity(k=2))
    (verdict,) = sh.verify(result.frame, COLUMNS, sh.KAnonymity(k=2))
    assert verdict.holds
    (verdict,) = sh.verify(result.frame, COLUMNS, sh.KAnonymity(k=13))
    assert not verdict.holds
    assert verdict.witness.row_count == verdict.smallest


def test_an_identifier_in_a_frame_breaks_the_promise():
    (verdict,) = sh.verify(pd.DataFrame({**RECORDS, "age": 1, "sex": "f"}), COLUMNS, sh.KAnonymity(k=2))
    assert not verdict.holds
    assert "'name', which should have been dropped" in verdict.evidence


@pytest.mark.parametrize("index", [None, [0, 2, 1, 3, 4]], ids=["plain index", "shuffled index"])
def test_a_unique_record_with_a_missing_value_is_found(index):
    """pycanon reports k = 2 for this table: its grouping drops the record with the missing value."""
    frame = pd.DataFrame({"age": ["30", "30", "40", "40", None]}, index=index)
    (verdict,) = sh.verify(frame, {"age": sh.Quasi()}, sh.KAnonymity(k=2))
    assert (verdict.holds, verdict.smallest) == (False, 1)
    assert verdict.witness.rows == (5,)
    assert verdict.wildcard["holds"] is True


@pytest.mark.parametrize("index", [None, [0, 2, 1, 3]], ids=["plain index", "shuffled index"])
def test_a_class_with_one_sensitive_value_is_found(index):
    """pycanon reports l = 2 for the shuffled table: it takes labels of the index for positions."""
    frame = pd.DataFrame(
        {"age": ["30", "30", "40", "40"], "ill": ["flu", "flu", "cold", "cold"]}, index=index
    )
    roles = {"age": sh.Quasi(), "ill": sh.Sensitive()}
    (verdict,) = sh.verify(frame, roles, sh.LDiversity(l=2, kind="distinct"))
    assert not verdict.holds
    assert verdict.witness.rows == (1, 2)


def test_differential_privacy_cannot_be_verified():
    with pytest.raises(CannotVerify):
        sh.verify(pd.DataFrame(RECORDS), COLUMNS, sh.DifferentialPrivacy(epsilon=1))


def test_disassociated_files_are_verified(tmp_path):
    file = tmp_path / "clusters.jsonl"
    file.write_text('{"size": 2, "chunks": [], "terms": ["x"]}\n')
    (verdict,) = sh.verify(str(file), {"items": sh.QuasiSet()}, sh.Disassociation(k=2, m=2))
    assert verdict.holds
    with pytest.raises(BadInput, match="not a table"):
        sh.verify(pd.DataFrame(RECORDS), {"items": sh.QuasiSet()}, sh.Disassociation(k=2, m=2))


def test_a_hierarchy_can_be_given_as_a_path(tmp_path):
    (tmp_path / "sexes.csv").write_text("f;*\nm;*\n")
    for path in (tmp_path / "sexes.csv", str(tmp_path / "sexes.csv")):
        columns = {**COLUMNS, "sex": sh.Quasi(hierarchy=path)}
        assert sh.anonymize(sh.read(pd.DataFrame(RECORDS), columns), sh.KAnonymity(k=2)).verdict.holds


def test_sets_of_frames_come_back_as_lists():
    frame = pl.DataFrame({"items": [["b", "a", "a"], ["a", "b"], [], []]})
    data = sh.read(frame, {"items": sh.QuasiSet(hierarchy=sh.flat())})
    assert any("repeated items were counted once, in 1 row" in notice for notice in data.notices)
    result = sh.anonymize(data, sh.KmAnonymity(k=2, m=2))
    assert sorted(result.frame["items"].to_list()) == [[], [], ["a", "b"], ["a", "b"]]


def test_a_seed_repeats_the_decision_but_not_the_order():
    data = sh.read(pd.DataFrame({**RECORDS, "ward": 1}), COLUMNS)
    results = [sh.anonymize(data, sh.KAnonymity(k=3), seed=7) for _ in range(2)]
    first, second = (rows_of(result.frame) for result in results)
    assert sorted(first) == sorted(second)
    assert all(result.outcome.claim.publishable for result in results)
    reproducible = [sh.anonymize(data, sh.KAnonymity(k=3), seed=7, reproducible=True) for _ in range(2)]
    assert rows_of(reproducible[0].frame) == rows_of(reproducible[1].frame)
    assert not any(result.outcome.claim.publishable for result in reproducible)


def test_people_are_counted_when_a_subject_is_named():
    frame = pd.DataFrame({**RECORDS, "name": [f"p{i // 3}" for i in range(12)]})
    data = sh.read(frame, COLUMNS, subject="name")
    with pytest.raises(Infeasible, match="only 4 people, so k can be at most 4"):
        sh.anonymize(data, sh.KAnonymity(k=5))
    result = sh.anonymize(data, sh.KAnonymity(k=2))
    assert result.outcome.claim.people.subjects == 4
    assert result.outcome.claim.people.smallest >= 2


@pytest.mark.parametrize(
    "role", ["quasi", sh.Quasi, None, {"role": "quasi"}], ids=["word", "class", "nothing", "dictionary"]
)
def test_what_is_no_role_is_refused(role):
    with pytest.raises(InvalidParameter, match="'age' must be a role"):
        sh.read(pd.DataFrame(RECORDS), {**COLUMNS, "age": role})
    with pytest.raises(InvalidParameter, match="'age' must be a role"):
        sh.verify(pd.DataFrame(RECORDS), {**COLUMNS, "age": role}, sh.KAnonymity(k=2))


@pytest.mark.parametrize("models", [[], "k-anonymity", sh.KAnonymity, [sh.KAnonymity(k=2), 5], None])
def test_what_is_no_model_is_refused(models):
    data = sh.read(pd.DataFrame(RECORDS), COLUMNS)
    with pytest.raises(InvalidParameter, match="models must be"):
        sh.anonymize(data, models)
    with pytest.raises(InvalidParameter, match="models must be"):
        sh.verify(pd.DataFrame(RECORDS), COLUMNS, models)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"K": 10}, UnknownName),
        ({"algorithm": "mondrain"}, UnknownName),
        ({"mode": "loose"}, InvalidParameter),
        ({"seed": -1}, InvalidParameter),
        ({"seed": 1.5}, InvalidParameter),
        ({"time_limit": 0}, InvalidParameter),
        ({"time_limit": float("nan")}, InvalidParameter),
        ({"memory_limit": -1}, InvalidParameter),
        ({"on_limit": "sometimes"}, InvalidParameter),
        ({"time_limit": 1e-9}, LimitReached),
    ],
)
def test_bad_options_are_refused(options, error):
    data = sh.read(pd.DataFrame(RECORDS), COLUMNS)
    with pytest.raises(error):
        sh.anonymize(data, sh.KAnonymity(k=2), **options)


def test_what_was_not_read_cannot_be_anonymized():
    with pytest.raises(InvalidParameter, match="what `read` gives"):
        sh.anonymize(pd.DataFrame(RECORDS), sh.KAnonymity(k=2))


@pytest.mark.parametrize(
    "models",
    [
        sh.LDiversity(l=2),
        sh.TCloseness(t=0.5),
        [sh.LDiversity(l=1.5), sh.KAnonymity(k=2)],
        sh.KAnonymity(k=2),
    ],
)
def test_no_model_of_single_values_lets_sets_pass(models):
    frame = pd.DataFrame({"age": [1, 1], "items": ["a", "b"], "ill": ["x", "y"]})
    columns = {
        "age": sh.Quasi(kind="number"),
        "items": sh.QuasiSet(hierarchy=sh.flat()),
        "ill": sh.Sensitive(),
    }
    with pytest.raises(BadInput, match="does not cover the set column 'items'"):
        sh.anonymize(sh.read(frame, columns), models)


def test_two_one_sided_models_do_not_cover_both_kinds_together():
    frame = pd.DataFrame({"age": [1, 1], "items": ["a", "a"]})
    columns = {"age": sh.Quasi(kind="number"), "items": sh.QuasiSet(hierarchy=sh.flat())}
    with pytest.raises(BadInput) as caught:
        sh.anonymize(sh.read(frame, columns), [sh.KAnonymity(k=2), sh.KmAnonymity(k=2, m=1)])
    assert len(caught.value.problems) == 2


def test_every_refusal_is_one_family():
    with pytest.raises(sh.ShoalError):
        sh.read("nowhere.csv", COLUMNS)
    with pytest.raises(sh.ShoalError):
        sh.anonymize(sh.read(pd.DataFrame(RECORDS), COLUMNS), sh.KAnonymity(k=99))


def test_the_example_of_the_readme_runs(tmp_path, monkeypatch):
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "patients.csv").write_bytes((sample_folder() / "patients.csv").read_bytes())
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(example, str(README), "exec"), {})  # noqa: S102 - it is our own
    assert "classes" in printed.getvalue()
    assert (tmp_path / "out" / "published.csv").is_file()


def test_suppressed_records_are_left_out_where_diversity_is_promised():
    """Rows of stars hide each other, but all of them have the same sensitive value: a star."""
    frame = pd.DataFrame({"x": ["red"] * 6 + ["a", "b", "c"], "ill": list("uvuvuvuvw")})
    data = sh.read(frame, {"x": sh.Quasi(hierarchy=sh.flat()), "ill": sh.Sensitive()})
    options = {"algorithm": "full-domain", "suppression": 0.4}
    plain = sh.anonymize(data, sh.KAnonymity(k=2), **options)
    assert Counter(plain.frame["x"]) == {"red": 6, "*": 3}
    diverse = sh.anonymize(data, [sh.KAnonymity(k=2), sh.LDiversity(l=2)], **options)
    assert Counter(diverse.frame["x"]) == {"red": 6}
    assert diverse.verdict.holds


def test_several_verdicts_are_true_only_if_all_hold():
    frame = pd.DataFrame({"age": ["20-29"] * 3})
    roles = {"age": sh.Quasi()}
    assert sh.verify(frame, roles, sh.KAnonymity(k=3))
    assert not sh.verify(frame, roles, sh.KAnonymity(k=4))
    assert not Verdicts()
