"""What a sitemap or feed has listed so far: URLs made absolute, dates made moments, up to a limit."""

from __future__ import annotations

from skitter.messages import SitemapEntry
from skitter.parse.dates import moment
from skitter.parse.markup import UNKNOWN
from skitter.url.keys import host_of
from skitter.url.parse import parse

_HTTP = ("http://", "https://")
_BLANKS = "".join(sign for sign in map(chr, range(0x3001)) if sign.isspace()) + "\u200b\ufeff"
_MAX_URL = 65536  # as long as any setting allows a URL to be
_MAX_HOST = 300
_LONGEST_WORD = 20


class Listing:
    """The entries of one sitemap at `url`, the first `limit` of them."""

    def __init__(self, url: str, limit: int) -> None:
        self.base = parse(url)
        self.host = host_of(self.base) if self.base else ""
        self.entries: list[SitemapEntry] = []
        self.limit = limit
        self.is_over = False
        self.hub = ""

    def add(self, url: str, modified: str = "", *, relative: bool = False, frequency: str = "") -> None:
        """Takes one entry, unless its text names no URL. Past the limit, only notes that there was one more."""
        href = self._resolve(url, relative)
        if href is None:
            return
        if len(self.entries) >= self.limit:
            self.is_over = True
            return
        self.entries.append(SitemapEntry(href, moment(modified) if modified else None, frequency[:_LONGEST_WORD]))

    def note_hub(self, url: str) -> None:
        """Takes the first hub that is named, if it is a URL that one could ask."""
        if not self.hub:
            self.hub = self._resolve(url, relative=True) or ""

    def _resolve(self, text: str, relative: bool) -> str | None:
        """Returns the page's URL as the URL standard serialises it, or None if the text names none.

        Sitemaps must list absolute URLs. Unless `relative` ones are right, only what can't be misread is taken beside
        those: a path from the root, and the sitemap's own host without the scheme.
        """
        text = _joined_lines(text) if len(text) <= _MAX_URL else ""
        if not text or UNKNOWN in text:
            return None
        if not (relative or text[0] == "/" or text[:8].lower().startswith(_HTTP)):
            text = f"//{text}" if self._is_own(text) else ""
        href = parse(text, self.base) if text else None
        if href is None or not href.startswith(_HTTP):
            return None
        # A fragment is a place in a page; what is listed are pages.
        return href.partition("#")[0]

    def _is_own(self, text: str) -> bool:
        return bool(self.host) and host_of(f"http://{text[:_MAX_HOST]}".lower()) == self.host


def _joined_lines(text: str) -> str:
    """Returns `text` without white space at the ends, and without line breaks and the indentation that follows."""
    text = text.strip(_BLANKS)
    return "".join(line.strip() for line in text.splitlines()) if "\n" in text or "\r" in text else text
