"""Runs with differential privacy: by construction, never verified, and never with a seed."""

import json

import pytest

import shoal as sh
from shoal.errors import BadInput, InvalidParameter
from tests.cli.commands import Hospital, files_in, shoal

BAD_INPUT = 2
TREE = "".join(f"{group}{number};{group};*\n" for group in "abc" for number in range(4))
LINES = "a0 a1\n" * 400 + "b2\n" * 300 + "c1 a0\n" * 3 + "\n" * 5
PRIVACY = 'model = "differential-privacy"\nepsilon = 1.0'
ITEMS = 'role = "quasi", kind = "set", hierarchy = "tree.csv"'


@pytest.fixture
def shop(tmp_path):
    place = Hospital(tmp_path)
    place.write("baskets.txt", LINES)
    place.write("tree.csv", TREE)
    return place


def run(shop, columns=None, words=(), **sections):
    policy = shop.write_policy(columns or {"items": ITEMS}, privacy=PRIVACY, path="baskets.txt", **sections)
    return shoal("run", policy, *words)


def read(shop):
    return sh.read(shop.folder / "baskets.txt", {"items": sh.QuasiSet(hierarchy=shop.folder / "tree.csv")})


def test_a_run_publishes_new_records_and_says_that_nobody_checked_it(shop):
    done = run(shop, output='path = "published.txt"')
    assert done.code == 0, done.err
    assert "by construction, not checked" in done.words
    assert any("nobody can check it on the file" in notice for notice in done.notices)
    lines = (shop.out / "published.txt").read_text(encoding="utf-8").splitlines()
    assert 350 < lines.count("a0 a1") < 450
    assert 250 < lines.count("b2") < 350
    certificate = json.loads((shop.out / "certificate.json").read_text(encoding="utf-8"))
    assert (certificate["verdict"]["holds"], certificate["verdict"]["by_construction"]) == (None, True)
    assert certificate["claims"] == ["was made with differential privacy, epsilon=1.0"]
    report = (shop.out / "internal" / "report.html").read_text(encoding="utf-8")
    assert "it was not checked" in report
    assert "internal/report.html" in files_in(shop.out)
    result = json.loads((shop.out / "result.json").read_text(encoding="utf-8"))
    assert result["verdict"]["by_construction"] is True
    assert set(result["loss"]) >= {"tkd", "tkd_ml2"}


def test_verify_says_that_it_cannot(shop):
    assert run(shop, output='path = "published.txt"').code == 0
    done = shoal("verify", shop.out / "published.txt", "--policy", shop.policy)
    assert done.code == BAD_INPUT
    assert "cannot be checked from a file" in done.errors[0]


def test_a_seed_is_refused_unless_a_test_asks_for_it(shop):
    done = run(shop, algorithm='name = "diffpart"\nseed = 7')
    assert done.code == BAD_INPUT
    assert "diffpart: seed must be left out" in done.errors[0]
    with pytest.raises(InvalidParameter, match="take away the noise"):
        sh.anonymize(read(shop), sh.DifferentialPrivacy(1.0), seed=7)
    results = [
        sh.anonymize(read(shop), sh.DifferentialPrivacy(1.0), seed=7, reproducible=True) for _ in range(2)
    ]
    assert results[0].frame.equals(results[1].frame)
    assert not any(result.outcome.claim.publishable for result in results)


def test_two_runs_differ(shop):
    counts = {sh.anonymize(read(shop), sh.DifferentialPrivacy(0.1)).frame.num_rows for _ in range(4)}
    assert len(counts) > 1


def test_a_hierarchy_that_is_built_from_the_data_is_refused(shop):
    done = run(shop, {"items": 'role = "quasi", kind = "set", hierarchy = { fanout = 4 }'})
    assert done.code == BAD_INPUT
    assert "built from the data" in done.errors[0]
    with pytest.raises(BadInput, match="needs a hierarchy"):
        sh.anonymize(
            sh.read(shop.folder / "baskets.txt", {"items": sh.QuasiSet()}), sh.DifferentialPrivacy(1)
        )


def test_names_of_items_never_tell_how_often_somebody_holds_them(shop):
    done = run(shop, {"items": f"{ITEMS}, multiset = true"})
    assert done.code == BAD_INPUT
    assert "how often an item is repeated would show" in done.errors[0]


def test_nobody_gets_a_pseudonym(shop):
    shop.write("people.csv", "id,items\n" + "".join(f"p{i},a0 a1\n" for i in range(50)))
    columns = {"id": 'role = "identifier", pseudonym = true', "items": ITEMS}
    policy = shop.write_policy(columns, privacy=PRIVACY, path="people.csv")
    done = shoal("run", policy)
    assert done.code == BAD_INPUT
    assert "nobody for whom a pseudonym could stand" in done.errors[0]


def test_noise_that_leaves_nothing_to_publish_is_told(shop):
    shop.write("baskets.txt", "a0\n")
    done = run(shop, algorithm='name = "diffpart"\nleaf_threshold = 100.0')
    assert done.code == 3
    assert "no set was frequent enough to be published" in done.errors[0]
