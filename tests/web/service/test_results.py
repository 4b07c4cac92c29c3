import pytest

from shoal.errors import BadInput, NotFound
from tests.web.samples import TINY_SECTIONS, add_tiny

BASKETS = "".join(f"{a} {b}\n" for a in "abc" for b in "xyz") * 6


def test_a_release_in_pieces_shows_its_clusters(service, project):
    service.files.add(project, "baskets.txt", [BASKETS.encode()])
    sections = {
        "data": {"path": "baskets.txt"},
        "columns": {"items": {"role": "quasi", "kind": "set"}},
        "privacy": {"model": "disassociation", "k": 3, "m": 2},
    }
    assert service.policies.replace(project, sections) == []
    job = service.jobs.wait(project, service.jobs.run(project).id, 240)
    assert job.state == "done", job.failure
    clusters = service.results.clusters(project, job.id, count=2)
    assert all(cluster["size"] >= 3 for cluster in clusters)
    view = service.results.view(project, job.id)
    assert view["pieces"]["clusters"] >= len(clusters)
    assert view["rows"] == []


def test_only_finished_jobs_have_results(service, project):
    add_tiny(service, project)
    service.policies.set(project, "privacy", {**TINY_SECTIONS["privacy"], "k": 100})
    job = service.jobs.wait(project, service.jobs.run(project).id, 240)
    assert job.state == "failed"
    for ask in (service.results.view, service.results.exports, service.results.clusters):
        with pytest.raises(BadInput):
            ask(project, job.id)


def test_values_are_explained_and_what_is_not_there_is_said(service, project):
    add_tiny(service, project)
    job = service.jobs.wait(project, service.jobs.run(project).id, 240)
    (told,) = service.results.explain(project, job.id, "age", row=0)
    assert "records" in told.place
    assert told.published_as is not None
    (told,) = service.results.explain(project, job.id, "ill", value="a")
    assert "published as it is" in told.sentence
    with pytest.raises(BadInput, match="by its record"):
        service.results.explain(project, job.id, "age", row=10**6)
    with pytest.raises(BadInput, match="no clusters"):
        service.results.clusters(project, job.id)
    with pytest.raises(NotFound):
        service.results.export(project, job.id, "../request.json")
