"""An untouched release is never refused by its own certificate."""

import random
from fractions import Fraction

import pyarrow as pa
import pytest

import shoal as sh
from shoal.errors import BadInput, InvalidParameter
from shoal.run.verification import verify_certified

QUICK = {
    sh.KmAnonymity: "aa",
    sh.SetKAnonymity: "partition",
    sh.Disassociation: "disassociation",
}


def baskets():
    rng = random.Random(0)
    secrets = ["hiv"] * 8 + ["flu"] * 8 + [None] * 64
    return pa.table({"items": [[*rng.sample("abc", 2), *([s] if s else [])] for s in secrets]})


@pytest.mark.parametrize("secret", [("flu", "hiv"), ("hiv", "flu"), ("hiv", "never there"), ("never",)])
@pytest.mark.parametrize(
    "models",
    [
        (sh.KmAnonymity(k=5, m=2), sh.LmDiversity(l=2, m=2)),
        (sh.KmAnonymity(k=5, m=2), sh.LmDiversity(l=Fraction(7, 3), m=2)),
        (sh.SetKAnonymity(k=3), sh.SetLDiversity(l=2)),
        (sh.Disassociation(k=5, m=2, l=2),),
    ],
    ids=str,
)
def test_sensitive_items_in_any_order_and_any_number_for_l(tmp_path, secret, models):
    role = sh.QuasiSet(hierarchy=sh.flat(), sensitive=secret)
    data = sh.read(baskets(), {"items": role})
    result = sh.anonymize(data, models, algorithm=QUICK[type(models[0])], seed=1)
    out = result.save(tmp_path / "out")
    checked = verify_certified(out / result.default_name, out / "certificate.json")
    assert checked.holds, checked.disagreements


@pytest.mark.parametrize("date_format", ["%d.%m.%Y", "%Y-%d-%m", "%m/%d/%Y"])
def test_sensitive_dates_in_another_format_are_published_and_read_as_iso_days(tmp_path, date_format):
    import datetime

    days = [datetime.date(2020, 1 + i % 12, 1 + i % 28) for i in range(60)]
    frame = pa.table({"age": [20 + i % 5 for i in range(60)], "day": [f"{d:{date_format}}" for d in days]})
    roles = {
        "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5)),
        "day": sh.Sensitive(kind="date", date_format=date_format),
    }
    models = (sh.KAnonymity(k=3), sh.TCloseness(t=0.9, distance="ordered"))
    result = sh.anonymize(sh.read(frame, roles), models, algorithm="mondrian")
    out = result.save(tmp_path / "out")
    assert verify_certified(out / "published.csv", out / "certificate.json").holds
    first, second = sh.verify(out / "published.csv", roles, models)
    assert first.holds
    assert second.holds


def test_dates_are_compared_as_days_whatever_the_original_was_written_like(tmp_path):
    near = "".join(f"A,2020-01-{i:02}\n" for i in range(1, 13))
    far = "".join(f"B,2020-12-{i:02}\n" for i in range(1, 13))
    (tmp_path / "p.csv").write_text("age,day\n" + near + far)
    for date_format in (None, "%Y-%d-%m"):
        roles = {
            "age": sh.Quasi(hierarchy=sh.flat()),
            "day": sh.Sensitive(kind="date", date_format=date_format),
        }
        models = (sh.KAnonymity(k=5), sh.TCloseness(t=0.2, distance="ordered"))
        assert not sh.verify(tmp_path / "p.csv", roles, models)[1].holds


def test_the_certificate_tells_nothing_of_records_that_were_left_out(tmp_path):
    rows = [(20 + i % 3, "1234") for i in range(60)] + [(90, "9999"), (77, "7777")]
    frame = pa.table({"age": [age for age, _ in rows], "zip": [code for _, code in rows]})
    fewer = frame.slice(0, 60)
    roles = {
        "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10)),
        "zip": sh.Quasi(hierarchy=sh.mask_right()),
    }
    told = []
    for index, each in enumerate((frame, fewer)):
        result = sh.anonymize(
            sh.read(each, roles),
            sh.KAnonymity(k=5),
            algorithm="full-domain",
            suppression=0.2,
            keep_order=True,
        )
        out = result.save(tmp_path / str(index))
        told.append(((out / "published.csv").read_text(), (out / "certificate.json").read_text()))
    (one, certificate_one), (other, certificate_other) = told
    assert one == other, "both publish the same rows"
    assert certificate_one == certificate_other


def test_a_column_whose_name_holds_a_delimiter_is_found_again(tmp_path):
    (tmp_path / "p.tsv").write_text("x,y\na,b\na,b\na,b\n")
    assert sh.verify(tmp_path / "p.tsv", {"x,y": sh.Quasi(hierarchy=sh.flat())}, sh.KAnonymity(k=3))[0].holds
    (tmp_path / "p.csv").write_text("x;y\na;b\na;b\na;b\n")
    roles = {"x": sh.Quasi(hierarchy=sh.flat()), "y": sh.Quasi(hierarchy=sh.flat())}
    assert sh.verify(tmp_path / "p.csv", roles, sh.KAnonymity(k=3))[0].holds, "as others save it"


def test_absence_is_no_fact_where_items_have_counts():
    data = sh.read(
        pa.table({"items": [["a", "a"], ["a"]] * 10}),
        {"items": sh.QuasiSet(hierarchy=sh.flat(), multiset=True)},
    )
    with pytest.raises(BadInput, match="facts of absence"):
        sh.anonymize(data, sh.KmAnonymity(k=2, m=1, negative=True), algorithm="aa")


@pytest.mark.parametrize("separator", [None, True, 1.5, "", []])
def test_a_separator_is_a_text(separator):
    with pytest.raises(InvalidParameter, match="separator"):
        sh.QuasiSet(separator=separator)
