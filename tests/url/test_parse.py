"""Parsing follows the WHATWG URL standard. The conformance cases test it in breadth; here is what is our own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.url.parse import parse

BASE = "http://example.org/foo/bar"

CASES = [
    ("HTTP://EXAMPLE.org:80/a/../b", None, "http://example.org/b"),
    ("baz?q#f", BASE, "http://example.org/foo/baz?q#f"),
    ("//other.org", BASE, "http://other.org/"),
    ("http://0x7f.1/", None, "http://127.0.0.1/"),
    ("https://bücher.example/ü?ü", None, "https://xn--bcher-kva.example/%C3%BC?%C3%BC"),
    ("http://[2001:DB8::0001]/", None, "http://[2001:db8::1]/"),
    ("javascript:alert(1)", BASE, "javascript:alert(1)"),
    ("relative", None, None),
    ("http://a b/", BASE, None),
    ("http://example.org:99999/", BASE, None),
    ("", None, None),
]


@pytest.mark.parametrize(("text", "base", "expected"), CASES, ids=[case[0] or "empty" for case in CASES])
def test_parse(text: str, base: str | None, expected: str | None) -> None:
    assert parse(text, base) == expected


def test_half_a_surrogate_pair_becomes_the_replacement_character() -> None:
    assert parse("http://example.org/\ud800x") == "http://example.org/%EF%BF%BDx"
    assert parse("\udfff", BASE) == "http://example.org/foo/%EF%BF%BD"


def test_half_a_surrogate_pair_in_what_is_no_url_is_still_no_url() -> None:
    assert parse("http://\ud800 /") is None


@given(st.text(alphabet=st.characters(), max_size=200), st.sampled_from([None, BASE, "mailto:x", "not a base"]))
def test_parse_never_raises(text: str, base: str | None) -> None:
    href = parse(text, base)
    assert href is None or parse(href) == href
