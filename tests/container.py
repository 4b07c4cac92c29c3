"""Images of a Dockerfile over a root file system of Debian: by a builder, or its instructions followed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

PACKAGES = "python3,python3-venv,ca-certificates"
_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_ALONE = (
    'mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; exec chroot --userspec="$1" "$0" sh -c "$2"'
)


class CannotBuild(Exception):
    """This machine has no root file system to build in."""


def debian(folder: Path) -> Path:
    """A small Debian with Python, where the registries are found as they are here."""
    if os.geteuid() != 0 or not all(map(shutil.which, ("debootstrap", "unshare"))):
        raise CannotBuild("only root can build a container here, with debootstrap and unshare")
    words = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", "stable", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotBuild(f"debootstrap fails: {done.stdout[-300:]}")
    shutil.copy("/etc/resolv.conf", folder / "etc")
    for settings in ("etc/ssl/certs/ca-certificates.crt", "etc/pip.conf"):
        if Path("/", settings).is_file():
            shutil.copy(Path("/", settings), folder / settings)
    (folder / "usr/local/bin/python").symlink_to("/usr/bin/python3")
    return folder


@dataclass
class Stage:
    """What an image has by some instruction: its files, and how its commands are run."""

    root: Path
    folder: str = "/"
    user: str = "root"
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": _SYSTEM_PATH})
    entrypoint: list[str] = field(default_factory=list)

    def run(self, command: str, *, network: bool = True) -> str:
        told = " ".join(f"{name}={value}" for name, value in self.environment.items())
        inside = f"cd {self.folder} && export {told} HOME=/tmp && {command}"
        alone = ["unshare", "--mount", "--pid", "--fork", *([] if network else ["--net"])]
        words = [*alone, "sh", "-ec", _ALONE, str(self.root), self.user, inside]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    def place(self, path: str) -> Path:
        """A path in the image as it is called outside."""
        return self.root / str(Path(self.folder, path)).lstrip("/")


def instructions(dockerfile: Path) -> list[tuple[str, str]]:
    lines = dockerfile.read_text().replace("\\\n", " ").splitlines()
    return [tuple(line.split(maxsplit=1)) for line in lines if line and not line.startswith("#")]


def let_through(context: Path) -> list[str]:
    """What .dockerignore, which leaves everything else out, lets a builder see."""
    return [line[1:] for line in (context / ".dockerignore").read_text().splitlines() if line[:1] == "!"]


@contextmanager
def built(context: Path, base: Path, work: Path) -> Iterator[Stage | Image]:
    """The image of the Dockerfile; its stages begin with `base`, whatever they name."""
    if shutil.which("buildah") is None:
        yield _followed(context, base, work)
        return
    builder = Builder(base, work)
    try:
        yield builder.built(context)
    finally:
        builder.let_go()


def _followed(context: Path, base: Path, work: Path) -> Stage:
    stages: dict[str, Stage] = {}
    for instruction, rest in instructions(context / "Dockerfile"):
        if instruction == "FROM":
            name = rest.partition(" AS ")[2] or "last"
            subprocess.run(["cp", "-a", "--reflink=auto", base, work / name], check=True)
            stage = stages[name] = Stage(work / name)
        elif instruction == "WORKDIR":
            stage.folder = rest
            stage.place(".").mkdir(parents=True, exist_ok=True)
        elif instruction == "ENV":
            pairs = (word.split("=", 1) for word in rest.split())
            told = {name: Template(value).substitute(stage.environment) for name, value in pairs}
            stage.environment |= told
        elif instruction == "RUN":
            stage.run(rest)
        elif instruction == "USER":
            stage.user = rest
        elif instruction == "ENTRYPOINT":
            stage.entrypoint = json.loads(rest)
        elif instruction == "COPY":
            _copy(context, stages, stage, rest.split())
    return stages["last"]


def _copy(context: Path, stages: dict[str, Stage], stage: Stage, words: list[str]) -> None:
    *names, target = [word for word in words if not word.startswith("--")]
    given = [word.partition("=")[2] for word in words if word.startswith("--from=")]
    for name in names:
        assert given or name in let_through(context), f"a builder does not see {name}"
        source = stages[given[0]].place(name) if given else context / name
        into = stage.place(target)
        if source.is_dir():
            shutil.copytree(source, into, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, into / source.name if target.endswith("/") else into)


class Builder:
    """Buildah with a storage of its own, where every image begins with `base`, whatever it is called."""

    def __init__(self, base: Path, work: Path) -> None:
        self._work, self._base = work, base
        self.environment = {**os.environ, "BUILDAH_ISOLATION": "chroot", "STORAGE_DRIVER": "vfs"}

    def built(self, context: Path) -> Image:
        """The image of the Dockerfile in a folder."""
        first = {
            rest.partition(" AS ")[0] for name, rest in instructions(context / "Dockerfile") if name == "FROM"
        }
        scratch = self.told("from", "scratch")
        self.told("add", "--quiet", scratch, str(self._base), "/")
        self.told("config", "--env", f"PATH={_SYSTEM_PATH}", scratch)
        for name in first:
            self.told("commit", "--quiet", scratch, f"docker.io/library/{name}")
        self.told("rm", scratch)
        self.told("build", "--pull-never", "--network", "host", "--tag", "shoal", str(context))
        container = self.told("from", "--pull-never", "localhost/shoal")
        told = json.loads(self.told("inspect", "--type", "container", container))["OCIv1"]["config"]
        return Image(self, container, Path(self.told("mount", container)), told["Entrypoint"])

    def let_go(self) -> None:
        """Unmount what was mounted, which nobody could remove otherwise."""
        self.told("umount", "--all")
        self.told("rm", "--all")
        storage = self._work / "storage"
        mounted = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
        for place in sorted((each for each in mounted if each.startswith(f"{storage}/")), reverse=True):
            subprocess.run(["umount", place], check=True)
        shutil.rmtree(storage)

    def told(self, *words: str) -> str:
        storage = ["--root", str(self._work / "storage"), "--runroot", str(self._work / "running")]
        done = subprocess.run(
            ["buildah", *storage, *words], capture_output=True, text=True, check=False, env=self.environment
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout.strip()


@dataclass
class Image:
    """What a builder made, and how its commands are run."""

    builder: Builder
    container: str
    root: Path
    entrypoint: list[str]

    def run(self, command: str, *, network: bool = True) -> str:
        reached = "host" if network else "none"
        return self.builder.told("run", "--network", reached, self.container, "--", "sh", "-c", command)

    def place(self, path: str) -> Path:
        """A path in the image as it is called outside."""
        return self.root / path.lstrip("/")
