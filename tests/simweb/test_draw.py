from __future__ import annotations

from collections import Counter

import pytest

from skitter.simweb.draw import SPAN, Shares, draws


def test_same_key_same_numbers() -> None:
    assert draws(3, 1, "links", 7) == (2976662677, 1091195924, 132184338)  # as drawn when this was written


@pytest.mark.parametrize("key", [(2, "links", 7), (1, "roles", 7), (1, "links", 8)], ids=str)
def test_other_key_other_numbers(key: tuple[object, ...]) -> None:
    assert draws(3, *key) != draws(3, 1, "links", 7)


def test_numbers_are_spread_evenly() -> None:
    quarters = Counter(number * 4 // SPAN for number in draws(4000, "spread"))
    assert set(quarters) == {0, 1, 2, 3}
    assert min(quarters.values()) > 900


def test_shares_are_kept() -> None:
    shares = Shares({"much": 3.0, "little": 1.0, "never": 0.0})
    picked = Counter(shares.pick(number) for number in draws(4000, "shares"))
    assert set(picked) == {"much", "little"}
    assert 2.7 < picked["much"] / picked["little"] < 3.3


@pytest.mark.parametrize("number", [0, SPAN - 1])
def test_ends_of_the_range_can_be_picked(number: int) -> None:
    assert Shares({"one": 0.1, "two": 0.2}).pick(number) == ("one" if number == 0 else "two")


def test_dealing_shows_every_value_before_it_picks() -> None:
    shares = Shares({"a": 100.0, "b": 1.0, "c": 1.0})
    assert [shares.deal(turn, 0) for turn in range(5)] == ["a", "b", "c", "a", "a"]
