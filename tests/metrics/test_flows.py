from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal as sh
from shoal.metrics.flows import GONE, _flow, flows

PEOPLE = {"age": [str(20 + i % 23) for i in range(60)], "items": [f"a{i % 3} b{i % 5}" for i in range(60)]}


def brute(values, published):
    return sorted((v, p, n) for (v, p), n in Counter(zip(values, published, strict=True)).items())


def as_rows(flow):
    return list(zip(flow.values.tolist(), flow.published.tolist(), flow.counts.tolist(), strict=True))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(GONE, 9)), max_size=30), st.sampled_from([1, 10**6]))
def test_pairs_are_counted(pairs, step):
    values, published = [v for v, _ in pairs], [p * step if p > 0 else p for _, p in pairs]
    flow = _flow(np.array(values, dtype=np.int64), np.array(published, dtype=np.int64))
    assert as_rows(flow) == brute(values, published)


def labelled(flow, labels):
    return {
        (labels[v], None if p == GONE else labels[p]): n
        for v, p, n in zip(flow.values.tolist(), flow.published.tolist(), flow.counts.tolist(), strict=True)
    }


@pytest.mark.parametrize("algorithm", ["mondrian", "full-domain"])
def test_of_a_table_it_is_what_rows_say(algorithm):
    data = sh.read(
        pa.table({"age": PEOPLE["age"]}),
        columns={"age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20))},
    )
    result = sh.anonymize(data, sh.KAnonymity(3), algorithm=algorithm, keep_order=True)
    flow = labelled(flows(data.local, result.recoding)["age"], data.local.trees["age"].labels)
    assert flow == Counter(zip(PEOPLE["age"], result.frame["age"].to_pylist(), strict=True))


@pytest.mark.parametrize("algorithm", ["aa", "lra", "pcta", "oa"])
def test_of_sets_it_counts_every_occurrence(algorithm):
    hierarchy = {} if algorithm == "pcta" else {"hierarchy": sh.fanout(2)}
    data = sh.read(pa.table({"items": PEOPLE["items"]}), columns={"items": sh.QuasiSet(**hierarchy)})
    result = sh.anonymize(data, sh.KmAnonymity(8, 2), algorithm=algorithm, keep_order=True)
    (flow,) = flows(data.local, result.recoding).values()
    items = Counter(item for row in PEOPLE["items"] for item in row.split())
    words = result.recoding.cuts.vocabulary(data.local.trees)
    found = labelled(flow, words.labels)
    assert sum(found.values()) == sum(items.values())
    published = {label for row in result.frame["items"].to_pylist() for label in row.split()}
    assert {label for _, label in found} - {None} == published
