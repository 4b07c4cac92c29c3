"""The bundled sample with policies that name a quick algorithm, for tests of what comes after the search."""

from pathlib import Path

from shoal.table.sample import copy_sample

_QUICK = {"table": "mondrian", "sets": "itemwise", "mixed": "rfirst"}


def copy_quick_sample(folder: Path) -> None:
    """Copy the sample to a folder; `auto` would try several algorithms for each of its policies."""
    copy_sample(folder)
    for name, algorithm in _QUICK.items():
        policy = folder / f"{name}.toml"
        text = policy.read_text(encoding="utf-8")
        assert 'name = "auto"' in text
        policy.write_text(text.replace('name = "auto"', f'name = "{algorithm}"'), encoding="utf-8")
