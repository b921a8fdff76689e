"""Text to a `Url`: the form that is fetched, the key by which it is compared, the host that owns it.

The fetched form changes only what the standards call equivalent: case of scheme and host, default port, dot
segments, fragment, and escapes of unreserved characters (RFC 3986, 6.2.2). User and password are dropped: a crawler
has no account anywhere.
"""

from __future__ import annotations

import re
from itertools import product

from skitter.messages import Reason, Url
from skitter.settings import UrlSettings
from skitter.url.dedup import DedupKey
from skitter.url.keys import host_of_authority
from skitter.url.parse import parse

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_HEX = "0123456789abcdefABCDEF"
_STRAY = re.compile(r"%[0-9A-Fa-f]?\Z")


def _folded(escape: str) -> str:
    sign = chr(int(escape[1:], 16))
    return sign if sign in _UNRESERVED else escape.upper()


# Every way to write an escape, so that folding one is a look-up.
_FOLDED = {escape: _folded(escape) for escape in ("%" + high + low for high, low in product(_HEX, _HEX))}


def fold_escapes(text: str) -> str:
    """Returns `text` with escapes of unreserved characters undone and the hex digits of the others in upper case."""
    return _ESCAPE.sub(_fold, text)


def _fold(escape: re.Match[str]) -> str:
    folded = _FOLDED[escape[0]]
    # After a stray `%` a digit would complete another escape: `%4%41` is not `%4A`, which is `J`.
    if folded in _HEX and _STRAY.search(escape.string, max(0, escape.start() - 2), escape.start()):
        return escape[0].upper()
    return folded


class Canon:
    """Makes `Url`s by the operator's rules. Holds no state that changes."""

    def __init__(self, settings: UrlSettings | None = None) -> None:
        self.settings = settings = settings or UrlSettings()
        self._max_length = settings.max_length
        self._key = DedupKey(settings)

    def __call__(self, text: str, base: str | None = None) -> Url | Reason:
        """Returns the canonical `Url` of `text` as found on the page at `base`, or why it can't be one."""
        href = parse(text, base)
        if href is None:
            return Reason.BAD_URL
        return self.of_parsed(href)

    def of_parsed(self, href: str) -> Url | Reason:
        """Returns the same for an `href` that `url.parse` returned: nothing is parsed twice."""
        if not href.startswith(("https://", "http://")):
            return Reason.NOT_HTTP
        if "#" in href:
            href = href[: href.index("#")]
        if "%" in href:
            href = fold_escapes(href)
        scheme, _, authority, tail = href.split("/", 3)
        if "@" in authority:
            authority = authority.rpartition("@")[2]
            href = f"{scheme}//{authority}/{tail}"
        if len(href) > self._max_length:
            return Reason.URL_TOO_LONG
        return Url(href, self._key.of(scheme, authority, "/" + tail), host_of_authority(authority))
