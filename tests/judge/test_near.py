"""Near duplicates: which pages are, how they are found, and that finding them takes no longer as a site grows."""

from __future__ import annotations

import random

import pytest

from skitter.judge.near import (
    BANDS,
    LEAST_WORDS,
    LIKENESS,
    MOST_PAGES,
    Representatives,
    bands,
    is_near,
    signature_of,
    similarity,
)
from skitter.messages import Said
from skitter.parse.shingles import SAMPLE, said_of
from tests.growth.clock import dearer

DICE = random.Random(1)


def words(count: int) -> list[str]:
    return [f"w{DICE.randrange(10**9)}" for _ in range(count)]


def changed(text: list[str], times: int) -> list[str]:
    """Returns a text with so many words replaced."""
    places = set(DICE.sample(range(len(text)), times))
    return [f"n{DICE.randrange(10**9)}" if at in places else word for at, word in enumerate(text)]


def signature(text: list[str]) -> bytes:
    return signature_of(said_of(" ".join(text)))


def jaccard(one: list[str], other: list[str]) -> float:
    """Returns how much the shingles of two texts have in common, by counting."""
    mine, theirs = ({tuple(text[at : at + 5]) for at in range(len(text) - 4)} for text in (one, other))
    return len(mine & theirs) / len(mine | theirs)


TEXT = words(500)


@pytest.mark.parametrize("times", [1, 2, 5])
def test_pages_that_differ_in_little_are_near(times: int) -> None:
    assert is_near(signature(TEXT), signature(changed(TEXT, times)))


@pytest.mark.parametrize("times", [30, 60, 100])
def test_pages_that_differ_in_much_are_not(times: int) -> None:
    assert not is_near(signature(TEXT), signature(changed(TEXT, times)))


def test_more_of_a_page_makes_another() -> None:
    assert not is_near(signature(TEXT), signature(TEXT + words(200)))
    assert is_near(signature(TEXT), signature(TEXT + words(10)))


def test_pages_that_differ_in_digits_only_are_not_the_same() -> None:
    table = [[f"row {row} is {DICE.randrange(1000)} high" for row in range(60)] for _ in range(2)]
    assert not is_near(signature(table[0]), signature(table[1]))


def test_what_says_too_little_is_near_to_nothing() -> None:
    short, enough = words(LEAST_WORDS - 1), words(LEAST_WORDS)
    assert signature(short) == b""
    assert bands(b"") == []
    assert not is_near(b"", b"")
    assert not is_near(b"", signature(enough))
    assert is_near(signature(enough), signature(enough))


def test_a_short_page_is_near_only_to_its_like() -> None:
    short = words(2 * LEAST_WORDS)
    assert not is_near(signature(short), signature(changed(short, 2)))


def test_similarity_is_what_pages_have_in_common() -> None:
    errors = []
    for times in (1, 5, 10, 20, 40, 80) * 5:
        text = words(600)
        other = changed(text, times)
        errors.append(similarity(signature(text), signature(other)) - jaccard(text, other))
    assert max(map(abs, errors)) < 0.25
    assert abs(sum(errors) / len(errors)) < 0.03
    assert similarity(signature(TEXT), signature(words(500))) == 0


def test_keys_are_small_and_few_and_the_same_for_the_same() -> None:
    keys = bands(signature(TEXT))
    assert len(keys) == len(set(keys)) == BANDS + 1 == 6
    assert {len(key) for key in keys} == {8}
    assert bands(signature(TEXT)) == keys
    assert not set(keys) & set(bands(signature(words(500))))
    assert len(signature(TEXT)) == 13 + 4 * SAMPLE


def test_nearly_all_near_pages_share_a_key_and_few_others_do() -> None:
    def shared(times: int) -> float:
        pairs = [(text, changed(text, times)) for text in (words(400) for _ in range(60))]
        return sum(not set(bands(signature(one))).isdisjoint(bands(signature(other))) for one, other in pairs) / 60

    assert shared(2) == 1.0
    assert shared(4) >= 0.95
    assert shared(60) <= 0.2


def test_signatures_and_keys_stay_what_they_are_on_disks() -> None:
    said = Said(40, 0x0123456789ABCDEF, b"".join(number.to_bytes(4, "big") for number in range(7, 7000, 999)))
    made = signature_of(said)
    assert made.hex() == "01000000280123456789abcdef" + said.sample.hex()
    assert [key.hex() for key in bands(made)] == [
        "05aa59880adbb719",
        "00b68f7c49913e4d",
        "0186aa915a2d1d6a",
        "0222d6bf01b09a44",
        "0334a2685cc1d761",
        "04d23f08676cc905",
    ]


def test_a_page_is_compared_with_the_first_of_its_like_and_not_with_those_between() -> None:
    pages, text = Representatives(), words(1000)
    pages.add(0, signature(text))
    found = []
    for _ in range(30):
        text = changed(text, 5)
        found.append(pages.near(signature(text)))
    assert found[0] == 0
    assert found[-1] is None


def test_the_most_like_of_those_that_are_near_is_found() -> None:
    pages = Representatives()
    pages.add(0, signature(changed(TEXT, 6)))
    pages.add(1, signature(changed(TEXT, 1)))
    assert pages.near(signature(TEXT)) == 1
    assert similarity(signature(TEXT), signature(changed(TEXT, 6))) >= LIKENESS


def test_what_many_pages_have_in_common_fills_no_memory() -> None:
    pages, frame = Representatives(), words(100)
    for number in range(10 * MOST_PAGES):
        pages.add(number, signature(frame))
    assert pages.near(signature(frame)) == 0
    assert max(map(len, pages._pages.values())) == MOST_PAGES


@pytest.mark.slow
def test_a_look_up_takes_no_longer_in_a_site_of_fifty_times_the_pages() -> None:
    family = words(300)  # the worst case: pages that have much in common, and are not near

    def site(count: int) -> Representatives:
        pages = Representatives()
        for number in range(count):
            pages.add(number, signature(changed(family, 25)))
        return pages

    asked = [signature(changed(family, 25)) for _ in range(200)]
    small, large = site(100), site(5000)
    assert dearer(lambda: [*map(small.near, asked)], lambda: [*map(large.near, asked)], 3.0) <= 3.0
