"""A DataFrame is looked at as a frame in memory is."""

import pytest

import shoal as sh
from shoal.errors import BadInput
from tests.study.real_files import visits


@pytest.fixture(scope="module")
def seen(spark):
    table = visits()
    frame = spark.createDataFrame(table.to_pandas())
    return sh.profile(table), sh.profile(frame), frame


def test_columns_are_the_same(seen):
    local, far, _ = seen
    told = [
        [(c.name, c.kind, c.role, c.distinct, c.missing, c.unique_share, c.date_format) for c in each.columns]
        for each in (local, far)
    ]
    assert told[0] == told[1]
    assert (far.records, far.subject, far.missing) == (local.records, local.subject, local.missing)
    assert far.uniqueness[0] == local.uniqueness[0]


def test_a_column_that_looks_personal_is_refused(seen):
    *_, frame = seen
    roles = {"age": sh.Quasi(hierarchy=sh.flat()), "email": sh.Insensitive()}
    data = sh.read(frame.select("age", "email"), roles)
    with pytest.raises(BadInput, match="looks like e-mail addresses"):
        sh.anonymize(data, sh.KAnonymity(5))
