from shoal.web.pages.result import cut_nodes, main_loss

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
