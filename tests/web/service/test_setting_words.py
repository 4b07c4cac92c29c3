import pytest

from shoal.errors import Problem
from shoal.web.service.setting_words import name_of_setting, problem_in_words, setting_in_words


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (
            Problem("KAnonymity: k must be an integer of 2 or more, got 0", file="policy.toml", line=11),
            "k must be an integer of 2 or more, got 0",
        ),
        (
            Problem("does not cover it", 'use model = "k-km-anonymity"', file="policy.toml"),
            "does not cover it; use the promise k-km-anonymity",
        ),
        (Problem("columns.age names 'x.csv'"), "the column age names 'x.csv'"),
        (Problem("add l to [privacy]"), "add l to the promise"),
        (Problem("privacy.k is missing"), "k of the promise is missing"),
        (
            Problem('is of role quasi; give it role = "identifier"', 'give the column kind = "date"'),
            "is of the role “Somebody could know it”; give it the role “Names a person: is left out”;"
            " give the column the kind “dates”",
        ),
        (
            Problem("Quasi: max_level must be whole, got (1.5,)", "leave publish_hierarchy out"),
            "“And at most so many levels” must be whole, got 1.5;"
            " untick “The codebook shows its whole hierarchy”",
        ),
        (
            Problem("is published untouched", "set confirm = true"),
            "is published untouched; tick “Publish it although ..”",
        ),
        (Problem("exists", "add --replace, or choose another folder with --out"), "exists"),
        (
            Problem("the values role, kind and date stay", "say why"),
            "the values role, kind and date stay; say why",
        ),
        (Problem("has 1 columns", file="sex.csv", line=3), "sex.csv:3: has 1 columns"),
    ],
)
def test_problems_are_told_without_words_of_policy_files(problem, told):
    assert problem_in_words(problem) == told


def test_settings_are_named_and_shown_as_pages_do():
    assert name_of_setting(("data", "path")) == "the data file"
    assert name_of_setting(("columns", "age", "item_weights")) == "item weights of the column age"
    assert setting_in_words(("columns", "age", "role"), "quasi") == "“Somebody could know it”"
    assert setting_in_words(("columns", "age", "hierarchy"), {"ranges": [5, 10]}) == "ranges 5 10"
    assert setting_in_words(("data", "missing"), ["", "NA"]) == "an empty cell, NA"
