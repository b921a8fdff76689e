"""What judging compares is compared by the kernel as by Python."""

from __future__ import annotations

import re
from struct import pack

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from skitter import _native
from skitter.judge.frame import NO_FRAME, count_page_by_python, frequent_by_python, with_page
from skitter.judge.likeness import echoes_of, mark_by_python, mark_of, own_words
from skitter.judge.near import bands_by_python
from skitter.judge.novelty import compare_by_python
from skitter.judge.orders import order_of_by_python
from skitter.judge.telltale import PHRASES, first_by_python, telltale_of
from skitter.reading.answered import has_word_by_python

HASHES = st.one_of(st.integers(0, 2**32 - 1), st.integers(0, 60))
SAMPLES = st.sets(HASHES, max_size=64).map(sorted)


def packed(hashes: list[int]) -> bytes:
    return pack(f">{len(hashes)}I", *hashes)


@given(st.binary(max_size=9), SAMPLES, st.lists(HASHES, max_size=20))
def test_bands(prefix: bytes, sample: list[int], common: list[int]) -> None:
    assert _native.bands(prefix, packed(sample), common) == bands_by_python(prefix, packed(sample), common)


@given(SAMPLES, SAMPLES, st.integers(1, 70))
def test_news(page: list[int], seen: list[int], most: int) -> None:
    arguments = packed(page), packed(seen[:most]), most
    assert _native.compare(*arguments) == compare_by_python(*arguments)


@given(st.lists(SAMPLES, min_size=1, max_size=20), st.integers(2, 80), st.integers(2, 5), st.integers(0, 6))
def test_frames(pages: list[list[int]], most: int, least: int, often: int) -> None:
    counts = b""
    for page in pages:
        after = _native.count_page(counts, packed(page), most, least)
        assert after == count_page_by_python(counts, packed(page), most, least)
        counts = after
    assert _native.frequent(counts, often) == frequent_by_python(counts, often)


def test_a_frame_is_what_a_third_of_the_pages_say() -> None:
    frame = NO_FRAME
    for page in range(100):
        often, seldom = [1, 2], [7] if page % 10 == 0 else []
        frame = with_page(frame, packed([*often, *seldom, 1000 + page]))
    assert set(frame.common) == {1, 2}


PIECES = [
    "not found",
    "Page",
    "404",
    " ",
    "error ",
    "n’existe pas",
    "ÉRREUR",
    "introuvable",
    "İ",
    "ſ",
    "K",
    "не найден",
    "\n",
    "x",
]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=8).map("".join))
def test_words_that_tell(text: str) -> None:
    assert telltale_of(text) == (first_by_python(text.replace("’", "'")) or "")


def test_each_phrase_is_read_alike() -> None:
    for phrase in [phrase for phrases in PHRASES.values() for phrase in phrases]:
        kernel = _native.Pattern("(?i)" + phrase.replace(r"\b", r"(?-u:\b)"))
        text = re.sub(r"\\b|[\[\]()?^.{},0-9|\\]+", " ", phrase)
        found = re2.compile("(?i)" + phrase).search(text)
        assert kernel.first(text) == (None if found is None else found.group())


@given(st.binary(max_size=60), st.sampled_from([b"password", b"pa", b"p"]), st.integers(0, 60))
def test_words(text: bytes, word: bytes, at: int) -> None:
    for written in (text, text[:at] + word.swapcase() + text[at:], text[:at] + word[:-1].title()):
        assert _native.has_word(written, word) == has_word_by_python(written, word)


TEXTS = st.text(st.sampled_from("aBc_'  .-07"), max_size=40)
BESIDE = [*range(0x80, 0x100), *range(0x2000, 0x2200)]


TAILS = st.text(st.sampled_from("aBc_'/.-07?="), max_size=20)


@given(TEXTS, TEXTS, TAILS)
def test_short_answers(title: str, brief: str, tail: str) -> None:
    expected = mark_by_python(title, brief, f"http://a.org/{tail}")
    assert _native.short_mark(title, brief, tail, ["amp", "lt", "gt", "quot"], ["404", "410"]) == expected
    assert mark_of(title, brief, f"http://a.org/{tail}") == expected


@pytest.mark.parametrize("tail", ["a%20b", "a+b", "caf\u00e9"])
def test_what_is_escaped_is_left_to_python(tail: str) -> None:
    assert _native.short_mark("A b", "a b c 404", tail, [], ["404"]) is None
    assert mark_of("A b", "a b c 404", f"http://a.org/{tail}") == mark_by_python(
        "A b", "a b c 404", f"http://a.org/{tail}"
    )


def test_own_words_beside_ascii() -> None:
    for letter in map(chr, BESIDE):
        text = f"Ab{letter}cD it{letter}s {letter} x"
        assert mark_of(text, "", "http://a.org/abc") == f"{in_order(text)}\n"


def in_order(text: str) -> str:
    return " ".join(sorted(own_words(text, echoes_of("http://a.org/abc"))))


@given(st.text(st.sampled_from("ab/7?"), max_size=16))
def test_orders(tail: str) -> None:
    assert _native.order_of(f"http://a.org/{tail}") == order_of_by_python(f"http://a.org/{tail}")
