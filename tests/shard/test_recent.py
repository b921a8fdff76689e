"""What was seen of late is remembered, nothing else is, and the memory has its bound."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.shard import recent as memories
from skitter.shard.recent import DEARER, Generations, Recent, recent

native = pytest.importorskip("skitter._native", reason="no Rust toolchain: sets are in use")

MAKE: dict[str, Callable[[int], Recent]] = {"the kernel's": native.Recent, "sets": Generations}
LINE = 8
"""Fingerprints that are kept together in the kernel's memory."""


def fingerprints(seed: int, number: int) -> list[bytes]:
    dice = random.Random(seed)
    return [dice.randbytes(16) for _ in range(number)]


@pytest.mark.parametrize("size", [0, 1, 7, 8, 100, 8191, 8192, 20_000])
@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_what_was_just_seen_is_remembered_and_what_was_not_is_not(make: Callable[[int], Recent], size: int) -> None:
    memory, hits = make(size), 0
    for key in fingerprints(1, 3 * size + 10):
        assert not memory.has(key)
        memory.remember(key)
        hits += memory.has(key)
    assert memory.hits == hits
    assert hits == 3 * size + 10
    assert not any(map(memory.has, fingerprints(2, 1000)))


@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_it_forgets_little_before_it_is_half_full_and_holds_no_more_than_its_size(
    make: Callable[[int], Recent],
) -> None:
    memory, keys = make(65_536), fingerprints(1, 200_000)
    for key in keys[:30_000]:
        memory.remember(key)
    assert sum(map(memory.has, keys[:30_000])) > 0.97 * 30_000
    for key in keys[30_000:]:
        memory.remember(key)
    assert sum(map(memory.has, keys[-10_000:])) > 0.97 * 10_000
    assert 30_000 < sum(map(memory.has, keys)) <= 65_536


@given(st.lists(st.binary(min_size=16, max_size=16), max_size=30), st.lists(st.binary(max_size=20), max_size=30))
def test_the_kernels_memory_says_what_a_set_says(remembered: list[bytes], asked: list[bytes]) -> None:
    memory = native.Recent(8192)
    for key in remembered:
        memory.remember(key)
    # Of each line the last few; what is no fingerprint is never remembered, nor is one of which all that counts is 0.
    for key in remembered[-LINE:]:
        assert memory.has(key) == (int.from_bytes(key) << 10 >> 64 & (2**64 - 1) != 0)
    for key in asked:
        assert not memory.has(key) or any(key[:10] == one[:10] for one in remembered)


@pytest.mark.parametrize("size", [0, 8, 8192, 65_536, 100_000, 1_000_000])
def test_the_kernels_memory_takes_8_bytes_each_and_little_while_it_holds_little(size: int) -> None:
    memory = native.Recent(size)
    assert memory.size <= 64 * 1024
    for key in fingerprints(1, min(size, 100_000)):
        memory.remember(key)
    assert memory.size <= max(8 * size, 64)


def test_sets_take_the_place_of_the_kernels_memory_within_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(recent(1000), native.Recent)
    monkeypatch.setattr(memories, "IS_NATIVE", False)
    memory = recent(1000 * DEARER)
    for key in fingerprints(1, 5000):
        memory.remember(key)
    assert 500 <= sum(map(memory.has, fingerprints(1, 5000))) <= 1000
