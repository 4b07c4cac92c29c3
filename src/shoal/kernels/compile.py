"""The one door to Numba.

Numba keys its own cache by the file of a kernel alone: one that calls another file keeps running old machine
code after an edit or an upgrade, and an edit of one kernel compiles all of its file again. Here compiled code
is kept under a name that tells all it depends on: the kernel, those it calls, what they refer to, the types,
the libraries and the processor. So what has changed is not found, and is compiled; all else is found.
"""

from __future__ import annotations

import builtins
import dis
import hashlib
import os
import pickle
import shutil
import sys
import time
import uuid
from collections import ChainMap
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast, overload

import llvmlite.binding  # type: ignore[import-untyped]
import numba
import numpy as np
from numba.core.caching import NullCache

from shoal.user_cache import cache_folder, write_whole

P = ParamSpec("P")
R = TypeVar("R")

_NUMBA: Any = numba  # whose stubs leave out most of what is used here
_SETTINGS = ("BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "OPT", "SLP_VECTORIZE", "USING_SVML")
_LIBRARIES = sys.stdlib_module_names | {"numpy", "numba"}  # what is theirs changes with their versions only
# Code holds slices as constants from Python 3.14 on.
_CONSTANTS = (type(None), type(...), bool, int, float, complex, str, bytes, slice)
_THIS_PROCESS = uuid.uuid4().hex
_LOOK_AFTER_SECONDS = 24 * 3600
_STALE_AFTER_SECONDS = 90 * _LOOK_AFTER_SECONDS


_CACHE_ROOT = cache_folder("kernels")
_CACHE_DIR = _CACHE_ROOT / "v2"


_SHIPPED = Path(__file__).with_name("compiled")  # what a wheel brings along, see build_wheel.py
# Machine code in wheels is for these processors; llvmlite tells whether this machine has what they have.
_BASELINES = {"x86_64": "x86-64-v3", "aarch64": "generic", "arm64": "generic"}
_FEATURES = {"x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2")}


@cache
def _baseline(triple: str) -> tuple[str, str, str] | None:
    """For which processor code of a wheel is, as the cache names it; None if this machine cannot run it."""
    name = _BASELINES.get(triple.partition("-")[0])
    if name is None or not _SHIPPED.is_dir():
        return None
    here = llvmlite.binding.get_host_cpu_features()
    return (triple, name, "") if all(here.get(each) for each in _FEATURES.get(name, ())) else None


class _Code(NamedTuple):
    digest: str
    names: tuple[tuple[str, ...], ...]  # of globals, each with the attributes that are asked of it at once


class _Part(NamedTuple):
    digest: str
    called: tuple[Any, ...]


def _digest(description: object) -> str:
    return hashlib.sha256(repr(description).encode()).hexdigest()


@cache
def _read(code: CodeType) -> _Code:
    # Not the file is read, which may have been edited since. Lines do not count, nor do docstrings, which are
    # constants that no instruction loads.
    constants: list[object] = []
    names: list[tuple[str, ...]] = []
    after_a_global = False
    for step in dis.get_instructions(code):
        if step.opname == "EXTENDED_ARG":
            continue
        if after_a_global and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            names[-1] += (step.argval,)
            continue
        after_a_global = step.opname == "LOAD_GLOBAL"
        if after_a_global:
            names.append((step.argval,))
        elif step.opcode in dis.hasconst:
            constant = code.co_consts[step.arg or 0]
            inner = _read(constant) if isinstance(constant, CodeType) else None
            constants.append(inner.digest if inner else _described(constant, []))
            names.extend(inner.names if inner else ())
    arguments = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    variables = code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars
    digest = _digest((code.co_code, code.co_exceptiontable, arguments, variables, constants))
    return _Code(digest, tuple(dict.fromkeys(names)))


def _can_be_imported(value: Any) -> bool:
    home, name = getattr(value, "__module__", None) or "__main__", getattr(value, "__name__", "")
    return home != "__main__" and getattr(sys.modules.get(home), name, None) is value


def _is_of_a_library(value: Any) -> bool:
    home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
    is_of_it = isinstance(value, ModuleType | type) or _can_be_imported(value)
    return is_of_it and home.partition(".")[0] in _LIBRARIES


def _described(value: Any, called: list[Any]) -> object:
    """All of a value that machine code may depend on, except that kernels are added to those called."""
    if isinstance(value, _NUMBA.core.dispatcher.Dispatcher):
        called.append(value)
        return "kernel"
    if isinstance(value, _NUMBA.types.Type):
        return type(value).__name__, _described(value.key, called)
    if isinstance(value, tuple | frozenset):
        members = [_described(each, called) for each in value]
        in_order = members if isinstance(value, tuple) else sorted(members, key=repr)
        return _described(type(value), called), in_order
    if isinstance(value, type) and hasattr(value, "_fields") and hasattr(value, "_field_defaults"):
        # Numba keeps a class that cannot be imported within the code, for this process only.
        where = value.__module__, value.__qualname__, "" if _can_be_imported(value) else _THIS_PROCESS
        return where, value._fields, _described(tuple(value._field_defaults.items()), called)
    return _described_plainly(value)


def _described_plainly(value: Any) -> object:
    if type(value) in _CONSTANTS:
        return repr(value)
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        return type(value).__name__, repr(value.dtype), value.shape, value.strides, value.tobytes()
    if _is_of_a_library(value):
        return type(value).__name__, getattr(value, "__module__", ""), value.__name__
    raise TypeError(type(value).__name__)


def _referred(function: Any, names: tuple[tuple[str, ...], ...]) -> Iterator[tuple[str, Any]]:
    known = ChainMap(function.__globals__, vars(builtins))
    for first, *attributes in names:
        value = known.get(first)
        while isinstance(value, ModuleType) and attributes and not _is_of_a_library(value):
            value = getattr(value, attributes.pop(0))
        yield first, value
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents
    yield "its defaults", (function.__defaults__, *(function.__kwdefaults__ or {}).items())


def _part(kernel: Any) -> _Part:
    function = kernel.py_func
    name = f"{function.__module__}.{function.__qualname__}"  # by which its compiled code finds its globals
    code = _read(function.__code__)
    called: list[Any] = []
    values = []
    for what, value in _referred(function, code.names):
        try:
            values.append(_described(value, called))
        except TypeError as kind:
            raise TypeError(
                f"kernel {name} refers to {what}, a {kind}, but kernels may call kernels only, and refer to "
                "constants and named tuples: of anything else nobody could tell when to compile again"
            ) from None
    options = sorted(kernel.targetoptions.items())
    return _Part(_digest((name, options, code.digest, values)), tuple(called))


def _closure(kernel: Any) -> dict[Any, _Part]:
    parts: dict[Any, _Part] = {}
    waiting = [kernel]
    while waiting:
        member = waiting.pop()
        if member not in parts:
            parts[member] = _part(member)
            waiting.extend(parts[member].called)
    return parts


def closure_digest(kernel: Callable[..., Any]) -> str:
    """Digest of all that the machine code of a kernel depends on, but for types and the processor."""
    return _digest_of(_closure(kernel))


def _digest_of(parts: dict[Any, _Part]) -> str:
    numbers = {member: number for number, member in enumerate(parts)}
    members = [(part.digest, [numbers[each] for each in part.called]) for part in parts.values()]
    python = sys.implementation.cache_tag, getattr(sys, "abiflags", "")
    versions = numba.__version__, llvmlite.__version__, np.__version__
    settings = [repr(getattr(_NUMBA.config, name, None)) for name in _SETTINGS]
    return _digest((python, versions, settings, members))


_first_seen: dict[Any, _Part] = {}
_changed: set[Any] = set()


def _are_as_first_seen(parts: dict[Any, _Part]) -> bool:
    # Numba goes on using what it compiled before somebody replaced a constant in the running process.
    _changed.update(member for member, part in parts.items() if _first_seen.setdefault(member, part) != part)
    return _changed.isdisjoint(parts)


class _ByClosure(NullCache):
    """Keeps the compiled code of one kernel, in a file for each of its closures and signatures."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self.name = kernel.__name__.strip("<>")

    def stem(self) -> str:
        return self._stem(_closure(self._kernel))

    def _stem(self, parts: dict[Any, _Part]) -> str:
        return f"{self.name}-{_digest_of(parts)[:16]}"

    def _files(self, sig: Any, target: Any) -> list[Path]:
        """Where the code is kept, and where a wheel has it; none if it must not be kept."""
        parts = _closure(self._kernel)
        if not _are_as_first_seen(parts):
            return []
        try:
            types = _described(sig, [])
        except TypeError:  # such as of a kernel that is given to another
            return []
        here = target.codegen().magic_tuple()
        places = [(_CACHE_DIR, here), (_SHIPPED, _baseline(here[0]))]
        stem = self._stem(parts)
        return [
            folder / f"{stem}-{_digest((types, processor))[:16]}.nbc"
            for folder, processor in places
            if processor
        ]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        for file in self._files(sig, target_context):
            try:
                kept = pickle.loads(file.read_bytes())  # noqa: S301 - the user's own files, or our own
            except (OSError, EOFError, pickle.UnpicklingError):
                continue
            with suppress(OSError):
                os.utime(file)
            return _NUMBA.core.compiler.CompileResult._rebuild(target_context, *kept)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        files = self._files(sig, data.target_context)
        if not files or data.lifted or data.library.has_dynamic_globals:
            return
        content = _NUMBA.core.serialize.dumps(data._reduce())
        write_whole(files[0], content)
        remove_stale_caches()


_kept: list[_ByClosure] = []


def _for_any_value(call_template: Callable[..., Any]) -> Callable[..., Any]:
    """Numba compiles a kernel anew for each constant that another one calls it with; this lets it not."""
    plain = _NUMBA.types.unliteral

    def unliteral_template(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        return call_template(tuple(map(plain, args)), {name: plain(each) for name, each in kws.items()})

    return unliteral_template


@overload
def kernel(func: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def kernel(*, parallel: bool = ..., part: bool = ...) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def kernel(
    func: Callable[P, R] | None = None, /, *, parallel: bool = False, part: bool = False
) -> Callable[P, R] | Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function with Numba: no GIL, honest cache, no fastmath.

    What other kernels call in one place only is a `part`: it is compiled within its caller, once. Otherwise
    each kernel is compiled together with all those that it calls, again and again where calls are nested.
    """

    def compiled(function: Callable[P, R]) -> Callable[P, R]:
        inline = "always" if part else "never"
        dispatcher = _NUMBA.njit(parallel=parallel, nogil=True, inline=inline, no_cfunc_wrapper=True)(
            function
        )
        if isinstance(dispatcher, _NUMBA.core.dispatcher.Dispatcher):  # not where NUMBA_DISABLE_JIT is set
            dispatcher._cache = _ByClosure(dispatcher)
            dispatcher.get_call_template = _for_any_value(dispatcher.get_call_template)
            _kept.append(dispatcher._cache)
        return cast("Callable[P, R]", dispatcher)

    return compiled if func is None else compiled(func)


def compiled_before() -> bool:
    """Whether some of these kernels are compiled already, so that a first run can say why it waits."""
    files = (*_CACHE_DIR.glob("*.nbc"), *_SHIPPED.glob("*.nbc"))
    stems = {file.name.rpartition("-")[0] for file in files}
    names = {stem.rpartition("-")[0] for stem in stems}
    return any(kept.stem() in stems for kept in _kept if kept.name in names)


def remove_stale_caches() -> None:
    """Delete compiled code that nobody has used for three months; looked for once a day."""
    looked = _CACHE_ROOT / "looked-for-stale-code"
    with suppress(OSError):
        if time.time() - looked.stat().st_mtime < _LOOK_AFTER_SECONDS:
            return
    with suppress(OSError):
        looked.touch()
    of_older_releases = _CACHE_ROOT.glob("[0-9a-f]" * 16)
    for kept in (*_CACHE_DIR.glob("*.nbc*"), *of_older_releases):
        with suppress(OSError):  # another process may be faster
            if time.time() - kept.stat().st_mtime > _STALE_AFTER_SECONDS:
                shutil.rmtree(kept) if kept.is_dir() else kept.unlink()
