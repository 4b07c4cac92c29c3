"""What a policy says about how values are written reaches the reader."""

import pytest

from shoal.errors import BadInput
from shoal.metrics.tasks.usefulness import Task
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import PolicyFile, parse_policy

POLICY = """\
[data]
path = "d.csv"
decimal = ","
thousands = "."
date_format = "%d.%m.%Y"

[columns]
wage = { role = "quasi", kind = "number" }
rent = { role = "sensitive", kind = "number", decimal = ".", thousands = "" }
born = { role = "quasi", kind = "date", format = "excel" }

[privacy]
model = "k-anonymity"
k = 5
"""


def plan(text, tmp_path):
    return plan_of(PolicyFile(parse_policy(text), tmp_path / "p.toml", text))


def test_styles_and_formats_of_data_and_columns(tmp_path):
    found = plan(POLICY, tmp_path)
    options = found.read_options
    assert (options.decimal, options.thousands, options.date_format) == (",", ".", "%d.%m.%Y")
    assert (found.roles["wage"].decimal, found.roles["wage"].thousands) == (None, None)
    assert (found.roles["rent"].decimal, found.roles["rent"].thousands) == (".", "")
    assert found.roles["born"].date_format == "excel"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('decimal = ","', 'decimal = ";"', r"p.toml:3: data.decimal must be '.' or ',', got ';'"),
        ('thousands = "."', 'thousands = ","', r"p.toml:4: data.thousands must be another mark than decimal"),
        ('"%d.%m.%Y"', '"%x"', r"p.toml:5: data.date_format must be 'excel', or a format with a year"),
        ('"excel"', '"%d"', r"p.toml:10: column 'born': Quasi: date_format must be 'excel'"),
        ('decimal = "."', 'decimal = "!"', r"p.toml:9: column 'rent': Sensitive: decimal must be"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(tmp_path, old, new, message):
    with pytest.raises(BadInput, match=message):
        plan(POLICY.replace(old, new, 1), tmp_path)


def test_a_target_becomes_a_task(tmp_path):
    assert plan(f'{POLICY}[report]\ntarget = "rent"\n', tmp_path).task == Task(target="rent")
    assert plan(POLICY, tmp_path).task is None
    others = POLICY.replace('"d.csv"', '"d.csv"\nothers = "insensitive"')
    assert plan(f'{others}[report]\ntarget = "else"\n', tmp_path).task == Task(target="else")


@pytest.mark.parametrize(("target", "words"), [("rnt", "did you mean 'rent'"), ("name", "is an identifier")])
def test_a_target_must_be_published(target, words, tmp_path):
    named = POLICY.replace("[columns]", '[columns]\nname = { role = "identifier" }')
    with pytest.raises(BadInput, match=words):
        plan(f'{named}[report]\ntarget = "{target}"\n', tmp_path)
