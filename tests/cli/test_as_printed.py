"""`as_printed`, however it is chosen: a policy on the command line, Python, and comparisons."""

import json

import pyarrow as pa
import pytest

import shoal as sh
from shoal.algorithms.auto.candidates import automatic
from shoal.algorithms.search import Limits
from tests.cli.commands import shoal

AGES = [20 + 7 * row % 41 for row in range(60)]
ROLES = {"age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20, 80))}


@pytest.fixture(scope="module")
def data():
    return sh.read(pa.table({"age": AGES}), ROLES)


def test_a_policy_chooses_it_and_the_result_says_so(hospital):
    done = hospital.run(algorithm='name = "kanon-cf"\nas_printed = true')
    assert done.code == 0, done.err
    assert "kanon-cf with as_printed = true" in done.words
    result = json.loads((hospital.out / "result.json").read_text())
    assert result["options"] == {"as_printed": True}
    assert result["verdict"]["holds"]
    assert "kanon-cf with as_printed = true" in (hospital.out / "internal" / "report.html").read_text()
    certificate = hospital.out / "certificate.json"
    assert "printed" not in certificate.read_text()  # which tells only what the file shows
    assert shoal("verify", hospital.published, "--certificate", certificate).code == 0


@pytest.mark.parametrize("command", ["check", "run"])
def test_what_contradicts_it_is_refused_before_anything_is_searched(hospital, command):
    chosen = 'name = "kanon-cf"\nas_printed = true\nlocal_search = true'
    done = hospital.run(command=command, algorithm=chosen)
    assert done.code == 2
    assert "local_search must be left out beside as_printed = true" in done.err


def test_what_has_no_addition_does_not_take_it(hospital):
    done = hospital.run(algorithm='name = "full-domain"\nas_printed = true')
    assert done.code == 2
    assert "full-domain has no option 'as_printed'" in done.err


def test_a_comparison_puts_it_beside_ours(hospital):
    words = ("--algorithms", "kanon-cf,full-domain", "--sweep", "as_printed=false,true", "--json")
    done = hospital.run(command="compare", words=words)
    assert done.code == 0, done.err
    runs = {row["run"]: row for row in done.json["runs"]}
    assert set(runs) == {"kanon-cf as_printed=false", "kanon-cf as_printed=true", "full-domain"}
    assert {row["variant"] for row in runs.values()} == set(runs)
    assert all(row["holds"] for row in runs.values())
    assert runs["kanon-cf as_printed=false"]["lm"] <= runs["kanon-cf as_printed=true"]["lm"]


def test_python_takes_it_like_any_option(data):
    plain = {"algorithm": "kanon-cf", "seed": 1, "local_search": False}
    printed = sh.anonymize(data, sh.KAnonymity(4), **plain, as_printed=True)
    assert printed.outcome.holds
    assert printed.outcome.provenance.options["as_printed"] is True
    with pytest.raises(sh.ShoalError, match="block must be left out beside as_printed"):
        sh.anonymize(data, sh.KAnonymity(4), **plain, as_printed=True, block=20)


def test_auto_chooses_nothing_that_the_papers_do_not_have(data):
    found = automatic([sh.KAnonymity(4)], {"as_printed": True}, Limits(), data.local)
    assert {each.name for each in found.candidates} == {"kanon-cf", "agglomerative", "hilbert", "mondrian"}
    for candidate in found.candidates:
        assert candidate.options["as_printed"] is True
        assert not {"local_search", "block", "most_closed"} & {
            name for name, value in candidate.options.items() if value
        }
    released = sh.anonymize(data, sh.KAnonymity(4), as_printed=True)
    assert released.outcome.holds
