"""`shoal run` from Python, and objects that show themselves in a few words."""

import io

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal as sh
from tests.cli.commands import PATIENTS, Hospital, files_in

LONGEST = 200


@pytest.fixture
def hospital(tmp_path):
    hospital = Hospital(tmp_path)
    hospital.write("data.csv", PATIENTS)
    hospital.write_policy(algorithm='name = "mondrian"')
    return hospital


def test_a_policy_is_run_with_other_data_and_values(hospital):
    frame = pd.read_csv(io.StringIO(PATIENTS)).head(8)
    result = sh.run_policy(hospital.policy, data=frame, settings={"privacy.k": 3}, out=hospital.out)
    assert result.outcome.cost.records == 8
    assert result.models == (sh.KAnonymity(k=3),)
    assert isinstance(result.frame, pd.DataFrame)
    assert (hospital.out / "published.csv").is_file()
    with pytest.raises(sh.BadInput, match="exists already"):
        sh.run_policy(hospital.policy, out=hospital.out)
    assert sh.run_policy(hospital.policy, out=hospital.out, replace=True).outcome.cost.records == 12


FRAMES = {
    "pandas": (lambda frame: frame, pd.DataFrame, pd.DataFrame),
    "polars": (pl.from_pandas, pl.DataFrame, pl.DataFrame),
    "pyarrow": (pa.Table.from_pandas, pa.Table, pd.DataFrame),
    "duckdb": (duckdb.from_df, pa.Table, pd.DataFrame),
}


@pytest.mark.parametrize("library", FRAMES)
def test_frames_of_all_libraries_are_looked_at_released_and_asked(hospital, library):
    made, given, counted = FRAMES[library]
    frame = made(pd.read_csv(io.StringIO(PATIENTS)))
    looked_at = [column.name for column in sh.profile(frame).columns]
    assert looked_at == ["age", "sex", "ill"]
    result = sh.run_policy(hospital.policy, data=frame)
    assert isinstance(result.frame, given)
    answer = sh.query(result, where={"ill": "a"})
    assert isinstance(answer, counted)
    assert (answer["lower"][0], answer["upper"][0]) == (4, 4)
    assert sh.query(result, by="ill", library="pyarrow")["lower"].to_pylist() == [4, 4, 4]


def test_without_a_folder_nothing_is_written(hospital):
    sh.run_policy(str(hospital.policy), data=hospital.folder / "data.csv")
    assert files_in(hospital.folder) == ["data.csv", "policy.toml"]


def test_a_setting_that_no_policy_has_is_refused(hospital):
    with pytest.raises(sh.BadInput, match=r"privacy\.kk: unknown key 'kk'"):
        sh.run_policy(hospital.policy, settings={"privacy.kk": 3})


def test_objects_show_themselves_in_a_few_words(hospital):
    result = sh.run_policy(hospital.policy)
    data = result.data
    shown = [
        result, data, data.local, data.local.table, data.local.trees["age"], result.recoding, result.released,
        result.outcome, sh.profile(hospital.folder / "data.csv"), *data.local.table.columns.values(),
        sh.open_release(result.save(hospital.out)),
    ]  # fmt: skip
    assert not [each for each in map(repr, shown) if len(each) > LONGEST]
    assert repr(data) == "<Data: 12 records; quasi age, sex; sensitive ill>"
    assert len(result._repr_html_()) < 200_000


@pytest.mark.parametrize("role", [sh.Quasi, sh.Sensitive])
def test_kinds_are_called_by_their_names(role):
    assert role(kind="number") == role(kind=sh.Quasi(kind="number").kind)
    with pytest.raises(sh.InvalidParameter, match="kind must be"):
        role(kind="colour")
