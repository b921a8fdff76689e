"""Resolve: hrefs to URLs, exactly as the URL standard joins them."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skitter.parse.resolve import Resolver
from skitter.url.parse import parse

BASE = "http://example.org/a/b/c.html?q=1#f"


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("d.html", "http://example.org/a/b/d.html"),
        ("d/e/", "http://example.org/a/b/d/e/"),
        ("../d.html", "http://example.org/a/d.html"),
        ("../../../d.html", "http://example.org/d.html"),
        ("../", "http://example.org/a/"),
        ("..", "http://example.org/a/"),
        ("/", "http://example.org/"),
        ("/d?e=f&g=%20", "http://example.org/d?e=f&g=%20"),
        ("d?e/../f", "http://example.org/a/b/d?e/../f"),
        ("./d", "http://example.org/a/b/d"),
        ("d/../e", "http://example.org/a/b/e"),
        ("d e", "http://example.org/a/b/d%20e"),
        ("", "http://example.org/a/b/c.html?q=1"),
        ("#x", "http://example.org/a/b/c.html?q=1"),
        ("d#x", "http://example.org/a/b/d"),
        ("?x", "http://example.org/a/b/c.html?x"),
        ("//other.example/x", "http://other.example/x"),
        ("HTTPS://Other.EXAMPLE", "https://other.example/"),
        (" \n/d\te ", "http://example.org/de"),
        ("\\d", "http://example.org/d"),
        ("javascript:void(0)", None),
        ("mailto:a@b", None),
        ("data:text/html,x", None),
        ("ftp://example.org/", None),
        ("http://[", None),
        ("http://example.org:port/", None),
        ("x" * 70_000, None),
        ("/\ud800", "http://example.org/%EF%BF%BD"),
    ],
)
def test_resolve(href: str, url: str | None) -> None:
    assert Resolver(BASE, "utf-8")(href) == url


@pytest.mark.parametrize(
    ("encoding", "href", "url"),
    [
        ("utf-8", "/ü?ü", "http://example.org/%C3%BC?%C3%BC"),
        ("windows-1252", "/ü?ü=£#ü", "http://example.org/%C3%BC?%FC=%A3"),
        ("iso-8859-15", "/?€", "http://example.org/?%A4"),
        ("gbk", "/?中", "http://example.org/?%D6%D0"),
        ("shift_jis", "/?ソ", "http://example.org/?%83\\"),
        ("windows-1252", "/?a中b", "http://example.org/?a%26%2320013%3Bb"),
        ("windows-1252", "/?é中", "http://example.org/?%E9%26%2320013%3B"),
        ("utf-16le", "/?ü", "http://example.org/?%C3%BC"),
        ("x-user-defined", "/?ü", "http://example.org/?%C3%BC"),
    ],
)
def test_query_is_in_the_encoding_of_the_page(encoding: str, href: str, url: str) -> None:
    assert Resolver(BASE, encoding)(href) == url


@pytest.mark.parametrize("base", ["", "nonsense", "mailto:a@b", "http://[", "\ud800", "http://h/" + "a/" * 30_000])
def test_any_base(base: str) -> None:
    resolve = Resolver(base, "utf-8")
    assert resolve("http://example.org/x") == "http://example.org/x"
    assert resolve("x") == (base + "x" if base.startswith("http://h") else None)


HREFS = st.lists(
    st.sampled_from(["..", ".", "/", "a", "B0", "?", "=", "&", "%2e", "~", "-", "_", ":", ";", "ä", " "]), max_size=8
)
BASES = st.sampled_from(
    [BASE, "http://example.org", "https://u:p@example.org:8080/x//y/", "http://example.org/?a/b", "http://1.2/a"]
)


@given(HREFS.map("".join), BASES)
@settings(max_examples=100)
@example("../..", BASE)
@example("a/../b", BASE)
def test_short_cut_is_what_the_standard_says(href: str, base: str) -> None:
    expected = parse(href, base)
    if expected is not None and not expected.startswith("http"):
        expected = None
    assert Resolver(base, "utf-8")(href) == expected
