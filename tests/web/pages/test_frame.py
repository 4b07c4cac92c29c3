from shoal.web.pages.frame import waited


def test_it_is_told_how_long_something_takes_or_that_it_cannot_be_told():
    assert waited(3, 8) == "3 s of about 8 s"
    assert waited(3, None) == "3 s; how long it takes cannot be told before"
    assert waited(17, 8) == "17 s; it takes longer than the last times, and how long cannot be told"
