import os
from pathlib import Path

import pytest

from shoal.errors import UnknownName
from shoal.hierarchy.arx import write_arx
from shoal.hierarchy.files import convert, read_outline, write_hierarchy
from shoal.hierarchy.tree import tree_from_parents
from tests.hierarchy.trees import assert_numbered_by_intervals, parents_of

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("SHOAL_DATA", ROOT.parent / "shared" / "data")) / "hierarchies"
REAL_FILES = sorted(FOLDER.glob("*/*.csv"))


@pytest.mark.skipif(not REAL_FILES, reason="the evaluation data are not here")
@pytest.mark.parametrize("path", REAL_FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_real_files_come_back_through_every_form(path, tmp_path):
    tree = read_outline(path).tree()
    assert_numbered_by_intervals(tree)
    values = {line.partition(";")[0] for line in path.read_text().splitlines()}
    assert set(tree.leaf_labels) == values
    write_arx(tree, tmp_path / "again.csv")
    convert(tmp_path / "again.csv", tmp_path / "again.json")
    convert(tmp_path / "again.json", tmp_path / "back.csv")
    for name in ("again.csv", "again.json", "back.csv"):
        again = read_outline(tmp_path / name).tree()
        assert parents_of(again) == parents_of(tree)
        assert again.leaf_labels == tree.leaf_labels
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "back.csv").read_text()


def test_the_ending_chooses_the_form(tmp_path):
    tree = tree_from_parents({"a": "*"})
    for name, start in (("h.csv", "a;*"), ("h.json", "{"), ("h.txt", "distinct")):
        write_hierarchy(tree, tmp_path / name)
        assert (tmp_path / name).read_text().startswith(start)
    write_hierarchy(tree, tmp_path / "h.csv", form="amnesia-json")
    assert parents_of(read_outline(tmp_path / "h.csv").tree()) == {"a": "*"}


def test_unknown_forms_are_refused(tmp_path):
    with pytest.raises(UnknownName, match="amnesia-text"):
        write_hierarchy(tree_from_parents({"a": "*"}), tmp_path / "h.csv", form="amnesia-txt")


def test_ranges_stay_ranges(tmp_path):
    text = "range\nname age\ntype decimal\nheight 2\n\n0.0,2.0 has 0.0,1.5 1.5,2.0\n\n"
    (tmp_path / "age.txt").write_text(text)
    (tmp_path / "back").mkdir()
    convert(tmp_path / "age.txt", tmp_path / "age.json")
    convert(tmp_path / "age.json", tmp_path / "back" / "age.txt")
    assert (tmp_path / "back" / "age.txt").read_text() == text


def test_a_conversion_tells_what_it_renamed(tmp_path):
    (tmp_path / "h.csv").write_text("Other;Other;*\nMisc;Other;*\n")
    (notice,) = convert(tmp_path / "h.csv", tmp_path / "h.json")
    assert "'Other' as 'Other~'" in notice
