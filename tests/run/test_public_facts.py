"""What may go out with a published file tells nothing that the file does not."""

import csv
import io
import json
import re
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import pytest

import shoal as sh
from shoal.errors import PromiseBroken
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import load_policy
from shoal.run.release import run
from tests.quick_sample import copy_quick_sample
from tests.report.reading import Page

pytestmark = pytest.mark.xdist_group("public facts")  # which share runs that take long


@dataclass(frozen=True)
class Sample:
    """A release of the bundled sample: the original's values by column, the published text, the report."""

    original: dict[str, set[str]]
    identifiers: set[str]
    published: str
    report: str

    @property
    def embedded(self) -> dict[str, dict]:
        (block,) = [text for attributes, text in Page(self.report).scripts if attributes.get("type")]
        return json.loads(block)


def patients(folder: Path) -> tuple[dict[str, set[str]], set[str]]:
    rows = list(csv.DictReader(io.StringIO((folder / "patients.csv").read_text(encoding="utf-8"))))
    values = {name: {row[name] for row in rows} - {""} for name in rows[0]}
    values["diagnoses"] = {item for row in rows for item in row["diagnoses"].split()}
    return values, values.pop("name")


@pytest.fixture(scope="module", params=["table", "sets", "mixed", "chunks"], name="sample")
def released_sample(request, tmp_path_factory) -> Sample:
    folder = tmp_path_factory.mktemp("sample") / "sample"
    copy_quick_sample(folder)
    original, identifiers = patients(folder)
    if request.param == "chunks":
        data = sh.read(folder / "diagnoses.txt", {"items": sh.QuasiSet()})
        out = sh.anonymize(data, sh.Disassociation(5, 2)).save(folder / "out")
        published = out / "published.jsonl"
    else:
        plan = plan_of(load_policy(folder / f"{request.param}.toml"))
        out = run(plan).save(folder / "out", published=plan.output_path)
        published = out / plan.output_path
    return Sample(
        original,
        identifiers,
        published.read_text(encoding="utf-8"),
        (out / "report.html").read_text(encoding="utf-8"),
    )


def texts_in(value: object) -> set[str]:
    if isinstance(value, dict):
        return set().union(*(texts_in(part) for part in value.values()), set())
    if isinstance(value, list):
        return set().union(*map(texts_in, value), set())
    return {value} if isinstance(value, str) else set()


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[^\s\"',;:|()\[\]{}<>…]+", text))


def test_embedded_data_hold_no_value_of_the_original_that_was_not_published(sample):
    embedded = {word for text in texts_in(sample.embedded) for word in (text, *words_of(text))}
    held = words_of(sample.published) | set(re.split(r"[,\n]", sample.published))
    for column, values in sample.original.items():
        hidden = values - held
        if column == "age":  # a number of records can be the number of somebody's years: look at labels only
            assert hidden & {row[0] for name in sample.embedded for row in labels(sample, name)} == set()
        else:
            assert hidden & embedded == set(), column


def labels(sample: Sample, name: str) -> list[list]:
    return sample.embedded[name]["rows"] if name.startswith("column-") else []


def test_what_people_read_holds_no_such_value_either(sample):
    seen = words_of(Page(sample.report).text)
    held = words_of(sample.published) | set(re.split(r"[,\n]", sample.published))
    for column in sample.original.keys() - {"age"}:
        found = (sample.original[column] - held) & seen
        assert not [value for value in found if not ends_a_month(value)], column


def ends_a_month(value: str) -> bool:
    """Whether a value can stand on the page because a published period begins or ends so."""
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return False
    return 1 in (day.day, (day + timedelta(days=1)).day)


def test_no_identifier_is_found_anywhere(sample):
    names = {part for name in sample.identifiers for part in (name, *name.split()) if len(part) >= 4}
    assert len(names) > 1000
    assert [name for name in names if name in sample.report] == []


def test_every_label_that_is_drawn_stands_in_the_file(sample):
    drawn = [row for name in sample.embedded for row in labels(sample, name)]
    assert drawn
    assert [label for label, _ in drawn if label not in sample.published] == []


def test_sensitive_items_that_are_not_in_the_file_are_not_named(tmp_path):
    tmp_path.joinpath("b.txt").write_text("a b\n" * 6 + "a s\n" * 2 + "a\n" * 4)
    role = sh.QuasiSet(sensitive=("s", "hivpositive"))
    data = sh.read(tmp_path / "b.txt", {"items": role})
    for model, name in (
        ([sh.KmAnonymity(2, 1), sh.LmDiversity(2, 1)], "published.csv"),
        (sh.Disassociation(2, 2, 2), "published.jsonl"),
    ):
        algorithm = "auto" if name.endswith("jsonl") else "pcta"
        out = sh.anonymize(data, model, algorithm=algorithm).save(tmp_path / name[-5:])
        report = (out / "report.html").read_text(encoding="utf-8")
        assert "hivpositive" not in report
        assert "for s" in report


def test_a_file_with_nothing_in_common_with_its_promise_is_not_written(tmp_path, monkeypatch):
    tmp_path.joinpath("t.csv").write_text("age\n" + "30\n" * 4)
    data = sh.read(tmp_path / "t.csv", {"age": sh.Quasi(kind="number")})
    result = sh.anonymize(data, sh.KAnonymity(2))
    broken = "age\n30\n31\n"
    monkeypatch.setattr("shoal.run.result.write_table", lambda _, file, *_form: file.write_text(broken))
    with pytest.raises(PromiseBroken, match="the written file does not keep its promise"):
        result.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()
