"""A PostgreSQL server of the tests' own, in a temporary folder and on a socket in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

WITHOUT_POSTGRES = "these tests need PostgreSQL (Debian: apt install postgresql)"
PASSWORD = "correct-horse-battery-staple"  # noqa: S105 - of a server that lives for seconds
USER = "publisher"
_ACCESS = "local all postgres trust\nlocal all all scram-sha-256\n"
_SETTINGS = ("fsync=off", "listen_addresses=", "shared_buffers=64MB", "max_wal_size=256MB")


@dataclass(frozen=True)
class Server:
    """A running server."""

    folder: Path

    def url(self, database: str = "postgres", user: str = "postgres") -> str:
        return f"postgresql:///{database}?host={self.folder}&user={user}"

    def psql(self, sql: str, database: str = "postgres") -> str:
        words = [
            _program("psql"),
            "-qAtX",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            self.folder,
            "-U",
            "postgres",
            database,
        ]
        done = subprocess.run(words, input=sql, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def has_postgres() -> bool:
    return _program("initdb") is not None and (os.geteuid() != 0 or _has_user())


@contextmanager
def running_server() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="shoal-pg-"))
    as_user = {}
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
        as_user = {"user": "postgres", "group": "postgres", "extra_groups": []}
    cluster = folder / "data"
    quietly = {"stdout": subprocess.DEVNULL, "cwd": folder, **as_user}
    try:
        subprocess.run(
            [_program("initdb"), "-D", cluster, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"],
            check=True,
            **quietly,
        )
        (cluster / "pg_hba.conf").write_text(_ACCESS)
        options = " ".join(f"-c {setting}" for setting in (*_SETTINGS, f"unix_socket_directories={folder}"))
        subprocess.run(
            [_program("pg_ctl"), "-D", cluster, "-w", "-l", folder / "log", "-o", options, "start"],
            check=True,
            **quietly,
        )
        server = Server(folder)
        server.psql(
            f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'; GRANT CREATE ON SCHEMA public TO {USER}"
        )
        yield server
    finally:
        subprocess.run([_program("pg_ctl"), "-D", cluster, "-m", "immediate", "stop"], check=False, **quietly)
        shutil.rmtree(folder, ignore_errors=True)


def _program(name: str) -> str | None:
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name)


def _has_user() -> bool:
    import pwd

    try:
        pwd.getpwnam("postgres")
    except KeyError:
        return False
    return True
