"""Where the head of a stored answer ends, and what it says."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skitter.store.warc import heads
from skitter.store.warc.heads import has_plain_end, head_length, status_and_mime

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


PIECES = [
    *(
        b"\n",
        b"\r\n",
        b" ",
        b"\t",
        b"\r",
        b"\x0b",
        b"\f",
        b"\x1c",
        b"\x1f",
        b"\x00",
        b"\x1b",
        b"\x7f",
        b"\x80",
        b"\xff",
    ),
    *(
        b"HTTP/1.1",
        b"2",
        b"200",
        b"0999",
        b" 404 ",
        b"A: b",
        b"X-",
        b"Content-Type",
        b"content-type: ",
        b"CONTENT-TYPE \t:",
    ),
    *(b":", b";", b"text/HTML", b"a~!b"),
]
UGLY = st.one_of(st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join), st.binary(max_size=40))


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(UGLY, st.sampled_from([b"", b"\r\n\r\n"]))
@example(b"HTTP/1.1 200 OK\r\nContent-Type:\r\nContent-Type: b/C;d", b"\r\n\r\n")
@example(b"HTTP/1.1 200", b"")
@example(b"HTTP/1.1 2000", b"")
@example(b"HTTP/1.1\v200", b"")
def test_the_kernel_reads_a_head_alike(start: bytes, end: bytes) -> None:
    native = pytest.importorskip("skitter._native", reason="no Rust toolchain: there is but one reading")
    head = start + end
    assert native.head_reading(head) == heads.by_python(head) == (has_plain_end(head), *status_and_mime(head))
