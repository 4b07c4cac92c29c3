"""The tutorial's commands work as printed, one after the other."""

import re
import shlex
from pathlib import Path

import pytest

from shoal.cli.output import FINE
from tests.cli.commands import shoal

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"


@pytest.mark.slow
def test_every_step_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    steps = re.findall(r"```(sh|toml)\n(.*?)```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL)
    assert [kind for kind, _ in steps].count("sh") == 7
    for kind, text in steps:
        if kind == "toml":
            Path("first.toml").write_text(text, encoding="utf-8")
        else:
            program, *words = shlex.split(text)
            assert program == "shoal"
            assert shoal(*words).code == FINE, text
    promised = ("patients-published.csv", "certificate.json", "internal/report.html", "internal/policy.toml")
    for name in (*promised, "result.json"):
        assert Path("first-out", name).exists()
    assert Path("choices/comparison.html").exists()
