"""Usefulness by tasks: what models learn from a release, and which relations it keeps."""

import json
import sys

import numpy as np
import pyarrow as pa
import pytest

import shoal as sh
from shoal.errors import BadInput, MissingExtra
from shoal.metrics.tasks.features import MOST_VALUES, Chosen, column_features
from shoal.metrics.tasks.measure_task import measure_task, task_problems
from shoal.metrics.tasks.models import interval_over_splits, mean_auc
from shoal.metrics.tasks.usefulness import Task
from shoal.progress import Silent

pytestmark = pytest.mark.xdist_group("tasks")  # which share a release that takes long

COLUMNS = {
    "age": sh.Quasi(kind="number", hierarchy=sh.ranges(10, 20)),
    "town": sh.Quasi(hierarchy=sh.mask_right()),
    "tests": sh.QuasiSet(hierarchy=sh.fanout(2)),
    "weight": sh.Insensitive(confirm=True),
    "ill": sh.Sensitive(),
}
TABLE_COLUMNS = {name: role for name, role in COLUMNS.items() if name != "tests"}


def people(count=300, seed=3):
    """Who is old and from town 11 is ill more often."""
    rng = np.random.default_rng(seed)
    age, town = rng.integers(20, 80, count), rng.choice(["11", "12", "21"], count)
    weight = rng.normal(70, 9, count).round(1)
    chance = 1 / (1 + np.exp(-(age - 50) / 6 - np.where(town == "11", 1, -1)))
    ill = np.where(rng.random(count) < chance, "yes", "no")
    tests = [" ".join(sorted(rng.choice(["a", "b", "c", "d"], 2, replace=False))) for _ in range(count)]
    return pa.table({"age": age, "town": town, "tests": tests, "weight": weight, "ill": ill})


def quickly_measured(count, k, target):
    """Two splits for a release whose rows are in the order of the original."""
    data = sh.read(people(count).drop_columns(["tests"]), TABLE_COLUMNS)
    result = sh.anonymize(data, sh.KAnonymity(k), algorithm="mondrian", seed=1, keep_order=True)
    task = Task(target=target, splits=2)
    found = measure_task(task, data.local, result.released, np.arange(count), Silent())
    return found, result.frame.to_pydict()


@pytest.fixture(scope="module")
def measured():
    data = sh.read(people().drop_columns(["tests"]), TABLE_COLUMNS)
    return sh.anonymize(data, sh.KAnonymity(12), algorithm="kanon-cf", seed=1, target="ill")


def test_a_release_teaches_less_than_the_original_and_more_than_nothing(measured):
    found = measured.usefulness
    assert found.models == ("logistic", "boosting")
    for model in found.models:
        original, release, nothing = (found.score(model, of) for of in ("original", "release", "suppressed"))
        assert original.auc.mean > 0.85
        assert nothing.auc.mean + 0.1 < release.auc.mean <= original.auc.mean + 0.02
        assert release.auc.low <= release.auc.mean <= release.auc.high
        assert release.shift["auc"].mean == pytest.approx(release.auc.mean - original.auc.mean)
        assert original.shift["auc"].mean == 0
    assert found.majority == pytest.approx(
        max(np.mean(people()["ill"].to_numpy() == x) for x in ("yes", "no"))
    )


def test_relations_are_those_of_the_columns(measured):
    table, found = people(), measured.usefulness
    means = {each.name: each for each in found.means}
    assert means["age"].before == pytest.approx(np.mean(table["age"].to_numpy()))
    assert means["weight"].shift == pytest.approx(0, abs=1e-9)
    weights = table["weight"].to_numpy()
    assert means["weight"].error == pytest.approx(weights.std(ddof=1) / np.sqrt(len(weights)))
    pairs = {each.name: each for each in found.correlations}
    expected = np.corrcoef(table["age"].to_numpy(), table["weight"].to_numpy())[0, 1]
    assert pairs["age and weight"].before == pytest.approx(expected)
    town = next(each for each in found.contingencies if each.column == "town")
    cell = town.before[town.values.index("11")][town.classes.index("yes")]
    together = (table["town"].to_numpy() == "11") & (table["ill"].to_numpy() == "yes")
    assert cell == pytest.approx(together.mean())
    rows = measured.frame.select(["town", "ill"]).to_pylist()
    for value, cells in zip(town.values, town.after, strict=True):
        for name, share in zip(town.classes, cells, strict=True):
            fitting = [row["town"].rstrip("*") for row in rows if row["ill"] == name]
            covers = [sum(each.startswith(label) for each in town.values) for label in fitting]
            found_there = sum(value.startswith(x) / n for x, n in zip(fitting, covers, strict=True))
            assert share == pytest.approx(found_there / len(rows))
    moved = np.abs(np.array(town.before) - np.array(town.after)).sum() / 2
    assert town.moved == pytest.approx(moved)


def test_coefficients_are_those_of_least_squares(measured):
    table, found = people(), measured.usefulness
    of = found.explained.removeprefix("whether ill=")
    towns = table["town"].to_numpy()
    reference = max(("11", "12", "21"), key=lambda each: (towns == each).sum())
    others = [each for each in ("11", "12", "21") if each != reference]
    features = np.column_stack(
        [
            table["age"].to_numpy(),
            *(towns == each for each in others),
            table["weight"].to_numpy(),
            np.ones(300),
        ]
    )
    expected = np.linalg.lstsq(features, (table["ill"].to_numpy() == of).astype(float), rcond=None)[0]
    names = ["age", *(f"town={each}" for each in others), "weight", "constant"]
    coefficients = {each.name: each.before for each in found.coefficients}
    assert coefficients == pytest.approx(dict(zip(names, expected, strict=True)))


def test_what_is_measured_is_for_the_publisher_alone(measured, tmp_path):
    folder = measured.save(tmp_path / "out")
    inside = json.loads((folder / "internal" / "usefulness.json").read_text())
    assert inside["class_names"] == ["no", "yes"]
    told = json.loads((folder / "result.json").read_text())["usefulness"]
    assert told["target"] == "ill"
    assert told["splits"] == 5
    assert "yes" not in json.dumps(told)
    assert "predicting ill" in (folder / "internal" / "report.html").read_text()
    for public in ("report.html", "certificate.json", "codebook.json"):
        assert "predict" not in (folder / public).read_text()


def test_labels_are_shared_out_among_what_they_cover():
    data = sh.read(people(40), COLUMNS)
    result = sh.anonymize(data, sh.KKmAnonymity(k=4, m=1), algorithm="rfirst", seed=1)
    rows = np.arange(40)
    features = {
        each.column: each for each in column_features(data.local, result.released, Chosen(rows, rows))
    }
    labels = result.frame.to_pydict()
    for row, label in enumerate(labels["town"]):
        towns = [name.removeprefix("town=") for name in features["town"].names]
        covered = [town for town in towns if label == town or town.startswith(label.rstrip("*"))]
        expected = [(town in covered) / len(covered) for town in towns]
        assert features["town"].released[row].tolist() == pytest.approx(expected)
    assert features["age"].original[:, 0].tolist() == people(40)["age"].to_pylist()
    items = [name.removeprefix("tests=") for name in features["tests"].names]
    for row, text in enumerate(people(40)["tests"].to_pylist()):
        assert features["tests"].original[row].tolist() == [item in text.split() for item in items]
    assert ((features["tests"].released >= 0) & (features["tests"].released <= 1)).all()


def test_many_values_go_together_by_their_tree_or_by_rarity():
    codes = [f"{number:03}" for number in range(200)]
    table = pa.table({"code": codes * 2, "name": [f"n{i % 100}" for i in range(300)] + ["often"] * 100})
    roles = {"code": sh.Quasi(hierarchy=sh.mask_right()), "name": sh.Insensitive(confirm=True)}
    data = sh.read(table, roles)
    rows = np.arange(400)
    code, name = column_features(data.local, data.original, Chosen(rows, rows))
    assert code.names == tuple(f"code={number:02}*" for number in range(20))
    assert len(name.names) == MOST_VALUES
    assert "name=often" in name.names
    assert (name.original.sum(axis=1) == 1).all()


@pytest.mark.parametrize("target", ["age", "weight"])
def test_a_number_is_predicted_as_above_its_middle_or_not(target):
    found, _ = quickly_measured(120, 3, target)
    middle = np.median(people(120)[target].to_numpy())
    assert found.classes == (f"at most {middle:g}", f"above {middle:g}")


def test_a_generalized_target_is_learned_where_it_is_told():
    found, published = quickly_measured(200, 20, "town")
    assert found.classes == ("11", "12", "21")
    whole = sum(len(label.rstrip("*")) == 2 for label in published["town"])
    assert found.published == whole


def test_a_sample_is_drawn_of_many_records():
    data = sh.read(people(400).drop_columns(["tests"]), TABLE_COLUMNS)
    told = []

    class Listening(Silent):
        def update(self, done, total=None, note=""):  # noqa: ARG002
            told.append((done, total))

    task = Task(target="ill", records=150, splits=2)
    found = measure_task(task, data.local, data.original, np.arange(400), Listening())
    assert (found.records, found.of_records) == (150, 400)
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4)]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("tests", "holds sets"),
        ("il", "did you mean 'ill'"),
        ("same", "one value only"),
        ("name", "models tell at most 20 apart"),
    ],
)
def test_what_cannot_be_predicted_is_said_before_the_search(target, words):
    table = people(60).append_column("same", [["x"] * 60])
    table = table.append_column("name", [[f"n{number}" for number in range(60)]])
    more = {"same": sh.Insensitive(), "name": sh.Insensitive(confirm=True)}
    data = sh.read(table, {**COLUMNS, **more})
    with pytest.raises(BadInput, match=words):
        sh.anonymize(data, sh.KKmAnonymity(k=2, m=1), algorithm="rfirst", target=target)


def test_releases_without_records_are_refused():
    data = sh.read(people(60).select(["tests"]), {"tests": sh.QuasiSet()})
    with pytest.raises(BadInput, match="models are trained on records"):
        sh.anonymize(data, sh.Disassociation(k=2, m=1), target="tests")


def test_the_extra_is_named(monkeypatch):
    data = sh.read(people(60), COLUMNS)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtra, match=r"shoal\[ml\]"):
        task_problems(Task(target="ill"), data.local)


def test_intervals_are_corrected_for_shared_records():
    found = interval_over_splits([0.8, 0.9], 1 / 3)
    assert found.mean == pytest.approx(0.85)
    error = np.sqrt(0.005 * (1 / 2 + 1 / 2))
    assert found.high - found.mean == pytest.approx(12.706 * error, rel=1e-4)


def test_auc_is_the_share_of_pairs_in_order():
    rng = np.random.default_rng(1)
    chances, classes = rng.random((30, 3)).round(1), rng.integers(0, 3, 30)
    expected = []
    for each in range(3):
        pairs = [
            (one > other) + (one == other) / 2
            for one in chances[classes == each, each]
            for other in chances[classes != each, each]
        ]
        expected.append(np.mean(pairs))
    assert mean_auc(chances, classes) == pytest.approx(np.mean(expected))
