"""Helpers answer, fail in words, and end while they are asked."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from shoal.errors import LimitReached
from shoal.web.service.helpers import Helpers
from shoal.web.service.stopping import cancelled_by

MEMORY = 2_000_000_000


@pytest.fixture
def helpers():
    made = Helpers(1, MEMORY)
    yield made
    made.close()


def test_a_helper_that_is_killed_is_replaced(helpers):
    first = helpers.ask(os.getpid)
    with pytest.raises(LimitReached, match="ended early"):
        helpers.ask(os.kill, first, signal.SIGKILL)
    assert helpers.ask(os.getpid) not in (first, os.getpid())


def test_closing_ends_what_is_being_asked(helpers):
    asked = helpers.ask(os.getpid)
    refusals: list[str] = []

    def ask_for_long() -> None:
        try:
            helpers.ask(time.sleep, 600)
        except LimitReached as refused:
            refusals.append(str(refused))

    asking = threading.Thread(target=ask_for_long)
    asking.start()
    closing = [threading.Thread(target=helpers.close) for _ in range(3)]
    for thread in closing:
        thread.start()
    for thread in (asking, *closing):
        thread.join(30)
        assert not thread.is_alive()
    assert len(refusals) == 1
    with pytest.raises(ProcessLookupError):
        os.kill(asked, 0)
    with pytest.raises(LimitReached, match="stopping"):
        helpers.ask(os.getpid)


def test_a_question_is_cancelled_and_the_next_is_answered(helpers):
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    began = time.monotonic()
    with cancelled_by(stop), pytest.raises(LimitReached, match="cancelled"):
        helpers.ask(time.sleep, 600)
    assert time.monotonic() - began < 60
    assert helpers.ask(os.getpid) != os.getpid()


def test_whoever_waits_for_a_helper_can_give_up(helpers):
    helpers.ask(os.getpid)
    asking = threading.Thread(target=helpers.ask, args=(time.sleep, 2))
    asking.start()
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    with cancelled_by(stop), pytest.raises(LimitReached, match="cancelled"):
        helpers.ask(time.sleep, 600)
    assert asking.is_alive()
    asking.join()
