"""Columns that are published untouched: one rule in run and verify, and what they tell together."""

import pyarrow as pa
import pytest

import shoal as sh
from shoal.errors import BadInput
from shoal.run.published_file import AS_PUBLISHED, verified_file
from shoal.run.safety import lost_columns_notices, together_notices

QUASI = {"age": sh.Quasi(hierarchy=sh.flat())}


def frame(**untouched):
    count = len(next(iter(untouched.values())))
    return pa.table({"age": ["20-29", "30-39"] * (count // 2), **untouched})


def roles(*names, confirm=False, reason=""):
    return {**QUASI, **{name: sh.Insensitive(confirm=confirm, reason=reason) for name in names}}


@pytest.mark.parametrize("distinct", [2, 12, 13, 30, 52, 60])
def test_run_and_verify_draw_the_line_at_the_same_number_of_values(distinct):
    table = frame(note=[str(i % distinct) for i in range(60)])
    (verdict,) = sh.verify(table, roles("note"), sh.KAnonymity(k=5))
    data = sh.read(table, roles("note"))
    if distinct > 60 / 5:
        assert not verdict.holds
        assert "'note' is published untouched" in verdict.evidence
        with pytest.raises(BadInput, match="more than records / k = 12"):
            sh.anonymize(data, sh.KAnonymity(k=5))
    else:
        assert verdict.holds
        assert sh.anonymize(data, sh.KAnonymity(k=5)).verdict.holds
    assert sh.verify(table, roles("note", confirm=True, reason="invented"), sh.KAnonymity(k=5))[0].holds


def test_a_confirmed_column_is_certified_as_what_it_is(tmp_path):
    table = frame(note=[str(i) for i in range(60)])
    result = sh.anonymize(sh.read(table, roles("note", confirm=True, reason="invented")), sh.KAnonymity(k=5))
    text = (result.save(tmp_path / "out") / "certificate.json").read_text()
    assert '"tells_apart": true' in text


TOGETHER = frame(
    a=[str(i % 10) for i in range(100)],
    b=[str(i // 10) for i in range(100)],
    c=["x", "y"] * 50,
    d=["same"] * 100,
)


def test_the_smallest_combinations_that_tell_records_apart_are_told():
    data = sh.read(TOGETHER, roles(*"abcd")).local
    told = together_notices(data, 5)
    assert told[0].startswith("'a' and 'b' are published untouched, and together they tell records apart")
    assert "they have 100 combinations" in told[0]
    assert "100 of 100 records are alone with theirs" in told[0]
    assert len(told) == 1, "'b' and 'c' have 20 combinations, as many as classes of 5 could be"
    assert len(together_notices(data, 6)) == 2
    assert together_notices(sh.read(TOGETHER, roles(*"abcd")).local, 1) == []
    harmless = TOGETHER.select(["age", "c", "d"])
    assert together_notices(sh.read(harmless, roles("c", "d")).local, 5) == []


def test_both_run_and_verify_tell_them():
    result = sh.anonymize(sh.read(TOGETHER, roles(*"abcd")), sh.KAnonymity(k=5))
    assert any("'a' and 'b' are published untouched" in notice for notice in result.notices)
    checked = verified_file(result.frame, roles(*"abcd"), result.models, AS_PUBLISHED)
    assert any("'a' and 'b' are published untouched" in notice for notice in checked.notices)
    assert checked.verdicts[0].holds, "it is told, not refused"


def test_columns_that_tell_only_all_together_are_told():
    bits = {f"b{bit}": [str(i >> bit & 1) for i in range(64)] for bit in range(6)}
    (told,) = together_notices(sh.read(frame(**bits), roles(*bits)).local, 2)
    assert told.startswith("'b0', 'b1', 'b2', 'b3', 'b4' and 'b5' are published untouched")
    assert "64 of 64 records are alone" in told


def test_a_column_of_which_nothing_is_left_is_told():
    losses = {"age": {"ncp": 1.0}, "sex": {"ncp": 0.4}, "items": {"ncp": 1.0, "ul": 0.9}}
    (notice,) = lost_columns_notices(losses)
    assert notice.startswith("nothing is left of columns 'age', 'items'")
    assert lost_columns_notices({"sex": {"ncp": 0.999}}) == ()
    assert "column 'age':" in lost_columns_notices({"age": {"ncp": 1.0}})[0]
