"""The bytes of a request, and where they go."""

from __future__ import annotations

import re
from typing import NamedTuple

from skitter.errors import OperatorError

_PORTS = {"http": 80, "https": 443}
# A normalised URL is printable ASCII. Anything else would let a URL write header lines of its own.
_PRINTABLE = re.compile(r"[!-~]+")
_HREF = re.compile(
    r"(https?)://(?:[^/?#@]*@)?"
    r"((\[[0-9a-fA-F:.]+\]|[^/?#@:\[\]\\]+)(?::([0-9]{0,5}))?)"
    r"(/[^?#]*)?(\?[^#]*)?(?:#.*)?"
)
_VALUE = re.compile(r"[\t -~\x80-\xff]*")


class Target(NamedTuple):
    """What a URL says about where to connect and what to ask for."""

    scheme: str
    hostname: str  # without the brackets of an IPv6 literal
    port: int
    authority: str  # for the Host header
    path: str


def target_of(href: str) -> Target:
    """Returns the target of a normalised http or https URL; user and password, if any, are not sent."""
    match = _HREF.fullmatch(href)
    if match is None or not _PRINTABLE.fullmatch(href):
        raise ValueError(f"not a normalised http URL: {href!r}")
    scheme, authority, host, port, path, query = match.groups()
    number = int(port) if port else _PORTS[scheme]
    return Target(scheme, host.strip("[]"), number, authority, (path or "/") + (query or ""))


def checked_user_agent(user_agent: str) -> str:
    """Returns `user_agent` if it can be a header value."""
    if not user_agent or not _VALUE.fullmatch(user_agent):
        raise OperatorError("identity.user_agent", user_agent, "write one line of Latin letters, digits and signs")
    return user_agent


def request_head(target: Target, user_agent: str, etag: str | None, last_modified: str | None) -> bytes:
    """Returns a GET request, conditional if a validator of an earlier answer is given."""
    conditions = ""
    if etag and _VALUE.fullmatch(etag):
        conditions += f"If-None-Match: {etag}\r\n"
    if last_modified and _VALUE.fullmatch(last_modified):
        conditions += f"If-Modified-Since: {last_modified}\r\n"
    return (
        f"GET {target.path} HTTP/1.1\r\n"
        f"Host: {target.authority}\r\n"
        f"User-Agent: {user_agent}\r\n"
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
        "Accept-Encoding: gzip, deflate, br, zstd\r\n"
        f"{conditions}"
        "Connection: keep-alive\r\n\r\n"
    ).encode("latin-1")
