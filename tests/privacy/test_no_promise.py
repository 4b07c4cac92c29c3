"""Parameters by which nothing would be promised are refused, and weak ones are told."""

import pyarrow as pa
import pytest

import shoal as sh
from shoal.errors import InvalidParameter, NoPromise
from shoal.privacy.promise import Promise


@pytest.mark.parametrize(
    "promised",
    [
        lambda: sh.KAnonymity(1),
        lambda: sh.KmAnonymity(1, 2),
        lambda: sh.KKmAnonymity(1, 2),
        lambda: sh.KLmDiversity(1, 2, 2),
        lambda: sh.SetKAnonymity(1),
        lambda: sh.AlphaKAnonymity(0.5, 1),
        lambda: sh.Disassociation(1, 2),
    ],
)
def test_k_of_1(promised):
    with pytest.raises(NoPromise, match="k = 1 promises nothing: every record may be alone; use 5 or more"):
        promised()


@pytest.mark.parametrize(
    "promised",
    [
        lambda: sh.LDiversity(1),
        lambda: sh.LDiversity(1.0, "entropy"),
        lambda: sh.LDiversity(1, "distinct"),
        lambda: sh.LDiversity(1, "recursive", 2),
        lambda: sh.LmDiversity(1, 2),
        lambda: sh.KLmDiversity(2, 1, 2),
        lambda: sh.SetLDiversity(1),
        lambda: sh.Disassociation(2, 2, 1),
    ],
)
def test_l_of_1(promised):
    with pytest.raises(NoPromise, match=r"l = 1(\.0)? promises nothing: .*; use 2 or more"):
        promised()


def test_shares_and_distances_of_1():
    with pytest.raises(NoPromise, match="t = 1 promises nothing: nothing is farther apart than 1"):
        sh.TCloseness(1)
    with pytest.raises(NoPromise, match=r"alpha = 1\.0 promises nothing"):
        sh.AlphaKAnonymity(1.0, 5)
    for value in (1.5, True):
        with pytest.raises(InvalidParameter, match="t must be a number above 0 and below 1"):
            sh.TCloseness(value)


def test_k_of_2_is_told():
    (notice,) = Promise.of(sh.KAnonymity(2)).notices
    assert notice.startswith("k = 2 hides each person behind one other")
    assert Promise.of(sh.KAnonymity(3)).notices == ()
    data = sh.read(pa.table({"age": [1, 1, 2, 2]}), {"age": sh.Quasi(kind="number")})
    assert notice in sh.anonymize(data, sh.KAnonymity(2)).notices
