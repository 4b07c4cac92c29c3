import re
from collections import Counter

import pyarrow as pa
import pytest

import shoal as sh

AGES = [*range(20, 40), *range(20, 30), 77]
ITEMS = [f"a{i % 3} b{i % 5}" for i in range(60)] + ["a0 rare"]


def released(roles, frame, model, **options):
    return sh.anonymize(sh.read(pa.table(frame), roles), model, keep_order=True, **options)


def test_a_value_of_a_tree_names_what_one_level_finer_would_leave():
    roles = {"age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20, 80))}
    result = released(roles, {"age": AGES}, sh.KAnonymity(3), algorithm="mondrian")
    published = result.frame["age"].to_pylist()
    assert result.outcome.changes.affected
    for entry in result.outcome.changes.affected:
        mine = [label for age, label in zip(AGES, published, strict=True) if str(age) == entry.value]
        assert entry.occurrences == len(mine)
        assert entry.times == Counter(mine)[entry.published_as]
        finer, few = re.match(
            r"as (\S+) instead, .* (\d+) records? (?:or more )?alike", entry.reason
        ).groups()
        low, high = map(int, finer.split("-")) if "-" in finer else (int(finer), int(finer))
        alike = sum(
            low <= age <= high and label == entry.published_as
            for age, label in zip(AGES, published, strict=True)
        )
        assert alike == int(few)


def test_a_number_without_a_tree_names_how_many_share_it_in_its_class():
    roles = {"age": sh.Quasi(kind="number")}
    result = released(roles, {"age": AGES}, sh.KAnonymity(3), algorithm="mondrian")
    published = result.frame["age"].to_pylist()
    worst = next(entry for entry in result.outcome.changes.affected if entry.value == "77")
    assert worst.published_as == published[AGES.index(77)]
    assert "as 77 instead, one of its classes would be left with 1 record alike" in worst.reason


@pytest.mark.parametrize(
    ("algorithm", "model", "tree"),
    [
        ("aa", sh.KmAnonymity(4, 2), True),
        ("lra", sh.KmAnonymity(4, 2), True),
        ("vpa", sh.KmAnonymity(4, 2), True),
        ("pcta", sh.KmAnonymity(4, 2), False),
        ("hghs", sh.KmAnonymity(4, 2), True),
        ("partition", sh.SetKAnonymity(3), True),
    ],
)
def test_items_of_every_kind_of_recoding_have_a_reason(algorithm, model, tree):
    roles = {"items": sh.QuasiSet(**({"hierarchy": sh.fanout(2)} if tree else {}))}
    result = released(roles, {"items": ITEMS}, model, algorithm=algorithm)
    assert result.outcome.changes.affected
    for entry in result.outcome.changes.affected:
        assert entry.occurrences == sum(entry.value in row.split() for row in ITEMS)
        assert entry.reason
        if entry.published_as:
            assert "would find" in entry.reason or "nothing in more detail was found" in entry.reason
    generalized = [entry for entry in result.outcome.changes.affected if entry.published_as]
    assert not generalized or any("would find" in entry.reason for entry in generalized)


def test_terms_of_term_chunks_are_what_disassociation_hides():
    roles = {"items": sh.QuasiSet()}
    data = sh.read(pa.table({"items": ITEMS}), roles)
    result = sh.anonymize(data, sh.Disassociation(4, 2))
    hidden = {entry.value for entry in result.outcome.changes.affected}
    assert "rare" in hidden
    in_chunks = {str(result.released.terms.labels[i]) for i in result.released.subrecords.items.tolist()}
    assert not hidden & in_chunks
