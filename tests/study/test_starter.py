from dataclasses import replace

from shoal.study.profile import ColumnProfile
from shoal.study.starter import promise_about

ILL = ColumnProfile(
    name="ill",
    kind="category",
    distinct=9,
    missing=0,
    unique_share=0.0,
    role="sensitive",
    reason="",
    most_frequent=0.2,
)


def test_sensitive_columns_are_promised_what_their_values_can_keep():
    assert promise_about([ILL]) == {"l": 2}
    assert promise_about([ILL, replace(ILL, most_frequent=0.8)]) == {"l": 2, "diversity": "distinct"}
    assert promise_about([replace(ILL, most_frequent=0.99)]) == {}
    assert promise_about([]) == {}
