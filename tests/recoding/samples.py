"""Recodings of every kind, found on small data."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa

import shoal as sh
from shoal.recoding.recoding_file import save_recoding

_AGES = [str(20 + i * 7 % 43) for i in range(60)]
_SEX = [("f", "m", "f", None)[i % 4] for i in range(60)]
_ITEMS = [f"a{i % 3} b{i % 5}" if i % 9 else "" for i in range(60)]
_AGE = sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20))
_TREE = sh.QuasiSet(hierarchy=sh.fanout(2))

CASES = {
    "nodes": (
        {"age": _AGE, "sex": sh.Quasi(hierarchy=sh.flat())},
        sh.KAnonymity(4),
        {"algorithm": "mondrian"},
    ),
    "ranges": (
        {"age": sh.Quasi(kind="number", bounds=(0, 100)), "sex": sh.Quasi(hierarchy=sh.flat())},
        sh.KAnonymity(4),
        {"algorithm": "mondrian"},
    ),
    "suppressed": (
        {"age": _AGE, "sex": sh.Quasi(hierarchy=sh.flat())},
        sh.KAnonymity(9),
        {"algorithm": "full-domain", "suppression": 0.4},
    ),
    "cut": ({"items": _TREE}, sh.KmAnonymity(8, 2), {"algorithm": "aa"}),
    "parts": ({"items": _TREE}, sh.KmAnonymity(8, 2), {"algorithm": "lra", "parts": 2}),
    "unions": ({"items": sh.QuasiSet()}, sh.KmAnonymity(8, 2), {"algorithm": "pcta"}),
    "occurrences": ({"items": _TREE}, sh.SetKAnonymity(5), {"algorithm": "lgr"}),
    "joint": (
        {"age": _AGE, "items": _TREE},
        sh.KKmAnonymity(4, 2),
        {"algorithm": "rmerge-r", "delta": "frontier"},
    ),
    "joint unions": ({"age": _AGE, "items": sh.QuasiSet()}, sh.KKmAnonymity(4, 2), {"algorithm": "rfirst"}),
    "chunks": ({"items": sh.QuasiSet()}, sh.Disassociation(4, 2), {}),
    "new records": ({"items": _TREE}, sh.DifferentialPrivacy(1.0), {}),
}


@cache
def sample(case: str) -> tuple[sh.Data, sh.Result]:
    """Data, and a release of them."""
    roles, model, search = CASES[case]
    if case == "new records":
        roles = {"items": sh.QuasiSet(hierarchy=_all_items())}
    columns = {"age": _AGES, "sex": _SEX, "items": _ITEMS}
    data = sh.read(pa.table({name: columns[name] for name in roles}), roles)
    seed = {} if case == "new records" else {"seed": 1}
    return data, sh.anonymize(data, model, **search, **seed)


def saved(case: str, folder: Path) -> Path:
    """The recoding of a release, in a file."""
    data, result = sample(case)
    path = folder / "recoding.npz"
    save_recoding(result.recoding, data.local.trees, path)
    return path


def _all_items() -> sh.HierarchyFile:
    """All items that there could be, in a file, which differential privacy asks for."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as file:
        file.writelines(f"{letter}{i},{letter.upper()},*\n" for letter in "ab" for i in range(6))
    return sh.HierarchyFile(file.name)


def mutations(content: bytes, seed: int) -> bytes:
    """The same bytes with some of them changed, left out or doubled."""
    rng = np.random.default_rng(seed)
    kind = seed % 4
    place = int(rng.integers(len(content)))
    if kind == 0:
        return content[:place]
    if kind == 1:
        return content[:place] + content[place + int(rng.integers(1, 40)) :]
    mutable = bytearray(content)
    for _ in range(1 if kind == 2 else 20):
        mutable[int(rng.integers(len(content)))] = int(rng.integers(256))
    return bytes(mutable)
