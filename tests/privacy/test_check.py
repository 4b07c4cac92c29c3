from dataclasses import replace

import numpy as np
import pytest

from shoal.errors import Infeasible
from shoal.privacy.catalogue import MODELS
from shoal.privacy.check import require_feasible, verify_all
from shoal.privacy.differential_privacy import DifferentialPrivacy
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.table.roles import Quasi, Sensitive
from tests.builders import local_data

DATA = local_data([("30", "flu"), ("30", "flu"), ("40", "cold")], {"age": Quasi(), "illness": Sensitive()})


def test_every_promise_gets_its_verdict():
    data = replace(DATA, table=DATA.table.take(np.array([0, 1])))
    verdicts = verify_all([KAnonymity(2), KAnonymity(3), LDiversity(1.5)], data)
    assert [verdict.holds for verdict in verdicts] == [True, False, False]


def test_the_first_promise_that_cannot_be_kept_is_refused_before_the_search():
    require_feasible([KAnonymity(3), LDiversity(1.5), DifferentialPrivacy(1)], DATA)
    with pytest.raises(Infeasible, match=r"l can be at most 1\.5"):
        require_feasible([KAnonymity(3), LDiversity(2)], DATA)
    with pytest.raises(Infeasible, match="k can be at most 3"):
        require_feasible([KAnonymity(4)], DATA)


def test_models_are_listed_by_their_names():
    assert all(model.name == name for name, model in MODELS.items())
    assert {"k-anonymity", "l-diversity", "t-closeness", "alpha-k-anonymity"} <= MODELS.keys()
