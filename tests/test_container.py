"""The container is what it says: for a user without rights, with kernels in it, and without a network."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.container import CannotBuild, built, debian, instructions, let_through

ROOT = Path(__file__).parents[1]


def test_it_runs_as_nobody_special_with_kernels_in_it():
    told = instructions(ROOT / "Dockerfile")
    user = told.index(("USER", "shoal"))
    kernels = next(place for place, (_, rest) in enumerate(told) if rest.startswith("shoal demo"))
    assert user < kernels < told.index(("ENTRYPOINT", '["shoal"]'))
    assert not re.search(
        r"pass(word)?\s*[:=]\s*[\"']?\w", (ROOT / "compose.yaml").read_text().replace("${", "{"), re.I
    )


def test_a_builder_sees_and_copies_what_an_installation_needs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    hook, packages = wheel["hooks"]["custom"]["path"], [path.split("/")[0] for path in wheel["packages"]]
    needed = {
        "pyproject.toml",
        project["project"]["readme"],
        *project["project"]["license-files"],
        hook,
        *packages,
    }
    copied = {
        name
        for instruction, rest in instructions(ROOT / "Dockerfile")
        if instruction == "COPY" and "--from" not in rest
        for name in rest.split()[:-1]
    }
    assert copied == needed
    assert copied == set(let_through(ROOT))
    assert all((ROOT / name).exists() for name in copied)


@pytest.mark.slow
def test_its_commands_make_what_runs_the_tour_without_a_network(tmp_path):
    try:
        base = debian(tmp_path / "debian")
    except CannotBuild as reason:
        pytest.skip(str(reason))
    image = built(ROOT, base, tmp_path)
    shoal = " ".join(image.entrypoint)
    assert "anonymize" in image.run(f"{shoal} --help", network=False).lower()
    compiled = sorted(image.place("/opt/kernels").rglob("*.nbc"))
    assert compiled
    told = json.loads(image.run(f"{shoal} demo tour --json", network=False))
    assert all(each["verdict"]["holds"] for each in told["releases"])
    assert sorted(image.place("/opt/kernels").rglob("*.nbc")) == compiled
    assert image.place("/data/tour").stat().st_uid == 10001
    assert "uid=10001" in image.run("id", network=False)
