"""Hosts whose pages are copies of another's, and pairs of near numbers, of which none is missed."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from skitter.rank.survey.content import Page
from skitter.rank.survey.mirrors import BITS, masks, mirrors, near

values = st.integers(1, 2**64 - 1)
flips = st.lists(st.integers(0, 63), max_size=5)


def page(host: int, simhash: int = 0, digest: str = "") -> Page:
    return Page(host, digest, simhash, 1)


@given(st.lists(st.tuples(values, flips), max_size=8))
def test_no_near_pair_is_missed(drawn: list[tuple[int, list[int]]]) -> None:
    whole = set()
    for value, bits in drawn:
        other = value
        for bit in bits:
            other ^= 1 << bit
        whole |= {value, other}
    ordered = sorted(whole)
    expected = {pair for pair in combinations(ordered, 2) if (pair[0] ^ pair[1]).bit_count() <= BITS}
    assert {tuple(sorted((ordered[one], ordered[other]))) for one, other in near(ordered)} == expected


def test_any_three_bits_leave_three_blocks_alone() -> None:
    assert len(masks()) == 20
    for bits in combinations(range(0, 64, 3), 3):
        changed = sum(1 << bit for bit in bits)
        assert any(mask & changed == 0 for mask in masks())


def test_the_better_one_is_the_original() -> None:
    pages = [page(host, 1000 * number ^ host) for number in range(1, 6) for host in (0, 1)]
    assert mirrors(pages, standing=[1, 0]) == {1: 0}
    assert mirrors(pages, standing=[0, 1]) == {0: 1}


def test_without_a_simhash_bytes_must_be_equal() -> None:
    pages = [page(host, digest=f"d{number}") for number in range(3) for host in (0, 1)]
    assert mirrors(pages, [1, 0]) == {1: 0}
    assert mirrors([page(0, digest="a"), page(1, digest="b")] * 5, [1, 0]) == {}


def test_some_pages_in_common_make_no_mirror() -> None:
    common = [page(host, digest=f"d{number}") for number in range(4) for host in (0, 1)]
    own = [page(1, digest=f"own{number}") for number in range(4)]
    assert mirrors(common + own, [1, 0]) == {}
    assert mirrors(common + own[:2], [1, 0]) == {1: 0}


def test_a_mirror_is_told_though_less_was_seen_of_the_original() -> None:
    seen = [page(0, digest=f"d{number}") for number in range(20)]
    copies = [page(1, digest=f"d{number}") for number in range(60)]
    assert mirrors(seen + copies, [1, 0]) == {1: 0}
    assert mirrors(seen[:9] + copies, [1, 0]) == {}, "a few pages in common make no mirror"
    own = [page(0, digest=f"own{number}") for number in range(20)]
    assert mirrors(seen + own + copies, [1, 0]) == {}, "nor does a part of the original's"


def test_two_pages_are_too_few() -> None:
    assert mirrors([page(host, digest=f"d{number}") for number in range(2) for host in (0, 1)], [1, 0]) == {}


def test_pages_that_say_nothing_are_nobodys_copy() -> None:
    assert mirrors([page(0), page(1)] * 5, [1, 0]) == {}
