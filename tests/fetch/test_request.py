"""Where a URL leads, and that nothing in it or in a validator can write a header of its own."""

from __future__ import annotations

import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.fetch.request import Target, request_head, target_of

TARGETS = {
    "http://a.test/": Target("http", "a.test", 80, "a.test", "/"),
    "https://a.test/b?c": Target("https", "a.test", 443, "a.test", "/b?c"),
    "http://a.test:8080/": Target("http", "a.test", 8080, "a.test:8080", "/"),
    "http://u:p@a.test/": Target("http", "a.test", 80, "a.test", "/"),
    "http://a.test/x@y": Target("http", "a.test", 80, "a.test", "/x@y"),
    "http://a.test/?x=http://b.test/@": Target("http", "a.test", 80, "a.test", "/?x=http://b.test/@"),
    "http://[2001:db8::1]:81/": Target("http", "2001:db8::1", 81, "[2001:db8::1]:81", "/"),
    "http://127.0.0.1/": Target("http", "127.0.0.1", 80, "127.0.0.1", "/"),
    "http://a.test/p#f?x": Target("http", "a.test", 80, "a.test", "/p"),
    "http://a.test/p?#f": Target("http", "a.test", 80, "a.test", "/p?"),
    "http://a.test?x@y": Target("http", "a.test", 80, "a.test", "/?x@y"),
    "http://a.test": Target("http", "a.test", 80, "a.test", "/"),
    "http://a_b.test./": Target("http", "a_b.test.", 80, "a_b.test.", "/"),
}


@pytest.mark.parametrize(("href", "target"), TARGETS.items(), ids=TARGETS)
def test_a_url_says_where_to_go(href: str, target: Target) -> None:
    assert target_of(href) == target


BAD = [
    "",
    "ftp://a.test/",
    "http:///x",
    "http://a.test/\r\nX: y",
    "http://a.test/ x",
    "http://ä.test/",
    "http://a.test:x/",
]


@pytest.mark.parametrize("href", BAD, ids=repr)
def test_what_is_no_normalised_url_is_a_bug_of_the_caller(href: str) -> None:
    with pytest.raises(ValueError, match="not a normalised http URL"):
        target_of(href)


@given(st.text(max_size=40))
@settings(max_examples=100)
def test_every_url_of_the_standard_has_a_target(text: str) -> None:
    try:
        href = ada_url.normalize_url(f"http://a.test:81/{text}")
    except ValueError:
        return
    target = target_of(href)
    assert target.authority == "a.test:81"
    assert href.partition("#")[0] == f"http://a.test:81{target.path}"


@given(st.text(max_size=40), st.text(max_size=40))
@settings(max_examples=100)
def test_no_validator_adds_a_line(etag: str, last_modified: str) -> None:
    head = request_head(target_of("http://a.test/"), "agent", etag, last_modified)
    lines = head.split(b"\r\n")
    assert lines[-2:] == [b"", b""]
    assert head.count(b"\r") == head.count(b"\n") == len(lines) - 1
    assert len(lines) <= 10
    assert all(b": " in line or line == b"" for line in lines[1:])


def test_validators_are_sent_as_they_came() -> None:
    head = request_head(target_of("http://a.test/"), "agent", 'W/"\xe4"', "yesterday")
    assert b'\r\nIf-None-Match: W/"\xe4"\r\nIf-Modified-Since: yesterday\r\n' in head
    assert b"If-" not in request_head(target_of("http://a.test/"), "agent", "a\r\nX: y", "☃")
    assert b"If-" not in request_head(target_of("http://a.test/"), "agent", None, "")


def test_a_sender_is_named_with_every_request() -> None:
    target = target_of("http://a.test/")
    assert b"\r\nFrom: me@a.org\r\n" in request_head(target, "agent", None, None, "me@a.org")
    assert b"From" not in request_head(target, "agent", None, None)
