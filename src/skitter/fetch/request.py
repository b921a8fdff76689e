"""The bytes of a request, and where they go."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from skitter.errors import OperatorError

_PORTS = {"http": 80, "https": 443}
_REMEMBERED = 4096
_ORIGIN = re.compile(r"(https?)://(?:[^/?#@]*@)?((\[[0-9a-fA-F:.]+\]|[^/?#@:\[\]\\]+)(?::([0-9]{0,5}))?)")
_NO_PATH = re.compile(r"[^?#]+")  # up to where a query begins that has no path before it
_VALUE = re.compile(r"[\t -~\x80-\xff]*")


class Target(Struct, frozen=True, gc=False):
    """What a URL says about where to connect and what to ask for."""

    scheme: str
    hostname: str  # without the brackets of an IPv6 literal
    port: int
    authority: str  # for the Host header
    path: str


def target_of(href: str) -> Target:
    """Returns the target of a normalised http or https URL; user and password, if any, are not sent."""
    at = href.find("/", len("https://"))
    server = _server(href[:at]) if at > 0 else None
    if server is None and (match := _NO_PATH.match(href)):
        at = match.end()
        server = _server(match[0])
    # A normalised URL is printable ASCII. Anything else would let a URL write header lines of its own.
    if server is None or not (href.isascii() and href.isprintable()) or " " in href:
        raise ValueError(f"not a normalised http URL: {href!r}")
    path = href[at:].partition("#")[0]
    return Target(*server, path if path.startswith("/") else f"/{path}")


@lru_cache(maxsize=_REMEMBERED)
def _server(origin: str) -> tuple[str, str, int, str] | None:
    """Returns all of a target but its path: a host is asked for many pages."""
    match = _ORIGIN.fullmatch(origin)
    if match is None:
        return None
    scheme, authority, host, port = match.groups()
    return scheme, host.strip("[]"), int(port) if port else _PORTS[scheme], authority


def checked_user_agent(user_agent: str) -> str:
    """Returns `user_agent` if it can be a header value."""
    if not user_agent or not _VALUE.fullmatch(user_agent):
        raise OperatorError("identity.user_agent", user_agent, "write one line of Latin letters, digits and signs")
    return user_agent


def checked_sender(sender: str) -> str:
    """Returns `sender`, an e-mail address or nothing, if it can be a header value."""
    if not _VALUE.fullmatch(sender):
        raise OperatorError("identity.contact", sender, "write one line of Latin letters, digits and signs")
    return sender


def request_head(
    target: Target, user_agent: str, etag: str | None, last_modified: str | None, sender: str = "", signed: str = ""
) -> bytes:
    """Returns a GET request, conditional if a validator of an earlier answer is given.

    With a `sender`, it says by e-mail address who is responsible for it; `signed` are the lines that prove it.
    """
    reach = f"From: {sender}\r\n" if sender else ""
    conditions = ""
    if etag and _VALUE.fullmatch(etag):
        conditions += f"If-None-Match: {etag}\r\n"
    if last_modified and _VALUE.fullmatch(last_modified):
        conditions += f"If-Modified-Since: {last_modified}\r\n"
    return (
        f"GET {target.path} HTTP/1.1\r\n"
        f"Host: {target.authority}\r\n"
        f"User-Agent: {user_agent}\r\n"
        f"{reach}"
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
        "Accept-Encoding: gzip, deflate, br, zstd\r\n"
        f"{conditions}"
        f"{signed}"
        "Connection: keep-alive\r\n\r\n"
    ).encode("latin-1")
