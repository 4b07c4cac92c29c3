import pytest

import shoal as sh
from shoal.errors import BadInput
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import PolicyFile, parse_policy

POLICY = """
[data]
path = "baskets.txt"
[columns]
items = {{ role = "quasi", kind = "{kind}", hierarchy = {{ fanout = 2 }}, multiset = true }}
[privacy]
model = "{model}"
k = 2
{m}
"""


def labels_below(tree, label):
    return [tree.labels[child] for child in tree.children(tree.labels.index(label))]


@pytest.fixture
def baskets(tmp_path):
    path = tmp_path / "baskets.txt"
    rows = ["milk milk bread", "milk bread", "milk", "milk", "bread wine", "wine", "milk bread", "beer beer"]
    path.write_text("".join(f"{row}\n" for row in [*rows, "beer"]), encoding="utf-8")
    return path


def test_counts_hang_below_their_item(baskets):
    data = sh.read(baskets, {"items": sh.QuasiSet(hierarchy=sh.fanout(2), multiset=True)})
    tree = data.local.trees["items"]
    assert labels_below(tree, "milk") == ["milk(1)", "milk(2)"]
    assert labels_below(tree, "beer..bread") == ["beer", "bread"]
    assert tree.leaf_labels == ("beer(1)", "beer(2)", "bread", "milk(1)", "milk(2)", "wine")


def test_counts_hang_below_the_leaves_of_a_file(baskets, tmp_path):
    file = tmp_path / "drinks.csv"
    file.write_text("beer;drink;*\nmilk;drink;*\nwine;drink;*\nbread;food;*\n", encoding="utf-8")
    data = sh.read(baskets, {"items": sh.QuasiSet(hierarchy=file, multiset=True)})
    tree = data.local.trees["items"]
    assert labels_below(tree, "drink") == ["beer", "milk", "wine"]
    assert labels_below(tree, "beer") == ["beer(1)", "beer(2)"]


def test_item_that_the_file_lacks_is_named(baskets, tmp_path):
    file = tmp_path / "drinks.csv"
    file.write_text("milk;drink;*\nwine;drink;*\nbread;food;*\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"beer\(2\)"):
        sh.read(baskets, {"items": sh.QuasiSet(hierarchy=file, multiset=True)})


def test_rare_count_is_published_as_its_item(baskets):
    data = sh.read(baskets, {"items": sh.QuasiSet(hierarchy=sh.fanout(2), multiset=True)})
    result = sh.anonymize(data, sh.KmAnonymity(2, 1), algorithm="aa", keep_order=True)
    sets = result.released.sets("items")
    texts = sets.domain.texts()
    assert {"milk", "beer"} <= set(texts)
    assert not any(text.startswith(("milk(", "beer(")) for text in texts)
    assert result.verdict.holds


def test_frequent_counts_are_published(baskets):
    baskets.write_text(baskets.read_text() * 2)
    data = sh.read(baskets, {"items": sh.QuasiSet(hierarchy=sh.fanout(2), multiset=True)})
    result = sh.anonymize(data, sh.KmAnonymity(2, 2), algorithm="vpa")
    assert {"milk(1)", "milk(2)", "beer(1)", "beer(2)"} <= set(result.released.sets("items").domain.texts())
    assert result.outcome.cost.losses


def policy(kind, model, m, path):
    text = POLICY.format(kind=kind, model=model, m=m)
    return PolicyFile(parse_policy(text), path, text)


def test_key_of_a_policy(tmp_path):
    plan = plan_of(policy("set", "km-anonymity", "m = 2", tmp_path / "policy.toml"))
    assert plan.roles["items"].multiset
    with pytest.raises(BadInput, match="takes no 'multiset'"):
        plan_of(policy("category", "k-anonymity", "", tmp_path / "policy.toml"))


def test_label_of_a_count_is_taken_from_an_inner_node(baskets, tmp_path):
    file = tmp_path / "drinks.csv"
    file.write_text("beer;milk(2);*\nmilk;milk(2);*\nwine;milk(2);*\nbread;food;*\n", encoding="utf-8")
    data = sh.read(baskets, {"items": sh.QuasiSet(hierarchy=file, multiset=True)})
    tree = data.local.trees["items"]
    assert "milk(2)" in tree.leaf_labels
    assert "milk(2)~" in tree.labels
