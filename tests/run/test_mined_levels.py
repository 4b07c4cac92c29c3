"""ML2, dML2 and tKd-ML2 reach whoever runs: result.json, the report, and comparisons."""

import json

import pytest

import shoal as sh
from tests.cli.commands import shoal

BASKETS = "milk bread\nmilk beer\nbread\nbeer wine\nmilk bread beer\nwine\n" * 4
# Uneven: bread is a leaf just below the root, the drinks are one and two levels deeper.
TREE = "bread;*\nmilk;drink;*\nbeer;alcohol;drink;*\nwine;alcohol;drink;*\n"
OF_LEVELS = {"ml2", "dml2", "tkd_ml2"}


@pytest.fixture
def house(tmp_path):
    (tmp_path / "baskets.txt").write_text(BASKETS, encoding="utf-8")
    (tmp_path / "tree.csv").write_text(TREE, encoding="utf-8")
    return tmp_path


def data_of(house, tree="tree.csv"):
    role = sh.QuasiSet(hierarchy=None if tree is None else house / tree)
    return sh.read(house / "baskets.txt", {"items": role})


@pytest.mark.parametrize("algorithm", ["aa", "lra", "vpa", "itemwise", "hghs"])
def test_every_release_of_generalized_items_tells_what_a_miner_of_its_levels_misses(house, algorithm):
    losses = sh.anonymize(data_of(house), sh.KmAnonymity(9, 2), algorithm=algorithm).outcome.cost.losses
    assert {"ml2", "tkd_ml2"} <= set(losses)
    assert ("dml2" in losses) == (losses["ml2"] > 0)
    assert 0 <= losses["ml2"] <= 1


def test_items_without_a_tree_have_no_levels(house):
    result = sh.anonymize(data_of(house, None), sh.KmAnonymity(9, 2), algorithm="pcta")
    assert not OF_LEVELS & set(result.outcome.cost.losses)


def test_chunks_are_compared_over_the_levels_of_a_tree_if_there_is_one(house):
    with_tree = sh.anonymize(data_of(house), sh.Disassociation(3, 2)).outcome.cost.losses
    without = sh.anonymize(data_of(house, None), sh.Disassociation(3, 2)).outcome.cost.losses
    assert set(with_tree) - set(without) == {"tkd_ml2"}


def test_they_stand_in_result_json_in_the_report_and_in_comparisons(house):
    policy = house / "policy.toml"
    policy.write_text(
        '[data]\npath = "baskets.txt"\n[columns]\n'
        'items = { role = "quasi", kind = "set", hierarchy = "tree.csv" }\n'
        '[privacy]\nmodel = "km-anonymity"\nk = 9\nm = 2\n[algorithm]\nname = "aa"\n'
        '[output]\npath = "published.txt"\n',
        encoding="utf-8",
    )
    done = shoal("run", policy, "--out", house / "out")
    assert "frequent itemsets missed (ML2)" in done.words
    losses = json.loads((house / "out" / "result.json").read_text())["loss"]
    assert set(losses) >= OF_LEVELS
    report = (house / "out" / "internal" / "report.html").read_text()
    assert "that the release no longer shows at that level" in report
    assert f"{losses['dml2']:,.3g} levels" in report
    compared = shoal(
        "compare", policy, "--algorithms", "aa,itemwise", "--out", house / "compared", "--json"
    ).json
    assert all(run["ml2"] is not None for run in compared["runs"])
