"""The script that verifies releases without Shoal."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import shoal as sh
from shoal.report import verify_release
from tests.cli.commands import shoal

SCRIPT = Path(verify_release.__file__)
TABLE = {"age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20)), "sex": sh.Quasi(hierarchy=sh.flat())}
SETS = {"items": sh.QuasiSet(hierarchy=sh.fanout(2))}
CASES = {
    "table": (TABLE, sh.KAnonymity(k=3), "mondrian"),
    "sets": (SETS, sh.KmAnonymity(k=3, m=2), "aa"),
    "both": ({**TABLE, **SETS}, sh.KKmAnonymity(k=3, m=2), "auto"),
}


def published(folder, case, ending="csv"):
    roles, model, algorithm = CASES[case]
    source = folder / "original.csv"
    rows = [
        f"{20 + i % 9},{'fm'[i % 2]},{' '.join('abcd'[j] for j in range(4) if (i * 7) >> j & 1)}"
        for i in range(40)
    ]
    names = ("age", "sex", "items")
    kept = [[cell for name, cell in zip(names, row.split(","), strict=True) if name in roles] for row in rows]
    source.write_text(
        ",".join(name for name in names if name in roles)
        + "\n"
        + "".join(",".join(row) + "\n" for row in kept)
    )
    data = sh.read(source, roles)
    out = sh.anonymize(data, model, algorithm=algorithm, seed=1).save(
        folder / "out", published=f"published.{ending}"
    )
    return out / "certificate.json", out / f"published.{ending}", roles, model


def run(*words):
    return subprocess.run(
        [sys.executable, "-I", SCRIPT, *words], capture_output=True, text=True, check=False, timeout=60
    )


def test_is_short_and_imports_nothing_of_ours():
    text = SCRIPT.read_text()
    assert len(text.splitlines()) <= 200
    assert "import shoal" not in text
    assert "from shoal" not in text


@pytest.mark.parametrize("case", CASES)
def test_agrees_with_our_own_check(tmp_path, case):
    certificate, file, roles, model = published(tmp_path, case)
    assert all(verdict.holds for verdict in sh.verify(file, roles, model))
    done = run(certificate, file)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("TRUE: ")


@pytest.mark.parametrize("case", CASES)
def test_a_record_that_is_alone_breaks_it_as_it_breaks_ours(tmp_path, case):
    certificate, file, roles, model = published(tmp_path, case)
    lone = {"age": "20", "sex": "f", "items": "zz"}
    file.write_text(
        file.read_text() + ",".join(lone[name] for name in file.read_text().splitlines()[0].split(",")) + "\n"
    )
    assert run(certificate, file).returncode == 1
    assert "SHA-256 differs" in run(certificate, file).stdout
    stated = json.loads(certificate.read_text())
    stated["file"]["sha256"] = verify_release.hashlib.sha256(file.read_bytes()).hexdigest()
    certificate.write_text(json.dumps(stated))
    ours = all(verdict.holds for verdict in sh.verify(file, roles, model))
    done = run(certificate, file)
    assert (done.returncode == 0) == ours
    assert not ours


def test_reads_all_texts_and_says_what_it_cannot(tmp_path):
    for ending in ("tsv", "jsonl", "csv.gz"):
        folder = tmp_path / ending
        folder.mkdir()
        certificate, file, *_ = published(folder, "both", ending)
        assert run(certificate, file).returncode == 0
    (tmp_path / "typed").mkdir()
    certificate, file, *_ = published(tmp_path / "typed", "table", "parquet")
    assert run(certificate, file).returncode == 2
    assert run(certificate).returncode == 2
    assert "UNKNOWN: cannot tell" in run(tmp_path / "none.json", file).stdout


def test_the_command_writes_script_and_schema(tmp_path):
    assert shoal("verifier", tmp_path / "new").code == 0
    assert (tmp_path / "new" / "verify_release.py").read_bytes() == SCRIPT.read_bytes()
    schema = json.loads((tmp_path / "new" / "certificate.schema.json").read_text())
    certificate, *_ = published(tmp_path, "both")
    assert schema["required"] == sorted(schema["required"], key=list(schema["properties"]).index)
    assert fits(json.loads(certificate.read_text()), schema) == []


def fits(value, schema, place="certificate"):
    """How a value breaks the parts of JSON Schema that ours uses."""
    kinds = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
    }
    allowed = schema.get("type", [])
    allowed = [allowed] if isinstance(allowed, str) else allowed
    if allowed and not any(
        value is None if kind == "null" else isinstance(value, kinds[kind]) for kind in allowed
    ):
        return [f"{place} is no {allowed}"]
    wrong = []
    if "const" in schema and value != schema["const"]:
        wrong.append(f"{place} is not {schema['const']}")
    if "enum" in schema and value not in schema["enum"]:
        wrong.append(f"{place} is none of {schema['enum']}")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        wrong += [f"{place} lacks {name}" for name in schema.get("required", []) if name not in value]
        for name, part in value.items():
            if name in known:
                wrong += fits(part, known[name], f"{place}.{name}")
            elif others is False:
                wrong.append(f"{place}.{name} is not known")
            elif isinstance(others, dict):
                wrong += fits(part, others, f"{place}.{name}")
    if isinstance(value, list) and "items" in schema:
        for part in value:
            wrong += fits(part, schema["items"], f"{place}[]")
    return wrong
