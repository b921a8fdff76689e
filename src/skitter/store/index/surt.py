"""The key by which replay tools look a URL up (SURT): the name reversed, then path and query, made comparable.

Replay works only if our key is the one that pywb computes for the same URL, so the rules are those of the Internet
Archive, which pywb follows, and not those of our own dedup key.
"""

from __future__ import annotations

import re
from urllib.parse import quote_from_bytes, unquote_to_bytes

_WWW = re.compile(rb"www\d*\.")
_SAFE = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
_PLAIN = re.compile(rb"[!\"$&-~]*")
_USUAL_PATH = re.compile(rb"(?:/[\w~-][\w.~-]*+)*+/?")  # nothing in it is to be resolved, unescaped or taken out
_DEFAULT_PORT = {"http": b"80", "https": b"443"}
_SESSION_IN_PATH = (
    re.compile(rb"^(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)$"),
    re.compile(rb"^(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)$"),
)
_SESSION_IN_QUERY = tuple(
    re.compile(rb"^(.*)(?:" + name + rb")(?:&(.*))?$", re.IGNORECASE)
    for name in (
        rb"jsessionid=[0-9a-z]{32}",
        rb"phpsessid=[0-9a-z]{32}",
        rb"sid=[0-9a-z]{32}",
        rb"aspsessionid[a-z]{8}=[a-z]{24}",
        rb"cfid=[^&]+&cftoken=[^&]+",
    )
)


def surt(href: str) -> str:
    """Returns the key of an absolute http or https URL: `https://www.Example.org/A/?b&a` is `org,example)/a?a&b`."""
    scheme, _, rest = href.partition("#")[0].partition("://")
    authority, path, query = _split(rest.encode("utf-8", "replace"))
    name, port = _name_and_port(authority.rpartition(b"@")[2], scheme)
    key = b",".join(reversed(name.split(b"."))) + port + b")" + _path(path)
    query = _query(query)
    return (key + b"?" + query if query else key).decode("ascii", "replace")


def _split(rest: bytes) -> tuple[bytes, bytes, bytes]:
    before, _, query = rest.partition(b"?")
    authority, slash, path = before.partition(b"/")
    return authority, slash + path, query


def _name_and_port(authority: bytes, scheme: str) -> tuple[bytes, bytes]:
    name, colon, port = authority.rpartition(b":")
    if not colon or not port.isdigit():
        name, port = authority, b""
    if port == _DEFAULT_PORT.get(scheme):
        port = b""
    name = name.lower().strip(b".")
    www = _WWW.match(name)
    return name[www.end() :] if www else name, b":" + port if port else b""


def _path(path: bytes) -> bytes:
    if _USUAL_PATH.fullmatch(path):
        return path.lower().removesuffix(b"/") or b"/"
    kept: list[bytes] = []
    segments = _unescaped(path).split(b"/")[1:]
    for segment in segments:
        if segment == b".." and kept:
            kept.pop()
        elif segment != b".":
            kept.append(segment)
    joined = b"/".join([*(segment for segment in kept[:-1] if segment), *kept[-1:]])
    lowered = _escaped(b"/" + joined).lower()
    if b"(" in lowered:
        for pattern in _SESSION_IN_PATH:
            lowered = pattern.sub(rb"\1\2", lowered)
    return lowered.removesuffix(b"/") or b"/"


def _query(query: bytes) -> bytes:
    if not query:
        return query
    query = _escaped(_unescaped(query))
    for pattern in _SESSION_IN_QUERY:
        if found := pattern.match(query):
            query = found[1] + (found[2] or b"")
    return b"&".join(
        b"=".join(pair) for pair in sorted(tuple(part.split(b"=", 1)) for part in query.lower().split(b"&"))
    )


def _unescaped(part: bytes) -> bytes:
    while b"%" in part and (plain := unquote_to_bytes(part)) != part:
        part = plain
    return part


def _escaped(part: bytes) -> bytes:
    return part if _PLAIN.fullmatch(part) else quote_from_bytes(part, safe=_SAFE).encode("ascii")
