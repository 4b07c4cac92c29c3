from pathlib import Path

import pytest

from tests.cli.commands import Hospital


@pytest.fixture
def hospital(tmp_path: Path) -> Hospital:
    return Hospital(tmp_path)
