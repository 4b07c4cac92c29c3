"""A small process that looks after the one that works.

Nothing can be asked of a process that is inside compiled code, an import or a full memory. So the work is
done by a child, and an interrupt at any moment is answered here: the child ends at once, what it had begun to
write is removed, and one line says so.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from shoal.posix import memory_is_limited

assert sys.platform != "win32", "Windows cannot fork"  # noqa: S101 - also tells mypy

_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
_EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
_LIMIT_REACHED, _BUG = 4, 70
_CODES_OF_COMMANDS = (0, 1, 2, 3, _LIMIT_REACHED, _BUG, 130, 141)  # others are those of signals and loaders
_PATIENCE = 1.5  # seconds for what the child has started, such as Spark, to put its things in order
_PAUSE = 0.02
_DIE_WITH_PARENT = 1  # of prctl
_OBJECTS_PER_SWEEP = 50_000  # by default 700, and then imports alone are swept hundreds of times
_NOT_LOADED = "Shoal could not be loaded, most likely because memory is used up: {}"


def supervised() -> None:
    """Run the command line in a child."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
    told, tell = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(told)
        _become_the_worker(parent, tell)
        return
    os.close(tell)
    sys.exit(_supervise(child, told))


def _become_the_worker(parent: int, tell: int) -> None:
    os.setpgid(0, 0)  # an interrupt from the keyboard goes to the parent alone, which ends the whole group
    _die_with_parent()
    if os.getppid() != parent:
        os._exit(_BUG)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _INTERRUPTS)
    gc.set_threshold(_OBJECTS_PER_SWEEP)
    try:
        command_line = _loaded(lambda output: os.write(tell, os.fsencode(output.absolute()) + b"\0"))
    except Exception as error:  # noqa: BLE001 - there is no telling what breaks where memory ends
        _say(_NOT_LOADED.format(error), "LimitReached")
        os._exit(_LIMIT_REACHED)
    try:
        command_line()
    except SystemExit:
        if "_duckdb" not in sys.modules:  # which would complain of every object that nobody collects
            gc.freeze()  # nobody looks through a million objects of a process that ends
        raise
    except MemoryError:
        _say("memory is used up", "LimitReached")
        os._exit(_LIMIT_REACHED)
    except ImportError as error:  # of what the command needs
        _say(_NOT_LOADED.format(error), "LimitReached")
        os._exit(_LIMIT_REACHED)
    except Exception as error:  # noqa: BLE001 - exit code 1 is that of a broken promise
        _say(f"this is a bug in Shoal, not in your data; please report it: {error!r}", "Bug")
        os._exit(_BUG)


def _loaded(begins: Callable[[Path], object]) -> Callable[[], None]:
    from shoal.cli.light_libraries import keep_arrow_from_loading_pandas, keep_numba_from_loading_scipy

    keep_arrow_from_loading_pandas()
    keep_numba_from_loading_scipy()
    from shoal.cli.main import main as command_line
    from shoal.run import output

    output.on_begin = begins
    return command_line


def _die_with_parent() -> None:
    """Let the kernel end this process with its parent, however that ends; only Linux can."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def _supervise(child: int, told: int) -> int:
    """Wait for the child or for an interrupt; the exit code that says which."""
    import psutil  # noqa: F401 - here, because a second signal may come while a handler imports it

    received: list[signal.Signals] = []

    def interrupt(number: int, _: FrameType | None) -> None:
        received.append(signal.Signals(number))
        _end_group(child)

    def suspend(*_: object) -> None:
        _signal_group(child, signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
        _signal_group(child, signal.SIGCONT)

    for number in _INTERRUPTS:
        signal.signal(number, interrupt)
    signal.signal(signal.SIGTSTP, suspend)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _INTERRUPTS)
    _, status = os.waitpid(child, 0)
    for number in _INTERRUPTS:  # what follows is done in any case
        signal.signal(number, signal.SIG_IGN)
    if received:
        _clean_up(told)
        _say("interrupted; nothing unfinished was left behind", "Cancelled")
        return _EXIT_CODES[received[0]]
    code = os.waitstatus_to_exitcode(status)
    if code in _CODES_OF_COMMANDS:
        return code
    _end_group(child)
    _clean_up(told)
    return _tell_death(-code)


def _end_group(child: int) -> None:
    """End the child and all that it has started, gently where it takes part in that."""
    _signal_group(child, signal.SIGTERM)
    deadline = time.monotonic() + _PATIENCE
    while _signal_group(child, 0) and time.monotonic() < deadline:
        if _has_ended(child) and not _others_left(child):
            return
        time.sleep(_PAUSE)
    _signal_group(child, signal.SIGKILL)


def _has_ended(child: int) -> bool:
    """Whether the child has ended; it is still to be waited for."""
    import psutil

    try:
        return psutil.Process(child).status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _others_left(group: int) -> bool:
    """Whether somebody besides the child, which nobody has waited for yet, is in its group."""
    import psutil

    try:
        return sum(_group_of(process) == group for process in psutil.pids()) > 1
    except (psutil.Error, OSError):
        return False


def _group_of(process: int) -> int:
    try:
        return os.getpgid(process)
    except OSError:
        return 0


def _signal_group(child: int, number: int) -> bool:
    try:
        os.killpg(child, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _clean_up(told: int) -> None:
    """Remove what the child had begun to write, and give back the name of what it was replacing."""
    os.set_blocking(told, False)
    try:
        outputs = os.read(told, 1 << 20)
    except BlockingIOError:
        return
    from shoal.run.output import remove_unfinished

    for output in outputs.split(b"\0"):
        if output:
            remove_unfinished(Path(os.fsdecode(output)))


def _tell_death(number: int) -> int:
    """Say that the child ended by a signal, or by an exit code of somebody else if the number is negative."""
    if number == signal.SIGKILL or memory_is_limited():
        _say("the system ended the run, most likely because memory is used up", "LimitReached")
        return _LIMIT_REACHED
    name = signal.Signals(number).name if number > 0 else f"exit code {-number}"
    _say(f"this is a bug in Shoal, not in your data; please report it: the run ended by {name}", "Bug")
    return _BUG


def _say(sentence: str, kind: str) -> None:
    if "--json" in sys.argv[1:]:
        error = {"type": kind, "message": sentence, "problems": []}
        sys.stdout.write(json.dumps({"error": error}, indent=2) + "\n")
    else:
        sys.stderr.write(f"error: {sentence}\n")
