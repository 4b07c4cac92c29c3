"""The commands of the README, run as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

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


def test_what_make_offers_is_what_the_readme_says():
    targets = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE):
        assert re.search(rf"^{target}:", targets, re.MULTILINE)


def test_the_first_three_sentences_say_what_it_is():
    text = README.read_text(encoding="utf-8").split("\n\n")[1]
    assert "indistinguishable from at least k - 1 others" in " ".join(text.split())
    assert len(re.findall(r"\.(?:\s|$)", text)) == 3
