"""The script that verifies releases without Shoal: it says what Shoal says of every published file.

The files that other tests publish are compared, too: see `tests/conftest.py`.
"""

import gzip
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal as sh
from shoal.algorithms.catalogue import ALGORITHMS
from shoal.errors import ShoalError
from shoal.report import verify_release
from shoal.report.certificate import certificate as made
from shoal.report.certificate import digest_of, fingerprint
from shoal.report.certified import promise_of_certificate, roles_of_certificate
from shoal.run.public_facts import statement_of
from shoal.run.published_file import AS_PUBLISHED, verified_file
from shoal.run.verification import verify_certified
from tests.cli.commands import shoal
from tests.examples import examples

SCRIPT = Path(verify_release.__file__)
TRUE, FALSE, UNKNOWN = 0, 1, 2
TABLE = {"age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20)), "sex": sh.Quasi(hierarchy=sh.flat())}
SETS = {"items": sh.QuasiSet(hierarchy=sh.fanout(2))}
SECRET_SETS = {"items": sh.QuasiSet(hierarchy=sh.fanout(2), sensitive=("d", "never there"))}
CASES = {
    sh.KAnonymity: (TABLE, sh.KAnonymity(k=3)),
    sh.KmAnonymity: (SETS, sh.KmAnonymity(k=3, m=2)),
    sh.SetKAnonymity: (SETS, sh.SetKAnonymity(k=3)),
    sh.KKmAnonymity: ({**TABLE, **SETS}, sh.KKmAnonymity(k=3, m=2)),
    sh.Disassociation: ({"items": sh.QuasiSet()}, sh.Disassociation(k=3, m=2)),
}
QUICK = {  # an algorithm for each that is soon done
    sh.KAnonymity: "mondrian",
    sh.KmAnonymity: "aa",
    sh.SetKAnonymity: "partition",
    sh.KKmAnonymity: "rfirst",
    sh.KLmDiversity: "rfirst",
}
ENDINGS = ("csv", "csv.gz", "tsv", "jsonl", "parquet", "arrow")


@pytest.fixture(autouse=True, scope="module")
def no_pages():
    """Drawing pages would take most of the time, and they are not what is tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.run.result.page", lambda _: "")
        patch.setattr("shoal.run.result.public_page", lambda *_: "")
        yield


def original(folder, roles):
    rows = [
        f"{20 + i % 9},{'fm'[i % 2]},{' '.join('abcd'[j] for j in range(4) if (i * 7) >> j & 1)}"
        for i in range(40)
    ]
    names = ("age", "sex", "items")
    kept = [[cell for name, cell in zip(names, row.split(","), strict=True) if name in roles] for row in rows]
    source = folder / "original.csv"
    lines = [",".join(name for name in names if name in roles), *(",".join(row) for row in kept)]
    source.write_text("".join(f"{line}\n" for line in lines))
    return source


def published(folder, roles, model, ending="csv"):
    data = sh.read(original(folder, roles), roles)
    main = model[0] if isinstance(model, tuple) else model
    out = sh.anonymize(data, model, algorithm=QUICK[type(main)], seed=1).save(
        folder / "out", published=f"published.{ending}"
    )
    return out / "certificate.json", out / f"published.{ending}"


def run(*words):
    return subprocess.run(
        [sys.executable, "-I", SCRIPT, *words], capture_output=True, text=True, check=False, timeout=60
    )


def by_script(certificate, file):
    return verify_release.main([str(certificate), str(file)])


def by_shoal(certificate, file):
    try:
        return TRUE if verify_certified(file, certificate).holds else FALSE
    except ShoalError:
        return UNKNOWN


def about(certificate, file):
    """Let the certificate be about the file as it is now, as far as it keeps the promise."""
    stated = json.loads(certificate.read_text())
    promise, roles = promise_of_certificate(stated), roles_of_certificate(stated)
    stated["file"] = fingerprint(file)
    try:
        checked = verified_file(file, roles, promise, AS_PUBLISHED)
        stated = made(statement_of(checked, roles, promise), file)
    except ShoalError:
        stated["digest"] = digest_of(stated)
    certificate.write_text(json.dumps(stated))


def test_is_short_and_imports_nothing_of_ours():
    text = SCRIPT.read_text()
    assert len(text.splitlines()) <= 440
    assert "import shoal" not in text
    assert "from shoal" not in text


MADE_BY = [
    (name, model)
    for name, algorithm in ALGORITHMS.items()
    for model in CASES
    if model in algorithm.serves and name != "lgr-literal"  # which serves m = 1
]


@pytest.mark.parametrize(("algorithm", "kind"), MADE_BY)
def test_agrees_with_our_own_check_of_every_algorithm_and_format(tmp_path, algorithm, kind):
    roles, model = CASES[kind]
    result = sh.anonymize(sh.read(original(tmp_path, roles), roles), model, algorithm=algorithm, seed=1)
    of_chunks = kind is sh.Disassociation
    endings = ("jsonl", "parquet") if of_chunks else (*ENDINGS, *(("txt",) if roles is SETS else ()))
    turn = MADE_BY.index((algorithm, kind))  # all algorithms and all formats, but not all with all
    for ending in {endings[turn % len(endings)], endings[(turn + 3) % len(endings)]}:
        out = result.save(tmp_path / ending, published=f"published.{ending}")
        certificate, file = out / "certificate.json", out / f"published.{ending}"
        assert by_shoal(certificate, file) == TRUE
        assert by_script(certificate, file) == (UNKNOWN if of_chunks else TRUE)


def test_works_without_anything_but_python(tmp_path, capfd):
    certificate, file = published(tmp_path, *CASES[sh.KKmAnonymity])
    done = run(certificate, file)
    assert done.returncode == TRUE, done.stdout + done.stderr
    assert done.stdout.startswith("TRUE: k-km-anonymity with {'k': 3, 'm': 2} holds")
    file.write_text(file.read_text() + "20,f,zz\n")
    assert "SHA-256 differs" in run(certificate, file).stdout
    assert run(certificate).returncode == UNKNOWN
    assert "UNKNOWN: cannot tell" in run(tmp_path / "none.json", file).stdout


def test_sensitive_items_may_be_anywhere_and_promises_beside_are_named(tmp_path, capsys):
    certificate, file = published(
        tmp_path, SECRET_SETS, (sh.KmAnonymity(k=3, m=2), sh.LmDiversity(l=1.2, m=2))
    )
    assert by_shoal(certificate, file) == TRUE
    assert by_script(certificate, file) == UNKNOWN
    assert "holds; the smallest support is 10; not checked here: lm-diversity" in capsys.readouterr().out
    assert json.loads(certificate.read_text())["policy"]["columns"]["items"]["sensitive"] == ["d"]
    assert "never there" not in certificate.read_text(), "nobody holds it, so the file does not tell of it"


def test_a_table_that_promises_diversity_beside_k_is_not_said_to_keep_everything(tmp_path):
    roles = {**TABLE, "items": sh.Sensitive()}
    certificate, file = published(tmp_path, roles, (sh.KAnonymity(k=3), sh.LDiversity(l=1.5)))
    assert by_shoal(certificate, file) == TRUE
    done = run(certificate, file)
    assert done.returncode == UNKNOWN, done.stdout + done.stderr
    assert done.stdout.startswith("UNKNOWN: k-anonymity with {'k': 3} holds")
    assert "; not checked here: l-diversity" in done.stdout


@cache
def texts_of(kind, folder):
    folder.mkdir()
    certificate, file = published(folder, *CASES[kind])
    return certificate.read_text(), file.read_text()


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    folder = tmp_path_factory.mktemp("releases")
    return lambda kind: texts_of(kind, folder / kind.name)


ODD_CELLS = (
    "", " ", "*", "0", "f ", " f", "F",
    "e\u0301", "\u00e9", '"f"', "20-24", "20-24\u00a0", "a", "a a", "a  b", "b a",
    "a b c d", "a|b", "None", "null", "x\ty", "'",
)  # fmt: skip


@st.composite
def changes(draw):
    """A change of a table: which, and what it needs."""
    what = draw(st.sampled_from(["cell", "cells", "drop", "repeat", "lone", "none"]))
    return what, draw(st.integers(0, 60)), draw(st.integers(0, 2)), draw(st.sampled_from(ODD_CELLS))


def changed(table, change):
    what, row, column, cell = change
    header, *rows = table
    row, column = row % len(rows), column % len(header)
    if what == "cell":
        rows[row][column] = cell
    elif what == "cells":  # of all rows that look the same
        alike = list(rows[row])
        for other in rows:
            if other == alike:
                other[column] = cell
    elif what == "drop":
        del rows[row]
    elif what == "repeat":
        rows.append(rows[row])
    elif what == "lone":
        rows.append([cell] * len(header))
    return [header, *rows]


@st.composite
def spellings(draw):
    """How a table is written down: ends of lines, a mark at the start, blank lines, the order of columns."""
    return {
        "end": draw(st.sampled_from(["\n", "\r\n"])),
        "mark": draw(st.sampled_from(["", "\ufeff"])),
        "tail": draw(st.sampled_from(["", "\n", "\n\n"])),
        "turned": draw(st.booleans()),
        "quoted": draw(st.booleans()),
        "ending": draw(st.sampled_from(["csv", "csv.gz", "jsonl"])),
    }


def written(table, how):
    if how["turned"]:
        table = [row[::-1] for row in table]
    if how["ending"] == "jsonl":
        lines = [json.dumps(dict(zip(table[0], row, strict=True))) for row in table[1:]]
    else:

        def cell(text):
            return f'"{text.replace(chr(34), chr(34) * 2)}"' if how["quoted"] or '"' in text else text

        lines = [",".join(map(cell, row)) for row in table]
    content = (how["mark"] + "".join(f"{line}{how['end']}" for line in lines) + how["tail"]).encode()
    return gzip.compress(content) if how["ending"].endswith("gz") else content


@pytest.mark.parametrize("kind", [sh.KAnonymity, sh.KmAnonymity, sh.SetKAnonymity, sh.KKmAnonymity])
@examples(60)
@given(st.lists(changes(), min_size=1, max_size=3), spellings())
def test_agrees_with_our_own_check_of_files_that_somebody_changed(
    releases, tmp_path_factory, kind, several, how
):
    stated, text = releases(kind)
    table = [line.split(",") for line in text.splitlines()]
    for change in several:
        table = changed(table, change)
    folder = tmp_path_factory.mktemp("changed")
    certificate, file = folder / "certificate.json", folder / f"published.{how['ending']}"
    file.write_bytes(written(table, how))
    certificate.write_text(stated.replace("published.csv", file.name))
    about(certificate, file)
    ours, theirs = by_shoal(certificate, file), by_script(certificate, file)
    assert (ours == TRUE) == (theirs == TRUE), file.read_bytes()


def test_more_and_fewer_columns_are_not_the_certified_ones(tmp_path):
    certificate, file = published(tmp_path, *CASES[sh.KAnonymity])
    lines = file.read_text().splitlines()
    for header, cell in (("name", "Ann"), ("sex", "f")):  # a column more, and one of the same name
        file.write_text("".join(f"{line},{cell if i else header}\n" for i, line in enumerate(lines)))
        about(certificate, file)
        assert by_script(certificate, file) == FALSE
        assert by_shoal(certificate, file) == UNKNOWN
    file.write_text("".join(f"{line.split(',')[0]}\n" for line in lines))
    about(certificate, file)
    assert by_script(certificate, file) == FALSE
    assert by_shoal(certificate, file) == UNKNOWN
    file.write_text(lines[0] + "\n")
    about(certificate, file)
    assert by_script(certificate, file) == FALSE
    file.write_text("\n".join([*lines, "20,f,x"]))
    about(certificate, file)
    assert by_script(certificate, file) == by_shoal(certificate, file) == UNKNOWN


def test_a_record_that_names_a_column_twice_is_not_read(tmp_path):
    certificate, file = published(tmp_path, *CASES[sh.KAnonymity], ending="jsonl")
    file.write_text(file.read_text() + '{"age": "20", "age": "20-24", "sex": "f"}\n')
    about(certificate, file)
    assert by_script(certificate, file) == UNKNOWN
    assert by_shoal(certificate, file) != TRUE


@pytest.mark.parametrize(
    "change",
    [
        lambda stated: stated["promises"][0]["parameters"].update(k=4000),
        lambda stated: stated["promises"][0].update(model="t-closeness"),
        lambda stated: stated["promises"].clear(),
        lambda stated: stated["policy"]["columns"].pop("sex"),
        lambda stated: stated["policy"]["columns"]["sex"].update(role="insensitive"),
        lambda stated: stated["policy"].clear(),
        lambda stated: stated["verdict"].update(smallest=99),
        lambda stated: stated["verdict"]["checks"][0].update(smallest=99),
        lambda stated: stated.pop("file"),
    ],
)
def test_a_certificate_that_was_changed_is_not_confirmed(tmp_path, change):
    certificate, file = published(tmp_path, *CASES[sh.KAnonymity])
    stated = json.loads(certificate.read_text())
    change(stated)
    for digest in (stated["digest"], digest_of(stated)):
        certificate.write_text(json.dumps({**stated, "digest": digest}))
        assert by_shoal(certificate, file) != TRUE
        assert by_script(certificate, file) != TRUE


def test_the_command_writes_script_and_schema(tmp_path):
    assert shoal("verifier", tmp_path / "new").code == 0
    assert (tmp_path / "new" / "verify_release.py").read_bytes() == SCRIPT.read_bytes()
    schema = json.loads((tmp_path / "new" / "certificate.schema.json").read_text())
    certificate, _ = published(tmp_path, {**TABLE, **SECRET_SETS}, sh.KLmDiversity(k=3, l=1.2, m=2))
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


def test_a_promise_about_more_items_than_any_number_ends(tmp_path):
    certificate, file = published(tmp_path, *CASES[sh.KmAnonymity])
    stated = json.loads(certificate.read_text())
    stated["promises"][0]["parameters"]["m"] = 10**400
    stated["digest"] = digest_of(stated)
    certificate.write_text(json.dumps(stated))
    done = run(certificate, file)
    assert done.returncode in (FALSE, UNKNOWN)
    assert done.stderr == ""
