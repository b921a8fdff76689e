from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from skitter.judge.novelty import KEPT, Compared, compare, hashes_of
from skitter.messages import Said

HASHES = st.sets(st.integers(0, 2**32 - 1), max_size=64)


def said(hashes: set[int]) -> Said:
    return Said(100, 0, b"".join(one.to_bytes(4, "big") for one in sorted(hashes)))


@given(st.lists(HASHES, max_size=12), HASHES)
def test_what_is_compared_is_told_exactly(before: list[set[int]], page: set[int]) -> None:
    seen, all_said = b"", set[int]()
    for one in before:
        _, seen = compare(hashes_of(said(one)), seen)
        all_said |= one
    line = sorted(all_said)[KEPT - 1] if len(all_said) >= KEPT else 2**32
    comparable = {one for one in page if one <= line}
    found, after = compare(hashes_of(said(page)), seen)
    assert found == Compared(len(comparable - all_said), len(comparable))
    assert len(after) <= 4 * KEPT
    assert compare(hashes_of(said(page)), after)[0].new == 0


def test_a_short_page_is_compared_as_a_whole_digits_and_all() -> None:
    pages = [Said(2, brief=f"table {number}") for number in range(50)]
    seen = b""
    for one, other in pairwise(pages):
        assert hashes_of(one) != hashes_of(other)
        found, seen = compare(hashes_of(one), seen)
        assert found == Compared(1, 1)
    assert compare(hashes_of(pages[3]), seen)[0] == Compared(0, 1)


def test_a_page_without_text_says_nothing_that_could_be_compared() -> None:
    assert compare(hashes_of(Said()), b"")[0] == Compared(0, 0)
