"""An answer is read the same however its bytes arrive, and no bytes raise."""

from __future__ import annotations

import gc
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.fetch.answer import AnswerReader
from skitter.fetch.framing import Chunked
from skitter.messages import Kind
from skitter.settings import FetchSettings
from tests.growth.clock import dearer

LIMITS = FetchSettings(max_body=2000, max_head=1024, max_headers=10)

HEADS = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\n\r\n",
        b"\r\nHTTP/1.1 404 No\r\nX: y\r\n\tz\r\n\r\n",
        b"HTTP/1.1 204 No\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n",
        b"HTTP/1.1 ",
        b"",
    ]
)
TAILS = st.lists(
    st.one_of(
        st.binary(max_size=20),
        st.sampled_from([b"\r\n", b"5\r\nhello\r\n", b"0\r\n\r\n", b"0\r\nX: y\r\n\r\n", b"x" * 900, b"\n", b"a\r\n"]),
    ),
    max_size=8,
).map(b"".join)


def read(pieces: list[bytes]) -> tuple[object, ...]:
    answer = AnswerReader(LIMITS)
    for piece in pieces:
        if answer.feed(piece):
            break
    answer.closed()
    payload = answer.payload()
    content = answer.content(payload)
    failure = answer.failure and answer.failure.kind
    if isinstance(answer.head and answer.head.framing, Chunked) and (answer.truncated or failure):
        payload = b""  # where reading stops after the break depends on how much had arrived
    status = answer.head.status if answer.head else 0
    assert answer.over
    assert len(payload) <= LIMITS.max_body
    return status, answer.raw_head, payload, content, answer.truncated, failure


@pytest.mark.slow
@given(HEADS, TAILS, st.integers(1, 7))
@settings(max_examples=100, deadline=None)
def test_how_the_bytes_are_cut_makes_no_difference(head: bytes, tail: bytes, step: int) -> None:
    sent = head + tail
    pieces = [sent[at : at + step] for at in range(0, len(sent), step)]
    assert read(pieces) == read([sent] if sent else [])


@given(st.binary(max_size=200))
@settings(max_examples=80)
def test_no_bytes_raise(noise: bytes) -> None:
    read([noise])
    read([b"HTTP/1.1 200 OK\r\n" + noise])
    read([b"HTTP/1.1 " + noise + b"\r\n\r\n"])
    read([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + noise])


@pytest.mark.parametrize(
    ("sent", "truncated", "kind"),
    [
        (b"Content-Length: 9\r\n\r\n", "disconnect", Kind.RESET),
        (b"Content-Length: 9\r\n\r\nhalf", "disconnect", None),
        (b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "disconnect", Kind.BAD_RESPONSE),
        (b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n", "disconnect", None),
        (b"Content-Length: 4\r\n\r\nbody", None, None),
        (b"Content-Le", None, Kind.BAD_RESPONSE),
    ],
    ids=["no body", "half a body", "no chunk", "a chunk", "whole", "no head"],
)
def test_an_answer_that_was_cut_is_marked_also_if_it_is_a_failure(
    sent: bytes, truncated: str | None, kind: Kind | None
) -> None:
    assert read([b"HTTP/1.1 200 OK\r\n" + sent])[-2:] == (truncated, kind)


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=10), st.integers(1, 9))
@settings(max_examples=40)
def test_chunks_are_put_together(chunks: list[bytes], step: int) -> None:
    sent = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    framing = Chunked(100)
    used = sum(framing.feed(sent[at : at + step]) for at in range(0, len(sent), step))
    assert (bytes(framing.body), used, framing.done, framing.broken) == (b"".join(chunks), len(sent), True, False)
    assert framing.feed(b"more") == 0


def drip(size: int) -> None:
    """Reads a head of `size` bytes that comes byte by byte."""
    answer = AnswerReader(FetchSettings(max_head=10**6))
    answer.feed(b"HTTP/1.1 200 OK\r\n")
    for _ in range(size):
        answer.feed(b"x")
    assert answer.head is None
    answer.feed(b": y\r\n\r\n")
    assert answer.head is not None


@pytest.mark.slow
def test_the_cost_of_a_head_that_drips_grows_with_its_size_only() -> None:
    assert dearer(partial(drip, 30_000), partial(drip, 300_000), 12) <= 12


def test_a_body_is_freed_as_soon_as_nobody_has_it() -> None:
    gc.collect()
    gc.disable()
    try:
        read([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"])
        assert gc.collect() == 0
    finally:
        gc.enable()
