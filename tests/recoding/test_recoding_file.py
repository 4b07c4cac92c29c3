import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal as sh
from shoal.errors import BadInput
from shoal.json_values import json_value
from shoal.kernels.arrays import frozen_ints
from shoal.recoding.array_file import write_array_file
from shoal.recoding.chunk_recoding import ChunkRecoding
from shoal.recoding.generalized_clusters import GeneralizedClusters
from shoal.recoding.recoding_diff import diff_recodings
from shoal.recoding.recoding_file import load_recoding, save_recoding
from shoal.recoding.rows import RowRecoding
from tests.examples import examples
from tests.metrics.releases import releases
from tests.recoding.samples import CASES, mutations, sample, saved

each_case = pytest.mark.parametrize("case", CASES)


def fitting(path, data):
    return load_recoding(path).fitting(data.local.table, data.local.trees)


@each_case
def test_what_was_saved_is_loaded(case, tmp_path):
    data, result = sample(case)
    loaded = fitting(saved(case, tmp_path), data)
    assert type(loaded) is type(result.recoding)
    assert diff_recodings(result.recoding, loaded) == []
    assert loaded.notices == result.recoding.notices
    assert loaded.figures == json_value(result.recoding.figures)
    if isinstance(loaded, RowRecoding):
        for ours, theirs in zip(result.recoding.all_cuts, loaded.all_cuts, strict=True):
            assert ours.reasons == theirs.reasons
            np.testing.assert_array_equal(ours.part_of_row, theirs.part_of_row)
            assert ours.vocabulary(data.local.trees).labels == theirs.vocabulary(data.local.trees).labels
            np.testing.assert_array_equal(
                ours.vocabulary(data.local.trees).sizes, theirs.vocabulary(data.local.trees).sizes
            )
    if isinstance(loaded, ChunkRecoding):
        assert loaded.clusters.sensitive == result.recoding.clusters.sensitive
        assert loaded.clusters.terms.texts() == result.recoding.clusters.terms.texts()
    assert sh.measure(data, loaded, 2) == sh.measure(data, result.recoding, 2)


@each_case
def test_saving_what_was_loaded_gives_the_same_bytes(case, tmp_path):
    data, _ = sample(case)
    path = saved(case, tmp_path)
    save_recoding(fitting(path, data), data.local.trees, tmp_path / "again.npz")
    assert path.read_bytes() == (tmp_path / "again.npz").read_bytes()


@examples(40)
@given(releases())
def test_any_clusters_are_loaded_as_they_were(tmp_path_factory, release):
    path = tmp_path_factory.mktemp("any") / "it.npz"
    recoding = RowRecoding(release.clusters, notices=("ä\n",), figures={"x": np.float64(0.5), "y": np.inf})
    save_recoding(recoding, release.data.trees, path)
    loaded = load_recoding(path).fitting(release.data.table, release.data.trees)
    assert diff_recodings(recoding, loaded) == []
    np.testing.assert_array_equal(loaded.clusters.cluster_of_row, release.clusters.cluster_of_row)
    for name, ranges in release.clusters.ranges.items():
        np.testing.assert_array_equal(loaded.clusters.ranges[name], ranges)
    assert (loaded.notices, loaded.figures) == (("ä\n",), {"x": 0.5, "y": None})


@each_case
def test_damaged_files_are_refused_or_mean_something(case, tmp_path):
    content = saved(case, tmp_path).read_bytes()
    refused = 0
    for seed in range(150):
        path = tmp_path / "damaged.npz"
        path.write_bytes(mutations(content, seed))
        try:
            load_recoding(path)
        except BadInput as error:
            refused += 1
            assert "damaged.npz" in str(error)  # noqa: PT017 - others must not be raised at all
    assert refused > 75


def contents(path):
    with np.load(path, allow_pickle=False) as loaded:
        arrays = {name: loaded[name] for name in loaded}
    return json.loads(bytes(arrays.pop("header"))), arrays


@each_case
def test_arrays_that_do_not_fit_together_are_refused(case, tmp_path):
    """Whatever a program may have written: one array at a time with other numbers, or shorter, or gone."""
    path, (data, _) = saved(case, tmp_path), sample(case)
    header, arrays = contents(path)
    for name, array in arrays.items():
        changes = [array[:-1], None, array.astype(np.float32)]
        if array.dtype == np.int64 and name not in ("clusters.sizes", "clusters.lines", "counts"):
            changes += [np.full_like(array, 10**6), np.full_like(array, -7)]
        for changed in changes:
            other = {key: each for key, each in {**arrays, name: changed}.items() if each is not None}
            np.savez(path, header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **other)
            if array.size:
                with pytest.raises(BadInput):
                    fitting(path, data)


@each_case
@examples(25)
@given(data=st.data())
def test_headers_that_say_something_else_are_refused(case, data, tmp_path_factory):
    path = saved(case, tmp_path_factory.mktemp("header"))
    header, arrays = contents(path)
    key = data.draw(st.sampled_from(sorted(set(header) - {"figures", "notices"})))
    wrong = data.draw(st.sampled_from([None, -1, "nonsense", {"a": 1}, ["x"], [[]], True]))
    if wrong == header[key] or (
        key in ("terms", "sensitive", "column", "clusters") and wrong in ("nonsense", ["x"], None)
    ):
        return
    write_array_file(path, json.dumps({**header, key: wrong}), arrays)
    with pytest.raises(BadInput):
        load_recoding(path)


def test_headers_are_utf_8_json_of_this_format(tmp_path):
    header, arrays = contents(saved("cut", tmp_path))
    assert header["format"] == "shoal-recoding-1"
    assert header["kind"] == "rows"
    for text in (
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"kind": "rows"}',
        "[" * 10**5,
        json.dumps({**header, "more": 1}),
    ):
        write_array_file(tmp_path / "it.npz", text, arrays)
        with pytest.raises(BadInput):
            load_recoding(tmp_path / "it.npz")


def test_reasons_are_about_what_is_there(tmp_path):
    header, arrays = contents(saved("parts", tmp_path))
    assert header["items"][0]["reasons"]
    for change in ({"node": 10**6}, {"part": 9}, {"part": -1}, {"itemset": [-1]}, {"absent": [10**6]}):
        header["items"][0]["reasons"][0] |= change
        write_array_file(tmp_path / "it.npz", json.dumps(header), arrays)
        with pytest.raises(BadInput, match="not there"):
            load_recoding(tmp_path / "it.npz")
        header, _ = contents(saved("parts", tmp_path))


def test_clusters_without_columns_are_as_many_as_rows_at_most(tmp_path):
    recoding = RowRecoding(GeneralizedClusters(frozen_ints([0, 2**40])))
    save_recoding(recoding, {}, tmp_path / "it.npz")
    with pytest.raises(BadInput, match="outside of"):
        load_recoding(tmp_path / "it.npz")


def test_a_run_saves_its_recoding_for_the_publisher_alone(tmp_path):
    data, result = sample("joint")
    result.save(tmp_path / "out")
    (file,) = (tmp_path / "out").rglob("*.npz")
    assert file == tmp_path / "out" / "internal" / "recoding.npz"
    assert diff_recodings(fitting(file, data), result.recoding) == []
    assert diff_recodings(replace(fitting(file, data), notices=()), result.recoding) == []


def test_a_recoding_decides_about_something(tmp_path):
    header, arrays = contents(saved("cut", tmp_path))
    write_array_file(tmp_path / "it.npz", json.dumps({**header, "items": []}), arrays)
    with pytest.raises(BadInput, match="nothing was decided"):
        load_recoding(tmp_path / "it.npz")
