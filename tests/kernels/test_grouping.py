import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from shoal.kernels.grouping import (
    Packed,
    count_rows,
    group_rows,
    members,
    room_for_classes,
    with_more_room,
)
from tests.examples import examples
from tests.reference import grouping

few_values = st.integers(0, 2)
wide_values = st.sampled_from([0, 1, 2**31, 2**32, 2**62, 2**63 - 1, -1])


@given(arrays(np.int64, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12), elements=few_values))
@examples(100)
def test_rows_share_a_class_exactly_when_they_are_equal(codes):
    class_of_row, first_rows = group_rows(codes)
    assert (class_of_row.tolist(), first_rows.tolist()) == grouping.group_rows(codes.tolist())


@given(arrays(np.int64, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=8), elements=wide_values))
@examples(100)
def test_codes_of_any_size_are_told_apart(codes):
    assert group_rows(codes)[0].tolist() == grouping.group_rows(codes.tolist())[0]


@given(
    arrays(np.int64, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12), elements=wide_values),
    st.integers(1, 12),
)
@examples(100)
def test_rows_are_counted_some_at_a_time(codes, at_once):
    counted, class_of_row = room_for_classes(codes.shape[1], 1), np.full(len(codes), -1, dtype=np.int64)
    done = 0
    while done < len(codes):
        some = slice(done, done + at_once)
        done += (now := count_rows(counted, codes[some], done, class_of_row[some]))
        if now < len(codes[some]):
            counted = with_more_room(counted)
    expected, first_rows = grouping.group_rows(codes.tolist())
    count = int(counted.state[0])
    assert class_of_row.tolist() == expected
    assert counted.first_rows[:count].tolist() == first_rows
    assert counted.sizes[:count].tolist() == np.bincount(expected).tolist()
    assert counted.keys[:count].tolist() == codes[first_rows].tolist()


@given(
    st.lists(st.tuples(*[st.sampled_from([0, 1, 2**31 - 1, 2**32])] * 4), min_size=1, max_size=8),
    st.integers(0, 8),
)
@examples(100)
def test_packed_rows_are_equal_exactly_where_rows_are(rows, first):
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
    packed = Packed.of(columns).rows(0, len(rows))
    assert group_rows(packed)[0].tolist() == grouping.group_rows(rows)[0]
    assert Packed.of(columns).rows(min(first, len(rows)), len(rows)).tolist() == packed[first:].tolist()


def test_no_rows_have_no_classes():
    class_of_row, first_rows = group_rows(np.zeros((0, 3), dtype=np.int64))
    assert (len(class_of_row), len(first_rows)) == (0, 0)


def test_many_distinct_rows_stay_apart():
    codes = np.stack((np.arange(5_000) * 2**40, np.arange(5_000) % 7), axis=1)
    class_of_row, _ = group_rows(np.concatenate((codes, codes)))
    assert class_of_row.tolist() == [*range(5_000), *range(5_000)]


@given(st.lists(st.integers(-1, 3), max_size=12))
@examples(60)
def test_members_lists_the_rows_of_each_class(class_of_row):
    starts, rows = members(np.array(class_of_row, dtype=np.int64), 4)
    listed = [rows[starts[c] : starts[c + 1]].tolist() for c in range(4)]
    assert listed == grouping.members(class_of_row, 4)
