from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.robots.paths import level, level_pattern, path_of, show_slashes


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://a.org", "/"),
        ("http://a.org/", "/"),
        ("http://a.org?q=1", "/?q=1"),
        ("http://a.org#top", "/"),
        ("https://me:secret@a.org:8080/x/y?z=1#part", "/x/y?z=1"),
        ("http://a.org/go?to=http://b.org/c", "/go?to=http://b.org/c"),
        ("http://a.org//x", "//x"),
        ("/x?y", "/x?y"),
        ("//x/y", "//x/y"),
        ("/go?to=http://b.org/c", "/go?to=http://b.org/c"),
        ("x/y", "/x/y"),
        ("", "/"),
    ],
)
def test_path_of(url: str, path: str) -> None:
    assert path_of(url) == path


@pytest.mark.parametrize(
    ("path", "levelled"),
    [
        ("/plain-._~:@[]!'(),&=+;/?", "/plain-._~:@[]!'(),&=+;/?"),
        ("/ü", "/%C3%BC"),
        ("/%c3%bc", "/%C3%BC"),
        ("/%62%61%7A%7e%2d", "/baz~-"),
        ("/a%2fb%3fc", "/a%2Fb%3Fc"),
        ("/a%3ab%40%28", "/a:b@("),
        ("/%26%3d%2b%3b%23", "/%26%3D%2B%3B%23"),
        ("/*$", "/%2A%24"),
        ("/%2a%24", "/%2A%24"),
        ('/a b<c>"', "/a%20b%3Cc%3E%22"),
        ("/%3c%20", "/%3C%20"),
        ("/100%", "/100%"),
        ("/%3Mx%", "/%3Mx%"),
        ("/%252F", "/%252F"),
        ("/\0\x7f", "/%00%7F"),
        ("/\udcfc", "/%FC"),
        ("/\ud800", "/%ED%A0%80"),
    ],
)
def test_level(path: str, levelled: str) -> None:
    assert level(path) == levelled


@pytest.mark.parametrize(
    ("pattern", "levelled"),
    [
        ("/a*b$", "/a*b$"),
        ("/a$b", "/a%24b"),
        ("/a$$", "/a%24$"),
        ("/a%2a%24", "/a%2A%24"),
        ("/ü*", "/%C3%BC*"),
        ("$", "$"),
        ("*", "*"),
    ],
)
def test_a_pattern_keeps_its_special_characters(pattern: str, levelled: str) -> None:
    assert level_pattern(pattern) == levelled


@pytest.mark.parametrize(
    ("levelled", "shown"),
    [
        ("/a%2Fb?c=%2Fd%3Fe", "/a%2Fb?c=/d?e"),
        ("/a%2Fb", "/a%2Fb"),
        ("/a?b", "/a?b"),
    ],
)
def test_slashes_are_shown_in_the_query_only(levelled: str, shown: str) -> None:
    assert show_slashes(levelled) == shown


@given(st.text())
def test_level_gives_ascii_that_stays_as_it_is(text: str) -> None:
    levelled = level(text)
    assert levelled.isascii()
    assert level(levelled) == levelled


@given(st.binary(max_size=40))
def test_bytes_that_are_not_utf8_are_compared_as_bytes(octets: bytes) -> None:
    escaped = "".join(f"%{octet:02x}" for octet in octets)
    assert level(octets.decode("utf-8", "surrogateescape").replace("%", "%25")) in (
        level(escaped),
        # What divides is not its escape.
        level("".join(chr(octet) if chr(octet) in "/?&=+;#" else f"%{octet:02x}" for octet in octets)),
    )
