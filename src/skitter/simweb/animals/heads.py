"""Animals with a bad head: status lines and headers that no standard knows."""

from __future__ import annotations

from skitter.simweb.animals.acts import MIB, OK, Animal, answer, page, repeating, saying

_END = b"Content-Length: 2\r\n\r\nok"

HEADS: dict[str, Animal] = {
    "many-headers": repeating(OK, b"X-Many: header\r\n", times=10_000, end=_END),
    "some-headers": saying(OK + b"X-Many: h\r\n" * 1000 + _END),
    "long-header": saying(OK + b"X-Long: " + b"a" * MIB + b"\r\n" + _END),
    "nul-in-header": saying(OK + b"X-Odd: a\0b\x01c\x7f\r\n" + _END),
    "nul-in-name": saying(OK + b"X-\0Odd\x1b[31m: a\r\n" + _END),
    "bare-returns": saying(OK + b"X-Odd: a\rX-Other: b\r" + b"\r\n" + _END),
    "high-bytes": saying(OK + b"X-Odd: \xff\xfe\x80\r\nETag: \xc3\x28\r\n" + _END),
    "space-in-header": saying(OK + b"X Odd : a\r\n folded\r\n" + _END),
    "no-colon": saying(OK + b"this is no header\r\n" + _END),
    "big-cookie": saying(OK + b"Set-Cookie: a=" + b"c" * MIB + b"\r\n" + _END),
    "many-cookies": saying(page(b"ok", *(b"Set-Cookie: c%d=%d" % (number, number) for number in range(100)))),
    "http-0.9": saying(b"<html><body>no head at all</body></html>"),
    "http-2": saying(b"\x00\x00\x12\x04\x00\x00\x00\x00\x00" + b"\x00" * 18),
    "http-9.9": saying(b"HTTP/9.9 200 OK\r\n" + _END),
    "garbage-first": saying(b"\x00\xff\x13garbage\r\n\r\n" + page(b"late")),
    "empty-lines-first": saying(b"\r\n" * 1000 + page(b"late")),
    "status-999": saying(answer(b"999 Request denied", b"no")),
    "status-000": saying(answer(b"000 Nothing", b"no")),
    "status-odd": saying(answer(b"abc What", b"no")),
    "status-huge": saying(answer(b"200000000000 OK", b"no")),
    "status-only": saying(b"HTTP/1.1 200\r\n" + _END),
    "upgrade": saying(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"),
    "asks-password": saying(answer(b"401 Unauthorized", b"", b'WWW-Authenticate: Basic realm="x"')),
    "asks-much": saying(answer(b"401 Unauthorized", b"", *[b"WWW-Authenticate: Negotiate " + b"a" * 500] * 50)),
    "asks-proxy": saying(answer(b"407 Proxy Authentication Required", b"", b'Proxy-Authenticate: Basic realm="x"')),
    "busy-for-ever": saying(answer(b"503 Service Unavailable", b"", b"Retry-After: 999999999999999999999")),
}
