"""What was seen of late is remembered until its shard is forgotten, nothing else is, and the memory has its bound."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.shard import recent as memories
from skitter.shard.recent import DEARER, Generations, Recent, recent

native = pytest.importorskip("skitter._native", reason="no Rust toolchain: dicts are in use")

MAKE: dict[str, Callable[[int], Recent]] = {"the kernel's": native.Recent, "dicts": Generations}
LINE = 8
"""Fingerprints that are kept together in the kernel's memory."""
FIRST_LINES, KEPT = 10, 47
"""Bits of a fingerprint that choose one of the first lines, and the bits after those that are kept there."""
GROWN = FIRST_LINES + 3
"""Bits that choose a line in a memory that has doubled three times."""
WRAPS = 16
"""Times that a shard is forgotten until the kernel counts from the start again."""
ANY = st.binary(min_size=16, max_size=16) | st.sampled_from([bytes(16), bytes(15) + b"\1", b"\xff" * 16])


def fingerprints(seed: int, number: int) -> list[bytes]:
    dice = random.Random(seed)
    return [dice.randbytes(16) for _ in range(number)]


def leading(key: bytes, bits: int) -> int:
    """Returns the first bits of a fingerprint."""
    return int.from_bytes(key[:16].ljust(16, b"\0")) >> (128 - bits)


@pytest.mark.parametrize("size", [0, 1, 7, 8, 100, 8191, 8192, 20_000])
@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_what_was_just_seen_is_remembered_and_what_was_not_is_not(make: Callable[[int], Recent], size: int) -> None:
    memory, hits = make(size), 0
    for key in fingerprints(1, 3 * size + 10):
        assert not memory.has(key)
        memory.remember(key, 0)
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
        memory.remember(key, key[0])
    assert sum(map(memory.has, keys[:30_000])) > 0.97 * 30_000
    for key in keys[30_000:]:
        memory.remember(key, key[0])
    assert sum(map(memory.has, keys[-10_000:])) > 0.97 * 10_000
    assert 30_000 < sum(map(memory.has, keys)) <= 65_536


@given(st.lists(ANY, max_size=30), st.lists(st.binary(max_size=20), max_size=30))
def test_the_kernels_memory_says_what_a_set_says(remembered: list[bytes], asked: list[bytes]) -> None:
    memory = native.Recent(8192)
    for key in remembered:
        memory.remember(key, key[0])
    assert all(map(memory.has, remembered[-LINE:]))  # of each line the last few
    compared = {leading(key, FIRST_LINES + KEPT) for key in remembered}
    for key in asked:  # what is no fingerprint is never remembered
        assert not memory.has(key) or (len(key) >= 16 and leading(key, FIRST_LINES + KEPT) in compared)


class Model:
    """Says what a memory must have, and what it must not: what was remembered and not forgotten with its shard."""

    def __init__(self, memory: Recent) -> None:
        self.memory = memory
        self.all: dict[bytes, int] = {}
        self.latest: list[bytes] = []
        self.ever: set[bytes] = set()

    def remember(self, key: bytes, shard: int) -> None:
        self.memory.remember(key, shard)
        self.ever.add(key)
        self.all[key] = shard
        self.latest = [*self.latest, key][-LINE:]

    def forget(self, shard: int) -> None:
        self.memory.forget(shard)
        self.all = {key: other for key, other in self.all.items() if other != shard}

    def check(self) -> None:
        assert not [key for key in self.ever - self.all.keys() if self.memory.has(key)]
        assert [key for key in self.latest if self.memory.has(key)] == [key for key in self.latest if key in self.all]


@given(
    st.lists(ANY, min_size=1, max_size=12, unique_by=lambda key: leading(key, KEPT)),
    st.lists(st.tuples(st.integers(-3, 11), st.sampled_from([1, WRAPS - 1, WRAPS, WRAPS + 1])), max_size=60),
)
@settings(max_examples=50)
@pytest.mark.parametrize("size", [8, 16, 8192])
@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_a_shard_that_is_forgotten_takes_along_what_is_its_own(
    make: Callable[[int], Recent], size: int, keys: list[bytes], steps: list[tuple[int, int]]
) -> None:
    model, shards = Model(make(2 * size)), (0, 5, 4095)
    for step, times in steps:
        if step < 0:
            for _ in range(times):
                model.forget(shards[step])
        else:
            key = keys[step % len(keys)]
            model.remember(key, shards[key[0] % 3])
        model.check()


@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_nothing_old_comes_back_however_often_its_shard_is_forgotten(make: Callable[[int], Recent]) -> None:
    memory, (kept, *others) = make(8192), fingerprints(1, 1 + 5 * WRAPS)
    memory.remember(kept, 1)
    for number, key in enumerate(others):
        memory.remember(key, 2)
        assert memory.has(key)
        memory.forget(2)
        assert not any(map(memory.has, others[: number + 1]))
        assert memory.has(kept)


@pytest.mark.parametrize("times", [1, WRAPS - 1, WRAPS, WRAPS + 1, 3 * WRAPS])
@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_of_a_full_memory_the_one_shard_is_gone_and_the_others_stay(make: Callable[[int], Recent], times: int) -> None:
    memory, keys = make(16_384), fingerprints(1, 7000)
    for key in keys:
        memory.remember(key, key[-1] % 4)
    before = set(filter(memory.has, keys))
    for _ in range(times):
        memory.forget(3)
    assert set(filter(memory.has, keys)) == {key for key in before if key[-1] % 4 != 3}
    memory.remember(keys[0], 3)
    assert memory.has(keys[0])


def spread(number: int) -> list[bytes]:
    """Returns fingerprints whose first ones fill lines evenly, however many lines there are."""
    dice = random.Random(1)
    return [
        int(f"{place % 2**GROWN:0{GROWN}b}"[::-1] + f"{dice.getrandbits(128 - GROWN):0{128 - GROWN}b}", 2).to_bytes(16)
        for place in range(number)
    ]


def test_the_kernels_memory_forgets_nothing_when_it_doubles() -> None:
    memory, keys = native.Recent(LINE * 2**GROWN), spread(4 * 2**GROWN)
    sizes = set()
    for place, key in enumerate(keys):
        memory.remember(key, place % 4096)
        if memory.size not in sizes:
            sizes.add(memory.size)
            assert all(map(memory.has, keys[: place + 1]))
    assert all(map(memory.has, keys))
    assert len(sizes) == GROWN - FIRST_LINES + 1
    assert not any(map(memory.has, fingerprints(2, 10_000)))
    for shard in range(0, 4096, 2):
        memory.forget(shard)
    assert [memory.has(key) for key in keys] == [place % 2 == 1 for place in range(len(keys))]


def test_the_kernels_memory_compares_as_many_bits_as_it_had_lines_for() -> None:
    keys = spread(4 * 2**GROWN)
    for place, bits in ((0, FIRST_LINES + KEPT), (len(keys) - 1, GROWN + KEPT)):
        flipped = [(int.from_bytes(keys[place]) ^ 1 << 127 - bit).to_bytes(16) for bit in range(128)]
        memory = native.Recent(LINE * 2**GROWN)
        for key in keys:
            memory.remember(key, 0)
        assert [memory.has(key) for key in flipped] == [bit >= bits for bit in range(128)]


def test_the_kernels_memory_knows_no_other_shards_than_there_may_be() -> None:
    memory = native.Recent(100)
    for call in (memory.forget, lambda shard: memory.remember(bytes(16), shard)):
        call(4095)
        with pytest.raises(ValueError, match="no shard has the number 4096"):
            call(4096)
        with pytest.raises(OverflowError):
            call(-1)


@pytest.mark.parametrize("size", [0, 8, 8192, 65_536, 100_000, 1_000_000])
def test_the_kernels_memory_takes_8_bytes_each_and_little_while_it_holds_little(size: int) -> None:
    memory = native.Recent(size)
    assert memory.size <= 64 * 1024
    for key in fingerprints(1, min(size, 100_000)):
        memory.remember(key, 0)
    assert memory.size <= max(8 * size, 64)


def test_dicts_take_the_place_of_the_kernels_memory_within_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(recent(1000), native.Recent)
    monkeypatch.setattr(memories, "IS_NATIVE", False)
    memory = recent(1000 * DEARER)
    for key in fingerprints(1, 5000):
        memory.remember(key, 0)
    assert 500 <= sum(map(memory.has, fingerprints(1, 5000))) <= 1000
