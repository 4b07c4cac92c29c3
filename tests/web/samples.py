"""The bundled sample in a project."""

import gzip
import itertools
import random
from pathlib import Path

from shoal.table.sample import sample_folder
from shoal.web.service.service import Service

TINY = "age,sex,ill\n" + "".join(f"{20 + i % 30},{'fm'[i % 2]},{'abc'[i % 3]}\n" for i in range(60))
TINY_SECTIONS = {
    "data": {"path": "tiny.csv"},
    "columns": {
        "age": {"role": "quasi", "kind": "number", "hierarchy": {"ranges": [5, 10, 20]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
    },
    "privacy": {"model": "k-anonymity", "k": 3},
    "algorithm": {"name": "mondrian"},
}

_LARGE = (90, 2, 60, 12, 200, 5, 30, 1000, 8, 400)  # different values of each column


def add_tiny(service: Service, project: str) -> str:
    """A small table with settings that can be run; the id of its file."""
    file = service.files.add(project, "tiny.csv", [TINY.encode()])
    assert service.policies.replace(project, TINY_SECTIONS) == []
    return file.id


def add_slow(service: Service, project: str) -> None:
    """A table with settings whose search takes long enough to be stopped."""
    service.files.add(project, "slow.csv", [slow_table()])
    sections = {
        "data": {"path": "slow.csv"},
        "columns": {
            name: {"role": "quasi", "kind": "number", "hierarchy": {"fanout": 3}} for name in "abcdef"
        },
        "privacy": {"model": "k-anonymity", "k": 5},
        "algorithm": {"name": "agglomerative"},
    }
    assert service.policies.replace(project, sections) == []


def write_large_table(path: Path, records: int) -> Path:
    """Numbers of different ranges, drawn anew with the same seed."""
    draw = random.Random(1)
    with path.open("w", encoding="utf-8") as lines:
        lines.write(",".join(f"column {place}" for place in range(len(_LARGE))) + "\n")
        for _ in range(records):
            lines.write(",".join(str(draw.randrange(size)) for size in _LARGE) + "\n")
    return path


def slow_table() -> bytes:
    draw = random.Random(1)
    rows = (",".join(str(draw.randrange(1000)) for _ in range(6)) for _ in range(20_000))
    return "\n".join(itertools.chain(["a,b,c,d,e,f"], rows)).encode()


def sample(name: str) -> bytes:
    return (sample_folder() / name).read_bytes()


def bomb(unpacked: int) -> bytes:
    """A small gzip file that unpacks to many bytes."""
    return gzip.compress(b"a\n" * (unpacked // 2))


def permissions(path: Path) -> int:
    return path.stat().st_mode & 0o777
