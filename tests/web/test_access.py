import time
from collections.abc import Iterator

import pytest

from shoal.errors import BadInput
from shoal.web import access as accesses
from shoal.web.access import SESSION_SECONDS, Access
from shoal.web.service.store import Store


@pytest.fixture
def store(tmp_path) -> Iterator[Store]:
    store = Store(tmp_path / "data")
    yield store
    store.close()


def test_a_token_opens_one_session(store):
    access = Access(store)
    secret = access.open_session(access.token)
    assert secret is not None
    assert access.has_session(secret)
    assert access.open_session(access.token) is None
    assert access.open_session(access.new_link()) is not None


def test_sessions_survive_a_restart_and_tokens_do_not(store):
    before = Access(store)
    secret = before.open_session(before.token)
    assert secret is not None
    after = Access(store)
    assert after.has_session(secret)
    assert after.open_session(before.token) is None
    assert not after.is_key(before.token)


def test_a_session_ends_when_it_is_not_used(store, monkeypatch):
    access = Access(store)
    secret = access.open_session(access.token)
    assert secret is not None
    later = time.time() + SESSION_SECONDS * 0.9
    monkeypatch.setattr(accesses.time, "time", lambda: later)
    assert access.has_session(secret)
    monkeypatch.setattr(accesses.time, "time", lambda: later + SESSION_SECONDS * 0.9)
    assert access.has_session(secret)
    monkeypatch.setattr(accesses.time, "time", lambda: later + SESSION_SECONDS * 3)
    assert not access.has_session(secret)


def test_keys_are_made_listed_and_revoked(store):
    access = Access(store)
    secret = access.make_key("nightly upload")
    (listed,) = access.made_keys()
    assert (listed.name, listed.used) == ("nightly upload", None)
    assert secret not in str([tuple(row) for row in store.rows("SELECT * FROM keys")])
    again = Access(store)
    assert again.is_key(secret), "after a restart"
    assert again.made_keys()[0].used is not None
    again.revoke(listed.id)
    assert not access.is_key(secret)
    assert access.made_keys() == []
    with pytest.raises(BadInput):
        access.make_key(" ")


def test_a_session_that_was_closed_opens_nothing(store):
    access = Access(store)
    secret = access.open_session(access.token)
    assert secret is not None
    access.close_session(secret)
    assert not access.has_session(secret)


def test_only_the_given_keys_are_keys(store):
    access = Access(store, keys=("a key of twenty letters",))
    assert not access.is_key(access.token)
    assert access.is_key("a key of twenty letters")
    assert not access.is_key(access.new_link())
    assert not access.is_key("")
    assert not access.is_key("\ud800")


def test_no_secret_is_kept_as_it_is(store):
    access = Access(store)
    secret = access.open_session(access.token)
    assert secret is not None
    kept = str([tuple(row) for row in store.rows("SELECT * FROM sessions")])
    assert secret not in kept
    assert access.token not in kept
