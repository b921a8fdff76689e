"""An href of a page to the URL that it means, as the HTML standard resolves it, if that is one we can fetch."""

from __future__ import annotations

import re
from functools import cached_property
from urllib.parse import quote_from_bytes

from skitter.parse.charset import codec
from skitter.url.parse import parse

HTTP = ("http://", "https://")
MAX_LENGTH = 65536  # no URL setting allows longer ones

# Most hrefs are of this kind, in which nothing has to be escaped, removed or looked up: `../b/c.html?d=1`, `/a/`.
_PLAIN = re.compile(
    r"(/|(?:\.\./)++|(?=[\w~-]))((?:[\w~-][\w.~-]*+/)*+(?:[\w~-][\w.~-]*+)?+(?:\?[\w.~&=+%/:;,@!$()*?-]*+)?+)", re.ASCII
)
_FOLDER = re.compile(r"https?://[^/?#]+/(?:[^?#]*/)?")

_NOT_ASCII = re.compile("[^\0-\x7f]+")
_KEPT = "!$%&()*+,-./:;=?@[\\]^_`{|}~"  # what the URL standard leaves as it is in a query, of what bytes can be
# In these a page's queries are sent as UTF-8, or there is nothing to send.
_AS_UTF8 = ("utf-8", "utf-16le", "utf-16be", "replacement", "x-user-defined")
_MAX_FOLDERS = 32


class Resolver:
    """Resolves the hrefs of one page. The kernel seldom asks, so that nothing is made before it does."""

    def __init__(self, base: str, encoding: str) -> None:
        self.base = base
        self._encoding = None if encoding in _AS_UTF8 else codec(encoding)

    @cached_property
    def _against(self) -> str | None:
        """The base as the standard writes it; None if it is no URL: then only absolute hrefs mean something."""
        return parse(self.base)

    @cached_property
    def folders(self) -> list[str]:
        """The folder of the base, then those above it; none if there is no fast way against this base."""
        return _folders(self._against or "")

    def __call__(self, href: str) -> str | None:
        """Returns the http(s) URL of an href without its fragment, which no server ever sees; None if it has none."""
        href = href.partition("#")[0] if "#" in href else href
        if len(href) > MAX_LENGTH:
            return None
        if self.folders and (plain := _PLAIN.fullmatch(href)):
            up, rest = plain[1], plain[2]
            level = -1 if up == "/" else min(len(up) // 3, len(self.folders) - 1)
            return self.folders[level] + rest
        if self._encoding is not None and not href.isascii():
            href = _with_query_in(href, self._encoding)
        url = parse(href, self._against)
        return url if url is not None and url.startswith(HTTP) else None


def _folders(base: str) -> list[str]:
    """Returns the folder of an http(s) URL, then the one above it, and so on up to the root."""
    folder = _FOLDER.match(base)
    if folder is None or folder[0].count("/") > _MAX_FOLDERS:
        return []
    folders = [folder[0]]
    root = base.index("/", len("https://")) + 1
    while len(folders[-1]) > root:
        folders.append(base[: base.rindex("/", 0, len(folders[-1]) - 1) + 1])
    return folders


def _with_query_in(href: str, encoding: str) -> str:
    """Returns an href whose query is escaped from the page's own encoding, as forms and links on it are sent."""
    path, mark, query = href.partition("?")
    return path + mark + _NOT_ASCII.sub(lambda run: _escaped(run[0], encoding), query)


def _escaped(run: str, encoding: str) -> str:
    try:
        return quote_from_bytes(run.encode(encoding), safe=_KEPT)
    except UnicodeEncodeError:
        if len(run) > 1:
            return "".join(_escaped(character, encoding) for character in run)
        return f"%26%23{ord(run)}%3B"  # what the encoding lacks is sent as a character reference
