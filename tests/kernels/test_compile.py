"""Compiled code is kept by all that it depends on, in a small package of its own and in ours."""

import ast
import importlib
import inspect
import json
import os
import pkgutil
import platform
import re
import shutil
import subprocess
import sys
import textwrap
import time
from collections import Counter
from pathlib import Path
from types import FunctionType

import numba
import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import shoal
import shoal.kernels
from shoal.kernels import compile as compiling
from shoal.kernels.compile import closure_digest, kernel

STEPS = '''
from typing import NamedTuple

import numpy as np

from mini.compile import kernel

STEP = 1
TABLE = np.array([5, 6, 7])


class Pair(NamedTuple):
    low: int
    high: int


@kernel
def step(x):
    """One step."""
    return x + STEP


@kernel(part=True)
def half(x):
    return x // 2


@kernel
def width(pair):
    return pair.high - pair.low


@kernel
def looked_up(x):
    return TABLE[x]
'''
WALKS = """
from mini import steps
from mini.compile import kernel
from mini.steps import Pair, half, step


@kernel
def twice(x):
    return step(step(x))


@kernel
def walk(x):
    return further(twice(x))


@kernel
def further(x):
    return x + 10


@kernel
def span(x):
    return steps.width(Pair(x, 3 * x))


@kernel
def halves(x):
    return half(x) + half(x)


@kernel
def down(x, by=1):
    return 0 if x <= 0 else 1 + down(x - by)
"""
PROGRAM = """
import json
from mini import compile, steps, walks

calls = [(steps.step, 1), (steps.half, 7), (steps.width, steps.Pair(low=1, high=5)), (steps.looked_up, 1)]
calls += [(getattr(walks, name), 4) for name in ("further", "twice", "walk", "span", "halves", "down")]
before = compile.compiled_before()
results = {kernel.__name__: int(kernel(argument)) for kernel, argument in calls}
stats = {name: kernel.stats for (kernel, _), name in zip(calls, results) if hasattr(kernel, "stats")}
compiled = [name for name, stat in stats.items() if stat.cache_misses]
loaded = [name for name, stat in stats.items() if stat.cache_hits]
print(json.dumps({"before": before, "results": results, "compiled": compiled, "loaded": loaded}))
"""
OF_STEPS = {"step": 2, "half": 3, "width": 4, "looked_up": 6}
RESULTS = {**OF_STEPS, "further": 14, "twice": 6, "walk": 16, "span": 8, "halves": 4, "down": 4}
ALL = set(RESULTS)


def write(folder: Path, **files: str) -> Path:
    """A package of kernels behind our own door to Numba, calling each other across files."""
    package = folder / "mini"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").touch()
    shutil.copy(compiling.__file__, package / "compile.py")
    for name, text in {"steps": STEPS, "walks": WALKS, **files}.items():
        (package / f"{name}.py").write_text(text)
    return folder


def started(folder: Path, cache: Path, program: str = PROGRAM, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-B", "-c", program],  # bytecode tells edits of the same second and size not apart
        env={**os.environ, "SHOAL_CACHE": str(cache), "PYTHONPATH": str(folder), **environment},
        stdout=subprocess.PIPE,
        text=True,
    )


def answer_of(process: subprocess.Popen[str]) -> dict:
    printed, _ = process.communicate()
    assert process.returncode == 0
    return json.loads(printed or "null")


def run(folder: Path, cache: Path, program: str = PROGRAM, **environment: str) -> dict:
    return answer_of(started(folder, cache, program, **environment))


def files_of(cache: Path) -> dict[str, float]:
    return {file.name: file.stat().st_mtime for file in (cache / "kernels" / "v2").iterdir()}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache of one run of the package as it is."""
    folder = tmp_path_factory.mktemp("compiled")
    cold = run(write(folder), folder / "cache")
    assert cold == {"before": False, "results": RESULTS, "compiled": list(RESULTS), "loaded": []}
    assert not list((folder / "mini").rglob("*.nb*")), "nothing may stay beside the sources"
    return folder / "cache"


@pytest.fixture
def cache(compiled: Path, tmp_path: Path) -> Path:
    """A copy of that cache."""
    return Path(shutil.copytree(compiled, tmp_path / "cache"))


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("", "", {}),
        pytest.param(
            "STEP = 1\n",
            "STEP = 1  # a comment\n\n\ndef of_no_kernel():\n    return 2\n\n",
            {},
            marks=pytest.mark.slow,
        ),
        pytest.param("One step", "One step, and no more", {}, marks=pytest.mark.slow),
        ("return x + STEP", "return x - STEP", {"step": 0, "twice": 2, "walk": 12}),
        pytest.param(
            "STEP = 1", "STEP = 100", {"step": 101, "twice": 204, "walk": 214}, marks=pytest.mark.slow
        ),
        pytest.param("STEP = 1", "STEP = True", {"step": 2, "twice": 6, "walk": 16}, marks=pytest.mark.slow),
        pytest.param("6, 7]", "9, 7]", {"looked_up": 9}, marks=pytest.mark.slow),
        pytest.param("x // 2", "x // 4", {"half": 1, "halves": 2}, marks=pytest.mark.slow),
        ("low: int\n    high: int", "high: int\n    low: int", {"width": 4, "span": -8}),
        pytest.param("pair.high -", "pair.high +", {"width": 6, "span": 16}, marks=pytest.mark.slow),
        pytest.param("x + 10", "x + 20", {"further": 24, "walk": 26}, marks=pytest.mark.slow),
        pytest.param("by=1", "by=2", {"down": 2}, marks=pytest.mark.slow),
        pytest.param(
            "@kernel\ndef further",
            "@kernel(part=True)\ndef further",
            {"further": 14, "walk": 16},
            marks=pytest.mark.slow,
        ),
    ],
)
def test_exactly_what_depends_on_an_edit_is_compiled_again(old, new, changed, cache, tmp_path):
    edited = write(tmp_path, steps=STEPS.replace(old, new), walks=WALKS.replace(old, new))
    after = run(edited, cache)
    assert after["results"] == {**RESULTS, **changed}
    assert set(after["compiled"]) == set(changed)
    assert set(after["loaded"]) == ALL - set(changed)
    assert after["before"]


@pytest.mark.slow
def test_who_goes_back_to_older_sources_compiles_nothing(cache, tmp_path):
    run(write(tmp_path, steps=STEPS.replace("STEP = 1", "STEP = 2")), cache)
    back = run(write(tmp_path), cache)
    assert (back["results"], back["compiled"]) == (RESULTS, [])


@pytest.mark.slow
def test_a_named_tuple_may_move_to_another_file(cache, tmp_path):
    head, rest = STEPS.split("class Pair")
    fields, kernels = rest.split("\n\n\n", maxsplit=1)
    pairs = "from typing import NamedTuple\n\n\nclass Pair" + fields
    moved = write(tmp_path, pairs=pairs, steps=f"{head}from mini.pairs import Pair\n\n\n{kernels}")
    after = run(moved, cache)
    assert (after["results"], set(after["compiled"])) == (RESULTS, {"width", "span"})


@pytest.mark.slow
def test_the_first_run_of_a_package_that_changed_altogether_is_a_first_run(cache, tmp_path):
    steps, walks = (text.replace("mini.", "mine.").replace("mini ", "mine ") for text in (STEPS, WALKS))
    write(tmp_path, steps=steps, walks=walks).joinpath("mini").rename(tmp_path / "mine")
    after = run(tmp_path, cache, PROGRAM.replace("mini", "mine"))
    assert after == {"before": False, "results": RESULTS, "compiled": list(RESULTS), "loaded": []}


@pytest.mark.slow
def test_processes_with_different_versions_share_a_cache(tmp_path):
    other = {"steps": STEPS.replace("STEP = 1", "STEP = 100")}
    folders = [write(tmp_path / "one"), write(tmp_path / "same"), write(tmp_path / "other", **other)]
    found = [RESULTS, RESULTS, {**RESULTS, "step": 101, "twice": 204, "walk": 214}]
    at_once = [started(folder, tmp_path / "cache") for folder in folders]
    assert [answer_of(process)["results"] for process in at_once] == found
    later = [run(folder, tmp_path / "cache") for folder in folders]
    assert [after["results"] for after in later] == found
    assert all(not after["compiled"] for after in later)
    assert all(name.endswith(".nbc") for name in files_of(tmp_path / "cache"))


@pytest.mark.slow
def test_a_folder_that_cannot_be_used_means_no_caching(tmp_path):
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    for _ in range(2):
        after = run(write(tmp_path), in_the_way / "cache")
        assert (after["before"], after["results"], after["loaded"]) == (False, RESULTS, [])
    assert not list(tmp_path.rglob("*.nb*"))


@pytest.mark.parametrize("left", [pytest.param(0, marks=pytest.mark.slow), 0.5])
def test_a_file_that_was_not_written_to_its_end_is_compiled_again(left, cache, tmp_path):
    for file in (cache / "kernels" / "v2").iterdir():
        file.write_bytes(file.read_bytes()[: int(left * file.stat().st_size)])
    after = run(write(tmp_path), cache)
    assert (after["results"], set(after["compiled"])) == (RESULTS, ALL)
    assert run(write(tmp_path), cache)["compiled"] == []


def test_code_that_a_wheel_brings_is_used_where_it_fits(tmp_path):
    processor = compiling._BASELINES.get(platform.machine())
    if processor is None or not has_features(processor):
        pytest.skip(f"wheels bring no code for this processor: {platform.machine()}")
    made = tmp_path / "made"
    run(write(tmp_path / "there"), made, NUMBA_CPU_NAME=processor, NUMBA_CPU_FEATURES="")
    here = write(tmp_path / "here")
    shutil.copytree(made / "kernels" / "v2", here / "mini" / "compiled")
    fresh = run(here, tmp_path / "cache")
    assert fresh == {"before": True, "results": RESULTS, "compiled": [], "loaded": list(RESULTS)}
    assert not (tmp_path / "cache" / "kernels" / "v2").exists()
    edited = run(write(tmp_path / "here", steps=STEPS.replace("6, 7]", "9, 7]")), tmp_path / "cache")
    assert edited["compiled"] == ["looked_up"]
    assert edited["results"]["looked_up"] == 9


def has_features(processor):
    here = compiling.llvmlite.binding.get_host_cpu_features()
    return all(here.get(feature) for feature in compiling._FEATURES.get(processor, ()))


def test_code_of_a_wheel_is_left_alone_where_the_processor_lacks_something(tmp_path, monkeypatch):
    (tmp_path / "compiled").mkdir()
    monkeypatch.setattr(compiling, "_SHIPPED", tmp_path / "compiled")
    monkeypatch.setattr(compiling, "_FEATURES", {"x86-64-v3": ("avx2", "what no processor has")})
    assert compiling._baseline.__wrapped__("x86_64-unknown-linux-gnu") is None
    assert compiling._baseline.__wrapped__("s390x-ibm-linux") is None
    monkeypatch.setattr(compiling, "_FEATURES", {})
    assert compiling._baseline.__wrapped__("x86_64-unknown-linux-gnu")[1] == "x86-64-v3"
    monkeypatch.setattr(compiling, "_SHIPPED", tmp_path / "absent")
    assert compiling._baseline.__wrapped__("x86_64-unknown-linux-gnu") is None


@pytest.mark.slow
def test_without_numba_nothing_is_kept(tmp_path):
    after = run(write(tmp_path), tmp_path / "cache", NUMBA_DISABLE_JIT="1")
    assert (after["results"], after["compiled"], after["before"]) == (RESULTS, [], False)
    assert not (tmp_path / "cache").exists()


@pytest.mark.slow
def test_code_without_checks_of_indices_does_not_serve_where_they_are_asked_for(cache, tmp_path):
    program = """
from mini.steps import looked_up
try:
    looked_up(1000)
    print('"silent"')
except IndexError:
    print('"checked"')
"""
    assert run(write(tmp_path), cache, program, NUMBA_BOUNDSCHECK="1") == "checked"


def test_constants_replaced_in_a_running_process_are_not_kept(cache, tmp_path):
    """Numba has compiled a step of 1 by then, and goes on calling it."""
    program = """
from mini import steps, walks
steps.step(1)
steps.STEP = 100
walks.twice(1)
steps.step(1.5)
steps.STEP = 1
walks.twice(1.5)
"""
    before = files_of(cache).keys()
    run(write(tmp_path), cache, program)
    assert files_of(cache).keys() == before


def test_a_constant_that_is_handed_on_compiles_nothing_more(tmp_path, monkeypatch):
    monkeypatch.setattr(compiling, "_CACHE_DIR", tmp_path)

    @kernel
    def sum_of(x, y):
        return x + y

    @kernel
    def calls_it(x):
        return sum_of(x, 1) + sum_of(2, y=x) + sum_of(x, y=True)

    assert calls_it(5) == 6 + 7 + 6
    assert [str(args) for args in sum_of.signatures] == ["(int64, int64)", "(int64, bool)"]


@pytest.mark.slow
def test_kernels_given_to_kernels_are_never_old(cache, tmp_path):
    more = "\n\n@kernel\ndef given(call, x):\n    return call(x)\n"
    program = "from mini import steps, walks; print(walks.given(steps.step, 1))"
    found = [
        run(
            write(tmp_path, steps=STEPS.replace("STEP = 1", f"STEP = {step}"), walks=WALKS + more),
            cache,
            program,
        )
        for step in (1, 1, 100)
    ]
    assert found == [2, 2, 101]


@pytest.mark.slow
def test_classes_that_cannot_be_imported_stay_what_they_are(tmp_path):
    program = """
import json
from typing import NamedTuple
from mini.compile import kernel

class Local(NamedTuple):
    one: int

@kernel
def made(x):
    return Local(x)

@kernel
def same(local):
    return local

print(json.dumps([type(made(1)) is Local, type(same(Local(1))) is Local]))
"""
    assert [run(write(tmp_path), tmp_path / "cache", program) for _ in range(2)] == [[True, True]] * 2


@pytest.mark.slow
def test_parallel_code_is_kept_for_any_number_of_threads(tmp_path):
    source = """
import numpy as np
from numba import prange
from mini.compile import kernel

@kernel(parallel=True)
def total(values):
    found = 0
    for i in prange(len(values)):
        found += values[i]
    return found
"""
    program = """
import json, numpy as np, mini.sums
found = int(mini.sums.total(np.arange(1000)))
print(json.dumps([found, len(mini.sums.total.stats.cache_hits)]))
"""
    folder = write(tmp_path, sums=source)
    answers = [run(folder, tmp_path / "cache", program, NUMBA_NUM_THREADS=threads) for threads in "12"]
    assert answers == [[499500, 0], [499500, 1]]


@pytest.mark.slow
def test_loading_is_use(cache, tmp_path):
    for file in (cache / "kernels" / "v2").iterdir():
        os.utime(file, (0, 0))
    run(write(tmp_path), cache)
    assert min(files_of(cache).values()) > time.time() - 600


def test_what_nobody_used_for_three_months_is_removed(tmp_path, monkeypatch):
    """Files, files half written, and the folders of releases that kept one for all kernels."""
    old = ["v2/old-1-1.nbc", "v2/draft-1-1.nbc.5f", "1" * 16 + "/a.nbc"]
    young = ["v2/young-1-1.nbc", "2" * 16 + "/a.nbc"]
    foreign = ["v2/notes", "3" * 17 + "/a.nbc", "mine/a.nbc"]
    days = dict.fromkeys(old, 91) | dict.fromkeys(young, 89) | dict.fromkeys(foreign, 400)
    files = {name: tmp_path / name for name in days}
    for name, file in files.items():
        file.parent.mkdir(exist_ok=True)
        file.touch()
        then = time.time() - days[name] * 24 * 3600
        os.utime(file, (then, then))
        os.utime(file.parent, (then, then))
    monkeypatch.setattr(compiling, "_CACHE_ROOT", tmp_path)
    monkeypatch.setattr(compiling, "_CACHE_DIR", tmp_path / "v2")
    compiling.remove_stale_caches()
    assert [name for name, file in files.items() if not file.exists()] == old
    assert not (tmp_path / ("1" * 16)).exists()
    files["v2/notes"].rename(tmp_path / "v2" / "late-1-1.nbc")
    compiling.remove_stale_caches()
    assert (tmp_path / "v2" / "late-1-1.nbc").exists(), "that was looked for today"


def test_removing_stale_caches_needs_no_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(compiling, "_CACHE_ROOT", tmp_path / "absent")
    monkeypatch.setattr(compiling, "_CACHE_DIR", tmp_path / "absent" / "v2")
    compiling.remove_stale_caches()
    assert not (tmp_path / "absent").exists()


def test_the_cache_setting_of_others_is_left_alone():
    before = numba.config.CACHE_DIR
    kernel(lambda x: x)
    assert before == numba.config.CACHE_DIR


def helper(x):
    return x + 1


@kernel
def calls_python(x):
    return helper(x)


@kernel
def calls_that(x):
    return calls_python(x)


@pytest.mark.parametrize("caller", [calls_python, calls_that])
def test_a_kernel_calls_kernels_only(caller):
    message = "kernel .*calls_python refers to helper, a function, but kernels may call kernels only"
    with pytest.raises(TypeError, match=message):
        closure_digest(caller)
    with pytest.raises(TypeError, match=message):
        caller(1)


def test_what_numba_knows_by_itself_may_be_called():
    from math import sqrt

    from numba import literal_unroll, prange

    @kernel
    def anything(x):
        found = [np.float64(round(max(sqrt(y), abs(y)))) for y in range(x)]
        for i in prange(len(found)):
            for each in literal_unroll((1, 2.5)):
                found[i] += each
        return {x: found}, x in {1, 2, 3}

    assert len(closure_digest(anything)) == 64


def test_kernels_may_call_each_other_around():
    @kernel
    def even(x):
        return True if x == 0 else odd(x - 1)

    @kernel
    def odd(x):
        return False if x == 0 else even(x - 1)

    assert closure_digest(even) == closure_digest(even) != closure_digest(odd)


def test_it_counts_which_kernel_a_name_stands_for():
    def around(to_first):
        @kernel
        def first(x):
            return second(x)

        @kernel
        def second(x):
            return third(x)

        @kernel
        def third(x):
            return again(x - 1) if x > 0 else x

        again = first if to_first else second
        return closure_digest(first)

    assert around(to_first=True) == around(to_first=True) != around(to_first=False)


def digest_by_global(constant):
    function = lambda: CONSTANT  # noqa: E731, F821 - a name in the globals that it is given
    return closure_digest(kernel(type(function)(function.__code__, {**globals(), "CONSTANT": constant})))


def digest_by_cell(constant):
    return closure_digest(kernel(lambda: constant))


def digest_by_default(constant):
    return closure_digest(kernel(lambda x=constant: x))


def digest_by_named_default(constant):
    return closure_digest(kernel(lambda *, x=constant: x))


@pytest.mark.parametrize(
    "digest", [digest_by_global, digest_by_cell, digest_by_default, digest_by_named_default]
)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 2),
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        ("a", b"a"),
        (slice(None), slice(1)),
        ((1, 2), (2, 1)),
        (np.int32(1), np.int64(1)),
        (np.ones(1), np.zeros(1)),
        (np.zeros(1, np.int32), np.zeros(1, np.float32)),
        (np.arange(4), np.arange(4).reshape(2, 2)),
        (np.eye(2), np.eye(2, order="F")),
    ],
)
def test_constants_are_told_apart_by_value_and_type(one, other, digest):
    assert digest(one) == digest(one) != digest(other)


def test_the_order_within_a_set_does_not_count():
    assert digest_by_cell(frozenset((0, 8))) == digest_by_cell(frozenset((8, 0)))


@pytest.mark.parametrize("library", [numba, np, compiling.llvmlite])
def test_an_upgrade_of_what_compiles_changes_every_digest(library, monkeypatch):
    before = closure_digest(calls_nothing)
    monkeypatch.setattr(library, "__version__", "0")
    assert closure_digest(calls_nothing) != before


@kernel
def calls_nothing(x):
    return x


def own_kernels() -> list[Dispatcher]:
    modules = [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(shoal.kernels.__path__, "shoal.kernels.")
    ]
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, Dispatcher) and value.__module__ == module.__name__
    ]


def named_in_source(function: FunctionType) -> list[Dispatcher]:
    """The kernels whose names stand in a source, each time, which is not how the digest finds them."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    values = [function.__globals__.get(name) for name in names]
    return [value for value in values if isinstance(value, Dispatcher)]


def named_in_python(kernels: list[Dispatcher]) -> set[Dispatcher]:
    """The kernels whose names stand in what is not compiled; a name may stand for something else there."""
    words = {
        word
        for file in Path(shoal.__file__).parent.rglob("*.py")
        if file.parent.name != "kernels"
        for word in re.findall(r"\w+", file.read_text(encoding="utf-8"))
    }
    modules = {sys.modules[each.__module__] for each in kernels}
    functions = [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    ]
    return {each for function in functions for each in named_in_source(function)} | {
        each for each in kernels if each.__name__ in words
    }


def test_a_kernel_that_is_called_in_one_place_is_compiled_within_its_caller_only():
    kernels = own_kernels()
    named = Counter(each for caller in kernels for each in named_in_source(caller.py_func))
    recursive = {each for each in kernels if each in named_in_source(each.py_func)}
    once = {each for each, times in named.items() if times == 1} - named_in_python(kernels) - recursive
    assert len(once) > 100
    assert not [each.__name__ for each in once if each.targetoptions["inline"] != "always"]


def test_touching_one_of_our_kernels_concerns_its_callers_only(monkeypatch):
    kernels = own_kernels()
    before = {each: closure_digest(each) for each in kernels}
    assert len(set(before.values())) == len(kernels) > 100
    reached = {each: {each} | set(named_in_source(each.py_func)) for each in kernels}
    for _ in kernels:
        further = {each: set().union(*(reached[other] for other in reached[each])) for each in kernels}
        if further == reached:
            break
        reached = further
    by_callers = sorted(kernels, key=lambda each: sum(each in members for members in reached.values()))
    for touched in by_callers[:: len(kernels) // 8] + by_callers[-1:]:
        code = touched.py_func.__code__
        with monkeypatch.context() as patch:
            patch.setattr(
                touched.py_func, "__code__", code.replace(co_varnames=("renamed", *code.co_varnames[1:]))
            )
            changed = {each for each in kernels if closure_digest(each) != before[each]}
        assert changed == {each for each in kernels if touched in reached[each]}
