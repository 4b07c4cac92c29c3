"""Counts of Adult from its release alone, where the file is at hand: SHOAL_DATA names its folder."""

import duckdb
import pandas as pd
import pytest

import counting
import shoal as sh
from measuring.tables import DATA, frame
from shoal.study.convert import SQL, convert_release

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (DATA / "adult.csv.gz").exists(), reason="adult.csv.gz is not there: set SHOAL_DATA"
    ),
]
OF_SQL = f"""
    SELECT band.low AS age, value AS education, "{counting.INCOME}",
           sum(share * share_between(age_lower, age_behind, band.low, band.high)) AS expected,
           count(*) FILTER (share = 1 AND age_lower >= band.low AND age_behind <= band.high) AS lower,
           count(*) FILTER (share_between(age_lower, age_behind, band.low, band.high) > 0
                            OR age_lower IS NULL) AS upper
    FROM release JOIN education_values ON education_values.label = release.education
    CROSS JOIN (SELECT unnest({counting.ENDS[:-1]}) AS low, unnest({counting.ENDS[1:]}) AS high) AS band
    GROUP BY ALL
"""


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """Eight columns are generalized; the publisher says that readers count by two of them."""
    data = sh.read(frame("adult"), counting.columns(10), options=sh.ReadOptions(others="drop"))
    result = sh.anonymize(data, sh.KAnonymity(10), algorithm="kanon-cf", seed=1)
    return result.save(tmp_path_factory.mktemp("adult") / "release")


def assert_near(counted: pd.DataFrame) -> None:
    large = counting.original_cells()
    assert len(large) > 20
    found = counted.loc[large.index]
    assert ((found["lower"] <= large) & (large <= found["upper"])).all()
    assert ((found["expected"] - large).abs() <= 0.03 * large).all()


def test_incomes_by_age_and_education_are_within_three_percent(release):
    assert_near(counting.counted_cells(sh.open_release(release)))


def test_so_they_are_in_sql(release, monkeypatch):
    convert_release(release, SQL, release / "release.sql")
    monkeypatch.chdir(release)
    with duckdb.connect() as connection:
        connection.execute((release / "release.sql").read_text())
        counted = connection.sql(OF_SQL).df()
    assert_near(counted.set_index(["age", "education", counting.INCOME]))
