"""What fuzzing feeds with bytes: every reader of a file from outside. Only ShoalError may come out."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.hierarchy.files import HierarchyFile
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import load_policy
from shoal.recoding.disassociated_file import ENDINGS as CLUSTER_ENDINGS
from shoal.recoding.disassociated_file import read_clusters
from shoal.run.verification import verify_certified
from shoal.study.profile import profile
from shoal.table.reading import ReadOptions, read_published, read_table
from shoal.table.roles import Quasi, QuasiSet, Role, Sensitive
from shoal.table.statistics_files import WRITTEN_STATISTICS, write_statistics
from tests.campaign.generate import ALGORITHM_NAMES, INPUTS, make_case
from tests.campaign.product import reports_written, shoal

Target = Callable[[bytes], None]
STATISTICS = WRITTEN_STATISTICS if find_spec("pyreadstat") else ()


@cache
def folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="fuzz-"))


def _file(name: str, content: bytes) -> Path:
    path = folder() / name
    path.write_bytes(content)
    return path


def data_reader(ending: str) -> Target:
    """A reader of data, in all the ways in which files are read."""

    def read(content: bytes) -> None:
        path = _file(f"data{ending}", content)
        with suppress(ShoalError):
            profile(path, ReadOptions())
        roles: dict[str, Role] = {"a": Quasi(), "items": QuasiSet(), "n": Sensitive()}
        for options in (ReadOptions(others="insensitive"), ReadOptions(others="drop", missing=("?",))):
            with suppress(ShoalError):
                read_table(path, roles, options)
            with suppress(ShoalError):
                read_published(path, roles, options)

    return read


def statistics_reader(ending: str) -> Target:
    """The same for a reader that starts a process each time: one way to read is enough."""

    def read(content: bytes) -> None:
        with suppress(ShoalError):
            read_table(_file(f"data{ending}", content), {"a": Quasi()}, ReadOptions(others="insensitive"))

    return read


def cluster_reader(ending: str) -> Target:
    def read(content: bytes) -> None:
        with suppress(ShoalError):
            read_clusters(_file(f"clusters{ending}", content))

    return read


def policy_reader(content: bytes) -> None:
    path = _file("policy.toml", content)
    with suppress(ShoalError):
        plan_of(load_policy(path))


def certificate_reader(content: bytes) -> None:
    file, _ = released()
    path = _file("certificate.json", content)
    with suppress(ShoalError):
        verify_certified(file, path)


def hierarchy_reader(ending: str) -> Target:
    def read(content: bytes) -> None:
        path = _file(f"tree{ending}", content)
        with suppress(ShoalError):
            HierarchyFile(path).outline()

    return read


@cache
def released() -> tuple[Path, bytes]:
    """A published file and its certificate."""
    out = folder() / "out"
    (folder() / "d.csv").write_text("a,n\n" + "x,1\ny,2\n" * 6, encoding="utf-8")
    policy = _file(
        "run.toml",
        b'[data]\npath = "d.csv"\n[columns]\na = { role = "quasi", hierarchy = { flat = true } }\n'
        b'n = { role = "sensitive" }\n[privacy]\nmodel = "k-anonymity"\nk = 2\n'
        b'[algorithm]\nname = "mondrian"\n',
    )
    with reports_written(wanted=False):
        answer = shoal("run", policy, "--out", out)
    if answer.code:
        raise RuntimeError(answer.err)
    return out / "published.csv", (out / "certificate.json").read_bytes()


TARGETS: dict[str, Target] = {
    **{f"data {ending}": data_reader(ending) for ending in INPUTS},
    **{f"data {ending}.gz": data_reader(f"{ending}.gz") for ending in (".csv", ".jsonl", ".txt")},
    **{f"data {ending}": statistics_reader(ending) for ending in STATISTICS},
    **{f"clusters {ending}": cluster_reader(ending) for ending in CLUSTER_ENDINGS},
    **{f"hierarchy {ending}": hierarchy_reader(ending) for ending in (".csv", ".txt", ".json")},
    "policy": policy_reader,
    "certificate": certificate_reader,
}

_CLUSTER = {"size": 3, "chunks": [{"subrecords": [["a", "b"], ["a", "b"], ["a"]]}], "terms": ["c"]}
_TREES = {
    ".csv": b"a;G;*\nb;G;*\nc;H;*\n",
    ".txt": b"distinct\nname x\ntype string\nheight 2\n\nAll has a b c\n\n",
    ".json": b'{"hierType":"distinct","name":"x","type":"string","height":2,"level1":{"All":["a","b"]}}',
}


@cache
def seeds(target: str) -> tuple[bytes, ...]:
    """Good files from which bad ones are made."""
    kind, _, ending = target.partition(" ")
    if kind == "policy":
        return tuple(make_case(1, number).policy().encode() for number in range(len(ALGORITHM_NAMES)))
    if kind == "certificate":
        return (released()[1],)
    if kind == "hierarchy":
        return (_TREES[ending],)
    if kind == "clusters":
        return _cluster_seeds(ending)
    return _statistics_seeds(ending) if ending in STATISTICS else _data_seeds(ending)


def _statistics_seeds(ending: str) -> tuple[bytes, ...]:
    texts = {"a": ["x", "y", "Käse", ""], "items": ["p q", "", "q", "p"], "n": ["1.5", "-2", "", "9"]}
    days = {
        "a": ["2020-01-31", "", "1850-02-28", "2099-12-31"],
        "items": ["x" * 300] * 4,
        "n": ["1", "2"] * 2,
    }
    found = []
    for columns in (texts, days):
        path = folder() / f"seed{ending}"
        write_statistics({name: pa.array(cells) for name, cells in columns.items()}, path)
        found.append(path.read_bytes())
    return tuple(found)


def _data_seeds(ending: str) -> tuple[bytes, ...]:
    found: list[bytes] = []
    for number in range(1000):
        found += [content for name, content in make_case(2, number).files.items() if name == f"data{ending}"]
        if len(found) >= 6:
            break
    if not found:
        raise RuntimeError(f"no case has data{ending}")
    return tuple(found)


def _cluster_seeds(ending: str) -> tuple[bytes, ...]:
    import gzip
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    line = json.dumps(_CLUSTER).encode() + b"\n"
    if ending == ".parquet":
        sink = io.BytesIO()
        columns = {
            "cluster": pa.array([0, 0, 0], pa.int64()),
            "parent": pa.array([None, None, None], pa.int64()),
            "size": pa.array([2, 2, 2], pa.int64()),
            "chunk": pa.array([0, 0, None], pa.int64()),
            "subrecord": pa.array([0, 1, None], pa.int64()),
            "term": pa.array(["a", "a", "b"]),
        }
        pq.write_table(pa.table(columns), sink)
        return (sink.getvalue(),)
    return (gzip.compress(line) if ending.endswith(".gz") else line,)
