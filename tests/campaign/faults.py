"""What goes wrong around a run: kills, interrupts, full disks, little memory, input that changes, rivals.

Every fault is made to a real process, with a folder for its output and one for its temporary files, and a
mark in its environment by which whatever it leaves running is found.
"""

from __future__ import annotations

import csv
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.campaign.case import toml
from tests.campaign.product import shoal

ENDS_WITHIN = 2.0  # seconds from a signal to the end
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
_ROOT = Path(__file__).parents[2]
_MARK = "SHOAL_CAMPAIGN_MARK"
_LONGEST = 120


@dataclass(frozen=True)
class Fault:
    """One fault: what was done to which command, how it ended, and what is wrong with that."""

    kind: str
    command: str
    ended: str
    flaws: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}, {self.command}: {self.ended}" + "".join(f"; {flaw}" for flaw in self.flaws)


@dataclass
class Process:
    """A command that runs by itself."""

    popen: subprocess.Popen[str]
    mark: str
    folder: Path
    before: set[str] = field(default_factory=set)

    def finish(self, timeout: float = _LONGEST) -> tuple[int, str, str]:
        out, err = self.popen.communicate(timeout=timeout)
        return self.popen.returncode, out, err

    def running(self) -> list[str]:
        """What still runs of it, itself included."""
        return [words for pid, words in _marked(self.mark) if pid != os.getpid()]

    def left(self) -> list[str]:
        """Files that it left behind, but for output that has its final name."""
        hidden = [path.name for path in (self.folder / "work").iterdir() if path.name.startswith(".")]
        return hidden + [f"tmp/{path.name}" for path in (self.folder / "tmp").iterdir()]


def _marked(mark: str) -> Iterator[tuple[int, str]]:
    wanted = f"{_MARK}={mark}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (process / "environ").read_bytes().split(b"\0"):
                yield int(process.name), (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()[:80]
        except OSError:
            continue


def entry_point() -> list[str]:
    """The command as an installation would start it."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    module, function = project["project"]["scripts"]["shoal"].split(":")
    return [sys.executable, "-c", f"import sys; from {module} import {function}; sys.exit({function}())"]


def start(
    words: Sequence[object], folder: Path, limit: Callable[[], None] | None = None, work: Path | None = None
) -> Process:
    """Start a command in a fresh folder `work`, with an empty folder for temporary files."""
    for name in ("work", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    mark = uuid.uuid4().hex
    source = os.pathsep.join([str(_ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, _MARK: mark, "TMPDIR": str(folder / "tmp"), "PYTHONPATH": source}
    popen = subprocess.Popen(
        [*entry_point(), *map(str, words)],
        cwd=work or folder / "work",
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=limit,  # noqa: PLW1509 - limits are set before anything else runs
    )
    return Process(popen, mark, folder)


# ---------------------------------------------------------------------------------------------- the material


class Material:
    """Data, policies and releases that commands work on, large enough for a run of some seconds."""

    def __init__(self, folder: Path, *, size: int = 3000) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        rng = random.Random(5)
        self._write_table(rng, size)
        self._write_sets(rng, size)
        self._write_clusters()
        self._seconds: dict[str, float] = {}
        self.table = self._policy("table", {"model": "k-anonymity", "k": 5}, {"name": "mondrian"})
        self.slow_table = self._policy("slow", {"model": "k-anonymity", "k": 5}, {"name": "agglomerative"})
        self.sets = self._policy("sets", {"model": "km-anonymity", "k": 5, "m": 2}, {"name": "lra"})
        self.mixed = self._policy("mixed", {"model": "k-km-anonymity", "k": 5, "m": 2}, {"name": "rfirst"})
        self.parts = self._policy(
            "parts", {"model": "disassociation", "k": 5, "m": 2}, {"name": "disassociation"}
        )
        self.heavy = self._policy(
            "heavy", {"model": "disassociation", "k": 5, "m": 8}, {"name": "disassociation"}
        )
        for policy in (self.table, self.parts, self.sets):
            answer = shoal("run", policy, "--out", self._out(policy))
            if answer.code:
                raise RuntimeError(answer.err)

    def _out(self, policy: Path) -> Path:
        return self.folder / f"{policy.stem}-released"

    def _write_table(self, rng: random.Random, size: int) -> None:
        with (self.folder / "table.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["age", "zip", "sex", "items", "illness"])
            for _ in range(size):
                items = " ".join(sorted(rng.sample([f"i{n}" for n in range(20)], rng.randint(1, 4))))
                row = [
                    rng.randint(18, 80),
                    rng.randint(1000, 1400),
                    rng.choice("mf"),
                    items,
                    rng.choice("abcd"),
                ]
                writer.writerow(row)

    def _write_sets(self, rng: random.Random, size: int) -> None:
        items = [f"i{n}" for n in range(200)]
        lines = [
            " ".join(rng.sample(items[: rng.choice((20, 60, 200))], rng.randint(1, 9)))
            for _ in range(4 * size)
        ]
        (self.folder / "sets.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _write_clusters(self) -> None:
        """A file whose check takes long inside one kernel."""
        terms = [f"t{n}" for n in range(28)]
        cluster = {"size": 40, "chunks": [{"subrecords": [terms] * 40}], "terms": ["x"]}
        (self.folder / "heavy.jsonl").write_text(json.dumps(cluster) + "\n", encoding="utf-8")

    def _policy(self, name: str, privacy: Mapping[str, object], algorithm: Mapping[str, object]) -> Path:
        with_sets = name in ("sets", "parts", "heavy")
        columns: dict[str, dict[str, object]] = {
            "age": {"role": "quasi", "kind": "number", "hierarchy": {"ranges": [5, 10, 20, 40]}},
            "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
            "sex": {"role": "quasi", "hierarchy": {"flat": True}},
            "items": {"role": "quasi", "kind": "set", "hierarchy": {"fanout": 5}},
        }
        if with_sets:
            columns = {"items": columns["items"]}
        if name in ("table", "slow"):
            del columns["items"]
        sections: dict[str, Mapping[str, object]] = {
            "data": {"path": "sets.txt" if with_sets else "table.csv", "others": "drop"},
            "columns": columns,
            "privacy": privacy,
            "algorithm": algorithm,
        }
        text = "".join(
            f"[{section}]\n" + "".join(f"{key} = {toml(value)}\n" for key, value in keys.items())
            for section, keys in sections.items()
        )
        path = self.folder / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        return path

    def commands(self) -> dict[str, list[object]]:
        """More than ten kinds of commands; what they write goes to `out` where they are started."""
        table = self._out(self.table) / "published.csv"
        parts = self._out(self.parts) / "published.jsonl"
        sets = self._out(self.sets) / "published.csv"
        return {
            "run mondrian": ["run", self.table, "--out", "out"],
            "run agglomerative": ["run", self.slow_table, "--out", "out"],
            "run lra": ["run", self.sets, "--out", "out"],
            "run rfirst": ["run", self.mixed, "--out", "out"],
            "run disassociation": ["run", self.parts, "--out", "out"],
            "verify table": ["verify", table, "--policy", self.table],
            "verify in a kernel": ["verify", self.folder / "heavy.jsonl", "--policy", self.heavy],
            "attack": ["attack", sets, "--policy", self.sets, "--page", "out.html"],
            "compare": ["compare", self.sets, "--algorithms", "aa,vpa", "--sweep", "k=2,5", "--out", "out"],
            "profile": ["profile", self.folder / "table.csv", "--policy", "out.toml"],
            "query": ["query", table, "--policy", self.table, "--shape", "2,0", "--queries", "2000"],
            "reconstruct": ["reconstruct", parts, "--copies", "20", "--out", "out"],
            "generate": ["generate", "out.txt", "--transactions", "200000", "--items", "2000"],
            "check": ["check", self.mixed],
        }

    def seconds(self, name: str) -> float:
        """How long a command takes that nobody disturbs."""
        if name not in self._seconds:
            with _fresh_folder() as folder:
                started = time.monotonic()
                start(self.commands()[name], folder).finish()
                self._seconds[name] = time.monotonic() - started
        return self._seconds[name]


@contextmanager
def _fresh_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="fault-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


# ---------------------------------------------------------------------------------------------------- faults


def interrupt(rng: random.Random, material: Material, name: str | None = None) -> Fault:
    """Ctrl-C or SIGTERM at a random moment: it ends at once, with one line, and nothing is left."""
    name = name or rng.choice(list(material.commands()))
    sent = rng.choice((signal.SIGINT, signal.SIGTERM))
    longest = max(0.5, material.seconds(name))
    moment = rng.uniform(
        0.1 if rng.random() < 0.3 else 0.3 * longest, 0.95 * longest
    )  # mostly not while it starts
    with _fresh_folder() as folder:
        process = start(material.commands()[name], folder)
        ended_before = _waited(process, moment)
        at = time.monotonic()
        process.popen.send_signal(sent)
        try:
            code, _, err = process.finish(30)
        except subprocess.TimeoutExpired:
            process.popen.kill()
            process.finish()
            return Fault(
                sent.name, name, "hung", (f"did not end within 30 s of {sent.name} at {moment:.2f} s",)
            )
        took = time.monotonic() - at
        shown = 128 - code if code < 0 else code
        if ended_before or (shown == 0 and code == 0):
            return Fault(sent.name, name, "was done already", tuple(_left_after(process)))
        work = folder / "work"
        flaws = [*_left_after(process), *_partial_output(name, work)]
        if shown != CODES[sent]:
            flaws.append(f"exit code {code}")
        lines = [line for line in err.splitlines() if line.strip()]
        if len(lines) > 1 and not any(work.iterdir()):  # whoever had written all says where it is
            flaws.append(f"{len(lines)} lines on stderr, the last: {lines[-1][:200]}")
        if took > ENDS_WITHIN:
            flaws.append(f"took {took:.1f} s to end")
        return Fault(sent.name, name, str(shown), tuple(f"{flaw} (at {moment:.2f} s)" for flaw in flaws))


def _waited(process: Process, seconds: float) -> bool:
    try:
        process.popen.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _partial_output(name: str, work: Path) -> Iterator[str]:
    """Output that has its final name and is not whole."""
    out = work / "out"
    if name.startswith("run") and out.exists():
        (published,) = out.glob("published.*")
        answer = shoal("verify", published, "--certificate", out / "certificate.json")
        if answer.code or not (out / "result.json").exists():
            yield f"a partial output: {sorted(path.name for path in out.iterdir())}"
    ends = {"out.html": "</html>", "out.toml": "\n", "out.txt": "\n"}
    for file, end in ends.items():
        if (work / file).exists() and not (work / file).read_text(encoding="utf-8").endswith(
            (end, f"{end}\n")
        ):
            yield f"a partial {file}"


def _left_after(process: Process) -> Iterator[str]:
    for _ in range(20):
        if not process.running():
            break
        time.sleep(0.1)
    else:
        yield f"still runs: {process.running()}"
    if left := process.left():
        yield f"left behind: {left}"


def kill(rng: random.Random, material: Material) -> Fault:
    """kill -9: the output is there whole or not at all, no child lives on, and the next run works."""
    runs = [name for name in material.commands() if name.startswith(("run", "compare"))]
    name = rng.choice(runs)
    with _fresh_folder() as folder:
        process = start(material.commands()[name], folder)
        ended_before = _waited(process, rng.uniform(0.1, 0.7 * material.seconds(name)))
        process.popen.kill()
        process.finish()
        flaws = [flaw for flaw in _left_after(process) if flaw.startswith("still")]
        out = folder / "work" / "out"
        if out.exists() and not (out / "result.json").exists() and name.startswith("run"):
            flaws.append("a partial output")
        again = start(
            [*material.commands()[name], *(["--replace"] if name.startswith("run") else [])], folder
        )
        code, _, err = again.finish()
        if code and not (name == "compare" and out.exists()):
            flaws.append(f"the next run ends with {code}: {err.strip()[-200:]}")
        if hidden := [left for left in again.left() if not left.startswith("tmp/")]:
            flaws.append(f"the next run leaves {hidden}")
        return Fault("kill -9", name, "was done already" if ended_before else "killed", tuple(flaws))


def full_disk(rng: random.Random, material: Material) -> Fault:
    """A disk that is full before the output is written: a sentence, exit code 2, and nothing is left."""
    name = rng.choice(["run mondrian", "run disassociation", "run rfirst"])
    size = rng.choice((16, 200, 1000, 4000, 6000, 9000)) * 1024
    with _fresh_folder() as folder, _small_disk(folder / "work", size) as limit:
        process = start(material.commands()[name], folder, limit)
        code, _, err = process.finish()
        flaws = [*_left_after(process)]
        if code not in (0, 2):
            flaws.append(f"exit code {code}: {err.strip()[-200:]}")
        if code and (folder / "work" / "out").exists():
            flaws.append("a partial output")
        if "Traceback" in err:
            flaws.append("a traceback")
        return Fault("full disk", name, str(code), tuple(flaws))


@contextmanager
def _small_disk(folder: Path, size: int) -> Iterator[Callable[[], None] | None]:
    """A disk of this size at a folder; where nobody may mount one, files that cannot grow beyond it."""
    folder.mkdir()
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
            capture_output=True,
            check=False,
        ).returncode
    )
    try:
        yield None if mounted else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=False)


def little_memory(rng: random.Random, material: Material) -> Fault:
    """Memory that is not enough: a sentence and exit code 4, never the code of a broken promise."""
    name = rng.choice(["run mondrian", "run lra", "verify table", "attack", "profile"])
    size = rng.choice((150, 400, 700, 900, 1200, 1600, 2200)) * 2**20
    with _fresh_folder() as folder:
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))  # noqa: E731
        process = start(material.commands()[name], folder, limit)
        try:
            code, _, err = process.finish(60)
        except subprocess.TimeoutExpired:
            process.popen.kill()
            process.finish()
            return Fault("little memory", name, "hung", (f"did not end within 60 s with {size >> 20} MB",))
        flaws = [*_left_after(process)]
        if code in (1, 70) or "Traceback" in err:
            flaws.append(f"exit code {code} with {size >> 20} MB: {err.strip()[-200:]}")
        if code and (folder / "work" / "out").exists():
            flaws.append("a partial output")
        return Fault("little memory", name, str(code), tuple(flaws))


def changing_input(rng: random.Random, material: Material) -> Fault:
    """Input that changes while it is read: a release of what was read, or an error, never a crash."""
    with _fresh_folder() as folder:
        own = folder / "input"
        shutil.copytree(material.folder, own)
        data, stop = own / "table.csv", threading.Event()
        original = data.read_bytes()
        changes = (
            original,
            original,
            original,
            original[: len(original) // 2],
            original[:-7],
            b"",
            original + b"1,2\n",
            b"\xff\0" * 100,
        )

        def rewrite() -> None:
            while not stop.is_set():
                data.write_bytes(rng.choice(changes))
                time.sleep(rng.choice((0.01, 0.3, 1.0)))

        writer = threading.Thread(target=rewrite)
        writer.start()
        try:
            process = start(["run", own / "table.toml", "--out", "out"], folder)
            code, _, err = process.finish()
        finally:
            stop.set()
            writer.join()
        flaws = [*_left_after(process)]
        if code not in (0, 2, 3) or "Traceback" in err:
            flaws.append(f"exit code {code}: {err.strip()[-200:]}")
        published = folder / "work" / "out" / "published.csv"
        if published.exists() == bool(code):
            flaws.append("output and exit code do not fit")
        if published.exists():
            flaws += _small_classes(published)
        return Fault("changing input", "run mondrian", str(code), tuple(flaws))


def _small_classes(published: Path) -> list[str]:
    with published.open(newline="", encoding="utf-8") as file:
        sizes = Counter((row["age"], row["zip"], row["sex"]) for row in csv.DictReader(file))
    return ["a class of fewer than k"] if sizes and min(sizes.values()) < 5 else []


def rivals(rng: random.Random, material: Material) -> Fault:
    """Several runs into one folder at once: without --replace one wins, and its output is whole."""
    replace = rng.random() < 0.4
    words = [*material.commands()["run mondrian"], *(["--replace"] if replace else [])]
    with _fresh_folder() as folder:
        processes = [start(words, folder) for _ in range(3)]
        ended = [process.finish() for process in processes]
        codes = sorted(code for code, _, _ in ended)
        flaws = list(_left_after(processes[0]))
        if not replace and codes.count(0) != 1:
            flaws.append(f"exit codes {codes}")
        if any(code not in (0, 2) or "Traceback" in err for code, _, err in ended):
            flaws.append(f"exit codes {codes}: {[err.strip()[-120:] for code, _, err in ended if code]}")
        out = folder / "work" / "out"
        answer = shoal("verify", out / "published.csv", "--certificate", out / "certificate.json")
        if answer.code:
            flaws.append(f"the folder does not fit together: {answer.err.strip()[-200:]}")
        return Fault(
            "rivals with --replace" if replace else "rivals", "run mondrian", str(codes), tuple(flaws)
        )


FAULTS: tuple[Callable[[random.Random, Material], Fault], ...] = (
    interrupt,
    interrupt,
    interrupt,
    interrupt,
    kill,
    full_disk,
    little_memory,
    changing_input,
    rivals,
)


def try_faults(seed: int, count: int, only: str | None = None) -> Iterator[Fault]:
    """So many faults, kinds in turn."""
    kinds = [kind for kind in FAULTS if only is None or kind.__name__ == only]
    with tempfile.TemporaryDirectory(prefix="material-") as folder:
        material = Material(Path(folder) / "material")
        for number in range(count):
            rng = random.Random(f"fault/{seed}/{number}")
            yield kinds[number % len(kinds)](rng, material)
