from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.metrics.mining import certain_sets, codes_in, lost_terms, recoded
from shoal.recoding.disassociated import disassociated
from tests.builders import set_column
from tests.examples import examples
from tests.recoding.publications import publications
from tests.reference import set_losses as reference

rows = st.lists(st.sets(st.sampled_from("abcdstu")), max_size=8)


@given(publications(), rows, st.integers(0, 3))
@examples(120)
def test_lost_terms_and_certain_sets_equal_their_twins(lines, original, k):
    column = set_column([*original, set("zacst")])  # a term that is not published, and others in any case
    published = disassociated(lines)
    codes = codes_in(column.domain, published)
    supports = np.bincount(column.arrays.items, minlength=len(column.domain))
    records = [*original, set("zacst")]
    assert lost_terms(supports, published, codes, k) == pytest.approx(
        float(reference.tlost(records, lines, k))
    )

    labels = {code: label for code, label in enumerate(column.domain.texts())}
    labels |= {int(code): label for code, label in zip(codes, published.terms.texts(), strict=True)}
    assert len(labels) == len(set(labels.values()))
    sets = recoded(certain_sets(published), codes)
    assert all((np.diff(sets.items[a:b]) > 0).all() for a, b in pairwise(sets.starts.tolist()))
    found = [{labels[item] for item in sets.items[a:b].tolist()} for a, b in pairwise(sets.starts.tolist())]
    assert sorted(map(sorted, found)) == sorted(map(sorted, reference.certain_records(lines)))
