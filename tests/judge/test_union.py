"""How much of a page is new, told by samples: near the truth, whatever was seen before."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.judge.union import END, SEEN, compared, novelty, united
from skitter.parse.shingles import SAMPLE

DICE = random.Random(1)


def sample_of(shingles: set[int]) -> bytes:
    return b"".join(one.to_bytes(4, "big") for one in sorted(shingles)[:SAMPLE])


def shingles(count: int) -> set[int]:
    return {DICE.randrange(2**32 - 1) for _ in range(count)}


def union_of(pages: list[set[int]]) -> bytes:
    seen = b""
    for page in pages:
        seen = united(seen, sample_of(page))
    return seen


def test_at_first_all_is_new_and_then_nothing() -> None:
    page = sample_of(shingles(500))
    assert novelty(page, b"") == 1.0
    assert novelty(page, united(b"", page)) == 0.0
    assert united(united(b"", page), page) == united(b"", page)


def test_a_short_page_cut_from_a_long_one_is_not_new() -> None:
    long = shingles(5000)
    short = set(DICE.sample(sorted(long), 40))
    seen = united(b"", sample_of(long))
    assert compared(sample_of(short), seen)[0] == 0


def test_short_pages_are_known_in_full() -> None:
    pages = [shingles(20) for _ in range(5)]
    seen = union_of(pages)
    assert seen.endswith(END)
    assert compared(sample_of(pages[0] | pages[1]), seen) == (0, 40)
    assert novelty(sample_of(shingles(10)), seen) == 1.0


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_a_sum_over_pages_tells_how_much_of_them_is_new(share: float) -> None:
    pages = [shingles(400) for _ in range(20)]
    seen, known = union_of(pages), sorted(set[int]().union(*pages))
    counts = [
        compared(sample_of(set(DICE.sample(known, int(400 * (1 - share)))) | shingles(int(400 * share))), seen)
        for _ in range(100)
    ]
    new, told = (sum(column) for column in zip(*counts, strict=True))
    assert told > 500
    assert new / told == pytest.approx(share, abs=0.08)


@pytest.mark.slow
@given(st.lists(st.sets(st.integers(0, 2**32 - 2), max_size=200), max_size=12))
def test_a_union_has_all_hashes_up_to_its_last_one(pages: list[set[int]]) -> None:
    seen = union_of(pages)
    hashes = [int.from_bytes(seen[at : at + 4], "big") for at in range(0, len(seen), 4)]
    assert hashes == sorted(set(hashes))
    assert len(hashes) <= SEEN
    every = set[int]().union(*pages)
    assert hashes[:-1] == sorted(one for one in every if hashes and one < hashes[-1])
