import pytest

from shoal.errors import BadInput, NotFound
from tests.web.samples import add_tiny

BASKETS = "".join(f"{a} {b}\n" for a in "abc" for b in "xyz") * 6


def test_a_release_in_chunks_shows_its_clusters(service, project):
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
    assert view["chunks"]["clusters"] >= len(clusters)
    assert view["rows"] == []


def test_only_finished_jobs_have_results(service, project):
    add_tiny(service, project)
    job = service.jobs.cancel(project, service.jobs.run(project).id)
    assert job.state == "cancelled"
    for ask in (service.results.view, service.results.exports, service.results.clusters):
        with pytest.raises(BadInput):
            ask(project, job.id)


def test_values_are_explained_and_what_is_not_there_is_said(service, tiny_run):
    project, job, results = tiny_run.project, tiny_run.id, service.results
    (told,) = results.explain(project, job, "age", row=0)
    assert "records" in told.place
    assert told.published_as is not None
    (told,) = results.explain(project, job, "ill", value="a")
    assert "published as it is" in told.sentence
    with pytest.raises(BadInput, match="by its record"):
        results.explain(project, job, "age", row=10**6)
    with pytest.raises(BadInput, match="no clusters"):
        results.clusters(project, job)
    with pytest.raises(NotFound):
        results.export(project, job, "../request.json")


def test_records_are_counted_by_bands_and_values(service, tiny_run):
    count = service.results.count
    found = count(tiny_run.project, tiny_run.id, {"sex": "f"}, ("age", "ill"), {"age": (20, 35, 50)})
    assert found.heads == ("age", "ill", "lower", "expected", "upper")
    assert [row[:2] for row in found.rows] == [(band, ill) for band in ("20-34", "35-49") for ill in "abc"]
    with pytest.raises(BadInput, match="no numbers or dates to make bands of"):
        count(tiny_run.project, tiny_run.id, {}, ("ill",), {"ill": (1, 2)})


def test_readers_get_a_report_of_their_own(service, tiny_run):
    readers, own = (
        service.results.export(tiny_run.project, tiny_run.id, what) for what in ("public-report", "report")
    )
    assert readers.name != own.name
    assert own.path.parent == readers.path.parent / "internal"
    readers.path.rename(readers.path.with_name("away"))  # as in a folder of an earlier version
    try:
        assert "public-report" not in service.results.exports(tiny_run.project, tiny_run.id)
    finally:
        readers.path.with_name("away").rename(readers.path)


def test_explanations_come_from_the_saved_recoding_and_the_stored_data(service, project):
    file = add_tiny(service, project)
    job = service.jobs.wait(project, service.jobs.run(project).id, 240)
    recoding = service.results.export(project, job.id, "report").path.with_name("recoding.npz")
    content = recoding.read_bytes()
    recoding.write_bytes(content[:-100])
    with pytest.raises(BadInput, match=r"recoding\.npz"):
        service.results.explain(project, job.id, "age", row=0)
    recoding.write_bytes(content)
    stored = service.files.get(project, file).path
    records = stored.read_bytes()
    stored.write_bytes(records + b"30,f,a\n")
    with pytest.raises(BadInput, match="one of 60 records, and the data have 61"):
        service.results.explain(project, job.id, "age", row=0)
    stored.write_bytes(records)
    (told,) = service.results.explain(project, job.id, "age", row=0)
    assert told.published_as is not None


def test_a_result_is_outdated_as_soon_as_a_setting_differs(service, tiny_run):
    project, privacy = tiny_run.project, {"model": "k-anonymity", "k": 3}
    assert service.results.outdated(project, tiny_run.id) == ()
    service.policies.set(project, "privacy", {**privacy, "k": 10})
    try:
        assert service.results.outdated(project, tiny_run.id) == ("k of the promise was 3 and is 10 now",)
    finally:
        service.policies.set(project, "privacy", privacy)
