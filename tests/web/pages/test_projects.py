import pytest

from shoal.web.pages.projects import SAMPLES, begin_sample


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_sample_can_be_run_as_it_is(service, kind):
    project = begin_sample(service, kind)
    assert service.policies.problems(project.id) == []
    service.delete(project.id)


def test_disassociation_publishes_clusters_in_lines(service):
    project = begin_sample(service, "disassociation")
    sections = service.policies.get(project.id)
    assert sections["output"]["path"] == "published.jsonl"
    assert sections["privacy"]["model"] == "disassociation"
    service.delete(project.id)
