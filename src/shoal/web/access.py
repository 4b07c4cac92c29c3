"""Who may use the server: one-time links for browsers, sessions after that, keys for programs.

Secrets are random, kept as digests only, and compared in constant time.
"""

import hashlib
import hmac
import secrets
import threading
import time

from shoal.web.service.store import Store

SESSION_SECONDS = 24 * 3600.0
_NOTED_EVERY = 300.0


class Access:
    """Links, sessions and keys of one server.

    A link opens one session and is spent by that; the next one can then be made. The token of the first link
    and the given keys are also accepted from programs, until the server stops.
    """

    def __init__(self, store: Store, token: str | None = None, keys: tuple[str, ...] = ()) -> None:
        self._store = store
        self._mutex = threading.Lock()
        self.token = token or new_secret()
        self._links = {digest(self.token)}
        self._keys = {digest(key) for key in (self.token, *keys)}

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

    def is_key(self, given: str) -> bool:
        """Whether a program may come in with this key."""
        return _found(digest(given), self._keys) is not None


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
