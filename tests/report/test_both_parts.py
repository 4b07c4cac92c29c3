import pytest

from shoal.explain.items import GeneralizedItem
from shoal.privacy.k_km_anonymity import KKmAnonymity
from shoal.privacy.promise import Promise
from shoal.report.column_sections import frontier_of, shows_both_parts
from shoal.report.figures import frontier_figure
from shoal.report.page import page
from tests.report.outcomes import changed, hospital

POINTS = [
    {"delta": 0.6, "relational_loss": 0.58, "utility_loss": 0.2, "clusters": 3, "holds": True},
    {"delta": 0.3, "relational_loss": 0.3, "utility_loss": 0.7, "clusters": 40, "holds": True},
]


@pytest.fixture(name="mixed")
def mixed_outcome():
    outcome = hospital()
    return changed(
        outcome,
        quasi=(*outcome.claim.quasi, "diagnoses"),
        losses={"ncp": 0.3, "item_ncp": 0.123, "ul": 0.456},
        column_losses={"age": {"ncp": 0.3}, "diagnoses": {"ncp": 0.123, "ul": 0.456}},
        figures={"clusters": 1234},
    )


def test_both_parts_stand_side_by_side(mixed):
    text = page(mixed)
    assert "Both parts side by side" in text
    for figure in ("30.0%", "12.3%", "45.6%", "1,234 clusters", "251 classes"):
        assert figure in text
    assert "What else could be published" not in text


def test_risk_beyond_the_items_that_were_promised_is_called_so(mixed):
    text = page(changed(mixed, promise=Promise((KKmAnonymity(5, 2),))))
    assert "The figures below go beyond the promise." in text
    assert (
        "knows up to 2 items, as the promise has it, finds at least 5 rows: a chance of 20.0% at most."
        in text
    )
    assert "go beyond the promise" not in page(mixed)


def test_a_table_without_sets_has_one_part():
    assert not shows_both_parts(hospital())
    assert "side by side" not in page(hospital())


def test_bounds_that_were_tried_are_shown_as_a_curve_and_a_table(mixed):
    outcome = changed(mixed, figures={"frontier": POINTS, "delta": 0.3})
    assert frontier_of(outcome) == POINTS
    text = page(outcome)
    assert "What else could be published" in text
    assert "58.0%" in text
    assert "0.3, published" in text
    assert "0.6, published" not in text
    assert "delta = 0.3 keeps single values as fine as can be: single values lose 30.0%, items 70.0%." in text
    assert "delta = 0.6 keeps items as fine as can be: single values lose 58.0%, items 20.0%." in text
    assert "delta = 0.3 was published" in text
    assert [row[1:] for row in frontier_figure(POINTS).rows] == [(0.3, 0.7), (0.58, 0.2)]


def test_the_promise_tells_values_from_items(mixed):
    promise = Promise((KKmAnonymity(5, 2),))
    text = page(changed(mixed, promise=promise, roles={"diagnoses": {"role": "quasi", "kind": "set"}}))
    assert "in the columns age, zip, sex and admitted, and up to 2 items of diagnoses." in " ".join(
        text.split()
    )


def test_items_that_stand_for_many_are_shown_by_their_beginning(mixed):
    union = "(" + "|".join(f"item{number}" for number in range(30)) + ")"
    entry = GeneralizedItem(label=union, items=30, occurrences=9, itemset=(union, "a"), support=1, among=40)
    text = page(changed(mixed, generalized_items=(entry,)))
    assert f"whoever knows {union[:29]}…, a would find 1 record among the 40 of its cluster" in text
    assert union not in text
