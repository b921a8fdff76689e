"""The kernel's filter has every fingerprint that was added, and few others."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

native = pytest.importorskip("skitter._native", reason="no Rust toolchain: there is no filter")

FIRST = 64 * 42
"""Fingerprints for which the first layer has room."""


def fingerprints(seed: int, number: int) -> list[bytes]:
    dice = random.Random(seed)
    return [dice.randbytes(16) for _ in range(number)]


def filled(keys: list[bytes]) -> native.Filter:
    made = native.Filter()
    for key in keys:
        if not made.add(key):
            made.grow()
            assert made.add(key)
    return made


@given(st.lists(st.binary(max_size=20)))
def test_what_was_added_is_in_it(keys: list[bytes]) -> None:
    made = filled(keys)
    assert all(key in made for key in keys)
    again = native.Filter.from_bytes(made.to_bytes())
    assert again is not None
    assert all(key in again for key in keys)


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1, FIRST, FIRST + 1, 40_000], ids=str)
def test_few_others_are(number: int) -> None:
    made, others = filled(fingerprints(1, number)), fingerprints(2, 20_000)
    assert all(key in made for key in fingerprints(1, number))
    assert sum(key in made for key in others) <= 0.03 * len(others)


def test_it_grows_by_what_it_says_and_has_room_for_a_fingerprint_in_12_bits() -> None:
    made = native.Filter()
    assert (made.size, made.add(b"0" * 16)) == (0, False)
    for layer in range(6):
        before, growth = made.size, made.growth
        assert growth == 4096 << max(0, layer - 1), "as much as it has"
        made.grow()
        assert made.size == before + growth
        room = sum(map(made.add, fingerprints(layer, 100_000)))
        assert growth * 8 / 12.5 < room <= growth * 8 / 12


def test_it_is_the_same_after_it_was_written_and_read() -> None:
    made = filled(fingerprints(1, 5000))
    again = native.Filter.from_bytes(made.to_bytes())
    assert again is not None
    assert again.to_bytes() == made.to_bytes()
    assert (again.size, again.growth) == (made.size, made.growth)
    assert sum(map(again.add, fingerprints(2, FIRST * 3))) == FIRST * 2 - 5000


GOOD = filled(fingerprints(1, 5000)).to_bytes()


@given(st.binary(max_size=100))
@example(b"")
@example(GOOD[:-1])
@example(GOOD[:-64])
@example(GOOD[: 17 + 4096 + 64])
@example(GOOD + bytes(64))
@example(b"\x01" + GOOD[1:])
@example(GOOD[:1] + b"\xff" * 8 + GOOD[9:])
@example(GOOD[:9] + b"\xff" * 8 + GOOD[17:])
@example(GOOD[:9] + bytes(8) + GOOD[17:])
def test_what_it_can_not_have_written_is_not_read(raw: bytes) -> None:
    made = native.Filter.from_bytes(raw)
    assert made is None or made.to_bytes() == raw
    assert made is None or raw not in (GOOD[:-1], GOOD[:-64], GOOD + bytes(64))
