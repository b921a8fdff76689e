"""The text that a reader would see: a line for each block, spaces collapsed, scripts and the like left out."""

from __future__ import annotations

from collections.abc import Sequence

from skitter.parse import attributes
from skitter.parse.tokens import BREAK, Mark, Markup

_MAX_PIECES = 256  # read for an anchor
_MAX_MARKS = 32
_ENDS = (b"/a", b"a")
_MAX_SPACE = 16  # characters read for each that is kept, so that a megabyte in an anchor costs little


def visible(pieces: Sequence[bytes], limit: int) -> str:
    """Returns the visible text of a document, at most `limit` characters."""
    text = attributes.unescape(b"".join(pieces).decode("utf-8", "replace")).replace("\0", "")
    lines = map(str.split, text.split(BREAK.decode()))
    return "\n".join([" ".join(words) for words in lines if words])[:limit]


def short(written: bytes | None, limit: int) -> str:
    """Returns text collapsed on one line, at most `limit` characters."""
    text = (written or b"")[: limit * _MAX_SPACE].decode("utf-8", "replace")
    return " ".join(attributes.unescape(text).split())[:limit]


def anchor(markup: Markup, number: int, limit: int) -> str:
    """Returns the text of the link that is the mark of this number, else what its images (or it itself) stand for."""
    tag, written, _, start = markup.marks[number]
    if tag != b"a":
        return _alternatives([written], limit)
    inside, end = _inside(markup.marks, number)
    text = short(b"".join(markup.text[start : min(end, start + _MAX_PIECES)]), limit)
    return text or _alternatives([mark[1] for mark in inside if mark[0] == b"img"], limit)


def _alternatives(written: Sequence[bytes], limit: int) -> str:
    """Returns the alt of tags, given their attributes."""
    return short(b" ".join([attributes.read(one).get(b"alt", b"") for one in written if b"alt" in one.lower()]), limit)


def _inside(marks: Sequence[Mark], number: int) -> tuple[Sequence[Mark], int]:
    """Returns the marks in an anchor and where it ends: at its end tag, or where the next one begins."""
    first = number + 1
    for ahead in range(first, min(first + _MAX_MARKS, len(marks))):
        if marks[ahead][0] in _ENDS:
            return marks[first:ahead], marks[ahead][3]
    return marks[first : first + _MAX_MARKS], marks[number][3] + _MAX_PIECES
