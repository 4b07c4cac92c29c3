import hashlib
import hmac

import pytest

from shoal.errors import InvalidParameter
from shoal.table.columns import Coded, category_domain
from shoal.table.pseudonyms import new_key, pseudonymize
from tests.table.views import values

KEY = bytes(range(32))


def names():
    return Coded.of([2, 0, 3, 1, 0], category_domain(["Ann", "Bob", "Çem"]))


def test_a_pseudonym_is_a_keyed_hash_of_the_label():
    expected = hmac.new(KEY, "Çem".encode(), hashlib.sha256).hexdigest()[:32]
    assert values(pseudonymize(names(), KEY))[0] == expected


def test_equal_labels_stay_equal_and_missing_stays_missing():
    first, second, third, fourth, fifth = values(pseudonymize(names(), KEY))
    assert third is None
    assert second == fifth
    assert len({first, second, fourth}) == 3


def test_codes_do_not_tell_the_order_of_the_labels():
    column = pseudonymize(names(), KEY)
    assert column.domain.texts() == sorted(column.domain.texts())


def test_another_key_gives_other_pseudonyms():
    assert not set(values(pseudonymize(names(), KEY))) & set(values(pseudonymize(names(), new_key()))) - {
        None
    }


def test_keys_are_long_and_never_the_same():
    assert len(new_key()) == 32
    assert new_key() != new_key()
    with pytest.raises(InvalidParameter, match="16 bytes or more"):
        pseudonymize(names(), b"short")
