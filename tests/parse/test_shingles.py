"""Hashes of what a text says: what they tell, what they must stay, and that the kernel makes the same."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.kernel import IS_NATIVE
from skitter.messages import Said
from skitter.parse.shingles import ALONE, GAPS, SAMPLE, hashes, said_of

LINE = "To be, or not to be, that is the question"


def words(count: int, seed: int = 1) -> list[str]:
    dice = random.Random(seed)
    return [f"w{dice.randrange(10**9)}" for _ in range(count)]


def bits(one: Said, other: Said) -> int:
    return (one.simhash ^ other.simhash).bit_count()


def test_signs_and_case_tell_nothing_and_digits_do() -> None:
    assert hashes(LINE.encode()) == hashes(f" {LINE.upper()} ?! —“…” ".encode())
    assert hashes(b"page 1 of 20") != hashes(b"page 2 of 20")
    assert hashes(b"one two three four five") != hashes(b"two one three four five")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        (" .,;–\u3000。", 0),
        ("snake_case and kebab-case", 4),
        ("naïve Straße Ελλάδα Україна", 4),
        ("世界 hello蜘蛛x", 6),
        ("ภาษา", 4),
        ("한국어 단어", 2),
        ("co\u00adoperate", 2),
        ("a\U0001f577b", 2),
    ],
)
def test_words(text: str, count: int) -> None:
    assert said_of(text).words == hashes(text.encode())[0] == count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (0, 0, "")),
        ("one", (1, 0x67CD331981C4F40C, "67cd3319")),
        (LINE, (10, 0x6BA07DC4A1AB6650, "0666ff1926c1a76e38500d36856d3fcfa8b69a62bd0b3955")),
        ("世界 café", (3, 0xE0D4793941B0E935, "e0d47939")),
    ],
)
def test_hashes_stay_what_they_are_on_disks(text: str, expected: tuple[int, int, str]) -> None:
    said = said_of(text)
    assert (said.words, said.simhash, said.sample.hex()) == expected


def test_a_sample_has_the_smallest_hashes_each_once() -> None:
    said = said_of(" ".join(words(1000) * 2))
    pieces = [said.sample[at : at + 4] for at in range(0, len(said.sample), 4)]
    assert pieces == sorted(set(pieces))
    assert len(pieces) == SAMPLE
    assert pieces[-1] < b"\x40"
    assert len(said_of(" ".join(words(10))).sample) == 4 * 6


def test_a_text_of_fewer_words_than_a_shingle_is_one() -> None:
    for count in range(1, 6):
        said = said_of(" ".join(words(count)))
        assert len(said.sample) == 4
        assert said.simhash


def test_texts_that_differ_in_little_differ_in_few_bits() -> None:
    text = words(400)
    changed = [*text[:200], "other", *text[201:]]
    one, near, far = (said_of(" ".join(some)) for some in (text, changed, words(400, seed=2)))
    assert bits(one, near) <= 6
    assert bits(one, far) >= 18


@pytest.mark.slow
@pytest.mark.skipif(not IS_NATIVE, reason="no Rust toolchain: the reference is in use")
@given(st.lists(st.text(max_size=9) | st.sampled_from(["the", "web", "7", "_", "世", "ก", "İ", "ß"]), max_size=300))
@settings(max_examples=200, deadline=None)
def test_the_kernel_makes_the_same_of_any_text(pieces: list[str]) -> None:
    text = " ".join(pieces)
    said = said_of(text)
    assert (said.words, said.simhash, said.sample) == hashes(text.encode("utf-8", "replace"))


@pytest.mark.skipif(not IS_NATIVE, reason="no Rust toolchain: the reference is in use")
@pytest.mark.slow
def test_the_kernel_knows_the_same_words_beyond_ascii() -> None:
    codes = [*range(0x80, 0x3200), *range(0x33F0, 0x3410), *range(0x4DB0, 0x4E10), *range(0x9FF0, 0xA010)]
    codes += [*range(0xDFF0, 0xE010), *range(0xF8F0, 0x10010), *range(0x1EFF0, 0x1FB10), *range(0x1FFF0, 0x20010)]
    codes += [*range(0x3FFF0, 0x40010)]
    for start in range(0, len(codes), 500):
        text = "".join(f"a{chr(code)}b " for code in codes[start : start + 500] if not 0xD800 <= code < 0xE000)
        said = said_of(text)
        assert (said.words, said.simhash, said.sample) == hashes(text.encode())


@pytest.mark.skipif(not IS_NATIVE, reason="no Rust toolchain: the reference is in use")
@pytest.mark.parametrize("sign", ["b", "_", " ", ",", "ß", "·", "世", "𠀀"])
def test_the_kernel_cuts_a_text_into_pieces_and_no_word(sign: str) -> None:
    for before in (*range(56, 66), *range(120, 130)):
        text = f"{'a' * before}{sign}{sign}c d"
        said = said_of(text)
        assert (said.words, said.simhash, said.sample) == hashes(text.encode()), before


@pytest.mark.slow
def test_no_character_is_of_two_kinds() -> None:
    both = re.compile(f"(?=[{GAPS}])[{ALONE}]")
    assert not any(both.match(chr(code)) for code in range(0x110000))
