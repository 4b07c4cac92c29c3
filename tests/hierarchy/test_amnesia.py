import json
from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from shoal.errors import BadInput, InvalidParameter
from shoal.hierarchy.amnesia import (
    read_amnesia_json,
    read_amnesia_text,
    write_amnesia_json,
    write_amnesia_text,
)
from shoal.hierarchy.amnesia_tokens import Notation
from shoal.hierarchy.files import read_outline
from shoal.hierarchy.tree import tree_from_parents
from shoal.table.columns import Domain, Kind, category_domain, number_domain
from tests.hierarchy.trees import assert_numbered_by_intervals, modest, parent_maps, parents_of

DEGREES = """distinct
name degree
type string
height 3

school has primary secondary
university has bachelor master

* has school university

"""
DEGREES_ABOVE = {
    "primary": "school",
    "secondary": "school",
    "bachelor": "university",
    "master": "university",
    "school": "*",
    "university": "*",
}
AGES = """range
name age
type int
height 3

0.0,10.0 has 0.0,5.0 5.0,10.0
10.0,20.0 has 10.0,15.0 15.0,20.0

0.0,20.0 has 0.0,10.0 10.0,20.0 NaN,NaN

"""


def as_json(**content):
    return json.dumps({"hierType": "distinct", "name": "n", "type": "string", "height": 3, **content})


def problems_of(outline):
    return [str(problem) for problem in outline.problems]


def numbers(*values):
    return number_domain(values, [f"{value:g}" for value in values])


def test_text():
    tree = read_amnesia_text(DEGREES, "h.txt").tree()
    assert parents_of(tree) == DEGREES_ABOVE
    assert tree.leaf_labels == ("primary", "secondary", "bachelor", "master")


def test_text_without_blank_lines_between_levels_or_at_its_end():
    text = DEGREES.rstrip().replace("master\n\n", "master\n")
    assert parents_of(read_amnesia_text(text, "h.txt").tree()) == DEGREES_ABOVE


def test_json():
    text = as_json(
        level1={"*": ["school", "university"]},
        level2={"school": ["primary", "secondary"], "university": ["bachelor", "master"]},
    )
    assert parents_of(read_amnesia_json(text, "h.json").tree()) == DEGREES_ABOVE


def test_numbers_are_java_doubles():
    text = "distinct\nname zip\ntype decimal\nheight 2\n\n10.0 has 10011.0 1.5 NaN\n\n"
    tree = read_amnesia_text(text, "h.txt").tree()
    assert parents_of(tree) == {"10011": "10", "1.5": "10"}
    values = read_amnesia_json(as_json(type="int", level1={"10.0": [10011.0, None]}), "h.json").tree()
    assert parents_of(values) == {"10011": "10"}


def test_the_missing_value_moves_to_the_root_with_a_notice():
    text = DEGREES.replace("has primary", "has NaN primary")
    tree = read_amnesia_text(text, "h.txt").tree()
    assert parents_of(tree) == DEGREES_ABOVE
    assert "moved from 'school' to the root" in tree.notices[0]
    below_root = as_json(level1={"*": ["a", "(null)"]})
    assert read_amnesia_json(below_root, "h.json").tree().notices == ()


def test_a_node_that_repeats_its_parent_is_one_node():
    text = as_json(level1={"*": ["x", "y"]}, level2={"x": ["x"], "y": ["a", "b"]})
    assert parents_of(read_amnesia_json(text, "h.json").tree()) == {"x": "*", "a": "y", "b": "y", "y": "*"}


@pytest.mark.parametrize(
    "outline",
    [
        read_amnesia_text(AGES, "h.txt"),
        read_amnesia_json(
            as_json(
                hierType="range",
                type="int",
                level1={"0-20": ["0-10", "10-20", "(null)"]},
                level2={"0-10": ["0-5", "5-10"], "10-20": ["10-15", "15-20"]},
            ),
            "h.json",
        ),
    ],
    ids=["text", "json"],
)
class TestRanges:
    def test_ranges_are_the_leaves_of_the_file(self, outline):
        assert outline.tree().leaf_labels == ("0-5", "5-10", "10-15", "15-20")

    def test_values_hang_under_the_range_that_contains_them(self, outline):
        tree = outline.tree_over(numbers(0, 4, 4.5, 5, 20))
        assert parents_of(tree) == {
            "0": "0-5",
            "4": "0-5",
            "4.5": "0-5",
            "5": "5-10",
            "20": "15-20",
            "0-5": "0-10",
            "5-10": "0-10",
            "0-10": "0-20",
            "15-20": "10-20",
            "10-20": "0-20",
        }
        assert_numbered_by_intervals(tree)

    def test_an_upper_end_belongs_to_the_range_that_it_begins(self, outline):
        assert parents_of(outline.tree_over(numbers(10)))["10"] == "10-15"

    def test_values_outside_are_left_to_the_caller(self, outline):
        assert outline.tree_over(numbers(-1, 3, 20.5)).leaf_labels == ("3",)

    def test_texts_that_are_numbers(self, outline):
        assert outline.tree_over(category_domain(["3", "old"])).leaf_labels == ("3",)


def test_negative_ranges_in_json():
    text = as_json(hierType="range", type="int", level1={"-10-5": ["-10--5", "-5-5"]})
    tree = read_amnesia_json(text, "h.json").tree_over(numbers(-7, -5, 5))
    assert parents_of(tree) == {"-7": "-10--5", "-5": "-5-5", "5": "-5-5", "-10--5": "-10-5", "-5-5": "-10-5"}


def days(*values):
    labels = pa.array([value.isoformat() for value in values], type=pa.string())
    numbers = np.array([(value - date(1970, 1, 1)).days for value in values], dtype=np.float64)
    return Domain(Kind.DATE, labels, numbers)


@pytest.mark.parametrize("link", [",", "-"])
def test_ranges_of_dates(link):
    families = {"1940,1960": ["1940,1950", "1950,1960", "null,null"]}
    families = {
        parent.replace(",", link): [child.replace(",", link) for child in children]
        for parent, children in families.items()
    }
    text = as_json(hierType="range", type="date", level1=families)
    tree = read_amnesia_json(text, "h.json").tree_over(
        days(date(1949, 12, 31), date(1950, 1, 1), date(1960, 12, 31))
    )
    assert parents_of(tree) == {
        "1949-12-31": "1940-1950",
        "1950-01-01": "1950-1960",
        "1960-12-31": "1950-1960",
        "1940-1950": "1940-1960",
        "1950-1960": "1940-1960",
    }


@pytest.mark.parametrize(
    ("ends", "inside", "outside"),
    [
        ("01/1940,02/1940", date(1940, 2, 29), date(1940, 3, 1)),
        ("03/01/1940,05/01/1940", date(1940, 1, 5), date(1940, 1, 6)),
    ],
)
def test_the_last_range_of_dates_holds_its_upper_end(ends, inside, outside):
    text = f"range\nname born\ntype date\nheight 2\n\n1900,2000 has {ends}\n\n"
    tree = read_amnesia_text(text, "h.txt").tree_over(days(inside, outside))
    assert tree.leaf_labels == (inside.isoformat(),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (DEGREES.replace("type string", "type date"), "got 'date'"),
        (DEGREES.replace("type string", "type text"), "string, int, decimal or date"),
        (DEGREES.replace("school has", "school had"), "h.txt:6: is not of the form"),
        (DEGREES.replace("type string", "type int"), "is no number"),
        (AGES.replace("0.0,5.0", "5.0,0.0"), "'5.0,0.0' is no range of numbers"),
        (AGES.replace("0.0,5.0", "0.0,6.0"), "the ranges '0-6' and '5-10' overlap"),
        (AGES.replace("type int", "type date"), "is no range of dates"),
        ("distinct\nname x\ntype string\n\na has b\n\nb has a\n", "stand above each other"),
        ("distinct\nname x\ntype string\n\na has b\n\nc has d\n", "has 2 roots: 'a', 'c'"),
        (DEGREES + "other has primary\n\n", "label 'primary' has two parents, 'school' (line 6) and 'other'"),
        ("distinct\nname x\n", "holds no hierarchy"),
    ],
)
def test_bad_text(text, words):
    assert words in "\n".join(problems_of(read_amnesia_text(text, "h.txt")))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"hierType": ', "h.json:1: is no JSON"),
        ('{"type": "int"}', "no 'hierType'"),
        (as_json(level1=["a"]), "'level1' is not of the form"),
        (as_json(level1={"*": "ab"}), "'level1' is not of the form"),
        ('{"hierType": "distinct", "level1": {"*": ["a"], "*": ["b"]}}', "names '*' twice"),
        (as_json(level1={"*": ["a", "b"]}, level2={"a": ["x"], "b": ["x"]}), "two parents, 'a' and 'b'"),
        (as_json(), "holds no hierarchy"),
    ],
)
def test_bad_json(text, words):
    assert words in "\n".join(problems_of(read_amnesia_json(text, "h.json")))


def test_text_is_written_as_amnesia_reads_it(tmp_path):
    write_amnesia_text(tree_from_parents(DEGREES_ABOVE), tmp_path / "degree.txt")
    assert (tmp_path / "degree.txt").read_text() == DEGREES


def test_json_is_written_as_amnesia_reads_it(tmp_path):
    write_amnesia_json(tree_from_parents(DEGREES_ABOVE), tmp_path / "h.json", name="degree")
    assert json.loads((tmp_path / "h.json").read_text()) == {
        "hierType": "distinct",
        "name": "degree",
        "type": "string",
        "height": 3,
        "level1": {"*": ["school", "university"]},
        "level2": {"school": ["primary", "secondary"], "university": ["bachelor", "master"]},
    }


def test_ranges_are_written_as_they_were(tmp_path):
    tree = read_amnesia_text(AGES.replace(" NaN,NaN", ""), "h.txt").tree()
    write_amnesia_text(tree, tmp_path / "age.txt", notation=Notation("range", "int"))
    assert (tmp_path / "age.txt").read_text() == AGES.replace(" NaN,NaN", "")
    for value_type, top in (("int", "0-20"), ("decimal", "0.0-20.0")):
        write_amnesia_json(tree, tmp_path / "age.json", notation=Notation("range", value_type))
        assert top in json.loads((tmp_path / "age.json").read_text())["level1"]
        assert parents_of(read_outline(tmp_path / "age.json").tree()) == parents_of(tree)


def test_distinct_numbers_are_written_as_doubles(tmp_path):
    tree = tree_from_parents({"10011": "10", "12": "10"})
    write_amnesia_json(tree, tmp_path / "h.json", notation=Notation("distinct", "int"))
    assert json.loads((tmp_path / "h.json").read_text())["level1"] == {"10.0": [10011.0, 12.0]}
    assert parents_of(read_outline(tmp_path / "h.json").tree()) == parents_of(tree)


def test_text_refuses_all_labels_that_it_cannot_hold(tmp_path):
    tree = tree_from_parents({"New York": "*", "has": "*", "Rome": "*"})
    with pytest.raises(BadInput) as error:
        write_amnesia_text(tree, tmp_path / "h.txt")
    assert [problem.value for problem in error.value.problems] == ["New York", "has"]
    assert "write it as JSON" in str(error.value)
    assert not (tmp_path / "h.txt").exists()


@pytest.mark.parametrize(
    ("parents", "notation", "words"),
    [
        ({"NaN": "*"}, Notation(), "'NaN'"),
        ({"a": "1"}, Notation("distinct", "int"), "cannot be written as a number"),
        ({"5": "0-10"}, Notation("range", "int"), "cannot be written as a range of numbers"),
    ],
)
def test_labels_that_no_form_can_hold(tmp_path, parents, notation, words):
    with pytest.raises(BadInput, match=words):
        write_amnesia_json(tree_from_parents(parents), tmp_path / "h.json", notation=notation)


def test_notations_that_amnesia_has_not():
    for leaves, value_type in (("distinct", "date"), ("range", "string"), ("some", "int"), ("range", "text")):
        with pytest.raises(InvalidParameter):
            Notation(leaves, value_type)


@modest
@given(parent_maps())
def test_any_tree_comes_back(tmp_path_factory, parents):
    folder = tmp_path_factory.mktemp("amnesia")
    tree = tree_from_parents(parents)
    write_amnesia_text(tree, folder / "h.txt")
    write_amnesia_json(tree, folder / "h.json")
    for path in (folder / "h.txt", folder / "h.json"):
        again = read_outline(path).tree()
        assert parents_of(again) == parents
        assert_numbered_by_intervals(again)
