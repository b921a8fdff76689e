"""Animals that take time or never end: they cost a crawler a connection, if it lets them."""

from __future__ import annotations

from skitter.simweb.animals.acts import DRIP, OK, Animal, repeating, saying_then_waiting

_CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"

WAITS: dict[str, Animal] = {
    "never-answers": saying_then_waiting(),
    "stops-in-headers": saying_then_waiting(OK),
    "stops-in-body": saying_then_waiting(OK + b"Content-Length: 1000\r\n\r\n<p>half"),
    "stops-before-body": saying_then_waiting(OK + b"Content-Length: 1000\r\n\r\n"),
    "slow-status": repeating(b"HTTP/1.1 200 ", b"O", wait=DRIP),
    "slow-headers": repeating(OK, b"X-Slow: 1\r\n", wait=DRIP),
    "slow-body": repeating(OK + b"Content-Length: 1000000\r\n\r\n", b"a", wait=DRIP),
    "slow-chunks": repeating(_CHUNKED, b"1\r\na\r\n", wait=DRIP),
    "endless-headers": repeating(OK, b"X-Endless: header\r\n" * 100),
    "endless-body": repeating(OK + b"\r\n", b"<p>endless</p>" * 4096),
    "endless-chunks": repeating(_CHUNKED, b"1000\r\n" + b"e" * 4096 + b"\r\n"),
    "endless-chunk-line": repeating(_CHUNKED + b"5;", b"extension=" + b"x" * 4096),
    "endless-trailers": repeating(_CHUNKED + b"5\r\nhello\r\n0\r\n", b"X-Endless: trailer\r\n" * 100),
    "early-hints": repeating(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", wait=0.001),
    "continues": repeating(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100, wait=0.001),
}
