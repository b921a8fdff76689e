"""Sketches: what they tell apart, what they must stay, and that the kernel makes the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.parse import reference, scanner
from skitter.parse.scanner import Scanner
from skitter.parse.sketch import MAX_SKETCHED, sketch_of


def test_title_and_text_both_tell() -> None:
    assert len({sketch_of("a", "b"), sketch_of("a", "c"), sketch_of("c", "b"), sketch_of("ab", "")}) == 4
    assert sketch_of("page 1", "of 20") == sketch_of("page 7", "of 21")
    assert len(sketch_of("\ud800", "any text")) == 4


@pytest.mark.parametrize(
    ("page", "sketch"),
    [
        (b"", "81c9d352"),
        (b"<title>Page 12</title><p>of 345</p>", "0396bf37"),
        ("<title>Über</title>".encode() + b"<p>a 1 b" * 40, "cc343623"),
    ],
)
def test_a_sketch_stays_what_it_is_on_disks(page: bytes, sketch: str, scan: Scanner) -> None:
    assert scan(page, 10, 10, 100).sketch.hex() == sketch


@pytest.mark.parametrize("character", ["x", "é", "7"])
def test_what_is_beyond_the_limit_does_not_tell(character: str, scan: Scanner) -> None:
    def sketch(text: str, max_text: int) -> bytes:
        return scan(text.encode(), max_text, 10, 100).sketch

    full = character * MAX_SKETCHED
    assert sketch(full + "more", 0) == sketch(full, 0) == sketch(full + "else", MAX_SKETCHED + 9)
    assert sketch(full[:-1] + "z", 0) != sketch(full, 0)


def test_text_is_cut_where_it_is_asked_to_be_whatever_is_sketched(scan: Scanner) -> None:
    page = ("é1" * MAX_SKETCHED).encode()
    for limit in (0, 1, 5, MAX_SKETCHED, MAX_SKETCHED + 1):
        assert scan(page, limit, 10, 100).text == page.decode()[:limit]


WORDS = st.lists(st.sampled_from([*"aé7 0\n\0€😀", "word ", "<p>", "12345678", "x" * 31, "9" * 32])).map("".join)


@pytest.mark.skipif(not scanner.IS_NATIVE, reason="no Rust toolchain: the reference is in use")
@given(WORDS, WORDS, st.sampled_from([0, 3, 1000]))
@settings(max_examples=300, deadline=None)
def test_the_kernel_makes_the_same(title: str, text: str, max_text: int) -> None:
    page = f"<title>{title}</title>{text}".encode()
    native, by_python = (scan(page, max_text, 10, 1000) for scan in (scanner.native, reference.scan))
    assert (native.sketch, native.text) == (by_python.sketch, by_python.text)
    assert by_python.sketch == sketch_of(by_python.title, reference.scan(page, MAX_SKETCHED, 10, 1000).text)
