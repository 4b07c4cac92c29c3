import socket
from pathlib import Path

import pytest

from shoal.errors import BadInput, OutputFailed
from shoal.web.server import Settings, serve


def words(settings: Settings) -> str:
    return "; ".join(map(str, settings.problems()))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
def test_a_local_server_needs_nothing_else(host):
    settings = Settings(host=host)
    assert settings.problems() == []
    assert settings.exposure().startswith("only programs on this machine")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "shoal.example"])  # noqa: S104
def test_other_hosts_demand_tls_or_a_flag(host, tmp_path):
    assert "--tls-cert" in words(Settings(host=host))
    open_to_all = Settings(host=host, allow_plain_http=True, folder=tmp_path)
    assert open_to_all.problems() == []
    assert "NOT encrypted" in open_to_all.exposure()
    assert str(tmp_path) in open_to_all.exposure()


def test_every_problem_is_listed(tmp_path):
    settings = Settings(
        host="0.0.0.0",  # noqa: S104
        tls_cert=tmp_path / "nothing.pem",
        folder=tmp_path / "nothing",
    )
    assert len(settings.problems()) == 3
    with pytest.raises(BadInput):
        serve(settings, str)


def test_a_port_that_is_taken_is_said(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = Settings(port=taken.getsockname()[1], data=tmp_path / "data")
        with pytest.raises(OutputFailed, match="choose another --port"):
            serve(settings, str)
    assert not Path(tmp_path / "data").exists()
