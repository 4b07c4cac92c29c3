from shoal.errors import BadInput, Problem
from shoal.web.service.wording import Names

STORED = "/data/projects/1/files/0123456789abcdef01234567.csv"


def test_paths_and_ids_are_shown_as_the_names_that_people_gave():
    names = Names({STORED: "ages.csv", "/data/projects/1/jobs/2/out": "the output"})
    assert names.shown(f"{STORED}:3 is wrong") == "ages.csv:3 is wrong"
    assert names.shown("0123456789abcdef01234567.csv is wrong") == "ages.csv is wrong"
    assert names.shown("/data/projects/1/jobs/2/out is full") == "the output is full"
    (problem,) = names.problems(BadInput(Problem("is wrong", "mend it", file=STORED)))
    assert problem.file == "ages.csv"


def test_words_that_are_also_names_of_files_stay():
    names = Names({"/data/projects/1/jobs/2/out": "the output"})
    assert (
        names.shown("it was left out, without a word about it") == "it was left out, without a word about it"
    )
