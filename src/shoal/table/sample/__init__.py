"""The bundled sample: invented patients with a policy for each kind of data."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from shoal.errors import BadInput, OutputFailed, Problem

SAMPLE_FILES = (
    "README.md",
    "patients.csv",
    "diagnoses.csv",
    "diagnoses.txt",
    "table.toml",
    "sets.toml",
    "mixed.toml",
)


def sample_folder() -> Path:
    """Where the sample lies in this installation; copy it before running anything there."""
    return Path(str(files(__name__))) / "data"


def copy_sample(to: Path) -> tuple[Path, ...]:
    """Copy the sample into a folder, which is made if need be; a file that differs is never overwritten."""
    source = sample_folder()
    contents = {to / name: (source / name).read_bytes() for name in SAMPLE_FILES}
    try:
        to.mkdir(parents=True, exist_ok=True)
        _refuse_to_overwrite(contents)
        for path, content in contents.items():
            path.write_bytes(content)
    except OSError as error:
        raise OutputFailed(f"{to}: the sample cannot be written here: {error.strerror}") from error
    return tuple(contents)


def _refuse_to_overwrite(contents: dict[Path, bytes]) -> None:
    changed = [path for path, content in contents.items() if path.exists() and path.read_bytes() != content]
    if changed:
        raise BadInput(
            *(
                Problem("differs from the sample's file of this name", "choose another folder", str(path))
                for path in changed
            )
        )
