import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from shoal.errors import BadInput, OutputFailed, Problem
from shoal.run.output import folder_that_appears_whole


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_the_folder_appears_only_when_the_block_ends(tmp_path: Path):
    final = tmp_path / "deep" / "out"
    with folder_that_appears_whole(final, replace=False) as partial:
        (partial / "a").write_text("1")
        assert not final.exists()
    assert files_in(tmp_path) == ["deep", "deep/out", "deep/out/a"]


def test_a_failure_leaves_nothing_behind(tmp_path: Path):
    with pytest.raises(RuntimeError), folder_that_appears_whole(tmp_path / "out", replace=False) as partial:
        (partial / "a").write_text("1")
        raise RuntimeError
    assert files_in(tmp_path) == []


def test_a_failing_disk_is_an_error_that_says_so(tmp_path: Path):
    with (
        pytest.raises(OutputFailed, match=r"No space left.*nothing was left behind"),
        folder_that_appears_whole(tmp_path / "out", replace=False) as partial,
    ):
        (partial / "a").write_text("1")
        raise OSError(28, "No space left on device")
    assert files_in(tmp_path) == []


def test_an_existing_folder_is_refused_without_replace(tmp_path: Path):
    (tmp_path / "result.json").write_text("{}")
    with pytest.raises(BadInput, match="--replace"), folder_that_appears_whole(tmp_path, replace=False):
        pass


def test_a_folder_that_is_no_output_is_never_replaced(tmp_path: Path):
    (tmp_path / "thesis.doc").write_text("years of work")
    with (
        pytest.raises(BadInput, match="not written by shoal"),
        folder_that_appears_whole(tmp_path, replace=True),
    ):
        pass
    assert files_in(tmp_path) == ["thesis.doc"]


def test_an_earlier_output_is_replaced_whole(tmp_path: Path):
    final = tmp_path / "out"
    for round_name in ("first", "second"):
        with folder_that_appears_whole(final, replace=True) as partial:
            (partial / "result.json").write_text("{}")
            (partial / round_name).write_text("1")
    assert files_in(tmp_path) == ["out", "out/result.json", "out/second"]


def test_a_failed_replacement_keeps_the_earlier_output(tmp_path: Path):
    final = tmp_path / "out"
    with folder_that_appears_whole(final, replace=False) as partial:
        (partial / "result.json").write_text("{}")
    with pytest.raises(RuntimeError), folder_that_appears_whole(final, replace=True):
        raise RuntimeError
    assert files_in(tmp_path) == ["out", "out/result.json"]


def test_an_output_that_was_retired_by_a_killed_replacement_comes_back(tmp_path: Path):
    final = tmp_path / "out"
    retired = tmp_path / ".out.partial-abc" / "out"
    retired.mkdir(parents=True)
    (retired / "result.json").write_text("{}")
    with pytest.raises(BadInput, match="--replace"), folder_that_appears_whole(final, replace=False):
        pass
    assert files_in(final) == ["result.json"]


def test_a_file_in_the_way_is_refused(tmp_path: Path):
    (tmp_path / "out").write_text("")
    with (
        pytest.raises(BadInput, match="not a folder"),
        folder_that_appears_whole(tmp_path / "out", replace=True),
    ):
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere; run the tests as another user")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path):
    tmp_path.chmod(0o500)
    with (
        pytest.raises(OutputFailed, match="--out"),
        folder_that_appears_whole(tmp_path / "out", replace=False),
    ):
        pass


def test_a_killed_process_leaves_no_output_and_the_next_run_cleans_up(tmp_path: Path):
    final = tmp_path / "out"
    script = f"""
        import time
        from pathlib import Path
        from shoal.run.output import folder_that_appears_whole
        with folder_that_appears_whole(Path({str(final)!r}), replace=False) as partial:
            (partial / "published.csv").write_text("half of a")
            print("writing", flush=True)
            time.sleep(60)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        process.send_signal(signal.SIGKILL)
    assert not final.exists()
    assert all(name.startswith(".out.partial-") for name in files_in(tmp_path))
    time.sleep(0.1)
    with folder_that_appears_whole(final, replace=False) as partial:
        (partial / "a").write_text("1")
    assert files_in(tmp_path) == ["out", "out/a"]


def test_of_runs_into_one_folder_at_once_one_wins_and_the_others_are_told(tmp_path: Path):
    final = tmp_path / "out"
    with (
        pytest.raises(BadInput, match="by somebody else while this run was under way"),
        folder_that_appears_whole(final, replace=False) as second,
    ):
        (second / "a").write_text("second")
        with folder_that_appears_whole(final, replace=False) as first:
            (first / "a").write_text("first")
    assert files_in(tmp_path) == ["out", "out/a"]
    assert (final / "a").read_text() == "first"


def test_files_that_shoal_did_not_write_are_never_deleted(tmp_path: Path):
    final = tmp_path / "out"
    with folder_that_appears_whole(final, replace=False) as partial:
        (partial / "internal").mkdir()
        (partial / "internal" / "report.html").write_text("1")
        (partial / "result.json").write_text('{"model": "k-anonymity"}')
    told = json.loads((final / "result.json").read_text())
    assert told == {"model": "k-anonymity", "files": ["internal/report.html", "result.json"]}
    (final / "internal" / "notes.txt").write_text("mine")
    with (
        pytest.raises(BadInput, match=r"did not write \(internal/notes.txt\)"),
        folder_that_appears_whole(final, replace=True),
    ):
        pass
    assert (final / "internal" / "notes.txt").read_text() == "mine"
    (final / "internal" / "notes.txt").unlink()
    with folder_that_appears_whole(final, replace=True) as partial:
        (partial / "result.json").write_text("{}")
    assert files_in(final) == ["result.json"]


def test_messages_do_not_name_the_hidden_folder(tmp_path: Path):
    with (
        pytest.raises(BadInput) as refused,
        folder_that_appears_whole(tmp_path / "out", replace=False) as partial,
    ):
        raise BadInput(Problem("is odd", file=str(partial / "p.csv")))
    assert str(refused.value) == f"{tmp_path / 'out' / 'p.csv'}: is odd"
