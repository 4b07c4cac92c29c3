import json

import numpy as np

from shoal.report.result_file import result_dict
from tests.report.outcomes import baskets, evil, hospital, visits


def test_has_the_keys_that_others_rely_on():
    result = result_dict(hospital())
    assert result["model"] == "k-anonymity"
    assert result["algorithm"] == "mondrian"
    assert result["verdict"]["holds"] is True
    assert result["verdict"]["smallest"] == 5
    assert result["loss"]["ncp"] == 0.2137
    assert result["column_loss"]["zip"]["ncp"] == 0.3127
    assert (result["records"], result["published_records"], result["suppressed_records"]) == (2000, 1988, 12)
    assert result["seconds"] == {"total": 1.842, "algorithm": 0.117}
    assert result["peak_memory_mb"] == 212.4
    assert result["publishable"] is True
    assert result["classes"] == {"before": 1806, "after": 251}
    assert result["risk"]["after"] == {"highest": 0.2, "mean": 251 / 1988}
    assert len(result["notices"]) == 2


def test_is_plain_json():
    strange = hospital(
        losses={"ncp": np.float64(0.5), "log10_am": float("inf")},
        seconds={"total": np.float64(1), "algorithm": float("nan")},
        figures={"parts": np.array([1, 2])},
    )
    for outcome in (strange, visits(), evil(), baskets()):
        result = result_dict(outcome)
        assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result_dict(strange)["loss"] == {"ncp": 0.5, "log10_am": None}
    assert result_dict(strange)["seconds"] == {"total": 1.0, "algorithm": None}
    assert result_dict(strange)["figures"] == {"parts": [1, 2]}


def test_counts_people_where_there_are_any():
    assert result_dict(visits())["people"] == {"subjects": 1202, "smallest": 5}
    assert result_dict(hospital())["people"] is None


def test_sets_have_no_classes():
    result = result_dict(baskets())
    assert result["classes"] == {"before": None, "after": None}
    assert result["risk"] == {"before": None, "after": None}
