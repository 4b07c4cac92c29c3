"""Data on a server of SSH, which is OpenSSH on this machine."""

import getpass
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

import shoal as sh
from shoal.errors import BadInput
from tests.cli.commands import PATIENTS

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin")
ROLES = {"age": sh.Quasi(kind="number"), "sex": sh.Insensitive(), "ill": sh.Sensitive()}
CONFIGURATION = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/home/.ssh/id_ed25519.pub
StrictModes no
UsePAM no
PasswordAuthentication no
PidFile none
Subsystem sftp internal-sftp
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if SSHD is None:
        pytest.skip("needs OpenSSH's server (Debian: apt install openssh-server)")
    pytest.importorskip("paramiko")
    folder = tmp_path_factory.mktemp("ssh")
    keys = folder / "home" / ".ssh"
    keys.mkdir(parents=True)
    for key in (folder / "host", keys / "id_ed25519"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "configuration").write_text(CONFIGURATION.format(port=port, folder=folder))
    if getpass.getuser() == "root":
        Path("/run/sshd").mkdir(exist_ok=True)  # where its unprivileged half lives
    running = subprocess.Popen([SSHD, "-D", "-f", folder / "configuration", "-E", folder / "log"])
    for _ in range(100):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield folder, port
    running.terminate()
    running.wait()


@pytest.fixture
def address(server, monkeypatch, tmp_path):
    folder, port = server
    monkeypatch.setenv("HOME", str(folder / "home"))
    (tmp_path / "data.csv").write_text(PATIENTS)
    (tmp_path / "more.csv").write_text(PATIENTS)
    return f"sftp://{getpass.getuser()}@127.0.0.1:{port}{tmp_path}"


@pytest.fixture
def known_hosts(server):
    folder, port = server
    file = folder / "home" / ".ssh" / "known_hosts"
    kind, key, *_ = (folder / "host.pub").read_text().split()
    file.write_text(f"[127.0.0.1]:{port} {kind} {key}\n")
    yield file
    file.unlink(missing_ok=True)


@pytest.mark.usefixtures("known_hosts")
def test_files_and_patterns_are_read(address):
    rows = len(PATIENTS.splitlines()) - 1
    assert sh.read(f"{address}/data.csv", ROLES).row_count == rows
    assert sh.read(f"{address}/*.csv", ROLES).row_count == 2 * rows
    with pytest.raises(BadInput, match=r"sftp://127.0.0.1:.*/nowhere.csv: cannot be fetched"):
        sh.read(f"{address}/nowhere.csv", ROLES)


def test_a_server_that_nobody_knows_is_refused(address, server, known_hosts):
    known_hosts.unlink()
    with pytest.raises(BadInput, match=r"has a key that is not in ~/\.ssh/known_hosts"):
        sh.read(f"{address}/data.csv", ROLES)
    folder, port = server
    kind, key, *_ = (folder / "home" / ".ssh" / "id_ed25519.pub").read_text().split()
    known_hosts.write_text(f"[127.0.0.1]:{port} {kind} {key}\n")
    with pytest.raises(BadInput, match=r"has a key that is not in ~/\.ssh/known_hosts"):
        sh.read(f"{address}/data.csv", ROLES)
