"""What a URL belongs to."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.url.keys import fingerprint, host_of, origin_of, shard_of

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


def test_shards_are_the_same_in_every_run() -> None:
    # A crawl on disk depends on these numbers: if this fails, every existing crawl is lost.
    assert [shard_of(host) for host in ("example.org", "a.org", "127.0.0.1", "bücher.example")] == [5, 61, 12, 57]
    assert fingerprint("http://example.org").hex() == "37ddd9a1d627ace03cf6d95e5cb0239b"


def test_shards_are_even() -> None:
    count = Counter(shard_of(f"host{number}.example") for number in range(64_000))
    assert len(count) == 64
    assert max(count.values()) < 1.15 * 1000
    assert min(count.values()) > 0.85 * 1000


@given(st.text(max_size=50), st.integers(min_value=1, max_value=4096))
def test_shard_is_in_range(host: str, shards: int) -> None:
    assert 0 <= shard_of(host, shards) < shards
