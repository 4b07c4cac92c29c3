"""What only a process of its own can show: signals, full disks, pipes and terminals."""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tests.cli.commands import PATIENTS, Done, files_in, in_process, process

FINE, BAD_INPUT, INTERRUPTED = 0, 2, 130


def big_data(records: int) -> str:
    return "age,sex,ill\n" + "".join(f"{i % 90},{'fm'[i % 2]},{'abc'[i % 3]}\n" for i in range(records))


def with_another_writer(writer: str, *words: object) -> list[str]:
    """The command, writing its table with `write(table, path, *form)` of these lines, not `written`."""
    script = f"""
from shoal.cli.start import main
from shoal.run import result

written = result.write_table
{textwrap.dedent(writer)}
result.write_table = write
main()
"""
    return [sys.executable, "-c", script, *map(str, words)]


def writing_slowly(*words: object) -> list[str]:
    """The command, with a pause in the middle of the table that it writes, told on its output."""
    writer = """
        import time

        def write(table, path, *form):
            written(table, path, *form)
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
            print("writing", flush=True)
            time.sleep(60)
    """
    return with_another_writer(writer, *words)


def writing_at_most(size: int, *words: object) -> list[str]:
    """The command, unable to write files larger than so many bytes from its table on."""
    writer = f"""
        import resource, signal

        def write(table, path, *form):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that writing fails as on a full disk
            resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
            written(table, path, *form)
    """
    return with_another_writer(writer, *words)


@contextlib.contextmanager
def stopped_in_the_middle_of_a_write(policy: Path):
    with subprocess.Popen(
        writing_slowly("run", policy), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "writing\n"
        yield running


def wait_until_free(folder: Path) -> None:
    """A killed process holds its folder until the system has buried it, and the one that it looked after."""
    deadline = time.monotonic() + 30
    handle = os.open(folder, os.O_RDONLY)
    try:
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            time.sleep(0.05)
    finally:
        os.close(handle)


def test_a_killed_run_leaves_no_output_and_the_next_one_cleans_up(hospital):
    hospital.write("data.csv", PATIENTS)
    with stopped_in_the_middle_of_a_write(hospital.write_policy()) as running:
        running.send_signal(signal.SIGKILL)
    assert running.returncode == -signal.SIGKILL
    assert not hospital.out.exists()
    leftovers = [name for name in files_in(hospital.folder) if name.startswith(".policy-out.partial-")]
    assert any(name.endswith("published.csv") for name in leftovers)
    wait_until_free(hospital.folder / leftovers[0].split("/")[0])
    assert hospital.run().code == FINE
    assert {name.split("/")[0] for name in files_in(hospital.folder)} == {
        "data.csv",
        "policy.toml",
        "policy-out",
    }


def test_a_killed_replacement_keeps_the_earlier_output(hospital):
    assert hospital.run().code == FINE
    before = {name: (hospital.out / name).read_bytes() for name in ("published.csv", "certificate.json")}
    words = writing_slowly("run", hospital.policy, "--replace")
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "writing\n"
        running.kill()
    assert before == {name: (hospital.out / name).read_bytes() for name in before}


def test_an_interrupted_run_leaves_nothing(hospital):
    hospital.write("data.csv", PATIENTS)
    with stopped_in_the_middle_of_a_write(hospital.write_policy()) as running:
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=30)
    assert running.returncode == INTERRUPTED
    assert "interrupted; nothing unfinished was left behind" in err
    assert "Traceback" not in err
    assert files_in(hospital.folder) == ["data.csv", "policy.toml"]


def test_a_second_run_does_not_disturb_one_that_is_writing(hospital):
    hospital.write("data.csv", PATIENTS)
    with stopped_in_the_middle_of_a_write(hospital.write_policy()) as running:
        assert hospital.run().code == FINE
        assert any(".policy-out.partial-" in name for name in files_in(hospital.folder))
        running.kill()


@pytest.mark.parametrize(
    ("records", "size"), [(20_000, 100_000), (2_000, 25_000)], ids=["published file", "report"]
)
def test_a_full_disk_is_told_and_nothing_is_left_behind(hospital, records, size):
    hospital.write("data.csv", big_data(records))
    ended = subprocess.run(
        writing_at_most(size, "run", hospital.write_policy()), capture_output=True, text=True, check=False
    )
    assert ended.returncode == BAD_INPUT, ended.stderr
    assert "policy-out" in ended.stderr
    assert "File too large" in ended.stderr
    assert "nothing was left behind" in ended.stderr
    assert "partial" not in ended.stderr
    assert files_in(hospital.folder) == ["data.csv", "policy.toml"]


@pytest.fixture
def small_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("mounting a small disk is not allowed here; the test with a limit on files covers it")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_small_disk_that_fills_up_is_told_and_nothing_is_left_behind(hospital, small_disk):
    hospital.write("data.csv", big_data(40_000))
    done = hospital.run(None, words=("--out", small_disk / "out"))
    assert done.code == BAD_INPUT
    assert "No space left on device" in done.errors[0]
    assert "nothing was left behind" in done.errors[0]
    assert files_in(small_disk) == []


# A child's peak memory begins at what its parent holds, and these tests may hold much: so a small parent.
MEASURING = """
import json, os, resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    json.dump([code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3], file)
"""


def measured(notes: Path, *words: object) -> tuple[Done, float, float]:
    """Run a command; how it ended, the seconds that it computed, and the most megabytes that it held."""
    ended = subprocess.run(
        [sys.executable, "-c", MEASURING, notes, *process(*words)], capture_output=True, text=True, check=True
    )
    code, seconds, megabytes = json.loads(notes.read_text())
    return Done(code, ended.stdout, ended.stderr), seconds, megabytes


def write_endless_line(file: Path, beginning: bytes, megabytes: int) -> None:
    with file.open("wb") as stream:
        stream.write(beginning)
        for _ in range(megabytes // 16):
            stream.write(b"x" * 2**24)


@pytest.mark.parametrize(
    ("beginning", "megabytes", "line"),
    [
        pytest.param(b"age,sex,ill\n20,f,", 1024, 2, id="a gigabyte"),
        pytest.param(b"age,sex,", 128, 1, id="in the header"),
        pytest.param(b'age,sex,ill\n20,f,"', 128, 2, id="in quotes"),
    ],
)
def test_a_line_without_end_is_refused_in_bounded_time_and_memory(
    hospital, tmp_path_factory, beginning, megabytes, line
):
    file = hospital.folder / "data.csv"
    write_endless_line(file, beginning, megabytes)
    notes = tmp_path_factory.mktemp("measured") / "notes.json"
    done, seconds, held = measured(notes, "run", hospital.write_policy())
    file.unlink()
    assert done.code == BAD_INPUT, done.err
    assert f"data.csv:{line}: the line is longer than 64 MB" in done.errors[0]
    assert seconds < 60
    assert held < 800
    assert files_in(hospital.folder) == ["policy.toml"]


def test_a_reader_who_goes_away_is_no_broken_promise(hospital):
    hospital.write("data.csv", PATIENTS)
    command = " ".join(f"'{word}'" for word in process("profile", hospital.folder / "data.csv", "--json"))
    ended = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | true"], capture_output=True, text=True, check=False
    )
    assert ended.returncode in (FINE, 141)
    assert "Traceback" not in ended.stderr
    assert "BrokenPipe" not in ended.stderr


def test_file_names_that_are_no_text_can_be_told(hospital):
    name = os.fsencode(hospital.folder) + b"/\xff.csv"
    done = in_process("profile", os.fsdecode(name), env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.code == BAD_INPUT
    assert "does not exist" in done.errors[0]


def on_a_terminal(*words: object, stdout: int | None = None) -> tuple[str, str]:
    """What a command shows on a terminal, and what it says on a standard output that is elsewhere."""
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    running = subprocess.Popen(
        process(*words), stdin=slave, stdout=stdout or slave, stderr=slave, env=environment, text=True
    )
    os.close(slave)
    with running, os.fdopen(master, "rb", buffering=0) as terminal:
        shown = b""
        with contextlib.suppress(OSError):  # the terminal is gone when the process ends
            while select.select([terminal], [], [], 120)[0] and (piece := terminal.read(65536)):
                shown += piece
        said = running.stdout.read() if running.stdout else ""
    assert running.returncode == FINE, shown.decode()
    return shown.decode(), said


def test_progress_is_shown_on_a_terminal_only(hospital):
    hospital.write("data.csv", big_data(20_000))
    shown, _ = on_a_terminal("run", hospital.write_policy())
    assert "\x1b[" in shown
    assert re.search(r"reading|searching with mondrian", shown)
    assert "━" in shown
    assert "satisfies k-anonymity" in shown
    assert not re.search(r"writing and checking[^\r\n]*parts", shown)  # each stage begins anew
    piped = in_process("run", hospital.policy, "--replace")
    assert piped.code == FINE
    assert "\x1b" not in piped.out + piped.err
    assert "searching" not in piped.out + piped.err


def test_json_goes_to_standard_output_beside_a_terminal(hospital):
    hospital.write("data.csv", PATIENTS)
    shown, said = on_a_terminal("run", hospital.write_policy(), "--json", stdout=subprocess.PIPE)
    assert json.loads(said)["verdict"]["holds"] is True
    assert "verdict" not in shown
