"""Animals that break off, or say wrongly where their answer ends."""

from __future__ import annotations

from skitter.simweb.animals.acts import OK, Animal, saying, saying_then_reset

_CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
_BODY = b"<a href=/>home</a> and much more than five"

FRAMING: dict[str, Animal] = {
    "closes-at-once": saying(),
    "closes-in-headers": saying(OK),
    "resets-at-once": saying_then_reset(),
    "resets-in-status": saying_then_reset(b"HTTP/1.1 2"),
    "resets-in-headers": saying_then_reset(OK),
    "resets-before-body": saying_then_reset(OK + b"Content-Length: 100\r\n\r\n"),
    "resets-in-body": saying_then_reset(OK + b"Content-Length: 100\r\n\r\nhalf"),
    "resets-in-chunk": saying_then_reset(_CHUNKED + b"64\r\nhalf a chunk"),
    "resets-between-chunks": saying_then_reset(_CHUNKED + b"5\r\nhello\r\n"),
    "resets-after-body": saying_then_reset(OK + b"Content-Length: 5\r\n\r\nhello"),
    "length-too-long": saying(OK + b"Content-Length: 1000\r\n\r\nshort"),
    "length-too-short": saying(OK + b"Content-Length: 5\r\n\r\n" + _BODY),
    "length-negative": saying(OK + b"Content-Length: -5\r\n\r\nhello"),
    "length-absurd": saying(OK + b"Content-Length: " + b"9" * 40 + b"\r\n\r\nhello"),
    "lengths-differ": saying(OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
    "length-and-chunked": saying(
        OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    ),
    "chunk-size-odd": saying(_CHUNKED + b"zz\r\nhello\r\n0\r\n\r\n"),
    "chunk-size-huge": saying(_CHUNKED + b"ffffffffffffffffff\r\nhello\r\n"),
    "chunk-size-negative": saying(_CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n"),
    "chunk-without-end": saying(_CHUNKED + b"5\r\nhello5\r\nhello\r\n0\r\n\r\n"),
    "chunks-cut": saying(_CHUNKED + b"5\r\nhello\r\n"),
    "chunks-not": saying(_CHUNKED + b"<html>no chunks at all</html>"),
}
