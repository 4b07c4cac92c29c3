import pytest

from shoal.user_cache import cache_folder, kept


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path))
    return tmp_path


def test_things_are_made_once_and_again_when_what_they_are_made_from_has_changed():
    made = []

    def make():
        made.append(len(made))
        return b"made %d" % made[-1]

    assert [kept("words", "a", "1", make) for _ in range(2)] == [b"made 0"] * 2
    assert kept("words", "a", "2", make) == b"made 1"
    assert kept("words", "b", "1", make) == b"made 2"


@pytest.mark.parametrize(
    "damage", [lambda content: content[:-1], lambda content: content + b"x", lambda _: b""]
)
def test_what_was_damaged_is_made_again(folder, damage):
    kept("words", "a", "1", lambda: b"first")
    (file,) = (folder / "words").iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert kept("words", "a", "1", lambda: b"second") == b"second"
    assert kept("words", "a", "1", lambda: b"third") == b"second"


def test_what_cannot_be_kept_is_made_each_time(folder):
    (folder / "words").write_text("not a folder")
    assert kept("words", "a", "1", lambda: b"first") == b"first"
    assert kept("words", "a", "1", lambda: b"second") == b"second"


def test_parts_have_folders_of_their_own(folder):
    assert cache_folder("kernels") == folder / "kernels"
