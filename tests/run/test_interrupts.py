"""Ctrl-C in a program that uses Shoal: an ordinary KeyboardInterrupt, never a crash inside compiled code."""

import random
import signal
import subprocess
import sys
import time

import pytest

import shoal as sh
from shoal.progress import heed_interrupt, interrupts_between_steps

# Whoever runs the tests in the background may ignore interrupts, and programs inherit that.
PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np, pyarrow as pa, shoal as sh
rng = np.random.default_rng(1)
columns = "abcdef"
table = pa.table({{name: rng.integers(0, 30, 3000) for name in columns}})
roles = {{name: sh.Quasi(kind="number", hierarchy=sh.ranges(2, 4, 8)) for name in columns}}
data = sh.read(table, roles)
sh.anonymize(data, sh.KAnonymity(5), algorithm="{algorithm}", time_limit=5, on_limit="best")
print("ready", flush=True)
try:
    while True:
        result = sh.anonymize(data, sh.KAnonymity(5), algorithm="{algorithm}")
        sh.verify(result.frame, roles, sh.KAnonymity(5))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("algorithm", ["kanon-cf", "mondrian", "full-domain"])
def test_an_interrupt_comes_between_steps(algorithm):
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(algorithm=algorithm)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        time.sleep(random.random())
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    assert out == "interrupted\n"


@pytest.fixture
def default_handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("default_handler")
def test_an_interrupt_waits_for_the_next_word_about_progress():
    with pytest.raises(KeyboardInterrupt), interrupts_between_steps():
        signal.raise_signal(signal.SIGINT)
        reached = True
        heed_interrupt()
    assert reached
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt), interrupts_between_steps():
        signal.raise_signal(signal.SIGINT)
    heed_interrupt()


def test_whoever_handles_interrupts_goes_on_doing_so():
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    try:
        with interrupts_between_steps():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [1]
    assert sh.KAnonymity(2)
