import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.policy.policy_text import DEEPEST, policy_text, quoted, toml_value

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
SCALARS = st.one_of(
    TEXTS, st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, width=64)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_what_is_written_is_read_back(section):
    assert tomllib.loads(policy_text({"columns": section})) == {"columns": section}


def test_keys_without_a_value_vanish_and_remarks_stand_above():
    text = policy_text({"columns": {"a": {"role": "quasi", "kind": None}, "b": None}}, {"a": "because"})
    assert text == '[columns]\n# because\na = { role = "quasi" }\n'


def test_what_no_policy_holds_is_refused():
    deep: list = []
    for _ in range(DEEPEST + 1):
        deep = [deep]
    for value in (object(), deep, b"bytes"):
        with pytest.raises(TypeError):
            toml_value({"a": value})


def test_unprintable_characters_are_escaped():
    assert quoted('a"\\\n\U000e0001') == '"a\\"\\\\\\u000a\\U000e0001"'
