"""Puts compiled kernels into a wheel: a build hook of hatchling, used where `SHOAL_COMPILED` names a folder.

`make wheel` compiles them there first, for a processor that most machines have. Such a wheel is for one
platform and one version of Python; where it does not fit, code is compiled as without it.
"""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledKernels(BuildHookInterface[Any]):
    """Adds the compiled code, and says for which machines the wheel is."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's interface
        """Called before the files are gathered."""
        folder = os.environ.get("SHOAL_COMPILED")
        if folder:
            for file in Path(folder).rglob("*.nbc"):
                build_data["force_include"][str(file)] = f"shoal/kernels/compiled/{file.name}"
            build_data["infer_tag"] = True
            build_data["pure_python"] = False
