"""A MariaDB server of the tests' own, in a temporary folder and on a socket in it."""

from __future__ import annotations

import ctypes.util
import importlib.util
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

WITHOUT_MARIADB = (
    "these tests need MariaDB and its driver (Debian: apt install mariadb-server odbc-mariadb unixodbc)"
)
DATABASE = "hospital"
_STANDARD = "SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'"
_SETTINGS = ("--skip-networking", "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=32M")


@dataclass(frozen=True)
class Server:
    """A running server."""

    folder: Path

    @property
    def socket(self) -> Path:
        return self.folder / "socket"

    def url(self, user: str = "root") -> str:
        return f"mysql://{user}@localhost/{DATABASE}?socket={self.socket}"

    def sql(self, sql: str, database: str = DATABASE) -> str:
        words = [
            "mariadb", "--no-defaults", "-BN", "-S", self.socket, "-u", "root", f"--init-command={_STANDARD}",
            database,
        ]  # fmt: skip
        done = subprocess.run(words, input=sql, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def has_mariadb() -> bool:
    return (
        all(map(shutil.which, ("mariadbd", "mariadb", "mariadb-install-db")))
        and ctypes.util.find_library("odbc") is not None
        and importlib.util.find_spec("arrow_odbc") is not None
        and any(Path("/usr/lib").glob("*/odbc/libmaodbc.so"))
    )


@contextmanager
def running_server() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="shoal-my-"))
    as_user = {}
    if os.geteuid() == 0:
        shutil.chown(folder, "mysql")
        as_user = {"user": "mysql", "group": "mysql", "extra_groups": []}
    quietly = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **as_user}
    data = f"--datadir={folder / 'data'}"
    server = Server(folder)
    try:
        words = ["mariadb-install-db", "--no-defaults", data, "--auth-root-authentication-method=normal"]
        subprocess.run([*words, "--skip-test-db"], check=True, **quietly)
        words = ["mariadbd", "--no-defaults", data, f"--socket={server.socket}", *_SETTINGS]
        with subprocess.Popen([*words, f"--pid-file={folder / 'pid'}"], **quietly) as running:
            try:
                _wait_for(server)
                server.sql(f"CREATE DATABASE {DATABASE}", "mysql")
                yield server
            finally:
                running.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(server: Server) -> None:
    words = ["mariadb-admin", "--no-defaults", "-S", server.socket, "-u", "root", "ping"]
    until = time.monotonic() + 60
    while subprocess.run(words, capture_output=True, check=False).returncode:
        assert time.monotonic() < until, "MariaDB does not start"
        time.sleep(0.1)
