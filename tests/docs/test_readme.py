"""The commands of the README, run as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.cli.commands import shoal
from tests.quick_sample import copy_quick_sample

README = Path(__file__).parents[2] / "README.md"


def test_every_command_works_after_the_demo(tmp_path):
    (block,) = re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    commands = [line.partition("#")[0].strip() for line in block.splitlines()]
    assert len(commands) >= 4
    copy_quick_sample(tmp_path / "shoal-demo" / "sample")
    search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in commands:
        done = subprocess.run(
            command.split(),
            cwd=tmp_path,
            env=os.environ | {"PATH": search},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (command, done.stderr)


def test_thirty_seconds_of_python_end_in_a_verified_release(tmp_path, monkeypatch, capsys):
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    copy_quick_sample(tmp_path / "sample")
    (tmp_path / "sample" / "patients.csv").rename(tmp_path / "patients.csv")
    exec(compile(block, README, "exec"), {})  # noqa: S102 - what a reader would paste
    assert "0." in capsys.readouterr().out
    released = [path.name for path in (tmp_path / "out").iterdir()]
    assert {"certificate.json", "codebook.json", "report.html", "result.json"} <= set(released)
    words = [
        "verify",
        tmp_path / "out" / "published.csv",
        "--certificate",
        tmp_path / "out" / "certificate.json",
    ]
    assert shoal(*words).code == 0


def test_what_make_offers_is_what_the_readme_says():
    targets = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE):
        assert re.search(rf"^{target}:", targets, re.MULTILINE)


def test_the_first_three_sentences_say_what_it_is():
    text = README.read_text(encoding="utf-8").split("\n\n")[1]
    assert "indistinguishable from at least k - 1 others" in " ".join(text.split())
    assert len(re.findall(r"\.(?:\s|$)", text)) == 3
