"""Answers made again from the bytes in the archive, as the fetch had made them."""

from __future__ import annotations

import gzip

import pytest

from skitter.audit.answer import fetched_again, payload_of
from skitter.audit.promise import Promise
from skitter.messages import Kind
from skitter.settings import DAY, FetchSettings

URL, TEXT = "http://a.example/robots.txt", b"User-agent: *\nDisallow: /\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
PACKED = gzip.compress(TEXT)
BLOCKS = {
    "until the end": HEAD + b"\r\n" + TEXT,
    "of a length": HEAD + b"Content-Length: %d\r\n\r\n" % len(TEXT) + TEXT,
    "in chunks": HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(TEXT), TEXT),
    "packed": HEAD + b"Content-Encoding: gzip\r\n\r\n" + PACKED,
    "packed in chunks": HEAD
    + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(PACKED), PACKED),
}


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_the_body_is_what_the_server_meant(block: bytes) -> None:
    fetched = fetched_again(URL, 5.0, block, Promise())
    assert (fetched.status, fetched.body, fetched.failure) == (200, TEXT, None)
    assert ("Content-Type", "text/plain") in fetched.headers
    assert (fetched.lease.href, fetched.ended) == (URL, 5.0)


@pytest.mark.parametrize(
    ("block", "said", "kind", "wish"),
    [
        (None, "refused", Kind.REFUSED, None),
        (None, "", Kind.ODD_STATUS, None),
        (b"HTTP/1.1 503 No\r\nRetry-After: 70\r\n\r\n", "", Kind.UNAVAILABLE, 70.0),
        (b"HTTP/1.1 503 No\r\nRetry-After: 999999999\r\n\r\n", "", Kind.UNAVAILABLE, DAY),
        (b"HTTP/1.1 404 No\r\nRetry-After: 70\r\n\r\n", "", Kind.GONE, 70.0),
        (b"HTTP/1.1 200 OK\r\n\r\n", "bomb", Kind.BOMB, None),
        (b"HTTP/1.1 200 OK\r\n\r\n", "of a later version", Kind.OUR_BUG, None),
        (b"no HTTP\r\n\r\n", "", Kind.ODD_STATUS, None),
    ],
)
def test_a_failure_is_the_one_that_is_told_or_the_status_means(
    block: bytes | None, said: str, kind: Kind, wish: float | None
) -> None:
    failure = fetched_again(URL, 0.0, block, Promise(), failure=said).failure
    assert failure is not None
    assert (failure.kind, failure.retry_after) == (kind, wish)


def test_a_body_is_cut_where_the_fetch_had_cut_it() -> None:
    # What is taken of a page does not count: a robots.txt has a limit of its own.
    promise = Promise(fetch=FetchSettings(max_body=1024))
    taken = promise.robots.max_bytes + 1
    fetched = fetched_again(URL, 0.0, HEAD + b"\r\n" + b"#" * taken, promise, truncated="length")
    assert (len(fetched.body), fetched.truncated) == (taken, "length")
    packed = HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"abc\n" * taken, 1)
    assert len(fetched_again(URL, 0.0, packed, promise).body) == taken


def test_the_payload_follows_the_head() -> None:
    assert payload_of(BLOCKS["until the end"]) == TEXT
    assert payload_of(b"no head") == b""
