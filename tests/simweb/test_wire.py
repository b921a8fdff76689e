from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.simweb.answer import Answer
from skitter.simweb.wire import Head, chunks, read_head, write_answer

GET = b"GET /a?b HTTP/1.1\r\nHost: X.test:80"


def test_head_is_read() -> None:
    head = read_head(GET + b'\r\nIf-None-Match:  "e" ')
    assert head == Head("GET", "/a?b", "x.test:80", {"host": "X.test:80", "if-none-match": '"e"'}, True)
    assert head.name == "x.test"


@pytest.mark.parametrize(
    ("text", "keeps"),
    [
        (GET, True),
        (GET + b"\r\nConnection: Close", False),
        (GET.replace(b"1.1", b"1.0"), False),
        (GET.replace(b"1.1", b"1.0") + b"\r\nConnection: keep-alive", True),
    ],
    ids=["1.1", "close", "1.0", "1.0-keep-alive"],
)
def test_connection_is_kept_as_the_version_says(text: bytes, keeps: bool) -> None:
    head = read_head(text)
    assert head is not None
    assert head.keeps is keeps


def test_absolute_form_decides_the_host() -> None:
    head = read_head(b"GET http://Y.test/p HTTP/1.1\r\nHost: x.test")
    assert head is not None
    assert (head.host, head.target) == ("y.test", "/p")


BAD = {
    "no-host": b"GET / HTTP/1.1",
    "no-version": b"GET /",
    "http-2": b"GET / HTTP/2\r\nHost: x",
    "no-slash": b"GET a HTTP/1.1\r\nHost: x",
    "body": GET + b"\r\nContent-Length: 3",
    "chunked": GET + b"\r\nTransfer-Encoding: chunked",
    "spaces": b"GET /a b HTTP/1.1\r\nHost: x",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_what_we_cannot_answer_is_no_head(text: bytes) -> None:
    assert read_head(text) is None


@given(st.binary(max_size=200))
def test_log_can_not_be_broken_by_what_is_asked(target: bytes) -> None:
    head = read_head(b"GET /" + target + b" HTTP/1.1\r\nHost: x" + target)
    if head is not None:
        assert not set(head.target + head.host) & {"\t", "\n", "\r", "\x0b", "\x85", " "}


@given(st.binary(max_size=20_000))
def test_chunks_add_up(body: bytes) -> None:
    rest, read = chunks(body), b""
    while (size := int(rest.partition(b"\r\n")[0], 16)) > 0:
        rest = rest.partition(b"\r\n")[2]
        read, rest = read + rest[:size], rest[size + 2 :]
    assert (read, rest) == (body, b"0\r\n\r\n")


def test_answer_without_a_body_says_no_length() -> None:
    for status in (204, 304):
        data = write_answer(Answer(status, body=b"no"), "now", keeps=True, is_head=False)
        assert data.endswith(b"\r\n\r\n")
        assert b"Content-Length" not in data


def test_head_request_gets_the_length_and_not_the_body() -> None:
    data = write_answer(Answer(200, body=b"four"), "now", keeps=False, is_head=True)
    assert b"Content-Length: 4\r\nConnection: close\r\n\r\n" in data
    assert data.endswith(b"\r\n\r\n")
