"""Processes that never outlive the one that started them."""

import multiprocessing
import multiprocessing.connection
import os
import threading


def end_with_parent() -> None:
    """Let this process end when its parent is killed: it would wait for its next work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_after, args=(parent.sentinel,), daemon=True).start()


def _exit_after(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)
