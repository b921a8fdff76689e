"""Where the head of a stored answer ends, and what it says."""

from __future__ import annotations

import pytest

from skitter.store.heads import has_plain_end, head_length, status_and_mime

ENDS = {
    "usual": (b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n", True),
    "bare line feeds": (b"HTTP/1.1 200 OK\nA: b\n\n", False),
    "no headers": (b"HTTP/1.1 200 OK\r\n\r\n", True),
    "a blank line before the last": (b"HTTP/1.1 200 OK\r\n \r\nA: b\r\n\r\n", False),
    "a separator alone": (b"HTTP/1.1 200 OK\r\n\x1f\r\nA: b\r\n\r\n", False),
    "a no-break space alone": (b"HTTP/1.1 200 OK\r\n\xa0\r\nA: b\r\n\r\n", False),
    "begins blank": (b"\r\nHTTP/1.1 200 OK\r\n\r\n", False),
    "never ends": (b"HTTP/1.1 200 OK\r\nA: b\r\n", False),
    "empty": (b"", False),
}


@pytest.mark.parametrize(("head", "plain"), ENDS.values(), ids=ENDS)
def test_whether_all_readers_agree_on_the_end(head: bytes, plain: bool) -> None:
    assert has_plain_end(head) is plain


def test_the_end_is_at_the_first_blank_line() -> None:
    assert head_length(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\r\n\r\nmore") == 25
    assert head_length(b"HTTP/1.1 200 OK\r\n") is None


SAID = {
    "usual": (b"HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=x\r\n\r\n", (200, "text/html")),
    "no reason": (b"HTTP/1.1 404\r\n\r\n", (404, "")),
    "odd status": (b"HTTP/1.1 999 Hm\r\ncontent-type:image/svg+xml\r\n\r\n", (999, "image/svg+xml")),
    "empty type": (b"HTTP/1.1 200 OK\r\nContent-Type:\r\nA: b\r\n\r\n", (200, "")),
    "another name": (b"HTTP/1.1 200 OK\r\nX-Content-Type: a/b\r\n\r\n", (200, "")),
    "nonsense": (b"ICY why\r\n\r\n", (0, "")),
}


@pytest.mark.parametrize(("head", "said"), SAID.values(), ids=SAID)
def test_what_a_head_says(head: bytes, said: tuple[int, str]) -> None:
    assert status_and_mime(head) == said
