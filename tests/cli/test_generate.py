import gzip
import json
from itertools import pairwise

import pytest
import typer
from typer.testing import CliRunner

from shoal.cli.generate import generate
from shoal.table.quest import quest

SMALL = ("--transactions", "200", "--items", "40", "--average-length", "5", "--patterns", "20")


@pytest.fixture
def run():
    app = typer.Typer()
    app.command()(generate)
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def texts_of(baskets):
    labels, starts = baskets.domain.texts(), baskets.arrays.starts
    return [[labels[item] for item in baskets.arrays.items[start:end]] for start, end in pairwise(starts)]


@pytest.mark.parametrize(("name", "opened"), [("baskets.txt", open), ("baskets.txt.gz", gzip.open)])
def test_the_file_holds_the_baskets_of_the_seed(run, tmp_path, name, opened):
    done = run(*SMALL, "--seed", "7", tmp_path / name)
    assert done.exit_code == 0, done.output
    with opened(tmp_path / name, "rt") as lines:
        written = [line.split() for line in lines]
    assert written == texts_of(quest(200, 40, 5, patterns=20, seed=7))


def test_machines_read_what_was_made(run, tmp_path):
    done = run(*SMALL, "--json", tmp_path / "baskets.txt")
    facts = json.loads(done.stdout)
    assert facts["file"] == str(tmp_path / "baskets.txt")
    assert (facts["transactions"], facts["items"], facts["seed"]) == (200, 40, 0)
    assert facts["average_length"] == pytest.approx(5, rel=0.15)


def test_people_read_it_too(run, tmp_path):
    done = run(*SMALL, tmp_path / "baskets.txt")
    assert "items that occur" in done.stdout


def test_bad_parameters_are_refused_before_anything_is_written(run, tmp_path):
    done = run(*SMALL, "--corruption", "2", tmp_path / "baskets.txt")
    assert done.exit_code == 2
    assert "corruption must be a number between 0 and 1, got 2.0" in done.stderr
    assert not list(tmp_path.iterdir())


def test_an_existing_file_stays(run, tmp_path):
    (tmp_path / "baskets.txt").write_text("precious\n")
    done = run(*SMALL, tmp_path / "baskets.txt")
    assert done.exit_code == 2
    assert "exists already" in done.stderr
    assert (tmp_path / "baskets.txt").read_text() == "precious\n"


def test_an_unknown_ending_is_an_error_in_one_sentence(run, tmp_path):
    done = run(*SMALL, tmp_path / "baskets.doc")
    assert done.exit_code == 2
    assert "cannot tell the format" in done.stderr
