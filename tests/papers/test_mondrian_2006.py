"""LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006: the patients example.

Six patients with age, sex and zip code. Among others the paper gives a 2-anonymous publication in which
three pairs share their values; no single-dimensional recoding of the table keeps as much.
"""

import numpy as np
import pytest

from shoal.algorithms.relational.mondrian.algorithm import Mondrian
from shoal.privacy.k_anonymity import KAnonymity
from shoal.progress import Silent
from shoal.recoding.recoding import apply_recoding
from shoal.table.columns import Kind
from shoal.table.roles import Quasi, Sensitive
from tests.builders import flat_tree, local_data

PATIENTS = [
    (25, "male", 53711, "flu"),
    (25, "female", 53712, "hepatitis"),
    (26, "male", 53711, "bronchitis"),
    (27, "male", 53710, "broken arm"),
    (27, "female", 53712, "aids"),
    (28, "male", 53711, "hang nail"),
]
ROLES = {
    "age": Quasi(kind=Kind.NUMBER, bounds=(20, 30)),
    "sex": Quasi(),
    "zip": Quasi(kind=Kind.NUMBER, bounds=(53700, 53720)),
    "disease": Sensitive(),
}


def published_patients(**options):
    data = local_data(PATIENTS, ROLES, trees={"sex": flat_tree(["male", "female"])})
    recoding = Mondrian(**options).find(data, [KAnonymity(2)], np.random.default_rng(0), Silent())
    table = apply_recoding(data.table, data.trees, data.roles, recoding, smallest=2).table
    columns = [table.coded(name) for name in ("age", "sex", "zip")]
    return [
        tuple(column.domain.label(code) for column, code in zip(columns, codes, strict=True))
        for codes in zip(*(column.codes.tolist() for column in columns), strict=True)
    ]


@pytest.mark.parametrize("as_printed", [False, True])
def test_multidimensional_publication_pairs_the_same_patients(as_printed):
    first, second, third, fourth, fifth, sixth = published_patients(as_printed=as_printed)
    assert first == third
    assert second == fifth
    assert fourth == sixth
    assert len({first, second, fourth}) == 3


def test_published_values_cover_those_of_the_paper():
    """The paper prints the smallest and largest member of a part; here a part ends where it was cut."""
    first, second, _, fourth, _, _ = published_patients()
    assert first == ("[20, 26]", "male", "53711")
    assert second == ("[20, 30]", "female", "53712")
    assert fourth == ("[27, 30]", "male", "[53700, 53720]")
