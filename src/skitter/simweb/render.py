"""From a description to bytes: HTML and sitemaps. The text is put together from paragraphs that the seed made."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from html import escape
from typing import Protocol

from skitter.messages import LinkKind
from skitter.simweb.draw import draws
from skitter.simweb.spec import Anchor, Legacy, Spec, What

_TEXT = (
    "spider web thread pond surface walk water strider leg ripple leaf reed morning evening light wind still move rest "
    "carry find keep count list path stone bridge garden letter number host page link table paper window door river "
    "small large slow quick early late first last near far open quiet green grey under over between beside"
)
WORDS = tuple(_TEXT.split())
PARAGRAPHS = 128
PARAGRAPH_WORDS = 60


class Writer(Protocol):
    """What makes the HTML of a page."""

    def html(self, spec: Spec, version: int) -> str:
        """Returns the document, with every link of `spec` in it and no other."""
        ...


class TextWriter:
    """Writes pages of plain words."""

    def __init__(self, seed: int) -> None:
        self._paragraphs = [_paragraph(seed, number) for number in range(PARAGRAPHS)]
        self._mean = sum(map(len, self._paragraphs)) // PARAGRAPHS

    def html(self, spec: Spec, version: int) -> str:
        """Returns the document; `version` is the number of times that the page has changed."""
        links = "\n".join([_li(link) for link in spec.links if link.kind is LinkKind.NAVIGATION])
        changed = f"<p>Changed {version} times.</p>\n" if version else ""
        return (
            f"{opening(spec)}<body>\n<h1>{spec.title}</h1>\n{changed}"
            f"<ul>\n{links}\n</ul>\n{self._text(spec, len(links))}</body>\n</html>\n"
        )

    def _text(self, spec: Spec, so_far: int) -> str:
        count = max(1, (spec.size - so_far) // self._mean)
        return "".join([self._paragraphs[die % PARAGRAPHS] for die in draws(count, "text", spec.seed)])


def opening(spec: Spec) -> str:
    """Returns the document up to the end of its head."""
    words = f" {spec.legacy.words}" if spec.legacy is not None else ""
    head = f"{charset_tag(spec)}<title>{spec.title}{words}</title>{spec.head}"
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}</head>\n'


def charset_tag(spec: Spec) -> str:
    """Returns the tag that tells the charset, if a tag is to tell it."""
    return f'<meta charset="{spec.legacy.charset}">' if spec.legacy is not None and spec.legacy.in_meta else ""


def body_of(spec: Spec, writer: Writer, version: int = 0) -> bytes:
    """Returns the body of a good answer, before any Content-Encoding."""
    match spec.what:
        case What.PAGE:
            return writer.html(spec, version).encode(spec.legacy.charset if spec.legacy else "utf-8", "replace")
        case What.SITEMAP | What.SITEMAP_INDEX:
            body = _sitemap(spec.links, is_index=spec.what is What.SITEMAP_INDEX)
            return pack(body) if spec.gzipped else body
        case _:
            return spec.body


def media_of(spec: Spec) -> str:
    """Returns the Content-Type."""
    return _legacy_media(spec.legacy) if spec.legacy is not None else spec.media


def pack(body: bytes) -> bytes:
    """Returns the body as gzip, the same at all times."""
    return gzip.compress(body, compresslevel=1, mtime=0)


def _legacy_media(legacy: Legacy) -> str:
    return f"text/html; charset={legacy.charset}" if legacy.in_header else "text/html"


def _li(link: Anchor) -> str:
    rel = ' rel="nofollow"' if link.nofollow else ""
    return f'<li><a href="{link.href}"{rel}>{link.url[7:40]}</a></li>'


def _sitemap(links: Sequence[Anchor], *, is_index: bool) -> bytes:
    outer, inner = ("sitemapindex", "sitemap") if is_index else ("urlset", "url")
    rows = "".join(f"<{inner}><loc>{escape(link.url)}</loc></{inner}>\n" for link in links)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<{outer} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</{outer}>\n'
    ).encode()


def _paragraph(seed: int, number: int) -> str:
    words = [WORDS[die % len(WORDS)] for die in draws(PARAGRAPH_WORDS, seed, "paragraph", number)]
    return f"<p>{' '.join(words).capitalize()}.</p>\n"
