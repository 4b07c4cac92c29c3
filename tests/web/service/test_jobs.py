import os
import signal
import time

import pytest

from shoal.errors import BadInput, NotFound
from shoal.web.service.jobs import FINISHED, Job
from shoal.web.service.limits import ServerLimits
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


def test_a_run_gives_a_result_that_can_be_repeated(service, project):
    add_tiny(service, project)
    job = service.jobs.wait(project, service.jobs.run(project, "first").id, 120)
    assert (job.state, job.failure, job.title) == ("done", None, "first")
    assert job.result is not None
    assert job.result["verdict"]["holds"]
    again = service.jobs.wait(project, service.jobs.repeat(project, job.id).id, 120)
    assert again.result is not None
    assert again.result["loss"] == job.result["loss"]
    assert "seed = " in job.policy
    assert permissions(service.jobs.folder(job)) == 0o700
    assert [each.id for each in service.jobs.all(project)] == [again.id, job.id]


def test_problems_are_listed_before_anything_is_queued(service, project):
    add_tiny(service, project)
    service.policies.set(project, "privacy", {"model": "k-anonymity", "k": 0})
    with pytest.raises(BadInput, match="k must be"):
        service.jobs.run(project)
    assert service.jobs.all(project) == []


def test_a_run_that_cannot_keep_its_promise_fails_with_a_sentence(service, project):
    add_tiny(service, project)
    service.policies.set(project, "privacy", {"model": "k-anonymity", "k": 61})
    job = service.jobs.wait(project, service.jobs.run(project).id, 120)
    assert job.state == "failed"
    assert job.failure is not None
    assert job.failure.kind == "Infeasible"
    assert not service.jobs.folder(job).exists()


def test_a_running_job_is_cancelled_with_all_its_processes(service, project):
    add_slow(service, project)
    job = service.jobs.run(project)
    group = until_searching(service, job)
    assert service.jobs.cancel(project, job.id).state == "cancelled"
    assert not is_alive(group)
    assert not service.jobs.folder(job).exists()


def test_a_killed_job_is_reported_and_the_next_one_runs(service, project):
    add_slow(service, project)
    job = service.jobs.run(project)
    os.killpg(until_searching(service, job), signal.SIGKILL)
    failed = service.jobs.wait(project, job.id)
    assert failed.state == "failed"
    assert failed.failure is not None
    assert "killed" in failed.failure.sentence
    add_tiny(service, project)
    service.policies.replace(project, TINY_SECTIONS)
    assert service.jobs.wait(project, service.jobs.run(project).id, 120).state == "done"


def test_two_jobs_run_at_once_and_the_third_waits(service, project):
    add_slow(service, project)
    jobs = [service.jobs.run(project) for _ in range(3)]
    for job in jobs[:2]:
        until_searching(service, job)
    waiting = service.jobs.get(project, jobs[2].id)
    assert (waiting.state, waiting.ahead) == ("queued", 0)
    assert service.jobs.cancel(project, jobs[2].id).state == "cancelled"
    service.jobs.cancel_all(project)
    assert {job.state for job in service.jobs.all(project)} == {"cancelled"}


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


def test_a_comparison_and_an_attack_run_as_jobs(service, project):
    add_tiny(service, project)
    comparison = service.jobs.compare(project, algorithms=["mondrian"], sweep={"k": [2, 4]})
    run = service.jobs.wait(project, service.jobs.run(project).id, 120)
    attack = service.jobs.wait(project, service.jobs.attack(project, run.id).id, 120)
    assert (attack.state, attack.failure) == ("done", None)
    done = service.jobs.wait(project, comparison.id, 120)
    assert done.result is not None
    assert [row["k"] for row in done.result["runs"]] == [2, 4]
    service.results.adopt(project, done.id, "mondrian k=4")
    assert service.policies.get(project)["privacy"]["k"] == 4


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
