"""Errors come from other processes as they were raised there."""

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from shoal import errors
from shoal.errors import (
    BadInput,
    Infeasible,
    InvalidParameter,
    MissingExtra,
    NoPromise,
    NotFound,
    Problem,
    PromiseBroken,
    ShoalError,
    UnknownName,
)

MADE = [
    InvalidParameter("KAnonymity", "k", 0, "1 or more"),
    NoPromise("KAnonymity", "k", 1, "everybody is alone", "2 or more"),
    UnknownName("auto", "option", "suppresion", ("suppression",)),
    BadInput(Problem("is empty", "give records", file="a.csv"), Problem("is odd")),
    MissingExtra("new records", "dp"),
    NotFound("project", "a"),
    Infeasible("k is larger than n", smallest=2),
    PromiseBroken("the file was not written", {"holds": False}),
]


def kinds(kind):
    return {kind, *(deeper for each in kind.__subclasses__() for deeper in kinds(each))}


def as_made(kind):
    return next((each for each in MADE if type(each) is kind), None) or kind("what happened")


@pytest.mark.parametrize(
    "kind", sorted((each for each in kinds(ShoalError) if each.__module__ == errors.__name__), key=str)
)
def test_an_error_keeps_its_sentence_and_fields(kind):
    error = as_made(kind)
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - what processes do with it
    assert type(again) is kind
    assert str(again) == str(error)
    assert again.__dict__ == error.__dict__


def refuse():
    raise MissingExtra("new records", "dp")


def test_a_process_that_refuses_is_not_broken():
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(MissingExtra, match=r"shoal\[dp\]"),
    ):
        pool.submit(refuse).result()
