"""Shoal: every record hides in a shoal of at least k.

What it offers is listed in `__init__.pyi`, and loaded when it is asked for: a command that only tells its
version needs no compiler.
"""

import sys
from types import ModuleType
from typing import Any

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


class _Package(ModuleType):
    """The package, of which `attack` is the function, also when the folder of that name was imported."""

    @property
    def attack(self) -> Any:
        from shoal.study.attack import attack

        return attack

    @attack.setter
    def attack(self, folder: ModuleType) -> None:
        """What imports the folder finds it among the modules."""


sys.modules[__name__].__class__ = _Package
