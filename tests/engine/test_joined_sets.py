from fractions import Fraction

from shoal.engine.joined_sets import Item
from shoal.engine.local import LocalData
from shoal.table.roles import Insensitive, Quasi, QuasiSet, Sensitive
from tests.builders import flat_tree, local_data

ROLES = {
    "age": Quasi(),
    "food": QuasiSet(sensitive=("dope",)),
    "note": Insensitive(),
    "outcome": Sensitive(),
    "drink": QuasiSet(sensitive=("gin", "never seen")),
}
DATA = local_data(
    [
        ("30", ["bread", "dope"], "n", "good", ["milk"]),
        ("30", [], "n", None, ["gin", "milk"]),
        ("40", ["bread", "salt"], "n", "bad", []),
        ("40", ["bread"], "n", "good", []),
    ],
    ROLES,
)


def items(*pairs: tuple[str, str]) -> tuple[Item, ...]:
    return tuple(Item(column, label) for column, label in pairs)


def quasi_items(data: LocalData) -> list[tuple[Item, ...]]:
    sets = data.joined_sets()
    return [sets.items_of_row(row) for row in range(data.row_count)]


def sensitive_items(data: LocalData) -> list[list[Item]]:
    sets = data.joined_sets()
    starts = sets.sensitive.starts
    return [
        [
            sets.sensitive_items.item(int(number))
            for number in sets.sensitive.items[starts[row] : starts[row + 1]]
        ]
        for row in range(data.row_count)
    ]


def test_items_of_all_set_columns_are_joined_without_the_sensitive_ones():
    assert quasi_items(DATA) == [
        items(("food", "bread"), ("drink", "milk")),
        items(("drink", "milk")),
        items(("food", "bread"), ("food", "salt")),
        items(("food", "bread")),
    ]


def test_sensitive_items_and_values_are_joined_and_a_value_says_that_there_is_one():
    there_is_one = Item("outcome", "None")
    assert sensitive_items(DATA) == [
        [Item("food", "dope"), Item("outcome", "good"), there_is_one],
        [Item("drink", "gin")],
        [Item("outcome", "bad"), there_is_one],
        [Item("outcome", "good"), there_is_one],
    ]


def test_the_rarest_itemset_comes_with_its_rows():
    rarest = DATA.joined_sets().rarest(1, 3)
    assert (rarest.support, rarest.itemset) == (1, items(("food", "salt")))
    assert (rarest.where.rows.tolist(), rarest.below_k) == ([2], 2)


def test_the_rarest_itemset_within_a_class_comes_with_the_rows_of_that_class():
    data = local_data(
        [("30", ["a"]), ("40", ["a"]), ("40", ["a"]), ("30", [])], {"age": Quasi(), "basket": QuasiSet()}
    )
    rarest = data.joined_sets().rarest(2, 2, data.classes(("age",)))
    assert (rarest.support, rarest.where.rows.tolist(), rarest.below_k) == (1, [0], 1)


def test_the_likeliest_guess_comes_with_the_rows_that_prove_it():
    guess = DATA.joined_sets().likeliest_guess(1)
    assert (guess.known, guess.sensitive) == (items(("food", "salt")), Item("outcome", "bad"))
    assert (guess.share, guess.where.rows.tolist()) == (Fraction(1), [2])

    unknown = DATA.joined_sets().likeliest_guess(0)
    assert (unknown.known, unknown.sensitive, unknown.share) == ((), Item("outcome", "good"), Fraction(2, 3))
    assert unknown.where.rows.tolist() == [0, 3]


def test_without_set_columns_all_records_are_empty():
    data = local_data([("30",), ("40",)], {"age": Quasi()})
    sets = data.joined_sets()
    assert quasi_items(data) == [(), ()]
    assert sets.rarest(2, 2).support is None
    assert sets.likeliest_guess(2) is None
    assert data.set_classes(sets).sizes.tolist() == [2]


def test_equal_sets_are_a_class_whatever_is_sensitive_in_them():
    data = local_data(
        [(["a", "s"],), ([],), (["a"],), (["s"],), (["a", "b"],)], {"basket": QuasiSet(sensitive=("s",))}
    )
    assert data.set_classes(data.joined_sets()).class_of_row.tolist() == [0, 1, 0, 1, 2]


def test_items_on_a_tree_are_named_by_its_leaves():
    data = local_data([(["c", "a"],)], {"basket": QuasiSet()}, trees={"basket": flat_tree(["c", "b", "a"])})
    assert quasi_items(data) == [items(("basket", "c"), ("basket", "a"))]
