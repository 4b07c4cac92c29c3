import pytest

from shoal.errors import InvalidParameter
from shoal.hierarchy.builders import fanout, ranges
from shoal.hierarchy.files import HierarchyFile
from shoal.hierarchy.lint import Severity, lint
from shoal.hierarchy.tree import tree_from_parents
from shoal.table.columns import Kind
from tests.builders import column_of_kind, set_column


@pytest.fixture
def file(tmp_path):
    def written(text):
        (tmp_path / "h.csv").write_text(text)
        return HierarchyFile(tmp_path / "h.csv")

    return written


def categories(*values):
    return column_of_kind(values, Kind.CATEGORY)


def found(findings, severity):
    """What is said with this severity, and in which line."""
    return [
        (finding.problem.line, finding.problem.what) for finding in findings if finding.severity is severity
    ]


def said(findings):
    return "\n".join(map(str, findings))


def test_a_clean_file_has_no_findings(file):
    source = file("a;x;*\nb;x;*\nc;y;*\nd;y;*\n")
    assert lint(source, categories("a", "b", "c", "d"), name="letter") == []
    assert lint(source) == []


def test_reading_does_not_stop_at_the_first_error(file):
    source = file("a;x;*\na;y;*\nb\nc;x;*\nd;x;*\n")
    findings = lint(source, categories("a", "q"), name="letter")
    errors = found(findings, Severity.ERROR)
    assert errors[:2] == [
        (3, "has 1 columns where others have 3, and does not end in '*'"),
        (2, "label 'a' has two parents, 'x' (line 1) and 'y'"),
    ]
    assert errors[2][1] == "1 value in 1 cell is not in the hierarchy"
    assert "h.csv" in str(findings[0])
    assert "column 'letter', value 'q'" in said(findings)


def test_missing_root(file):
    assert "the root is missing" in said(lint(file("a;x\nb;x\nc;y\n")))


def test_values_without_a_leaf_have_counts_and_nearest_labels(file):
    source = file("Spain;Europe;*\nFrance;Europe;*\n")
    findings = lint(source, categories("Span", "Span", "France"), name="country")
    assert "value 'Span': is not in the hierarchy and stands in 2 rows; it resembles 'Spain'" in said(
        findings
    )
    assert [finding.severity for finding in findings[:2]] == [Severity.ERROR] * 2
    exempt = lint(source, categories("Span", "Spain", "France"), exempt=["Span"])
    assert found(exempt, Severity.ERROR) == []


def test_single_children_have_their_line(file):
    findings = lint(file("a;x;p;*\nb;y;q;*\nc;z;q;*\nd;z;q;*\n"))
    assert found(findings, Severity.WARNING) == [
        (1, "label 'x' has the single child 'a': it hides nothing more"),
        (1, "label 'p' has the single child 'x': it hides nothing more"),
        (2, "label 'y' has the single child 'b': it hides nothing more"),
    ]


def test_a_namesake_value_is_a_child_too(file):
    findings = lint(file("Other;Other;*\nMisc;Other;*\na;*;*\n"))
    assert found(findings, Severity.WARNING) == []


def test_labels_with_the_separator_have_their_line_and_new_name(file):
    source = file("a;all good;*\nb;all good;*\nc;*;*\n")
    expected = "label 'all good' contains the separator ' ' of the set; it will be published as 'all_good'"
    (finding,) = lint(source, set_column([["a", "b"], ["c"]]))
    assert expected in str(finding)
    assert finding.problem.line == 1
    assert lint(source, separator=",") == []


def test_two_spellings_of_a_number(file):
    source = file("5;low;*\n5.0;low;*\n")
    what = "'5.0' is the same number as '5' (line 1)"
    assert found(lint(source, column_of_kind([5], Kind.NUMBER)), Severity.ERROR)[0] == (2, what)
    assert (2, what) in found(lint(source), Severity.WARNING)
    assert what not in said(lint(source, categories("5", "5.0")))


def test_notices_of_the_reader_are_warnings(file):
    findings = lint(file("a;x;*\nb;x;*\nc;*\n"))
    assert "have fewer columns than others" in found(findings, Severity.WARNING)[0][1]


def test_bounds_that_come_from_the_data():
    (finding,) = lint(fanout(2), categories("a", "b", "c", "d"))
    assert finding.severity is Severity.WARNING
    assert "publish values of the data" in str(finding)


def test_ranges_that_end_at_the_extremes_of_the_data(file):
    source = file("17;17-29;*\n20;17-29;*\n30;30-90;*\n90;30-90;*\n")
    column = column_of_kind([17, 20, 30, 90], Kind.NUMBER)
    (finding,) = lint(source, column)
    assert finding.severity is Severity.NOTE
    assert "smallest or largest value: '17-29', '30-90'" in str(finding)
    wider = file("17;10-29;*\n20;10-29;*\n30;30-99;*\n90;30-99;*\n")
    assert lint(wider, column) == []


def test_labels_with_one_present_value(file):
    source = file("a;x;*\nb;x;*\nc;y;*\nd;y;*\n")
    (finding,) = lint(source, categories("a", "c", "d"))
    assert finding.severity is Severity.NOTE
    assert "1 labels cover a single value that occurs in the data: 'x'" in str(finding)


def test_builders_and_trees():
    findings = lint(ranges(5, 10), column_of_kind([1, 2, 17], Kind.NUMBER))
    assert found(findings, Severity.NOTE) == [(None, "3 labels have a single child: '0-9', '15-19', '10-19'")]
    (problem,) = lint(ranges(5), categories("old"))
    assert problem.severity is Severity.ERROR
    assert "1 values are no numbers" in str(problem)
    tree = tree_from_parents({"a": "x", "x": "*"})
    assert "2 labels have a single child: 'x', '*'" in said(lint(tree))
    assert "contains the separator" in said(lint(tree_from_parents({"a": "x y", "b": "x y"}), separator=" "))


def test_a_builder_needs_a_column():
    with pytest.raises(InvalidParameter, match="a builder builds from its values"):
        lint(fanout(2))


def test_a_file_that_is_no_text(tmp_path):
    (finding,) = lint(HierarchyFile(tmp_path / "none.csv"))
    assert finding.severity is Severity.ERROR


def test_ranges_of_amnesia(tmp_path):
    (tmp_path / "age.txt").write_text("range\nname a\ntype int\nheight 2\n\n0,20 has 0,10 10,20\n\n")
    source = HierarchyFile(tmp_path / "age.txt")
    assert "value '30'" in said(lint(source, column_of_kind([1, 2, 11, 12, 30], Kind.NUMBER)))
    (tmp_path / "age.txt").write_text("range\nname a\ntype int\nheight 2\n\n0,20 has 0,12 10,20\n\n")
    assert "overlap" in said(lint(source, column_of_kind([1, 30], Kind.NUMBER)))
