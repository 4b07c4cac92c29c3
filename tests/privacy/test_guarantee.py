"""The promise of disassociation, by brute force: what the checker accepts keeps it, what we publish does."""

import copy
import random

import numpy as np
import pytest

from shoal.algorithms.sets.disassociation.algorithm import Disassociate
from shoal.algorithms.sets.disassociation.refine import TERM_ORDERS
from shoal.errors import Infeasible
from shoal.privacy.disassociation import Disassociation
from shoal.progress import Silent
from shoal.recoding.disassociated import disassociated
from shoal.table.roles import QuasiSet
from tests.builders import local_data
from tests.recoding.test_disassociated import decoded
from tests.reference import disassociation as rules
from tests.reference.guarantee import is_tiny, terms_overlap, unprotected

PARAMETERS = [(2, 1), (2, 2), (2, 3), (3, 2)]


def publication(drawn, k, m):
    """What we publish of some random records, as parsed lines; None if there are too few."""
    letters = "abcde"[: drawn.randint(2, 5)]
    records = [
        {letter for letter in letters if drawn.random() < 0.45} for _ in range(drawn.randint(k, 3 * k + 2))
    ]
    data = local_data([(record,) for record in records], {"items": QuasiSet()})
    options = {
        "max_cluster_size": drawn.choice([k, k + 1, k + 2, 0]),
        "settle": drawn.choice([False, True]),
        "term_order": drawn.choice(sorted(TERM_ORDERS)),
        "threads": 1,
    }
    try:
        recoding = Disassociate(**options).find(
            data, [Disassociation(k, m)], np.random.default_rng(0), Silent()
        )
    except Infeasible:
        return None
    return decoded(recoding.clusters)


def accepts(lines, k, m):
    return Disassociation(k, m).verify(disassociated(lines)).holds


def mutated(lines, drawn):
    """The lines after one change of a term, a subrecord, a chunk, a term chunk or a size."""
    lines = copy.deepcopy(lines)
    held = rules.all_clusters(drawn.choice(lines))
    chunks = [chunk for cluster in held for chunk in rules.chunks_of(cluster)]
    cluster = drawn.choice([cluster for cluster in held if "children" not in cluster])
    change = drawn.choice(
        [resize, empty_term_chunk, split_chunk, hide_term, *ROW_CHANGES] if chunks else [resize]
    )
    change(held, cluster, chunks, drawn)
    for below in held:  # a chunk without subrecords is none
        for chunk in rules.chunks_of(below):
            chunk[:] = [row for row in chunk if row]
        key = "shared" if "children" in below else "chunks"
        below[key] = [chunk for chunk in below[key] if chunk["subrecords"]]
    return lines


def resize(held, cluster, chunks, drawn):
    difference = drawn.choice([-1, 1])
    for above in held:
        if any(below is cluster for below in rules.all_clusters(above)):
            above["size"] += difference


def empty_term_chunk(held, cluster, chunks, drawn):
    cluster["terms"].clear()


def hide_term(held, cluster, chunks, drawn):
    """A term of a chunk goes into a term chunk."""
    term = drawn.choice(sorted(rules.terms_of(drawn.choice(chunks))))
    for row in (row for chunk in chunks for row in chunk):
        row[:] = [other for other in row if other != term]
    cluster["terms"].append(term)


def split_chunk(held, cluster, chunks, drawn):
    """A term of a chunk becomes a chunk of its own."""
    if cluster["chunks"]:
        chunk = drawn.choice(cluster["chunks"])["subrecords"]
        term = drawn.choice(sorted(rules.terms_of(chunk)))
        cluster["chunks"].append({"subrecords": [[term] for row in chunk if term in row]})
        chunk[:] = [[other for other in row if other != term] for row in chunk]


def move_term(held, cluster, chunks, drawn):
    drawn.choice(drawn.choice(chunks)).append(drawn.choice(drawn.choice(chunks)).pop())


def drop_term(held, cluster, chunks, drawn):
    drawn.choice(drawn.choice(chunks)).pop()


def drop_subrecord(held, cluster, chunks, drawn):
    drawn.choice(drawn.choice(chunks)).clear()


def copy_subrecord(held, cluster, chunks, drawn):
    chunk = drawn.choice(chunks)
    chunk.append([*drawn.choice(chunk)])


ROW_CHANGES = (move_term, drop_term, drop_subrecord, copy_subrecord)


def sweep(seeds):
    """Hold publications and their mutations against brute force: how many, and how often the rules are too
    strict.
    """
    counts = {"published": 0, "mutated": 0, "refused": 0, "refused without need": 0, "broken": 0}
    for seed in seeds:
        drawn = random.Random(seed)
        k, m = drawn.choice(PARAMETERS)
        lines = publication(drawn, k, m)
        if lines is None or not is_tiny(lines):
            continue
        counts["published"] += 1
        assert not unprotected(lines, k, m), (seed, lines)
        assert accepts(lines, k, m)
        for _ in range(3):
            changed = mutated(lines, drawn)
            if not is_tiny(changed) or any(c["size"] < 1 for l in changed for c in rules.all_clusters(l)):
                continue
            counts["mutated"] += 1
            accepted = accepts(changed, k, m)
            counts["refused"] += not accepted
            if any(map(terms_overlap, changed)):
                assert not accepted
                continue
            broken = unprotected(changed, k, m)
            counts["broken"] += bool(broken)
            assert not (broken and accepted), (seed, changed, broken)
            counts["refused without need"] += not accepted and not broken
    return counts


def test_no_publication_breaks_the_promise_and_every_broken_file_is_refused():
    counts = sweep(range(250))
    assert counts["published"] > 120
    assert counts["broken"] > 20


@pytest.mark.slow
def test_the_same_over_thousands():
    counts = sweep(range(1000, 9000))
    assert counts["published"] > 4000
    assert counts["broken"] > 1000
    assert (
        counts["refused without need"] < 0.6 * counts["refused"]
    )  # sufficient rules are stricter than need be


BROKEN = {
    "subrecords too few (rule 2)": (
        [{"size": 5, "chunks": [{"subrecords": [["a"]] * 3}, {"subrecords": [["b", "c"]] * 3}], "terms": []}],
        (3, 2),
        ("a", "b"),
    ),
    "a cluster below k": ([{"size": 2, "chunks": [], "terms": ["a", "b"]}], (3, 2), ("a",)),
    "a term chunk emptied by REFINE": (
        [
            {
                "size": 6,
                "shared": [{"subrecords": [["a"], ["a"]]}],
                "children": [
                    {"size": 3, "chunks": [{"subrecords": [["e"], ["e"]]}], "terms": []},
                    {
                        "size": 3,
                        "chunks": [{"subrecords": [["b", "d"], ["b", "d"], ["d"]]}],
                        "terms": ["e"],
                    },
                ],
            }
        ],
        (2, 2),
        ("a", "d"),
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_the_counter_examples_break_the_promise_and_are_refused(case):
    lines, (k, m), itemset = BROKEN[case]
    assert itemset in unprotected(lines, k, m)
    assert not accepts(lines, k, m)
