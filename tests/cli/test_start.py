"""Interrupts at any moment: one line, the right exit code, and nothing left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.commands import COLUMNS, PATIENTS, files_in, in_process, process

LIMIT_REACHED, BUG, INTERRUPTED, TERMINATED = 4, 70, 130, 143
SECONDS = 2

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")


def children_of(pid: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(status.parent.name))
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def endless(tmp_path):
    """A file whose check stays inside one kernel for many seconds, and the words of the command."""
    terms = [f"t{i}" for i in range(30)]
    cluster = {"size": 40, "chunks": [{"subrecords": [terms] * 40}], "terms": ["x"]}
    (tmp_path / "p.jsonl").write_text(json.dumps(cluster) + "\n")
    (tmp_path / "d.txt").write_text("a b\n" * 10)
    policy = tmp_path / "policy.toml"
    policy.write_text(
        '[data]\npath = "d.txt"\n[columns]\nitems = { role = "quasi", kind = "set" }\n'
        '[privacy]\nmodel = "disassociation"\nk = 5\nm = 12\n'
    )
    return process("verify", tmp_path / "p.jsonl", "--policy", policy)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("wait", [0, 0.5, 4])
def test_an_interrupt_ends_start_up_imports_and_kernels_at_once(tmp_path, number, wait):
    running = subprocess.Popen(endless(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (workers := children_of(running.pid)):  # before that, it is Python that starts
        time.sleep(0.01)
    time.sleep(wait)
    began = time.monotonic()
    running.send_signal(number)
    _, err = running.communicate(timeout=30)
    assert time.monotonic() - began < SECONDS
    assert running.returncode == {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}[number]
    assert err.splitlines()[-1:] == ["error: interrupted; nothing unfinished was left behind"]
    assert "Traceback" not in err
    assert not any(map(is_alive, workers))


def with_a_step(hospital, step, *words):
    """The command, which does something else before it writes its table."""
    hospital.write("data.csv", PATIENTS)
    script = (
        "import os, signal, time, sys\nfrom shoal.cli.start import main\nfrom shoal.run import result\n"
        "written = result.write_table\n"
        f"def write(table, path, *form):\n    written(table, path, *form)\n    {step}\n"
        "result.write_table = write\nmain()\n"
    )
    return [sys.executable, "-c", script, "run", str(hospital.write_policy(COLUMNS)), *map(str, words)]


def test_what_was_begun_is_removed_and_what_was_there_stays(hospital):
    assert hospital.run().code == 0
    before = hospital.published.read_bytes()
    words = with_a_step(hospital, "print('writing', flush=True); time.sleep(60)", "--replace")
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "writing\n"
    running.send_signal(signal.SIGTERM)
    running.communicate(timeout=30)
    assert running.returncode == TERMINATED
    assert hospital.published.read_bytes() == before
    assert not [name for name in files_in(hospital.folder) if "partial" in name]


def test_a_killed_supervisor_takes_its_worker_along(hospital):
    words = with_a_step(hospital, "print('writing', flush=True); time.sleep(60)")
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        running.stdout.readline()
        (worker,) = children_of(running.pid)
        running.kill()
    deadline = time.monotonic() + SECONDS
    while is_alive(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(worker)


@pytest.mark.parametrize(
    ("step", "code", "words"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", BUG, "the run ended by SIGSEGV"),
        ("os.kill(os.getpid(), signal.SIGKILL)", LIMIT_REACHED, "most likely because memory is used up"),
        ("os._exit(127)", BUG, "the run ended by exit code 127"),
    ],
)
def test_a_worker_that_dies_is_told_and_leaves_nothing(hospital, step, code, words):
    done = subprocess.run(with_a_step(hospital, step), capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert words in done.stderr
    assert not [name for name in files_in(hospital.folder) if "partial" in name or "out" in name]


def test_json_says_it_too(tmp_path):
    words = [*endless(tmp_path), "--json"]
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not children_of(running.pid):
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=30)
    assert json.loads(out)["error"]["type"] == "Cancelled"


def test_exit_codes_come_through(hospital):
    done = in_process("run", hospital.folder / "none.toml")
    assert done.code == 2
    assert in_process("--version").code == 0


def test_the_package_loads_what_is_asked_for(tmp_path):
    script = "import sys, shoal; assert not {'numba', 'pandas', 'pyarrow', 'plotly'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)
    script = "import shoal.attack.links, shoal; assert callable(shoal.attack) and shoal.KAnonymity"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_run_loads_neither_pandas_nor_scipy_nor_other_algorithms(hospital):
    loaded = """
import sys
from shoal.cli.light_libraries import keep_arrow_from_loading_pandas, keep_numba_from_loading_scipy
keep_arrow_from_loading_pandas()
keep_numba_from_loading_scipy()
from shoal.cli.main import main
try:
    main()
except SystemExit as done:
    assert done.code == 0
too_much = {"pandas", "scipy", "cffi", "narwhals", "shoal.algorithms.relational.forest"} & set(sys.modules)
assert not too_much, too_much
import pyarrow, scipy.linalg, cffi
assert list(pyarrow.table({"a": [1]}).to_pandas()["a"]) == [1]  # who asks for it gets it
"""
    hospital.write("data.csv", PATIENTS)
    policy = hospital.write_policy(COLUMNS, algorithm='name = "mondrian"')
    subprocess.run([sys.executable, "-c", loaded, "run", str(policy)], check=True)
