"""Where POSIX is not: a whole run in a process without fcntl, resource, pwd, os.fork and /proc."""

import ast
import json
import re
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
import psutil  # which asks every system in its own way

for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
del os.fork, os.forkpty

def without_proc(event, arguments):
    if event not in ("open", "os.listdir", "os.scandir") or not str(arguments[0]).startswith("/proc"):
        return
    if "psutil" not in sys._getframe(1).f_globals["__name__"]:
        raise FileNotFoundError(2, "No such file or directory", arguments[0])

sys.addaudithook(without_proc)

from shoal.cli.start import main
main()
"""


def without_posix(*words):
    command = [sys.executable, "-c", WITHOUT_POSIX, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


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
