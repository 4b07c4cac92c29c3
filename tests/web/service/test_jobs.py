import json
import os
import signal
import time

import pytest

from shoal.errors import BadInput, NotFound
from shoal.web.service.jobs import FINISHED, Job, _Live, _outcome
from shoal.web.service.limits import ServerLimits
from shoal.web.service.processes import GIVEN_WAY
from shoal.web.service.results import PromiseChange
from shoal.web.service.service import Service
from tests.web.samples import TINY_SECTIONS, add_slow, add_tiny, permissions


def until_searching(service: Service, job: Job) -> int:
    """Wait until the worker is at work; its process group."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        found = service.jobs.get(job.project, job.id)
        assert found.state not in FINISHED, found
        if found.stage.startswith("searching") or found.stage == "merging":
            return service.jobs._live[job.id].group
        time.sleep(0.05)
    raise AssertionError("the job does not begin")


def is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_run_gives_a_result_that_can_be_repeated(service, tiny_run):
    assert (tiny_run.state, tiny_run.failure, tiny_run.title) == ("done", None, "first")
    assert tiny_run.result is not None
    assert tiny_run.result["verdict"]["holds"]
    project = tiny_run.project
    again = service.jobs.wait(project, service.jobs.repeat(project, tiny_run.id).id, 240)
    assert again.result is not None
    assert again.result["loss"] == tiny_run.result["loss"]
    assert "seed = " in tiny_run.policy
    assert permissions(service.jobs.folder(tiny_run)) == 0o700
    known = [job.id for job in service.jobs.all(project)]
    assert known.index(again.id) < known.index(tiny_run.id)


def test_an_old_promise_is_repeated_only_by_somebody_who_says_so(service, project):
    add_tiny(service, project)
    weak = {"model": "k-anonymity", "k": 2}
    service.policies.set(project, "privacy", weak)
    service.policies.confirm(project, "k = 2 for a test")
    run = service.jobs.cancel(project, service.jobs.run(project).id)
    service.policies.set(project, "privacy", {"model": "k-anonymity", "k": 5})
    with pytest.raises(BadInput, match="would promise k-anonymity with k = 2"):
        service.jobs.repeat(project, run.id)
    service.jobs.cancel(project, service.jobs.repeat(project, run.id, weaker=True).id)
    service.store.change(
        "UPDATE jobs SET request = ? WHERE id = ?",
        json.dumps({"sections": {**TINY_SECTIONS, "privacy": weak}}),
        run.id,
    )
    service.policies.confirm(project, "")
    with pytest.raises(BadInput, match="confirm it in writing"):
        service.jobs.repeat(project, run.id, weaker=True)


def test_problems_are_listed_before_anything_is_queued(service, project):
    add_tiny(service, project)
    service.policies.set(project, "privacy", {"model": "k-anonymity", "k": 0})
    with pytest.raises(BadInput, match="k must be"):
        service.jobs.run(project)
    assert service.jobs.all(project) == []


def test_a_run_that_cannot_keep_its_promise_fails_with_a_sentence(service, project):
    add_tiny(service, project)
    service.policies.set(project, "privacy", {"model": "k-anonymity", "k": 61})
    job = service.jobs.wait(project, service.jobs.run(project).id, 240)
    assert job.state == "failed"
    assert job.failure is not None
    assert job.failure.kind == "Infeasible"
    assert not service.jobs.folder(job).exists()


def test_two_jobs_run_at_once_the_third_waits_and_each_can_be_stopped(service, project):
    add_slow(service, project)
    jobs = [service.jobs.run(project) for _ in range(3)]
    groups = [until_searching(service, job) for job in jobs[:2]]
    assert os.getpriority(os.PRIO_PROCESS, groups[0]) == os.getpriority(os.PRIO_PROCESS, 0) + GIVEN_WAY
    waiting = service.jobs.get(project, jobs[2].id)
    assert (waiting.state, waiting.ahead) == ("queued", 0)
    assert service.jobs.cancel(project, jobs[2].id).state == "cancelled"
    assert service.jobs.cancel(project, jobs[0].id).state == "cancelled"
    assert not is_alive(groups[0])
    assert not service.jobs.folder(jobs[0]).exists()
    os.killpg(groups[1], signal.SIGKILL)
    killed = service.jobs.wait(project, jobs[1].id)
    assert killed.state == "failed"
    assert killed.failure is not None
    assert "killed" in killed.failure.sentence


def test_limits_end_a_job_and_say_which(tmp_path):
    for limits, words in (
        (ServerLimits(memory=30 * 2**20), "memory limit"),
        (ServerLimits(seconds=0.2), "time limit"),
    ):
        service = Service(tmp_path / words, limits=limits)
        project = service.projects.create("p").id
        service.files.add(project, "tiny.csv", [b"age,sex,ill\n1,f,a\n2,m,b\n"])
        service.policies.replace(project, TINY_SECTIONS)
        job = service.jobs.wait(project, service.jobs.run(project).id)
        assert job.state == "failed"
        assert job.failure is not None
        assert words in job.failure.sentence
        service.close()


def test_a_result_counts_even_if_the_process_had_to_be_ended_after_it():
    live = _Live(group=0)
    live.hear({"result": {"loss": {}}})
    assert _outcome(live, -signal.SIGKILL, "") == ("done", None, {"loss": {}})


def test_a_comparison_and_an_attack_run_as_jobs(service, project, tiny_run):
    add_tiny(service, project)
    comparison = service.jobs.compare(project, algorithms=["mondrian"], sweep={"k": [2, 4]})
    attack = service.jobs.attack(tiny_run.project, tiny_run.id)
    attack = service.jobs.wait(attack.project, attack.id, 240)
    assert (attack.state, attack.failure) == ("done", None)
    done = service.jobs.wait(project, comparison.id, 240)
    assert done.result is not None
    assert [row["k"] for row in done.result["runs"]] == [2, 4]
    assert [row["standing"] for row in done.result["runs"]] == ["weaker", "stricter"]
    assert done.result["recommended"] == "mondrian k=4", "the policy asks for k = 3"
    assert "weaker than the policy, so never recommended: k-anonymity k=2" in done.result["costs"]
    assert [cells[:2] for cells in done.result["cost_table"]["rows"]] == [
        ["k-anonymity k=4", "stricter"],
        ["k-anonymity k=2", "weaker than the policy"],
    ]
    changes = service.results.changes(project, done.id)
    assert changes["mondrian k=2"] == PromiseChange(
        "k-anonymity with k = 3", "k-anonymity with k = 2", "weaker"
    )
    assert changes["mondrian k=4"].standing == "stricter"
    service.policies.set(project, "privacy", {"model": "k-anonymity", "k": 10})
    assert service.results.changes(project, done.id)["mondrian k=4"].standing == "weaker", "than it is now"
    service.policies.set(project, "privacy", {"model": "k-anonymity"})
    assert service.results.changes(project, done.id)["mondrian k=4"].standing == "another", "than a draft"
    service.results.adopt(project, done.id, "mondrian k=4")
    assert service.policies.get(project)["privacy"]["k"] == 4


@pytest.mark.slow
def test_auto_can_be_compared_and_taken_over(service, project):
    add_tiny(service, project)
    job = service.jobs.compare(project, algorithms=["auto"], sweep={"model": ["k-anonymity"], "k": [3]})
    done = service.jobs.wait(project, job.id, 240)
    assert done.result is not None
    (row,) = done.result["runs"]
    assert (row["algorithm"], row["standing"], row["holds"]) == ("auto", "own", True)
    assert row["took"] not in (None, "auto")
    service.results.adopt(project, done.id, row["run"])
    sections = service.policies.get(project)
    assert sections["algorithm"] == {"name": "auto", "seed": 0}
    assert sections["privacy"] == {"model": "k-anonymity", "k": 3}


def test_a_deleted_project_is_gone_with_what_it_ran(service):
    project = service.projects.create("gone").id
    add_slow(service, project)
    group = until_searching(service, service.jobs.run(project))
    service.delete(project)
    assert not is_alive(group)
    assert not service.store.project_folder(project).exists()
    with pytest.raises(NotFound):
        service.projects.get(project)
    assert service.jobs.all(project) == []


def test_a_service_that_is_closed_interrupts_its_jobs(tmp_path):
    service = Service(tmp_path / "data")
    project = service.projects.create("p").id
    add_slow(service, project)
    job = service.jobs.run(project)
    group = until_searching(service, job)
    service.close()
    assert not is_alive(group)
    again = Service(tmp_path / "data")
    found = again.jobs.get(project, job.id)
    assert found.state == "interrupted"
    assert found.failure is not None
    assert "start it again" in found.failure.sentence
    again.close()


def test_a_check_is_a_job_that_does_not_wait_for_runs(service, project, tiny_run):
    add_slow(service, project)
    runs = [service.jobs.run(project) for _ in range(3)]  # more than there are workers
    found = service.jobs.wait(tiny_run.project, service.jobs.check(tiny_run.project).id, 240)
    assert found.state == "done", found.failure
    assert found.result is not None
    assert (found.result["records"], found.result["algorithm"]) == (60, "mondrian")
    assert service.jobs.get(project, runs[2].id).state == "queued"
    assert service.results.exports(tiny_run.project, found.id) == ["policy"]
    service.jobs.cancel_all(project)
    stopped = service.jobs.cancel(project, service.jobs.check(project).id)
    assert stopped.state == "cancelled"


def test_a_check_lists_everything_that_is_wrong(service, project):
    add_tiny(service, project)
    columns = {**TINY_SECTIONS["columns"], "nothing": {"role": "sensitive"}}
    service.policies.set(project, "columns", columns)
    service.policies.set(project, "algorithm", {"name": "aa"})
    found = service.jobs.wait(project, service.jobs.check(project).id, 240)
    assert found.failure is not None
    assert "nothing" in found.failure.sentence
    assert "aa does not serve k-anonymity" in found.failure.sentence
    assert str(service.store.folder) not in json.dumps(found.failure.as_dict())
