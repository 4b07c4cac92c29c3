"""Random and damaged files: readers refuse them in bounded time and memory, with an error of Shoal."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.campaign.fuzz_targets import STATISTICS, TARGETS, seeds
from tests.campaign.sandbox import Sandbox

SECONDS = 20  # for one file, on a machine that others use, too
MEGABYTES = 1500  # beside what the process takes before it reads anything

pytestmark = pytest.mark.xdist_group("fuzzing")
START_A_PROCESS = {f"data {ending}" for ending in STATISTICS}
each_target = pytest.mark.parametrize("target", TARGETS)

PIECES = (
    *(
        b"\0",
        b"\xff\xfe",
        b'"',
        b"\r",
        b"[[[[",
        b"{",
        b"1e999",
        b"-",
        b"null",
        b"nan",
        b"\xf0\x9f",
        b"\x1f\x8b",
    ),
    *(b"9" * 400, b"\xef\xbb\xbf", b"[" * 5000),
)


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(SECONDS, MEGABYTES) as started:
        yield started


@st.composite
def damaged(draw, good):
    """A good file with a few bytes changed, deleted, inserted, repeated or cut off."""
    content = bytearray(draw(st.sampled_from(good)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(0, len(content) - 1)))
        match draw(st.integers(0, 4)):
            case 0 if content:
                content[place] = draw(st.integers(0, 255))
            case 1:
                del content[place : place + draw(st.integers(1, 9))]
            case 2:
                content[place:place] = draw(st.sampled_from(PIECES))
            case 3:
                content[place:place] = content[place : place + draw(st.integers(1, 40))]
            case _:
                del content[place + 1 + len(content) // 2 :]
    return bytes(content)


def feed(sandbox, target, contents, examples):
    @settings(max_examples=examples // 5 if target in START_A_PROCESS else examples)
    @given(contents)
    def fed(content):
        flaw = sandbox.flaw(target, content)
        assert flaw is None, flaw

    fed()


@each_target
def test_good_files_are_read(sandbox, target):
    for content in seeds(target):
        assert sandbox.flaw(target, content) is None


@each_target
def test_damaged_files_are_refused(sandbox, target):
    feed(sandbox, target, damaged(seeds(target)), 25)


@each_target
def test_random_bytes_are_refused(sandbox, target):
    feed(sandbox, target, st.binary(max_size=200), 10)


@pytest.mark.slow
@each_target
def test_many_damaged_files_are_refused(sandbox, target):
    feed(sandbox, target, damaged(seeds(target)), 1000)
