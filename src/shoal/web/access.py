"""Who may use the server: one-time links for browsers, sessions after that, keys for programs.

Secrets are random, kept as digests only, and compared in constant time.
"""

import hashlib
import hmac
import secrets
import threading
import time
from dataclasses import dataclass

from shoal.web.service.projects import checked_name
from shoal.web.service.store import Store, new_id

SESSION_SECONDS = 24 * 3600.0
_NOTED_EVERY = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramKey:
    """A key for programs as lists show it; times are seconds since 1970, `used` None before the first use."""

    id: str
    name: str
    created: float
    used: float | None


class Access:
    """Links, sessions and keys of one server.

    A link opens one session, is spent by that and good for nothing else; the next one can then be made.
    Programs come in with keys: the given ones until the server stops, those made here until they are revoked.
    """

    def __init__(self, store: Store, token: str | None = None, keys: tuple[str, ...] = ()) -> None:
        self._store = store
        self._mutex = threading.Lock()
        self.token = token or new_secret()
        self._links = {digest(self.token)}
        self._keys = {digest(key) for key in keys}

    def new_link(self) -> str:
        """A further token that opens one session."""
        token = new_secret()
        with self._mutex:
            self._links.add(digest(token))
        return token

    def open_session(self, token: str) -> str | None:
        """Spend a token; the secret of the new session, or None if the token is not good."""
        with self._mutex:
            spent = _found(digest(token), self._links)
            if spent is None:
                return None
            self._links.discard(spent)
        secret, now = new_secret(), time.time()
        with self._store.changing() as connection:
            connection.execute("DELETE FROM sessions WHERE seen < ?", (now - SESSION_SECONDS,))
            connection.execute("INSERT INTO sessions VALUES (?, ?, ?)", (digest(secret), now, now))
        return secret

    def has_session(self, secret: str) -> bool:
        """Whether a session has this secret; being asked keeps it alive."""
        now = time.time()
        row = self._store.row("SELECT digest, seen FROM sessions WHERE digest = ?", digest(secret))
        if row is None or now - row["seen"] > SESSION_SECONDS:
            return False
        if now - row["seen"] > _NOTED_EVERY:
            self._store.change("UPDATE sessions SET seen = ? WHERE digest = ?", now, row["digest"])
        return True

    def close_session(self, secret: str) -> None:
        """End a session: its secret opens nothing any more."""
        self._store.change("DELETE FROM sessions WHERE digest = ?", digest(secret))

    def is_key(self, given: str) -> bool:
        """Whether a program may come in with this key; when one was last used is noted."""
        if _found(digest(given), self._keys) is not None:
            return True
        row = self._store.row("SELECT id, used FROM keys WHERE digest = ?", digest(given))
        if row is None:
            return False
        now = time.time()
        if now - (row["used"] or 0.0) > _NOTED_EVERY:
            self._store.change("UPDATE keys SET used = ? WHERE id = ?", now, row["id"])
        return True

    def make_key(self, name: str) -> str:
        """A new key for programs; it is told here and never again."""
        secret = new_secret()
        values = (new_id(), checked_name(name), digest(secret), time.time())
        self._store.change("INSERT INTO keys (id, name, digest, created) VALUES (?, ?, ?, ?)", *values)
        return secret

    def made_keys(self) -> list[ProgramKey]:
        """The keys that were made here and are still good, the newest first."""
        rows = self._store.rows("SELECT id, name, created, used FROM keys ORDER BY created DESC, rowid DESC")
        return [ProgramKey(**dict(row)) for row in rows]

    def revoke(self, key: str) -> None:
        """Take a key back for good."""
        self._store.change("DELETE FROM keys WHERE id = ?", key)


def new_secret() -> str:
    """A random text that cannot be guessed."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """What is kept of a secret; it is random, so one round of hashing is enough."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _found(wanted: str, among: set[str]) -> str | None:
    found = None
    for known in among:  # all of them, so that time tells nothing
        if hmac.compare_digest(wanted, known):
            found = known
    return found
