"""A real server process on a free port."""

import os
import queue
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx

_START_SECONDS = 180
_ENTER = "from shoal.cli.main import main; main()"


class Served:
    """`shoal serve` in a process; `links` gets every line that it prints."""

    def __init__(self, data: Path, *options: str) -> None:
        self.key = secrets.token_urlsafe(32)
        key_file = data.with_name("key")
        key_file.write_text(self.key, encoding="ascii")
        start = ("--port", "0", "--data", str(data), "--key-file", str(key_file))
        self.process = subprocess.Popen(
            [sys.executable, "-c", _ENTER, "serve", *start, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.links: queue.Queue[str] = queue.Queue()
        self.talk: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=self._overhear, daemon=True).start()
        self.link = self.next_link()
        parts = urlsplit(self.link)
        self.address = f"{parts.scheme}://{parts.netloc}"
        self.host = parts.netloc
        self.token = parse_qs(parts.query)["token"][0]

    def next_link(self) -> str:
        while not (line := self.links.get(timeout=_START_SECONDS)).startswith("http"):
            if line == "":
                raise AssertionError(f"the server has ended: {''.join(self.talk)}")
        return line.strip()

    def client(self, **options: object) -> httpx.Client:
        """A program with the key."""
        headers = {"Authorization": f"Bearer {self.key}"}
        return httpx.Client(base_url=self.address, headers=headers, timeout=120, **options)

    def stranger(self) -> httpx.Client:
        """Somebody without key or session."""
        return httpx.Client(base_url=self.address, timeout=120)

    @contextmanager
    def browser(self) -> Iterator[httpx.Client]:
        """A browser with a session, as its cookie jar shows."""
        with self.stranger() as client:
            answer = client.get(self.link)
            assert answer.status_code == 303, answer.text
            self.link = self.next_link()
            yield client

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.links.put(line)
        self.links.put("")

    def _overhear(self) -> None:
        assert self.process.stderr is not None
        self.talk.extend(self.process.stderr)


def children_of(process: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text(encoding="ascii").rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == process:
                found.append(int(entry.name))
    return found


@contextmanager
def paused(processes: Iterable[int]) -> Iterator[None]:
    """Let processes stand still, so that whoever asks them has to wait."""
    still = list(processes)
    for process in still:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in still:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)


def helpers_of(served: Served) -> list[int]:
    """The processes of a server that answer its questions."""
    found, below = [], [served.process.pid]
    while below:
        process = below.pop()
        below += children_of(process)
        with suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes():
                found.append(process)
    return found


def ends(process: int, seconds: float = 60) -> bool:
    """Whether a process is gone by then, or waits for somebody to take note of its end."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.1)
    return False
