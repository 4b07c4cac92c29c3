"""What is measured of a release for the pages of papers."""

import threading
import time

from papers.release import SearchClock


def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_the_clock_has_the_seconds_of_all_threads_of_the_search_and_no_others():
    clock = SearchClock()
    clock.stage("reading")
    spin(0.2)
    clock.stage("searching with lra")
    thread = threading.Thread(target=spin, args=(0.1,))
    thread.start()
    clock.stage("searching 3 parts")
    spin(0.1)
    thread.join()
    clock.stage("applying")
    taken = clock.seconds
    spin(0.1)
    clock.stage("verifying")
    assert clock.seconds == taken
    assert 0.19 < taken < 0.39
