import io
import pickle
import zipfile

import numpy as np
import pytest

from shoal.errors import BadInput, OutputFailed
from shoal.recoding.array_file import read_array_file, write_array_file

ARRAYS = {"some.ints": np.arange(6).reshape(2, 3), "marks": np.array([True, False]), "none": np.empty(0)}


@pytest.fixture
def path(tmp_path):
    write_array_file(tmp_path / "it.npz", '{"ä": 1}', ARRAYS)
    return tmp_path / "it.npz"


def members(path, **content):
    """A file with these members, given as their bytes."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, each in content.items():
            archive.writestr(f"{name}.npy", each)
    return path


def as_npy(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


HEADER = as_npy(np.frombuffer(b"{}", dtype=np.uint8))


def test_what_is_written_is_read(path):
    header, arrays = read_array_file(path)
    assert header.decode() == '{"ä": 1}'
    np.testing.assert_array_equal(
        arrays.ints("some.ints", shape=(2, 3), least=0, below=6), ARRAYS["some.ints"]
    )
    assert arrays.bools("marks").tolist() == [True, False]
    assert arrays.floats("none", shape=(0,)).tolist() == []


def test_numpy_reads_it_too(path):
    with np.load(path, allow_pickle=False) as loaded:
        assert bytes(loaded["header"]).decode() == '{"ä": 1}'
        assert set(loaded) == {"header", *ARRAYS}


def test_equal_content_gives_equal_bytes(path, tmp_path):
    write_array_file(tmp_path / "again.npz", '{"ä": 1}', ARRAYS)
    assert path.read_bytes() == (tmp_path / "again.npz").read_bytes()


def test_nobody_can_write_to_what_was_read(path):
    _, arrays = read_array_file(path)
    with pytest.raises(ValueError, match="read-only"):
        arrays.ints("some.ints", shape=(2, 3), least=0, below=6)[0, 0] = 1


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda arrays: arrays.ints("other", least=0, below=9), "other is missing"),
        (lambda arrays: arrays.ints("some.ints", shape=(2, 3), least=0, below=5), "outside of 0..4"),
        (lambda arrays: arrays.ints("some.ints", shape=(3, 2), least=0, below=6), "shape"),
        (lambda arrays: arrays.ints("some.ints", least=0, below=6), "shape"),
        (lambda arrays: arrays.ints("marks", least=0, below=6), "bool"),
        (lambda arrays: arrays.floats("marks", shape=(2,)), "bool"),
        (lambda arrays: arrays.table("marks"), "rows and columns"),
    ],
)
def test_arrays_are_what_was_asked_for_or_refused(path, ask, said):
    _, arrays = read_array_file(path)
    with pytest.raises(ValueError, match=said):
        ask(arrays)


@pytest.mark.parametrize("starts", [[], [1, 2], [0, 2, 1, 2], [0, 1]])
def test_starts_divide_all_there_is(tmp_path, starts):
    arrays = {"s.starts": np.array(starts, dtype=np.int64), "s.items": np.array([3, 4])}
    write_array_file(tmp_path / "it.npz", "{}", arrays)
    _, read = read_array_file(tmp_path / "it.npz")
    with pytest.raises(ValueError, match=r"s\.starts"):
        read.sets("s", below=5)


class Boom:
    def __reduce__(self):
        return pytest.fail, ("it was unpickled",)


HOSTILE = {
    "objects": as_npy(np.array([Boom()], dtype=object), allow_pickle=True),
    "pickle": pickle.dumps(Boom()),
    "longer than it says": as_npy(np.arange(3)) + b"1234",
    "shorter": as_npy(np.arange(3))[:-1],
    "huge": as_npy(np.arange(3)).replace(b"(3,), }            ", b"(3000000000000,), }"),
    "negative": as_npy(np.arange(8)).replace(b"(8,), }   ", b"(-1,-8), }"),
    "texts": as_npy(np.array(["a"])),
    "complex": as_npy(np.array([1j])),
    "big endian": as_npy(np.arange(3).astype(">i8")),
    "by columns": as_npy(np.asfortranarray(np.arange(6).reshape(2, 3))),
    "three dimensions": as_npy(np.zeros((1, 1, 1))),
    "another version": as_npy(np.arange(3)).replace(b"NUMPY\x01", b"NUMPY\x03"),
    "no array": b"nonsense",
    "nothing": b"",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_whatever_is_no_plain_array_is_refused(tmp_path, kind):
    with pytest.raises(BadInput, match=r"it\.npz: is no file of arrays"):
        read_array_file(members(tmp_path / "it.npz", header=HEADER, a=HOSTILE[kind]))


def test_other_files_are_refused(tmp_path):
    compressed = tmp_path / "compressed.npz"
    np.savez_compressed(compressed, header=np.zeros(10**6, dtype=np.uint8))
    for path in (tmp_path / "absent", tmp_path, members(tmp_path / "a.npz", a=HEADER), compressed):
        with pytest.raises(BadInput):
            read_array_file(path)


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(OutputFailed, match="cannot be written"):
        write_array_file(tmp_path / "absent" / "it.npz", "{}", {})


def test_numbers_of_any_width_are_written_as_one_type(tmp_path):
    narrow = {"i": np.arange(3, dtype=np.int32), "f": np.arange(2, dtype=np.float32)}
    write_array_file(tmp_path / "it.npz", "{}", narrow)
    _, arrays = read_array_file(tmp_path / "it.npz")
    assert arrays.ints("i", least=0, below=3).tolist() == [0, 1, 2]
    assert arrays.floats("f", shape=(2,)).tolist() == [0, 1]
