from shoal.web.service.pace import Pace


def test_nothing_is_expected_of_what_was_never_done():
    pace = Pace()
    assert pace.expected("look", 100) is None
    pace.remember("look", 100, 3.0)
    assert pace.expected("count", 100) is None


def test_what_was_done_with_about_as_much_is_expected_again():
    pace = Pace()
    for seconds in (2.0, 3.0, 10.0):
        pace.remember("look", 100, seconds)
    assert pace.expected("look", 100) == 3.0
    assert pace.expected("look", 200) == 6.0
    assert pace.expected("look", 1_000) is None
    assert pace.expected("look", 10) is None


def test_what_was_answered_from_memory_says_nothing():
    pace = Pace()
    pace.remember("look", 100, 0.01)
    pace.remember("look", 0, 5.0)
    assert pace.expected("look", 100) is None
    assert pace.expected("look", 0) is None
