"""Real pages in a simulated web: their markup and text stay, their links are replaced by those of the world.

For measuring: a parser finds real pages harder than made ones. Whatever else could lead somewhere or tell a crawler
something (base, link, frames, forms, meta, rel) is renamed, so that the truth of the world stays the truth.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from zlib import crc32

from skitter.messages import LinkKind
from skitter.simweb.render import charset_tag
from skitter.simweb.spec import Anchor, Spec

# What is in these is no markup, or none that is shown: an anchor in it would be no link.
_DARK = re.compile(
    r"<!--.*?-->|<(script|style|template|textarea|noscript|svg|select|title)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL
)
_LEADING = re.compile(r"(</?)(base|link|area|iframe|frame|frameset|form|meta|plaintext|xmp)\b", re.IGNORECASE)
_REL = re.compile(r"\srel\s*=", re.IGNORECASE)
_HREF = re.compile(r"""<a\b[^>]*?\shref\s*=\s*("[^"]*"|'[^']*'|[^\s>"']+)""", re.IGNORECASE)
_HEAD = re.compile(r"<head\b[^>]*>", re.IGNORECASE)


class PageWriter:
    """Writes pages in the clothes of the given ones."""

    def __init__(self, pages: Sequence[bytes]) -> None:
        assert pages, "real pages are wanted, and there are none"
        self._patterns = [_cut(page.decode("utf-8", "replace")) for page in pages]

    def html(self, spec: Spec, version: int) -> str:
        """Returns one of the pages with the links of `spec`; which one depends on the seed alone."""
        head, parts = self._patterns[crc32(spec.seed.encode()) % len(self._patterns)]
        hrefs = [_value(link) for link in spec.links if link.kind is LinkKind.NAVIGATION]
        slots = len(parts) - 1
        fitting = hrefs[:slots] + ['"#"'] * (slots - len(hrefs))
        text = "".join([piece for pair in zip(parts, fitting, strict=False) for piece in pair])
        spare = "".join([f"<a href={href}>more</a>\n" for href in hrefs[slots:]])
        return f"{head}{charset_tag(spec)}{spec.head}{spare}{text}{parts[-1]}<!-- {spec.seed} {version} -->\n"


def _cut(page: str) -> tuple[str, list[str]]:
    """Returns a page up to where its head begins, and the rest of it cut where the links were."""
    page = _REL.sub(" data-rel=", _LEADING.sub(r"\1x-\2", _DARK.sub("", page)))
    head = _HEAD.search(page)
    begin = head.end() if head is not None else 0
    parts, at = [], begin
    for link in _HREF.finditer(page, begin):
        parts.append(page[at : link.start(1)])
        at = link.end(1)
    return page[:begin] or "<!DOCTYPE html>", [*parts, page[at:]]


def _value(link: Anchor) -> str:
    return f'"{link.href}" rel="nofollow"' if link.nofollow else f'"{link.href}"'
