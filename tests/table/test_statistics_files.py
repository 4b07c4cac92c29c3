"""Files of SPSS, Stata and SAS, written by pyreadstat itself."""

import datetime
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

import shoal as sh
from shoal.errors import BadInput, MissingExtra
from shoal.table.reading import inspect

FRAME = pd.DataFrame(
    {
        "age": [31.0, 31.0, 45.5, None],
        "sex": [1.0, 2.0, 1.0, 9.0],
        "town": ["Köln", "Bonn", "Köln", ""],
        "seen": [datetime.date(2024, 5, 1)] * 4,
    }
)
LABELS = {"sex": {1: "man", 2: "woman"}}


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta"])
def test_values_are_their_labels(tmp_path, ending):
    path = tmp_path / f"d.{ending}"
    if ending == "dta":
        pyreadstat.write_dta(FRAME, path, variable_value_labels=LABELS)
    else:
        pyreadstat.write_sav(FRAME, path, variable_value_labels=LABELS, compress=ending == "zsav")
    found = inspect(path).to_pydict()
    assert found["age"] == [31, 31, 45.5, None]
    assert found["sex"] == ["man", "woman", "man", "9"]
    assert found["town"] == ["Köln", "Bonn", "Köln", None]
    assert found["seen"] == [datetime.date(2024, 5, 1)] * 4


def test_sas(tmp_path):
    path = tmp_path / "d.xpt"
    pyreadstat.write_xport(FRAME[["age", "town"]], path)
    assert inspect(path).to_pydict() == {"age": [31, 31, 45.5, None], "town": ["Köln", "Bonn", "Köln", None]}


def test_portable_spss(tmp_path):
    path = tmp_path / "d.por"
    pyreadstat.write_por(FRAME[["age", "sex", "town"]].replace("Köln", "Trier"), path)
    found = inspect(path).to_pydict()
    assert found["AGE"] == [31, 31, 45.5, None]
    assert found["SEX"] == [1, 2, 1, 9]
    assert found["TOWN"] == ["Trier", "Bonn", "Trier", None]


def test_tables_of_sas_itself(tmp_path):
    """Nothing from PyPI writes .sas7bdat; R's haven does."""
    path = tmp_path / "d.sas7bdat"
    script = (
        "d <- data.frame(age = c(31, 31, 45.5, NA), town = c('Bonn', 'Trier', 'Bonn', ''));"
        f"suppressWarnings(haven::write_sas(d, '{path}'))"
    )
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed (Debian: apt install r-base-core r-cran-haven)")
    done = subprocess.run(["Rscript", "--vanilla", "-e", script], capture_output=True, text=True, check=False)
    if "there is no package called" in done.stderr:
        pytest.skip("R has no package haven (Debian: apt install r-cran-haven)")
    assert inspect(path).to_pydict() == {
        "age": [31, 31, 45.5, None],
        "town": ["Bonn", "Trier", "Bonn", None],
    }


def test_numbers_of_single_precision_are_what_the_program_shows(tmp_path):
    path = tmp_path / "d.dta"
    frame = pd.DataFrame({"width": pd.Series([5.1, 0.2, 123_456_792, None], dtype="float32")})
    frame.to_stata(path, write_index=False)
    assert inspect(path).to_pydict() == {"width": [5.1, 0.2, 123_456_792, None]}


def test_labels_that_two_values_share_are_not_taken(tmp_path):
    path = tmp_path / "d.sav"
    pyreadstat.write_sav(FRAME[["sex"]], path, variable_value_labels={"sex": {1: "yes", 2: "yes"}})
    assert inspect(path).to_pydict()["sex"] == [1, 2, 1, 9]


def test_such_a_file_is_anonymized_like_any_other(tmp_path):
    path = tmp_path / "d.sav"
    pyreadstat.write_sav(FRAME[["sex"]], path, variable_value_labels=LABELS)
    data = sh.read(path, {"sex": sh.Quasi(hierarchy=sh.flat())})
    result = sh.anonymize(data, sh.KAnonymity(2), algorithm="mondrian")
    assert set(result.frame.to_pydict()["sex"]) <= {"man", "woman", "*"}


def test_a_file_that_is_none_is_refused(tmp_path):
    (tmp_path / "d.sav").write_bytes(b"no such thing")
    with pytest.raises(BadInput, match="file of a statistics program"):
        inspect(tmp_path / "d.sav")


def test_the_extra_is_named(tmp_path, monkeypatch):
    (tmp_path / "d.dta").write_bytes(b"x")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(MissingExtra, match=r"shoal\[statistics\]"):
        inspect(tmp_path / "d.dta")


def test_no_such_file_is_taken_for_a_release(tmp_path):
    path = tmp_path / "d.sav"
    pyreadstat.write_sav(FRAME[["sex"]], path, note="hidden")
    with pytest.raises(BadInput, match="holds more than a table"):
        sh.verify(path, {"sex": sh.Quasi()}, sh.KAnonymity(2))


def test_numbers_that_no_integer_holds_stay_floats(tmp_path):
    path = tmp_path / "d.sav"
    pyreadstat.write_sav(pd.DataFrame({"x": [1e300, 2.0**53, 7.0]}), path)
    assert inspect(path).to_pydict()["x"] == [1e300, 2**53, 7]


def test_a_file_that_ends_the_process_that_reads_it_is_bad_input(tmp_path, monkeypatch):
    path = tmp_path / "d.sav"
    pyreadstat.write_sav(FRAME[["sex"]], path)
    crashing = tmp_path / "crashing" / "pyreadstat"
    crashing.mkdir(parents=True)
    (crashing / "__init__.py").write_text("import os\nos.abort()\n")
    paths = [str(crashing.parent), str(Path(sh.__file__).parents[1])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    with pytest.raises(BadInput, match=r"pyreadstat ended while it read it \(code -6\)"):
        inspect(path)


def test_a_truncated_file_is_refused_in_words(tmp_path):
    path = tmp_path / "d.dta"
    pyreadstat.write_dta(FRAME, path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(BadInput, match="cannot be read as a file of a statistics program"):
        inspect(path)
