import threading
import time

import pytest

from shoal.errors import Cancelled, Infeasible
from shoal.progress import Silent
from shoal.threads import at_most, in_threads, mapped, processors, those_in_time


class Watcher(Silent):
    """Remembers what it was told, and by whom."""

    def __init__(self):
        super().__init__()
        self.told = []
        self.threads = set()

    def update(self, done, total=None, note=""):
        self.told.append((done, total, note))
        self.threads.add(threading.current_thread())
        super().update(done, total, note)


def threads_alive():
    """Those of tests that ran before may end at any time, so that threads are named, not counted."""
    return set(threading.enumerate())


def until_stopped(progress):
    while True:
        progress.update(0.5, 1, "working")
        time.sleep(0.01)


def test_results_come_in_the_order_of_the_searches():
    def search(number):
        def slower_if_earlier(progress):
            time.sleep(0.02 * (3 - number))
            return number

        return slower_if_earlier

    for threads in (1, 2, 3):
        assert in_threads([search(number) for number in range(3)], Silent(), threads) == [0, 1, 2]


def test_only_the_caller_talks_to_progress():
    watcher = Watcher()

    def search(progress):
        progress.stage("deep inside")
        progress.update(1, 2, "half way")
        time.sleep(0.25)

    in_threads([search, search], watcher, 2)
    assert watcher.threads == {threading.current_thread()}
    assert (1.0, 2, "part 1: half way") in watcher.told
    assert watcher.told[-1] == (2.0, 2, "")


def test_wish_to_stop_ends_all_searches():
    progress, others = Silent(), threads_alive()
    timer = threading.Timer(0.1, progress.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        in_threads([until_stopped] * 4, progress, 2)
    timer.join()
    assert threads_alive() <= others


def test_failure_of_one_search_ends_the_others():
    def failing(progress):
        raise Infeasible("no way")

    others = threads_alive()
    with pytest.raises(Infeasible, match="no way"):
        in_threads([until_stopped, failing, until_stopped], Silent(), 2)
    assert threads_alive() <= others


def test_time_limit_reaches_every_search():
    asked = []
    in_threads([lambda progress: asked.append(progress.expired())] * 2, Silent(time_limit=-1), 2)
    assert asked == [True, True]


def test_no_more_threads_than_are_allowed():
    before = processors()
    with at_most(1):
        assert processors() == 1
        with at_most(3):
            assert processors() == 3
        assert processors() == 1
    assert processors() == before >= 1


def test_what_is_enough_is_not_waited_for():
    released = threading.Event()

    def deaf(progress):
        released.wait(30)
        return "late"

    def quick(progress):
        return "in time"

    started = time.monotonic()
    found = those_in_time([deaf, quick, quick], Silent(), 2, lambda ended: "in time" in ended)
    released.set()
    assert found[0] is None
    assert "in time" in found[1:]
    assert time.monotonic() - started < 20


def test_whoever_is_given_up_ends_at_the_next_update():
    others = threads_alive()
    found = those_in_time([until_stopped, lambda _: 1], Silent(), 2, lambda ended: 1 in ended)
    assert found == [None, 1]
    assert threads_alive() <= others


def test_all_are_waited_for_while_nothing_is_enough():
    assert those_in_time([lambda _: 1, lambda _: 2], Silent(), 2, lambda _: False) == [1, 2]


def test_a_failure_is_told():
    def failing(progress):
        raise Infeasible("no way")

    with pytest.raises(Infeasible, match="no way"):
        those_in_time([until_stopped, failing], Silent(), 2, lambda _: False)


def test_one_item_alone_is_worked_on_by_the_caller():
    assert list(mapped(lambda _: threading.current_thread(), [1])) == [threading.current_thread()]
    assert list(mapped(abs, [-3, -1, -2])) == [3, 1, 2]
    assert list(mapped(abs, [])) == []
