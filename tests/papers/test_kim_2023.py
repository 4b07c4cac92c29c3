"""Kim. A new approach for anonymizing transaction data with set values. Electronics 12(14), 2023: Table 1.

The column of the proposed algorithm is called 2-anonymous there, but four of its sets occur once. All that
holds is that every published item occurs in at least two records.
"""

import shoal as sh
from tests.builders import local_data

PROPOSED = ["P", "P f g", "K f M", "K f M", "P f g", "T i", "T", "i"]


def proposed():
    return local_data([(labels.split(),) for labels in PROPOSED], {"items": sh.QuasiSet()})


def test_the_proposed_sets_are_not_2_anonymous():
    verdict = sh.SetKAnonymity(2).verify(proposed())
    assert not verdict.holds
    assert verdict.smallest == 1
    assert verdict.figures["sets_below_k"] == 4


def test_the_proposed_sets_hold_every_item_twice():
    verdict = sh.KmAnonymity(2, 1).verify(proposed())
    assert verdict.holds
    assert verdict.smallest == 2


def test_verify_says_so_of_the_file(tmp_path):
    published = tmp_path / "proposed.txt"
    published.write_text("\n".join(PROPOSED) + "\n", encoding="utf-8")
    roles = {"items": sh.QuasiSet()}
    (as_complete,) = sh.verify(published, roles, sh.SetKAnonymity(2))
    (as_single_items,) = sh.verify(published, roles, sh.KmAnonymity(2, 1))
    assert not as_complete.holds
    assert as_single_items.holds
