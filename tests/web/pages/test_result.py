from dataclasses import replace

from shoal.web.pages.result import cut_nodes, listed_as, main_loss

LABELS = ["a", "b", "c", "ab", "*"]
PARENTS = [3, 3, 4, 4, 4]


def test_the_cut_is_drawn_with_the_way_to_it_and_nothing_else():
    drawn = cut_nodes({"labels": LABELS, "parents": PARENTS, "published": {"a": 2, "*": 1}})
    assert drawn == [
        {
            "id": "*",
            "label": "● * (1 times)",
            "children": [
                {
                    "id": "ab",
                    "label": "ab",
                    "children": [{"id": "a", "label": "● a (2 times)", "children": []}],
                }
            ],
        }
    ]


def test_runs_are_compared_by_the_first_loss_that_they_have():
    assert main_loss({"ncp": None, "ul": 0.2, "tkd": 0.5}) == 0.2
    assert main_loss({}) is None


def test_comparisons_are_named_in_the_list_as_runs_are(service, tiny_run):
    """A comparison names the loss that it ranks by, where a run has its losses."""
    comparison = replace(tiny_run, kind="comparison", result={"loss": "ncp", "runs": []})
    assert "loss" in listed_as(tiny_run)
    assert "k = 3" in listed_as(comparison)
