from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import BadInput, OutputFailed
from shoal.hierarchy.arx import read_arx, write_arx
from shoal.hierarchy.files import HierarchyFile, read_outline
from shoal.hierarchy.tree import NO_PARENT, tree_from_nodes, tree_from_parents
from shoal.table.columns import category_domain, number_domain
from tests.hierarchy.trees import assert_numbered_by_intervals, modest, parent_maps, parents_of

DEGREES = (
    "Bachelors;Undergraduate;Higher;*\nMasters;Graduate;Higher;*\n9th;School;School;*\n10th;School;School;*\n"
)
DEGREES_ABOVE = {
    "Bachelors": "Undergraduate",
    "Undergraduate": "Higher",
    "Masters": "Graduate",
    "Graduate": "Higher",
    "Higher": "*",
    "9th": "School",
    "10th": "School",
    "School": "*",
}


def read(text):
    return read_arx(text, "h.csv").tree()


def problems_of(text):
    return [str(problem) for problem in read_arx(text, "h.csv").problems]


def test_repeated_neighbours_are_one_node():
    tree = read(DEGREES)
    assert parents_of(tree) == DEGREES_ABOVE
    assert tree.leaf_labels == ("Bachelors", "Masters", "9th", "10th")
    assert tree.notices == ()


@pytest.mark.parametrize("delimiter", [";", ",", "|", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_delimiters_and_line_ends_are_recognized(delimiter, end):
    text = DEGREES.replace(";", delimiter).replace("\n", end)
    assert parents_of(read(text)) == DEGREES_ABOVE


def test_commas_inside_labels_do_not_separate_columns():
    assert parents_of(read("1;1,3;1,6;*\n5;4,6;1,6;*\n"))["5"] == "4,6"


def test_quotes():
    tree = read('"a;b";"say ""x""";*\n"c\nd";"say ""x""";*\nlast;"say ""x""";*\n')
    assert tree.leaf_labels == ("a;b", "c\nd", "last")
    assert tree.labels[tree.parent(0)] == 'say "x"'


def test_lines_count_as_in_the_file_even_after_a_quoted_line_break():
    (problem,) = read_arx('"a\nb";x;*\nc;x;*\nc;y;*\n', "h.csv").problems
    assert problem.line == 4
    assert "'x' (line 3) and 'y'" in problem.what


def test_cells_are_compared_in_canonical_form():
    assert parents_of(read("cafe\u0301 ; x ;*\ncaf\u00e9;x;*\n")) == {"caf\u00e9": "x", "x": "*"}


def test_equal_lines_are_fine():
    assert read("a;x;*\na;x;*\n").leaf_labels == ("a",)


def test_two_parents_are_refused_with_both_lines():
    assert problems_of("a;x;*\nb;x;*\nb;y;*\n") == [
        "h.csv:3: label 'b' has two parents, 'x' (line 2) and 'y'; give it one, or two names"
    ]
    assert problems_of("a;x;p;*\nb;y;q;*\nc;x;q;*\n") == [
        "h.csv:3: label 'x' has two parents, 'p' (line 1) and 'q'; give it one, or two names"
    ]


def test_every_problem_is_listed_at_once():
    text = "a;x;*\na;y;*\nb\nc;;*\nd;x;*\n"
    with pytest.raises(BadInput) as error:
        read(text)
    assert [problem.line for problem in error.value.problems] == [3, 4, 2]


def test_a_short_line_that_ends_in_the_root_is_a_shorter_way():
    tree = read("a;x;y;*\nb;*\nc;x;y;*\n")
    assert parents_of(tree) == {"a": "x", "x": "y", "c": "x", "y": "*", "b": "*"}
    assert "1 lines, first line 2, have fewer columns" in tree.notices[0]


def test_a_short_line_that_does_not_end_in_the_root_is_refused():
    assert problems_of("a;x;*\nb;x\nc;x;*\n") == [
        "h.csv:2: has 2 columns where others have 3, and does not end in '*'; fill it up to the root"
    ]


def test_a_missing_root_is_refused_once_per_end():
    text = "a;low\nb;low\nc;low\nd;high\ne;high\n"
    assert problems_of(text) == [
        "h.csv:4: ends in 'high' where other lines end in 'low': the root is missing;"
        " let every line end in the same root, such as '*'"
    ]


def test_an_extra_column_is_refused():
    assert "ends in 'oops' where other lines end in '*'" in problems_of("a;x;*;oops\nb;x;*\nc;x;*\n")[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\n\n", "holds no values"),
        ("a\nb\n", "has no label above its values"),
        ('a;"x;*\n', "cannot be read"),
    ],
)
def test_what_is_no_matrix_is_refused(text, words):
    assert words in problems_of(text)[0]


def test_a_value_that_is_also_a_group_becomes_a_leaf_under_its_namesake():
    tree = read("Other;Other;*\nMisc;Other;*\na;A;*\n")
    assert parents_of(tree) == {"Other": "Other~", "Misc": "Other~", "Other~": "*", "a": "A", "A": "*"}
    assert "'Other' as 'Other~'" in tree.notices[0]


def test_lines_of_the_root_and_of_the_missing_value_are_left_out_with_a_notice():
    tree = read("*;*;*\na;x;*\n;x;*\n")
    assert tree.leaf_labels == ("a",)
    assert sorted(tree.notices) == [
        "h.csv:1: left out, because it is the root itself",
        "h.csv:3: left out, because missing values hang under the root",
    ]


def test_unbalanced_trees_repeat_the_leaf(tmp_path):
    tree = tree_from_parents({"a": "x", "b": "x", "x": "*", "c": "*"})
    write_arx(tree, tmp_path / "h.csv")
    assert (tmp_path / "h.csv").read_text() == "a;x;*\nb;x;*\nc;c;*\n"


@modest
@given(parent_maps(), st.sampled_from(";,|\t"))
def test_any_tree_comes_back(tmp_path_factory, parents, delimiter):
    path = tmp_path_factory.mktemp("arx") / "h.csv"
    named = {f'{child};,"|\t{child}': f'{parent};,"|\t{parent}' for child, parent in parents.items()}
    tree = tree_from_parents(named)
    write_arx(tree, path, delimiter)
    again = read_outline(path).tree()
    assert_numbered_by_intervals(again)
    assert parents_of(again) == named
    assert again.leaf_labels == tree.leaf_labels


def test_a_tree_without_values_cannot_be_written(tmp_path):
    with pytest.raises(BadInput, match="without values"):
        write_arx(tree_from_nodes(["*"], [NO_PARENT]), tmp_path / "h.csv")


def test_a_folder_that_is_missing_is_an_output_failure(tmp_path):
    with pytest.raises(OutputFailed, match="cannot be written"):
        write_arx(read(DEGREES), tmp_path / "no" / "h.csv")


class TestAsSource:
    @staticmethod
    def file(tmp_path: Path, content: bytes | str) -> HierarchyFile:
        path = tmp_path / "h.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return HierarchyFile(str(path))

    def test_numbers_are_compared_as_numbers(self, tmp_path):
        source = self.file(tmp_path, "5.0;0-9;*\n12;10-19;*\n")
        assert source.tree(number_domain([5, 12], ["5", "12"])).leaf_labels == ("5", "12")
        assert source.tree(category_domain(["12", "5"])).leaf_labels == ("5.0", "12")

    def test_two_spellings_of_one_number_are_refused(self, tmp_path):
        source = self.file(tmp_path, "5;0-9;*\n5.0;0-9;*\n")
        with pytest.raises(BadInput, match=r"h\.csv:2: '5\.0' is the same number as '5' \(line 1\)"):
            source.tree(number_domain([5], ["5"]))

    def test_labels_lose_the_separator(self, tmp_path):
        tree = self.file(tmp_path, "a;all good;*\nb;all good;*\n").tree(category_domain(["a", "b"]), " ")
        assert tree.labels[tree.parent(0)] == "all_good"
        assert "'all good' as 'all_good'" in tree.notices[0]

    def test_windows_letters_are_read_with_a_notice(self, tmp_path):
        tree = self.file(tmp_path, "Köln;Städte;*\n".encode("cp1252")).tree(category_domain(["Köln"]))
        assert tree.leaf_labels == ("Köln",)
        assert "Windows-1252" in tree.notices[0]

    def test_a_byte_order_mark_is_no_part_of_a_label(self, tmp_path):
        assert self.file(tmp_path, b"\xef\xbb\xbfa;*\n").tree(category_domain(["a"])).leaf_labels == ("a",)

    def test_java_objects_are_refused_with_advice(self, tmp_path):
        source = self.file(tmp_path, b"\xac\xed\x00\x05sr\x00")
        with pytest.raises(BadInput, match="export the hierarchy as CSV in ARX"):
            source.tree(category_domain(["a"]))

    def test_an_empty_file_is_refused(self, tmp_path):
        with pytest.raises(BadInput, match="is empty"):
            self.file(tmp_path, b"").tree(category_domain(["a"]))

    def test_a_file_that_is_not_there(self, tmp_path):
        with pytest.raises(BadInput, match="cannot be read"):
            HierarchyFile(tmp_path / "none.csv").tree(category_domain(["a"]))

    def test_it_says_what_it_is(self, tmp_path):
        assert HierarchyFile(tmp_path / "h.csv").describe() == "the file h.csv"
        assert HierarchyFile("h.csv") == HierarchyFile(Path("h.csv"))
