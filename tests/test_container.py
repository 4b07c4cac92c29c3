"""The container is what it says: for a user without rights, with kernels in it, and without a network."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.cli.commands import shoal
from tests.container import CannotBuild, built, debian, instructions, let_through
from tests.postgres import PASSWORD, USER, WITHOUT_POSTGRES, has_postgres, running_server

ROOT = Path(__file__).parents[1]


def test_it_runs_as_nobody_special_with_kernels_in_it():
    told = instructions(ROOT / "Dockerfile")
    kernels = next(index for index, (_, rest) in enumerate(told) if "shoal warm-up" in rest)
    assert kernels < told.index(("USER", "shoal")) < told.index(("ENTRYPOINT", '["shoal"]'))
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
    with built(ROOT, base, tmp_path) as image:
        shoal = " ".join(image.entrypoint)
        assert "anonymize" in image.run(f"{shoal} --help", network=False).lower()
        assert len(list(image.place("/opt/shoal").rglob("shoal/kernels/compiled/*.nbc"))) > 200
        told = json.loads(image.run(f"{shoal} demo tour --json", network=False))
        assert all(each["verdict"]["holds"] for each in told["releases"])
        assert list(image.place("/opt/kernels").rglob("*.nbc")) == []  # nothing was left to compile
        assert image.place("/data/tour").stat().st_uid == 10001
        assert "uid=10001" in image.run("id", network=False)


def test_beside_a_database_it_publishes_with_what_the_compose_file_gives_it(tmp_path, monkeypatch):
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert all("ports" not in service for service in services.values())  # nobody else reaches the database
    given, server = services["shoal"]["environment"], services["database"]["environment"]
    assert given["PGHOST"] in services
    assert given["PGUSER"] == server["POSTGRES_USER"]
    assert given["PGPASSWORD"] == server["POSTGRES_PASSWORD"] == "${DB_PASSWORD:?set DB_PASSWORD}"
    if not has_postgres():
        pytest.skip(WITHOUT_POSTGRES)
    owner, database = server["POSTGRES_USER"], server["POSTGRES_DB"]
    assert owner == USER  # as whom the tests' own server is asked
    with running_server() as running:
        running.psql(f"ALTER ROLE {owner} PASSWORD '{PASSWORD}'; CREATE DATABASE {database} OWNER {owner}")
        running.psql(f"SET ROLE {owner}; CREATE TABLE people AS SELECT 'a' AS ill, 5 AS n", database)
        for name, value in {**given, "PGHOST": str(running.folder), "PGPASSWORD": PASSWORD}.items():
            monkeypatch.setenv(name, value)
        policy = tmp_path / "policy.toml"
        policy.write_text(
            f'[data]\nurl = "postgresql:///{database}"\n'
            'query = "SELECT ill, 1 AS one FROM people, generate_series(1, n)"\n[columns]\n'
            'ill = { role = "quasi", hierarchy = { flat = true } }\none = { role = "insensitive" }\n'
            '[privacy]\nmodel = "k-anonymity"\nk = 5\n[output]\ntable = "published"\n'
        )
        done = shoal("run", policy)
        assert done.code == 0, done.err
        assert running.psql("SELECT ill, count(*) FROM published GROUP BY ill", database) == "a|5"
