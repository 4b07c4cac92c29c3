"""The script of a policy says what the policy says."""

import pytest

import shoal as sh
from shoal.policy.policy_file import parse_policy
from shoal.policy.script import code, script_text
from shoal.table.columns import Kind
from shoal.table.sample import sample_folder

MANY = """
[data]
path = "it's \\"here\\".csv"
missing = ["", "?"]
delimiter = ";"
others = "drop"
subject = "name"

[columns]
name = { role = "identifier", pseudonym = true }
"a 'b'" = { role = "quasi", kind = "number", hierarchy = { ranges = [5, 10], start = 1.5 }, unknown = "root" }
born = { role = "quasi", kind = "date", hierarchy = { dates = ["month", "year"] }, format = "%d.%m.%Y" }
width = { role = "quasi", kind = "number", bounds = [0, 10], weight = 2 }
code = { role = "quasi", hierarchy = { digits = true } }
zip = { role = "quasi", hierarchy = { mask = "left" } }
ill = { role = "sensitive" }

[privacy]
model = "k-anonymity"
k = 3
l = 2
diversity = "recursive"
c = 1.5
t = 0.2

[algorithm]
name = "mondrian"
mode = "relaxed"
seed = 3
time_limit = "10 s"
on_limit = "best"

[output]
path = "out.tsv"
neutralize_formulas = true
"""


class Recorded(Exception):
    """What a script asks for, instead of doing it."""


def asked_by(script: str, monkeypatch: pytest.MonkeyPatch) -> tuple[tuple, dict]:
    seen: dict[str, tuple] = {}

    def read(source, columns, *, options=None, subject=None):
        seen["read"] = (source, columns, options, subject)

    def anonymize(data, models, **search):
        raise Recorded(models, search)

    monkeypatch.setattr(sh, "read", read)
    monkeypatch.setattr(sh, "anonymize", anonymize)
    with pytest.raises(Recorded) as raised:
        exec(script, {})  # noqa: S102 - it is what a user would do
    return seen["read"], dict(zip(("models", "search"), raised.value.args, strict=True))


def test_a_script_asks_for_everything_that_the_policy_says(monkeypatch):
    script = script_text(parse_policy(MANY))
    (source, columns, options, subject), asked = asked_by(script, monkeypatch)
    assert source == 'it\'s "here".csv'
    assert subject == "name"
    assert options == sh.ReadOptions(missing=("", "?"), delimiter=";", others="drop")
    assert columns == {
        "name": sh.Identifier(pseudonym=True),
        "a 'b'": sh.Quasi(hierarchy=sh.ranges(5, 10, start=1.5), kind=Kind.NUMBER, unknown="root"),
        "born": sh.Quasi(hierarchy=sh.dates("month", "year"), kind=Kind.DATE, date_format="%d.%m.%Y"),
        "width": sh.Quasi(kind=Kind.NUMBER, bounds=(0.0, 10.0), weight=2.0),
        "code": sh.Quasi(hierarchy=sh.digits()),
        "zip": sh.Quasi(hierarchy=sh.mask_left()),
        "ill": sh.Sensitive(),
    }
    assert asked["models"] == [
        sh.KAnonymity(3),
        sh.LDiversity(2, kind="recursive", c=1.5),
        sh.TCloseness(0.2),
    ]
    search = {"algorithm": "mondrian", "seed": 3, "mode": "relaxed", "time_limit": 10.0, "on_limit": "best"}
    assert asked["search"] == search
    assert "result.save(\"out\", published='out.tsv', neutralize_formulas=True)" in script


@pytest.mark.parametrize("name", ["table", "sets", "mixed"])
def test_the_policies_of_the_sample_have_scripts(name, monkeypatch):
    text = (sample_folder() / f"{name}.toml").read_text(encoding="utf-8")
    (_, columns, _, _), asked = asked_by(script_text(parse_policy(text)), monkeypatch)
    assert columns
    assert asked["models"]


def test_values_are_written_as_expressions():
    assert code(sh.HierarchyFile("a'b.csv")) == 'sh.HierarchyFile("a\'b.csv")'
    assert code(sh.fanout(5)) == "sh.fanout(size=5)"
    assert code(("a",)) == "('a',)"
    assert code([1, 2.5]) == "[1, 2.5]"
    assert code({"a": 0.5}) == "{'a': 0.5}"
    assert code(sh.LongForm("id", "item")) == "sh.LongForm(id='id', item='item')"
