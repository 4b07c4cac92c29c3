"""When time is up, every algorithm ends soon, with a release that keeps its promise or without one.

What is "soon" is counted in questions, not in seconds: a search that asks the time goes on only as long as it
takes to finish what it has. `bench/limits.py` measures seconds.
"""

import pytest

import shoal as sh
from shoal.errors import Infeasible, LimitReached
from shoal.privacy.model import Form
from tests.contract.cases import TABLES, promise_of, roles_of, served
from tests.hurried import UpAfter

CASES = served()
each_case = pytest.mark.parametrize(("name", "model"), CASES, ids=[" ".join(case) for case in CASES])
GIVES_UP = {"lgr-literal"}  # its rounds may leave single records, and it says so
MOST_QUESTIONS_MORE = 60  # about one for each cluster and each part of forty records


def search(name, model, **how):
    promise, table = promise_of(model), TABLES["values and sets"]
    data = sh.read(table, roles_of(promise, table.column_names), options=sh.ReadOptions(others="drop"))
    seed = None if promise.form is Form.NEW_RECORDS else 1
    return sh.anonymize(data, promise, algorithm=name, seed=seed, **how)


@each_case
@pytest.mark.parametrize("questions", [0, 1, 2, 5])
def test_a_search_whose_time_is_up_ends_soon_and_safely(name, model, questions):
    progress = UpAfter(questions)
    try:
        result = search(name, model, progress=progress)
    except LimitReached:
        pass
    except Infeasible:
        assert name in GIVES_UP
    else:
        assert all(verdict.holds for verdict in result.verdicts)
    assert progress.more <= MOST_QUESTIONS_MORE


@each_case
def test_every_search_can_be_stopped(name, model):
    """A limit that has passed when the search begins ends it as soon as that tells how far it is."""
    with pytest.raises(LimitReached):
        search(name, model, time_limit=1e-9)
