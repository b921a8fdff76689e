"""What a URL belongs to."""

from __future__ import annotations

import pytest

from skitter.url.keys import fingerprint, host_of, origin_of

HOSTS = [
    ("http://www.example.org/", "example.org"),
    ("https://example.org/a/b", "example.org"),
    ("https://example.org:8443/", "example.org:8443"),
    ("http://www.example.org:8080/", "example.org:8080"),
    ("http://example.org./", "example.org"),
    ("http://www.com/", "www.com"),
    ("http://www.www.example.org/", "www.example.org"),
    ("http://user:x@example.org/", "example.org"),
    ("http://127.0.0.1/", "127.0.0.1"),
    ("http://[2001:db8::1]/", "[2001:db8::1]"),
    ("http://[2001:db8::1]:8080/", "[2001:db8::1]:8080"),
    ("http://localhost/", "localhost"),
    ("http://a.org/?u=http://b@c.org/", "a.org"),
]


@pytest.mark.parametrize(("href", "host"), HOSTS, ids=[href for href, _ in HOSTS])
def test_host(href: str, host: str) -> None:
    assert host_of(href) == host


def test_origin_keeps_scheme_www_and_port() -> None:
    assert origin_of("https://www.example.org:8443/a?b") == "https://www.example.org:8443"
    assert origin_of("http://u:p@example.org/") == "http://example.org"


def test_fingerprints_are_the_same_in_every_run() -> None:
    # A crawl on disk depends on it: if this fails, every existing crawl is lost.
    assert fingerprint("http://example.org").hex() == "37ddd9a1d627ace03cf6d95e5cb0239b"
