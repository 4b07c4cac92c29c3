"""The pages name every key, model and field that there is, and their examples work."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from shoal.algorithms.catalogue import ALGORITHMS
from shoal.algorithms.parameters import AS_PRINTED, parameters_of
from shoal.policy.policy_file import (
    MODEL_NAMES,
    RECIPES,
    AlgorithmSection,
    ColumnSection,
    DataSection,
    HierarchySection,
    OutputSection,
    PrivacySection,
    parse_policy,
)
from shoal.privacy.catalogue import MODELS
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.report.certificate import certificate
from shoal.report.result_file import result_dict
from tests.report.outcomes import stated, visits

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def headings(text: str) -> set[str]:
    return set(re.findall(r"^#+ (.+)$", text, re.MULTILINE))


@pytest.mark.parametrize("model", sorted({*MODELS, *MODEL_NAMES}))
def test_every_model_says_what_it_promises(model):
    assert model in headings(page("what-a-release-promises.md"))


@pytest.mark.parametrize(
    "section",
    [DataSection, ColumnSection, PrivacySection, AlgorithmSection, OutputSection],
    ids=lambda section: section.__name__,
)
def test_every_key_of_a_policy_is_documented(section):
    text = page("policy-file.md")
    for key in section.model_fields:
        assert f"`{key}`" in text, key


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_addition_that_as_printed_leaves_out_is_documented(name):
    (table,) = re.findall(r"### As its paper prints it\n(.*?)\n## ", page("policy-file.md"), re.DOTALL)
    rows = [row for row in table.splitlines() if row.startswith("| ") and f"`{name}`" in row.split("|")[1]]
    declared = parameters_of(ALGORITHMS[name])
    assert len(rows) == sum(each.name == AS_PRINTED for each in declared)
    for each in declared:
        assert each.printed is None or f"`{each.name}" in rows[0], each.name


def test_every_recipe_of_a_hierarchy_is_documented():
    text = page("policy-file.md")
    for recipe in (*RECIPES, *HierarchySection.model_fields):
        assert re.search(rf"[{{,] {recipe} =", text), recipe


def test_every_model_of_a_policy_is_documented():
    for model in MODEL_NAMES:
        assert f'`"{model}"`' in page("policy-file.md")


def test_the_example_policy_is_one():
    (example,) = re.findall(r"```toml\n(.*?)```", page("policy-file.md"), re.DOTALL)
    assert parse_policy(example).privacy.k == 5


def test_the_example_of_a_table_with_sets_is_a_policy_and_its_options_are_all():
    text = page("tables-with-sets.md")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    algorithm = parse_policy(example).algorithm
    assert algorithm.name == "rmerge-rt"
    for option in fields(ALGORITHMS[algorithm.name]):
        assert f"| `{option.name}` |" in text, option.name
    for name, served in ALGORITHMS.items():
        assert KKmAnonymity not in served.serves or f"`{name}`" in text, name


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_is_said_to_run_on_spark_or_not(name):
    (table,) = re.findall(r"## What runs there\n(.*?)\nEvery result", page("spark.md"), re.DOTALL)
    (refused,) = [line for line in table.splitlines() if "refused, with the list" in line]
    family = f"{name.partition('-')[0]}-*"
    told = table.replace(refused, "") if ALGORITHMS[name].distributed else refused
    assert re.search(rf"(?<![\w-])({re.escape(name)}|{re.escape(family)})(?![\w-])", told, re.IGNORECASE)


def test_every_key_of_certificate_and_result_is_documented(tmp_path):
    published = tmp_path / "published.csv"
    published.touch()
    text = page("formats.md")
    for key in (*certificate(stated(visits()), published), *result_dict(visits())):
        assert f"`{key}`" in text, key


def test_the_examples_of_disassociated_data_are_json():
    examples = re.findall(r"```json\n(.*?)\n```", page("formats.md"), re.DOTALL)
    assert [json.loads(example)["size"] for example in examples] == [5, 10]


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.name)
def test_links_lead_somewhere(file):
    for target in re.findall(r"\]\(([^)#]+)", file.read_text(encoding="utf-8")):
        assert (file.parent / target).exists(), target


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.name)
def test_data_are_never_called_anonymous(file):
    text = file.read_text(encoding="utf-8").replace('never calls data "anonymous"', "")
    assert not re.search(r"\banonymous\b", text, re.IGNORECASE)
