"""HTTP/1.1 on the wire, as much of it as a web server of GETs needs: heads read and answers written, as bytes."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import NamedTuple

from skitter.simweb.answer import Answer

MAX_HEAD = 64 * 1024
CHUNK = 4096
BODILESS = frozenset({204, 304})
_REASONS = {status.value: status.phrase for status in HTTPStatus}
_ODD = re.compile(r"[^\x21-\x7e]")


class Head(NamedTuple):
    """The head of a request."""

    method: str
    target: str
    host: str  # with the port, in lower case
    headers: dict[str, str]
    keeps: bool  # the connection stays open after the answer

    @property
    def name(self) -> str:
        """The host without the port."""
        return self.host.partition(":")[0]


def read_head(text: bytes) -> Head | None:
    """Returns the head of a request, or None if it is none that we can answer."""
    first, *lines = text.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or words[2] not in ("HTTP/1.1", "HTTP/1.0"):
        return None
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    host, target = headers.get("host", "").lower(), _visible(words[1])
    if target.startswith("http://"):  # RFC 9112 3.2.2: the absolute form decides the host
        host, _, path = target[7:].partition("/")
        host, target = host.lower(), f"/{path}"
    if not host or not target.startswith("/") or "content-length" in headers or "transfer-encoding" in headers:
        return None
    wish = headers.get("connection", "").lower()
    keeps = wish != "close" if words[2] == "HTTP/1.1" else wish == "keep-alive"
    return Head(words[0], target, _visible(host), headers, keeps)


def write_answer(answer: Answer, date: str, *, keeps: bool, is_head: bool) -> bytes:
    """Returns the bytes of an answer."""
    lines = [f"HTTP/1.1 {answer.status} {_REASONS.get(answer.status, '')}\r\nServer: simweb\r\nDate: {date}\r\n"]
    lines += [f"{name}: {value}\r\n" for name, value in answer.headers]
    body = answer.body
    if answer.status in BODILESS:
        body = b""
    elif answer.chunked:
        lines.append("Transfer-Encoding: chunked\r\n")
        body = chunks(body)
    else:
        lines.append(f"Content-Length: {len(body) * answer.times}\r\n")
    lines.append("\r\n" if keeps else "Connection: close\r\n\r\n")
    head = "".join(lines).encode("latin-1", "replace")
    return head if is_head else head + body


def chunks(body: bytes) -> bytes:
    """Returns the body in chunks (RFC 9112 7.1)."""
    parts = (body[at : at + CHUNK] for at in range(0, len(body), CHUNK))
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def _visible(text: str) -> str:
    """Returns the text with no sign in it that could break a line of the log."""
    return _ODD.sub(lambda sign: f"%{ord(sign[0]):02X}", text) if _ODD.search(text) else text
