"""With a seed, what is published does not depend on how many threads there were."""

import numpy as np
import pyarrow as pa
import pytest

import shoal as sh
from shoal.table import set_lines
from shoal.threads import at_most

MANY, SOME = 21_000, 1_500  # Mondrian and the verifier use threads for many rows only
THREADS = (1, 3)
VALUES = {
    "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10, 20, 80)),
    "zip": sh.Quasi(hierarchy=sh.mask_right()),
    "sex": sh.Quasi(hierarchy=sh.flat()),
}
ITEMS = {"items": sh.QuasiSet(hierarchy=sh.fanout(4))}


def table(rows):
    rng = np.random.default_rng(5)
    ages, zips = rng.integers(18, 90, rows), rng.integers(100, 140, rows)
    sexes = rng.choice(["f", "m"], rows)
    return sh.read(
        pa.table({"age": ages, "zip": [str(each) for each in zips], "sex": sexes}),
        VALUES,
    )


def basket_lines(rows):
    rng = np.random.default_rng(6)
    lengths = rng.integers(0, 6, rows)
    items = np.minimum(rng.pareto(1.0, lengths.sum()) * 3, 59).astype(int)
    return [" ".join(f"i{item}" for item in each) for each in np.split(items, np.cumsum(lengths)[:-1])]


def baskets(rows):
    return sh.read(pa.table({"items": basket_lines(rows)}), ITEMS)


@pytest.mark.parametrize(
    ("algorithm", "model", "rows", "options"),
    [
        ("mondrian", sh.KAnonymity(5), MANY, {}),
        ("hilbert", sh.KAnonymity(5), SOME, {"block": 300}),
        ("agglomerative", sh.KAnonymity(5), SOME, {"block": 300}),
        ("kanon-cf", sh.KAnonymity(5), SOME, {"block": 500}),
        ("aa", sh.KmAnonymity(5, 2), MANY, {}),
        ("vpa", sh.KmAnonymity(5, 2), SOME, {}),
        ("lra", sh.KmAnonymity(5, 2), SOME, {}),
        ("disassociation", sh.Disassociation(5, 2), MANY, {}),
    ],
)
def test_a_release_is_the_same_with_any_number_of_threads(algorithm, model, rows, options):
    data = table(rows) if isinstance(model, sh.KAnonymity) else baskets(rows)
    released = [
        sh.anonymize(data, model, algorithm=algorithm, seed=3, reproducible=True, threads=threads, **options)
        for threads in THREADS
    ]
    first, *others = released
    for other in others:
        assert other.frame.equals(first.frame)
        assert other.loss == first.loss
        assert other.verdict == first.verdict


@pytest.mark.parametrize("model", [sh.KmAnonymity(40, 2), sh.KmAnonymity(5, 3)])
def test_a_verdict_is_the_same_with_any_number_of_threads(model, tmp_path, monkeypatch):
    monkeypatch.setattr(set_lines, "_PIECE", 10_000)
    file = tmp_path / "published.txt"
    file.write_text("\n".join(basket_lines(MANY)) + "\n", encoding="utf-8")
    verdicts = []
    for threads in THREADS:
        with at_most(threads):
            verdicts += sh.verify(file, ITEMS, model)
    assert len(verdicts) == len(THREADS)
    assert all(verdict == verdicts[0] for verdict in verdicts)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True])
def test_a_number_of_threads_is_a_number_of_threads(threads):
    with pytest.raises(sh.InvalidParameter, match="threads"):
        sh.anonymize(table(20), sh.KAnonymity(2), algorithm="mondrian", threads=threads)
