"""Where POSIX is not: whole commands in a process without fcntl, resource, pwd, os.fork and /proc.

Files are moved and removed there as on Windows: not while this process holds them open, nor by names that
Windows reserves.
"""

import ast
import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import COLUMNS, PATIENTS, files_in, shoal

SOURCE = Path(__file__).parents[2] / "src" / "shoal"
ONLY_POSIX = {"fcntl", "grp", "posix", "pwd", "resource", "select", "syslog", "termios"}
_NAMED = re.compile(rf"\b(?:import|from) (?:{'|'.join(ONLY_POSIX)})\b")

WITHOUT_POSIX = """
import os, sys
looking = False
import filelock, psutil  # which ask every system in its own way

for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
del os.fork, os.forkpty

def without_proc(event, arguments):
    if looking or event not in ("open", "os.listdir", "os.scandir"):
        return
    if not str(arguments[0]).startswith("/proc"):
        return
    if "psutil" not in sys._getframe(1).f_globals["__name__"]:
        raise FileNotFoundError(2, "No such file or directory", arguments[0])

sys.addaudithook(without_proc)

RESERVED = set('<>"|?*:')

def open_below(path):
    global looking
    looking = True
    numbers = os.listdir("/proc/self/fd")
    looking = False
    links = [f"/proc/self/fd/{number}" for number in numbers]
    held = [os.readlink(link) for link in links if os.path.lexists(link)]
    return [each for each in held if each == path or each.startswith(path + os.sep)]

def as_on_windows(event, arguments):
    if event not in ("os.rename", "os.remove", "os.rmdir", "os.mkdir"):
        return
    if event != "os.mkdir" and arguments[-1] == -1 and (held := open_below(os.path.abspath(arguments[0]))):
        raise PermissionError(13, f"Windows would refuse it while it is open: {held}", str(arguments[0]))
    if event in ("os.rename", "os.mkdir") and RESERVED & set(str(arguments[event == "os.rename"])):
        raise OSError(22, "is no name on Windows", str(arguments))

sys.addaudithook(as_on_windows)

"""
SHOAL = "from shoal.cli.start import main\nmain()\n"


def without_posix(*words, code=SHOAL):
    command = [sys.executable, "-c", WITHOUT_POSIX + code, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(
    "code",
    [
        "import fcntl",
        "os.fork()",
        "open('/proc/meminfo')",
        "held = open('a', 'w'); os.rename('a', 'b')",
        "os.mkdir('folder'); held = open('folder/a', 'w'); os.rename('folder', 'b')",
        "held = open('a', 'w'); os.remove('a')",
        "os.mkdir('12:30')",
    ],
)
def test_the_process_has_only_what_other_systems_have(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = without_posix(code=code)
    assert done.returncode == 1
    assert re.search("ModuleNotFound|AttributeError|FileNotFound|PermissionError|OSError", done.stderr)


def test_a_whole_run_and_its_verification(hospital):
    hospital.write("data.csv", PATIENTS)
    policy = hospital.write_policy(COLUMNS, algorithm='name = "mondrian"')
    log = hospital.folder / "log"
    assert shoal("run", policy).code == 0
    done = without_posix("run", policy, "--replace", "--log", log)
    assert done.returncode == 0, done.stderr
    assert json.loads(log.read_text().splitlines()[-1])["outcome"] == "fine"
    assert not [name for name in files_in(hospital.folder) if "partial" in name]
    assert shoal("verify", hospital.published, "--policy", policy).code == 0


@pytest.mark.slow
def test_the_other_commands(hospital):
    data = hospital.write("data.csv", PATIENTS)
    policy = hospital.write_policy(COLUMNS, algorithm='name = "mondrian"')
    release = hospital.published.parent
    words = [
        ("profile", data, "--policy", hospital.folder / "starter.toml"),
        ("check", policy),
        ("run", policy),
        ("run", policy, "--if-changed", "--replace"),
        ("run", policy, "--set", "privacy.k=3", "--replace"),
        ("verify", hospital.published, "--certificate", release / "certificate.json"),
        ("attack", hospital.published, "--original", data, "--policy", policy),
        ("convert", release, "--form", "bounds", "--out", hospital.folder / "bounds.csv"),
        ("apply", release / "internal" / "recoding.npz", data, "--out", hospital.folder / "later"),
        ("compare", policy, "--algorithms", "mondrian,hilbert", "--out", hospital.folder / "compared"),
    ]
    for each in words:
        done = without_posix(*each)
        assert done.returncode == 0, (each, done.stderr)
    assert not [name for name in files_in(hospital.folder) if "partial" in name]


@pytest.mark.slow
def test_a_release_in_a_database(hospital):
    with sqlite3.connect(hospital.folder / "people.sqlite") as connection:
        connection.execute("CREATE TABLE people (age INTEGER, sex TEXT)")
        connection.executemany(
            "INSERT INTO people VALUES (?, ?)", [(20 + i % 7, "fm"[i % 2]) for i in range(40)]
        )
    connection.close()
    policy = hospital.folder / "policy.toml"
    policy.write_text(
        '[data]\nurl = "sqlite:///people.sqlite"\ntable = "people"\n[columns]\n'
        'age = { role = "quasi", kind = "number" }\nsex = { role = "quasi", hierarchy = { flat = true } }\n'
        '[privacy]\nmodel = "k-anonymity"\nk = 4\n[algorithm]\nname = "mondrian"\n'
        '[output]\ntable = "published"\n'
    )
    for words in (("run", policy), ("run", policy, "--replace"), ("verify", "--policy", policy)):
        done = without_posix(*words)
        assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_types_are_right_on_other_systems(platform, tmp_path):
    words = [sys.executable, "-m", "mypy", "--platform", platform, "--cache-dir", tmp_path]
    done = subprocess.run(words, cwd=SOURCE.parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_one_module_alone_imports_what_only_posix_systems_have():
    importing = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if _NAMED.search(path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom) and ONLY_POSIX & set(_imported(node))
    }
    assert importing == {"posix.py"}


def _imported(node):
    if isinstance(node, ast.ImportFrom):
        return [] if node.level or node.module is None else [node.module.partition(".")[0]]
    return [alias.name.partition(".")[0] for alias in node.names]
