"""What a plug-in is shown: a page as it was answered, a URL as it was found, a document to be read. Pure.

What takes time, the text of a page for one, is found when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from skitter.messages import Headers, header_values


class SeenUrl(Struct, frozen=True):
    """A URL that a page, a sitemap or a redirect leads to, and that may be fetched by all other rules."""

    url: str
    host: str
    depth: int = 0
    parent: str = ""  # where it was found
    priority: float = 0.5


class Document(Struct, frozen=True):
    """An answer of a media type that somebody else has to read."""

    url: str
    media_type: str
    headers: Headers = ()
    body: bytes = b""


class SeenPage(Struct, frozen=True, dict=True):
    """A page that came with a 2xx, and what was made of it so far."""

    url: str
    status: int = 200
    headers: Headers = ()
    body: bytes = b""  # with every encoding undone
    media_type: str = ""
    title: str = ""
    lang: str = ""  # as it declares, or a parser says: `en`, `pt-BR`; empty: neither does
    depth: int = 0
    parent: str = ""
    links: Sequence[str] = ()  # where it leads to, resolved
    reasons: Sequence[str] = ()  # what there is to say against it
    fields: Mapping[str, str] = {}  # what was found in it, by plug-ins before
    parsed: str | None = None  # its text, if another plug-in has read it

    def header(self, name: str, default: str = "") -> str:
        """Returns the first value of the header called `name`, in any case."""
        return next(iter(header_values(self.headers, name.lower())), default)

    @cached_property
    def html(self) -> str:
        """The body as text, in the encoding that a browser would take."""
        from skitter.parse import charset  # here and below: whoever knows the ports need not load the parsers

        return charset.decode(self.body, self.header("content-type") or None)[0]

    @cached_property
    def text(self) -> str:
        """What a reader would see of it: HTML without its markup."""
        if self.parsed is not None:
            return self.parsed
        if "html" not in self.media_type:
            return self.html if self.media_type.startswith("text/") else ""
        from skitter.parse import html
        from skitter.settings import ParseSettings

        return html.read(self.body, self.url, self.headers, ParseSettings(), "skitter").text

    @cached_property
    def language(self) -> str:
        """The language that its text is in, as far as that can be told, else the one it declares: `en`, `pt-BR`."""
        from skitter.parse.language import language_of

        return language_of(self.text, self.lang) or ""
