"""The text that a reader would see: a line for each block, spaces collapsed, scripts and the like left out."""

from __future__ import annotations

from collections.abc import Sequence

from skitter.parse import attributes
from skitter.parse.tokens import BREAK, Mark, Markup

_ENDS = (b"/a", b"a")
_MAX_SPACE = 16  # bytes read for each character that is kept, so that a megabyte in an anchor costs little


def visible(pieces: Sequence[bytes], limit: int) -> str:
    """Returns the visible text of a document, at most `limit` characters."""
    lines = map(str.split, _read(b"".join(pieces)).split(BREAK.decode()))
    return "\n".join([" ".join(words) for words in lines if words])[:limit]


def short(written: bytes | None, limit: int) -> str:
    """Returns text collapsed on one line, at most `limit` characters."""
    return " ".join(_read((written or b"")[: limit * _MAX_SPACE]).split())[:limit]


def anchor(markup: Markup, number: int, limit: int) -> str:
    """Returns the text of the link that is the mark of this number, else what its images (or it itself) stand for."""
    tag, written, _, start = markup.marks[number]
    if tag != b"a":
        return _alternatives([written], limit)
    inside, end = _inside(markup.marks, number)
    text = short(b"".join(markup.text[start:end]), limit)
    return text or _alternatives([mark[1] for mark in inside if mark[0] == b"img"], limit)


def _read(written: bytes) -> str:
    return attributes.unescape(written.decode("utf-8", "replace")).replace("\0", "")


def _alternatives(written: Sequence[bytes], limit: int) -> str:
    """Returns the alt of tags, given their attributes."""
    found = [attributes.read(one).get(b"alt") for one in written if b"alt" in one.lower()]
    return short(b" ".join([alt for alt in found if alt is not None]), limit)


def _inside(marks: Sequence[Mark], number: int) -> tuple[Sequence[Mark], int | None]:
    """Returns the marks in an anchor and where it ends: at its end tag, or where the next one begins."""
    for ahead in range(number + 1, len(marks)):
        if marks[ahead][0] in _ENDS:
            return marks[number + 1 : ahead], marks[ahead][3]
    return marks[number + 1 :], None
