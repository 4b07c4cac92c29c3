"""`shoal run` in pipelines: other data and values, streams, logs, trial runs and reruns."""

import io
import json
import os
import signal
import subprocess
import tempfile
import time
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

import pytest

from shoal.cli.main import main
from shoal.errors import PromiseBroken
from shoal.run.result import Result
from tests.cli.commands import PATIENTS, files_in, process, records_of, shoal

FINE, BROKEN, BAD_INPUT, INFEASIBLE = 0, 1, 2, 3
OTHERS = PATIENTS.replace(",f,", ",w,")


@pytest.fixture
def policy(hospital):
    hospital.write("data.csv", PATIENTS)
    return hospital.write_policy(algorithm='name = "mondrian"')


@dataclass(frozen=True)
class Piped:
    returncode: int
    stdout: bytes
    stderr: bytes


def piped(*words, given: bytes) -> Piped:
    """Run a command in this process with streams of bytes."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given)))
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        out.flush()
    return Piped(int(end.value.code or 0), out.buffer.getvalue(), err.getvalue().encode())


def test_other_data_and_other_values_are_what_ran(hospital, policy, monkeypatch):
    hospital.write("others.csv", OTHERS)
    monkeypatch.chdir(hospital.folder)
    done = shoal("run", policy, "--data", "others.csv", "--set", "privacy.k=3", "--json")
    assert done.code == FINE, done.out
    assert done.json["promises"] == [{"model": "k-anonymity", "parameters": {"k": 3}}]
    assert {record["sex"] for record in records_of(hospital.published)} <= {"w", "m", "*"}
    kept = tomllib.loads((hospital.out / "internal" / "policy.toml").read_text())
    assert kept["privacy"]["k"] == 3
    assert kept["data"]["path"] == str(hospital.folder / "others.csv")
    assert (
        shoal("run", hospital.out / "internal" / "policy.toml", "--out", hospital.folder / "again").code
        == FINE
    )


def test_a_weak_promise_is_confirmed_in_writing_for_ones_own_report(hospital, policy):
    weak = ("run", policy, "--set", "privacy.k=2")
    refused = shoal(*weak, "--confirm", "it is only a test")
    assert refused.code == BAD_INPUT
    assert "a sentence that names k = 2 and says why" in refused.err
    done = shoal(*weak, "--confirm", "k = 2: a test of formats", "--json")
    assert done.code == FINE, done.err
    assert "k = 2 was confirmed in writing: k = 2: a test of formats" in done.json["notices"]
    assert "a test of formats" in (hospital.out / "internal" / "report.html").read_text(encoding="utf-8")
    assert "a test of formats" not in hospital.published.with_name("report.html").read_text(encoding="utf-8")


def test_data_may_be_named_by_the_command_line_alone(hospital, policy):
    policy.write_text(policy.read_text().replace('path = "data.csv"', ""))
    assert "data.path is missing" in shoal("run", policy).err
    assert shoal("run", policy, "--data", hospital.folder / "data.csv").code == FINE


def test_a_key_that_does_not_exist_is_refused(policy):
    done = shoal("run", policy, "--set", "privacy.kk=3")
    assert done.code == BAD_INPUT
    assert done.errors == [
        "--set privacy.kk: unknown key 'kk' in [privacy]" + done.errors[0].partition("[privacy]")[2]
    ]


def test_a_file_goes_through_standard_input_and_output(hospital, policy):
    done = piped("run", policy, "--data", "-", "--out", "-", given=PATIENTS.encode())
    assert done.returncode == FINE, done.stderr
    hospital.write("piped.csv", done.stdout)
    assert len(records_of(hospital.folder / "piped.csv")) == 12
    assert shoal("verify", hospital.folder / "piped.csv", "--policy", policy).code == FINE
    told = done.stderr.decode()
    assert "satisfies k-anonymity with k=2" in told
    assert "were not kept: name a folder for them with --internal" in told
    assert files_in(hospital.folder) == ["data.csv", "piped.csv", "policy.toml"]


def test_the_rest_of_a_streamed_release_can_be_kept(hospital, policy):
    kept = hospital.folder / "kept"
    done = piped("run", policy, "--data", "-", "--out", "-", "--internal", kept, given=PATIENTS.encode())
    assert done.returncode == FINE, done.stderr
    assert (kept / "published.csv").read_bytes() == done.stdout
    verified = shoal("verify", kept / "published.csv", "--certificate", kept / "certificate.json")
    assert verified.code == FINE
    assert tomllib.loads((kept / "internal" / "policy.toml").read_text())["data"]["path"] == "-"


@pytest.mark.parametrize(
    ("words", "given", "code"),
    [
        (("--set", "privacy.k=99"), PATIENTS, INFEASIBLE),
        ((), "age,sex\n1,f\n", BAD_INPUT),
        ((), "", BAD_INPUT),
    ],
)
def test_nothing_reaches_standard_output_when_a_run_fails(policy, monkeypatch, words, given, code):
    scratch = policy.parent / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    done = piped("run", policy, "--data", "-", "--out", "-", *words, given=given.encode())
    assert (done.returncode, done.stdout) == (code, b"")
    assert b"error: " in done.stderr
    assert not files_in(scratch)


def test_nothing_reaches_standard_output_when_the_promise_is_broken(policy, monkeypatch):
    def broken(*_, **__):
        raise PromiseBroken("the written file does not keep its promise", None)

    monkeypatch.setattr(Result, "_read_back", broken)
    done = piped("run", policy, "--data", "-", "--out", "-", given=PATIENTS.encode())
    assert (done.returncode, done.stdout) == (BROKEN, b"")
    assert b"does not keep its promise" in done.stderr


def test_problems_of_a_stream_name_the_stream(policy):
    done = piped("run", policy, "--data", "-", "--out", "-", given=b"age,sex,ill\n1,f,a\n1,f\n")
    assert done.returncode == BAD_INPUT
    assert b"standard input:3" in done.stderr.replace(b"\n", b"")
    assert tempfile.gettempdir().encode() not in done.stderr


def test_the_format_of_streams_can_be_told(hospital, policy):
    tabs = PATIENTS.replace(",", "\t").encode()
    done = piped("run", policy, "--data", "-", "--out", "-", "--format", "tsv", given=tabs)
    assert done.returncode == FINE, done.stderr
    assert done.stdout.splitlines()[0] == b"age\tsex\till"
    done = shoal("run", policy, "--data", "-", "--format", "docx")
    assert done.code == BAD_INPUT
    assert "the format 'docx' is unknown; name one of csv, tsv" in done.errors[0]


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--format", "csv"), "--format tells the format of a stream"),
        (("--internal", "x"), "--internal goes with --out -"),
        (("--out", "-", "--json"), "standard output cannot hold both"),
        (("--out", "-", "--if-changed"), "--if-changed compares files"),
        (("--master", "local"), "--master names a Spark cluster"),
        (
            ("--engine", "spark", "--master", "local", "--out", "-"),
            "a Spark cluster reads and writes no streams",
        ),
    ],
)
def test_words_that_contradict_each_other_are_refused(policy, words, what):
    done = shoal("run", policy, *words)
    assert done.code == BAD_INPUT
    assert what in str(done.json if "--json" in words else done.errors)


@pytest.mark.parametrize("already_there", [False, True])
def test_whether_data_on_other_machines_changed_is_not_guessed(hospital, policy, already_there):
    if already_there:
        assert shoal("run", policy).code == FINE
    before = files_in(hospital.folder)
    done = shoal("run", policy, "--data", "s3://bucket/data.csv", "--if-changed")
    assert done.code == BAD_INPUT
    assert done.errors == [
        "--if-changed compares files of this machine, and the data are on another; use --replace"
    ]
    assert files_in(hospital.folder) == before


def test_a_quiet_run_says_nothing(hospital, policy):
    done = shoal("run", policy, "--quiet")
    assert (done.code, done.out, done.err) == (FINE, "", "")
    assert hospital.published.is_file()
    done = shoal("run", policy, "--quiet")
    assert done.code == BAD_INPUT
    assert "exists already" in done.errors[0]


def test_a_log_tells_times_stages_and_memory_but_no_values(hospital, policy):
    hospital.write("data.csv", PATIENTS.replace(",a\n", ",measles\n"))
    log = hospital.folder / "run.log"
    assert shoal("run", policy, "--log", log).code == FINE
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert lines[0]["event"] == "begin"
    assert lines[-1]["event"] == "end"
    assert lines[-1]["outcome"] == "fine"
    stages = [line["stage"] for line in lines if line["event"] == "stage"]
    assert stages[0] == "reading"
    assert "verifying" in stages
    assert all(line["memory_mb"] > 10 and line["seconds"] >= 0 and line["time"] for line in lines)
    assert len({line["run"] for line in lines}) == 1
    (released,) = [line for line in lines if line["event"] == "released"]
    assert (released["records"], released["holds"]) == (12, True)
    hospital.write("data.csv", PATIENTS + "x,measles,y\n")
    assert shoal("run", policy, "--log", log, "--replace").code == BAD_INPUT
    assert json.loads(log.read_text().splitlines()[-1])["outcome"] == "BadInput"
    assert "measles" not in log.read_text()


@pytest.mark.parametrize("name", ["policy.toml", "data.csv", "no/such/folder.log"])
def test_a_log_never_goes_into_a_file_that_is_read(hospital, policy, name):
    before = (hospital.folder / "data.csv").read_bytes()
    done = shoal("run", policy, "--log", hospital.folder / name)
    assert done.code == BAD_INPUT
    assert "with --log" in done.errors[0]
    assert (hospital.folder / "data.csv").read_bytes() == before


def test_a_trial_run_checks_and_writes_nothing(hospital, policy):
    done = shoal("run", policy, "--dry-run")
    assert done.code == FINE, done.err
    assert "would write" in done.words
    assert "published.csv" in done.words
    assert files_in(hospital.folder) == ["data.csv", "policy.toml"]
    assert shoal("run", policy, "--dry-run", "--set", "privacy.k=99").code == INFEASIBLE
    told = piped("run", policy, "--dry-run", "--data", "-", "--out", "-", given=PATIENTS.encode())
    assert told.returncode == FINE, told.stderr
    assert b"would write" in told.stdout


def test_a_rerun_with_the_same_policy_and_data_does_nothing(hospital, policy):
    words = ("run", policy, "--if-changed", "--json")
    assert "unchanged" not in shoal(*words).json
    before = hospital.published.stat().st_mtime_ns
    assert shoal(*words).json == {"unchanged": True, "folder": str(hospital.out)}
    assert hospital.published.stat().st_mtime_ns == before
    assert "up to date" in shoal("run", policy, "--if-changed").err
    assert "unchanged" not in shoal(*words, "--set", "privacy.k=3").json
    assert "unchanged" not in shoal(*words).json
    hospital.write("data.csv", OTHERS)
    assert "unchanged" not in shoal(*words).json
    hospital.published.unlink()
    assert "unchanged" not in shoal(*words).json
    assert hospital.published.is_file()


def test_variables_are_part_of_what_may_change(hospital, policy, monkeypatch):
    hospital.write("b.csv", PATIENTS)
    policy.write_text(policy.read_text().replace("data.csv", "${WHICH}.csv"))
    monkeypatch.setenv("WHICH", "data")
    assert shoal("run", policy, "--if-changed", "--json").code == FINE
    monkeypatch.setenv("WHICH", "b")
    assert "unchanged" not in shoal("run", policy, "--if-changed", "--json").json
    assert "${WHICH}.csv" in (hospital.out / "internal" / "policy.toml").read_text()
    monkeypatch.delenv("WHICH")
    done = shoal("run", policy)
    assert done.code == BAD_INPUT
    assert "'WHICH', which is not set" in done.errors[0]


def test_a_reader_who_has_gone_away_is_told_by_the_exit_code(policy):
    with subprocess.Popen(
        process("run", policy, "--out", "-"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as run:
        run.stdout.close()
        assert run.wait(timeout=120) == 141


def test_processes_can_be_joined_by_pipes(hospital, policy):
    done = subprocess.run(
        process("run", policy.name, "--data", "-", "--out", "-", "--quiet"),
        cwd=hospital.folder, input=PATIENTS.encode(), capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (FINE, b"")
    assert done.stdout.startswith(b"age,sex,ill\n")
    assert not hospital.out.exists()


def test_an_interrupt_leaves_nothing_of_standard_input_behind(policy):
    scratch = policy.parent / "scratch"
    scratch.mkdir()
    words = process("run", policy, "--data", "-", "--out", "-")
    env = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    ) as run:
        deadline = time.monotonic() + 60
        while not files_in(scratch) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert files_in(scratch)
        run.send_signal(signal.SIGTERM)
        assert run.stdout.read() == b""
        assert run.wait(timeout=60) == 143
        run.stdin.close()
    assert not files_in(scratch)
