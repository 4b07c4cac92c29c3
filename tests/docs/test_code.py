"""The Python of the pages has the types that checkers of types want, and docstrings do what they say."""

import doctest
import importlib
import inspect
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest

import shoal as sh

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
GIVEN = {
    "data": "sh.Data",
    "columns": "dict[str, sh.Role]",
    "connection": "duckdb.DuckDBPyConnection",
    "spark": "SparkSession",
}
HEAD = "import duckdb\nimport pandas as pd\nimport shoal as sh\n{imports}\n"
WITH_TYPES = """
from typing import assert_type


def what_things_are(path: str, frame: pd.DataFrame, roles: dict[str, sh.Role]) -> None:
    assert_type(sh.read(path, roles), sh.Data)
    assert_type(sh.read(frame, roles), sh.Data)
    assert_type(sh.anonymize(sh.read(path, roles), sh.KAnonymity(k=2), seed=1), sh.Result)
    assert_type(sh.run_policy(path, data=frame, settings={"privacy.k": 3}), sh.Result)
    assert_type(sh.verify(path, roles, sh.KAnonymity(k=2)), sh.Verdicts)
    roles["age"] = sh.Quasi(kind="number")
"""
NO_SPARK = "[mypy]\nstrict = true\n[mypy-pyspark.*]\nfollow_imports = skip\n"


def program(*, spark: bool) -> str:
    """The code of each page in a function that is given what the page speaks of."""
    functions = []
    for page in PAGES:
        blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        body = "".join(blocks).replace("import shoal as sh\n", "")
        if body and (spark or "spark" not in body):
            made_there = re.findall(r"^(\w+) = ", body, re.MULTILINE)
            given = ", ".join(
                f"{name}: {kind}"
                for name, kind in GIVEN.items()
                if name not in made_there and (spark or name != "spark")
            )
            functions.append(f"def page_{len(functions)}({given}) -> None:\n{textwrap.indent(body, '    ')}")
    assert len(functions) > 3
    imports = "from pyspark.sql import SparkSession" if spark else ""
    return "\n\n".join((HEAD.format(imports=imports), *functions, WITH_TYPES))


@pytest.mark.slow
@pytest.mark.parametrize("spark", [True, False])
def test_mypy_understands_the_pages(tmp_path, spark):
    (tmp_path / "pages.py").write_text(program(spark=spark))
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = true\n" if spark else NO_SPARK)
    words = [sys.executable, "-m", "mypy", "--cache-dir", "cache", "pages.py"]
    done = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, check=False, env={"MYPYPATH": str(ROOT / "src")}
    )
    assert done.returncode in (0, 1), done.stderr
    assert [line for line in done.stdout.splitlines() if line.startswith("pages.py")] == []


@pytest.mark.slow
@pytest.mark.parametrize("spark", [True, False])
def test_pyright_understands_the_pages(tmp_path, spark):
    pyright = shutil.which("pyright", path=Path(sys.executable).parent)
    if pyright is None or subprocess.run([pyright, "--version"], check=False, capture_output=True).returncode:
        pytest.skip("pyright is not installed, or cannot fetch itself")
    (tmp_path / "pages.py").write_text("# pyright: strict\n" + program(spark=spark))
    others = tmp_path / "packages"
    others.mkdir()
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        if spark or not package.name.startswith("pyspark"):
            (others / package.name).symlink_to(package)
    paths = {"extraPaths": [str(ROOT / "src"), str(others)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(paths))
    without_packages = getattr(sys, "_base_executable", sys.executable)
    words = [pyright, "--pythonpath", without_packages, "pages.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


PUBLIC = [name for name in sh.__all__ if name != "Role"]  # a union of classes


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_in_docstrings_work(name):
    thing = getattr(sh, name)
    module = importlib.import_module(thing.__module__)
    found = doctest.DocTestFinder(recurse=False).find(thing, name, module)
    assert any(example.examples for example in found)
    for example in found:
        assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_docstrings_say_what_is_taken_given_and_raised(name):
    thing = getattr(sh, name)
    text = inspect.getdoc(thing) or ""
    sections = ["Examples"]
    if taken := [each.lstrip("*") for each in _parameters(thing)]:
        sections.append("Args")
        assert [each for each in taken if not re.search(rf"^    \**{each}: ", text, re.MULTILINE)] == []
    if inspect.isroutine(thing):
        sections.append("Returns")
    if _raises(thing):
        sections.append("Raises")
    assert [section for section in sections if f"\n{section}:\n" not in text] == []


def _parameters(thing):
    if isinstance(thing, type) and issubclass(thing, Exception) and "__init__" not in vars(thing):
        return []
    return [name for name in inspect.signature(thing).parameters if name != "self"]


def _raises(thing):
    """Whether it may refuse what it is given: functions, and classes that check themselves."""
    if inspect.isroutine(thing):
        return bool(inspect.signature(thing).parameters)
    return "__post_init__" in vars(thing)
