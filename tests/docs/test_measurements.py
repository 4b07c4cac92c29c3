"""Nobody edits numbers of docs/measurements.md and docs/papers: they are what their commands make."""

import importlib
import re
import sys
from pathlib import Path

import pytest

from measurements import PAGE, WORDS, claims, filled, page
from measuring.kept_tables import KEEP, TABLES, KeptTable, is_kept, keep_table, printed_table, read_table
from papers.catalogue import PAPERS
from papers.figures import Claim, Figure, Line, Panel, Paper, below
from papers.page import page as page_of_paper
from papers.page import standing
from papers.printed_rows import completed
from papers.release import Measured, Notebook
from papers.sweeps import SWEEPS

BENCH = Path(__file__).parents[2] / "bench"


def test_the_page_is_what_the_command_makes():
    assert PAGE.read_text(encoding="utf-8") == page(), "run python bench/measurements.py"


@pytest.mark.parametrize("name", PAPERS)
def test_pages_of_papers_are_what_their_commands_make(name):
    paper = importlib.import_module(PAPERS[name]).PAPER
    known = Notebook(BENCH / "kept" / f"{name}.jsonl", 0, apart=False).known
    made = page_of_paper(paper, known, f"python bench/paper.py {name}")
    kept = (BENCH.parent / "docs" / "papers" / f"{name}.md").read_text(encoding="utf-8")
    assert kept == made, f"run python bench/paper.py {name} --page"


@pytest.mark.parametrize("name", PAPERS)
def test_every_figure_is_reproduced_differs_for_a_reason_or_is_not_possible(name):
    paper = importlib.import_module(PAPERS[name]).PAPER
    known = Notebook(BENCH / "kept" / f"{name}.jsonl", 0, apart=False).known
    for figure in paper.figures:
        found = standing(figure, known)
        assert re.search(r"reproduced$|differs$|^not possible|^ours$", found), (figure.name, found)
        assert figure.why or not found.endswith("differs"), figure.name


def test_every_table_is_kept_with_its_command_and_every_kept_table_is_shown():
    words = WORDS.read_text(encoding="utf-8")
    assert "| ---" not in words
    marked = re.findall(r"^\{table ([\w-]+)( or python bench/\w+\.py[^}]*)?\}$", words, re.MULTILINE)
    shown = [name for name, later in marked if not later or is_kept(name)]
    assert sorted(shown) == sorted(file.stem for file in TABLES.glob("*.json"))
    for name in shown:
        table = read_table(name)
        script = re.match(r"python (bench/\w+\.py)|by hand: .|pytest -m slow tests/", table.command)
        assert script, name
        assert script[1] is None or (BENCH.parent / script[1]).exists(), name
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", table.date), name


def test_every_script_of_a_kept_table_can_keep_it():
    for file in TABLES.glob("*.json"):
        script = re.match(r"python bench/(\w+)\.py", read_table(file.stem).command)
        if script is not None:
            text = (BENCH / f"{script[1]}.py").read_text(encoding="utf-8")
            assert re.search(r"offer_to_keep\(|run_parts\(|\bKEEP\b", text), script[1]
            assert re.search(r"printed_table\(|show_table\(|kept_as", text), script[1]


def test_a_kept_table_is_read_as_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/somewhere/bench/some.py", "--k", "5", KEEP])
    keep_table("some", ["algorithm", "loss"], [["aa", 0.5], ["lra", ""]], tmp_path)
    table = read_table("some", tmp_path)
    assert (table.command, table.rows) == ("python bench/some.py --k 5", [["aa", "0.5"], ["lra", ""]])
    lines = table.markdown().splitlines()
    assert lines[:4] == ["| algorithm | loss |", "| --- | ---: |", "| aa | 0.5 |", "| lra | |"]
    assert lines[-1] == f"*`python bench/some.py --k 5`, {table.date}.*"


def test_sentences_quote_cells_of_kept_tables():
    table = KeptTable(
        "x", "2026-01-01", ["", "`aa`", "lra"], [["k = 2", "**0.5**", "0.4"], ["", "0.3", "0.2"]]
    )
    assert table.cell("k = 2", "aa") == "0.5"
    assert table.cell("#2", "#3") == "0.2"
    with pytest.raises(KeyError, match="'vpa' is 0 times among"):
        table.cell("k = 2", "vpa")
    assert "{cell " in WORDS.read_text(encoding="utf-8")
    assert "{" not in re.sub(r"`[^`]*`", "", PAGE.read_text(encoding="utf-8"))


def test_a_table_that_is_not_kept_yet_says_how_it_will_be():
    words = "{table none-such or python bench/some.py --keep}"
    assert filled(words) == "*Not kept yet: `python bench/some.py --keep`.*"
    with pytest.raises(FileNotFoundError):
        filled("{table none-such}")


def test_a_row_as_printed_stands_behind_those_of_its_algorithm_where_it_differs():
    kept = KeptTable(
        "x",
        "2026-01-01",
        ["algorithm", "10", "30"],
        [["kanon-cf alone", "7.05", "11.72"], ["kanon-cf-like", "1", "2"], ["forest", "**12.43**", "25.37"]],
    )
    table, papers = completed("adult-loss-by-k", kept)
    assert [row[0] for row in table.rows] == [
        "kanon-cf alone", "kanon-cf, as printed", "kanon-cf-like", "forest",
    ]  # fmt: skip
    assert table.cell("kanon-cf, as printed", "10") == "8.22"
    assert papers == ["k-anon-cf"]
    assert completed("some-other", kept) == (kept, [])


def test_pages_say_the_same_of_a_release():
    page_of_rt = (BENCH.parent / "docs" / "papers" / "rt.md").read_text(encoding="utf-8")
    by_delta = page_of_rt.partition("UL in percent, informs-rt:")[2]
    told = re.search(r"^\| 0\.35 \| ([\d.]+) ", by_delta, re.MULTILINE)
    assert told is not None
    assert SWEEPS["rum-informs"].table().cell("rmerge-r, delta = 0.35", "UL") == f"{float(told[1]) / 100:.3f}"


def test_what_no_command_makes_says_so():
    table = KeptTable("by hand: two runs", "2026-01-01", ["a"], [["1"]])
    assert table.markdown().endswith("*By hand, two runs, 2026-01-01.*")


def test_nothing_is_kept_unasked(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["some.py"])
    with printed_table("some", ["a", "b"]) as add_row:
        add_row(1, "")
    assert capsys.readouterr().out == "| a | b |\n| --- | --- |\n| 1 | |\n"
    assert not (TABLES / "some.json").exists()


def test_claims_are_told_for_each_form():
    lines = [Line("A", "printed", "aa"), Line("A", "ours", "lra"), Line("B", "printed", "vpa")]
    points = {"2": {"data": "some", "promise": {"k": 2, "m": 2}}}
    panel = Panel("NCP", "ncp", "k", points, lines, [Claim("A is below B", below("A", "B"))])
    losses = {"aa": 0.3, "lra": 0.1, "vpa": 0.2}
    paper = Paper("some", "Some", "", [Figure("Figure 1", "loss", panels=(panel,))])
    *_, line = claims(paper, lambda release: Measured(release, {"ncp": losses[release.algorithm]}))
    assert line == "| Figure 1, NCP | A is below B | no |  | yes |"
