"""The main text of a page at its best: what a reader came for, without menus, banners, related links and the like.

The kernel builds a tree, measures each block of text and takes those that are likely to be main text, by what was
learnt of pages whose main text is known (`docs/decisions/0018-main-text.md`). Without it the fall-back takes what is
between the first and the last long line: it is slower and finds less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from skitter.kernel import IS_NATIVE
from skitter.parse import reference
from skitter.parse.scanned import Meta

if IS_NATIVE:
    from skitter import _native

MAX_TITLE = 1000
LONG_LINE = 12
"""Words from which on the fall-back takes a line for one of an article and not of a menu."""


class MainText(NamedTuple):
    """What a page says, and the language that it declares, if any."""

    title: str
    text: str
    description: str
    lang: str


Reader: TypeAlias = Callable[[bytes, str], MainText]
"""From a document in UTF-8 and its URL."""


def native(html: bytes, url: str) -> MainText:
    """Returns what the kernel finds. Other threads can run meanwhile."""
    return MainText(*_native.main_text(html, url))


def plain(html: bytes, url: str) -> MainText:  # noqa: ARG001 (both have one shape)
    """Returns what can be said without the kernel."""
    scanned = reference.scan(html, len(html), 0, MAX_TITLE)
    text = "\n".join(_from_first_to_last(scanned.text.split("\n")))
    return MainText(scanned.title, text, _description(scanned.metas), scanned.lang.strip() or _language(scanned.metas))


read: Reader = native if IS_NATIVE else plain


def _from_first_to_last(lines: Sequence[str]) -> Sequence[str]:
    """Returns the lines from the first to the last long one; all if none is."""
    long = [number for number, line in enumerate(lines) if line.count(" ") >= LONG_LINE - 1]
    return lines[long[0] : long[-1] + 1] if long else lines


def _description(metas: Sequence[Meta]) -> str:
    found = (content for name, _, content in metas if name.strip().lower() == "description")
    return " ".join(next(found, "").split())


def _language(metas: Sequence[Meta]) -> str:
    found = (content for _, pragma, content in metas if pragma.strip().lower() == "content-language")
    return next((content.strip() for content in found if "," not in content), "")
