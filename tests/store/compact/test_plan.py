"""What is merged with what, and when."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skitter.store.compact.plan import GRACE, LARGE, MANY, MOST, groups, is_over
from skitter.store.index.names import day_in, is_merged, next_merged

DAY = "20261115"
MIDNIGHT = 1_794_787_200.0  # at the end of that day
SIZES = st.lists(st.sampled_from([0, 1, LARGE // 3, LARGE - 1, LARGE, 2 * LARGE]), max_size=200)


def loose(number: int) -> str:
    return f"skitter-{DAY}204551-n1-{number:05d}"


def files(*sizes: int) -> dict[str, int]:
    return {loose(number): size for number, size in enumerate(sizes)}


def test_names_tell_what_a_file_is() -> None:
    first = next_merged(DAY, [loose(7)])
    assert first == "skitter-20261115-merged-00000"
    assert next_merged(DAY, [first, loose(0), "skitter-20261115-merged-00011"]) == "skitter-20261115-merged-00012"
    assert (is_merged(first), is_merged(loose(0))) == (True, False)
    assert day_in(first) == day_in(loose(0)) == DAY
    assert day_in("ranks-20261115000000") is None
    assert first < loose(0), "what is merged is older than what the day gets later"


def test_a_day_is_over_some_time_after_midnight() -> None:
    assert not is_over(DAY, MIDNIGHT)
    assert not is_over(DAY, MIDNIGHT + GRACE - 1)
    assert is_over(DAY, MIDNIGHT + GRACE)


def test_a_day_that_lasts_is_left_alone_until_its_files_are_many() -> None:
    assert groups(files(*[1] * (MANY - 1)), is_over=False) == []
    (group,) = groups(files(*[1] * MANY), is_over=False)
    assert len(group) == MANY


def test_what_was_merged_is_merged_again_only_when_the_day_is_over() -> None:
    merged = next_merged(DAY, [])
    assert groups({merged: 5, **files(1, 1)}, is_over=False) == []
    assert groups({merged: 5, **files(1, 1)}, is_over=True) == [[merged, loose(0), loose(1)]]


def test_large_files_and_single_ones_stay() -> None:
    assert groups(files(LARGE, 1, 2 * LARGE), is_over=True) == []
    assert groups(files(LARGE - 1, 1, LARGE - 1, 5), is_over=True) == [[loose(0), loose(1)], [loose(2), loose(3)]]


@given(SIZES)
def test_there_is_an_end_to_it(sizes: list[int]) -> None:
    there = files(*sizes)
    for _ in range(20):
        if not (found := groups(there, is_over=True)):
            break
        for group in found:
            assert 1 < len(group) <= MOST
            assert sum(there[name] for name in group[:-1]) < LARGE
            there[next_merged(DAY, there)] = sum(there.pop(name) for name in group)
    assert sum(there.values()) == sum(sizes)
    assert groups(there, is_over=True) == []
