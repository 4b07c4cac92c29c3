"""Keyed pseudonyms: the same label has the same pseudonym, and nobody without the key can try labels out."""

from __future__ import annotations

import hashlib
import hmac
import secrets

import numpy as np

from shoal.errors import InvalidParameter
from shoal.table.columns import Coded, category_domain

KEY_BYTES = 32
PSEUDONYM_BYTES = 16
PSEUDONYM_FORM = f"^[0-9a-f]{{{2 * PSEUDONYM_BYTES}}}\\z"


def new_key() -> bytes:
    """A key from the operating system; whoever loses it cannot continue a series of pseudonyms."""
    return secrets.token_bytes(KEY_BYTES)


def pseudonymize(column: Coded, key: bytes) -> Coded:
    """Replace each label by the first 128 bits of its HMAC-SHA256, in hexadecimal digits.

    Rows and missing values stay; codes are renumbered in the order of the pseudonyms, so that they do not
    tell the order of the labels.
    """
    if len(key) < PSEUDONYM_BYTES:
        raise InvalidParameter("pseudonymize", "key", f"{len(key)} bytes", f"{PSEUDONYM_BYTES} bytes or more")
    pseudonyms = [_pseudonym(label, key) for label in column.domain.texts()]
    order = np.array(sorted(range(len(pseudonyms)), key=pseudonyms.__getitem__), dtype=np.int64)
    rank = np.empty(len(order) + 1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = len(order)  # the missing value
    return Coded.of(rank[column.codes], category_domain([pseudonyms[place] for place in order]))


def _pseudonym(label: str, key: bytes) -> str:
    return hmac.new(key, label.encode(), hashlib.sha256).digest()[:PSEUDONYM_BYTES].hex()
