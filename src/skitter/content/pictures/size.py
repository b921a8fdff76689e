"""Width and height of a picture, and where its EXIF is, by its header. Pure; reads what it must and no more."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from struct import Struct as Layout
from typing import NamedTuple

MAX_BLOCKS = 2000
"""Blocks of a file that are passed over in search of the one with its size."""
MAX_SIDE = 2**31 - 1
SVG_HEAD = 64 * 1024

_BE32, _LE16, _LE32, _BE16 = Layout(">I"), Layout("<H"), Layout("<I"), Layout(">H")
_SVG = re.compile(rb"<(?:[\w-]+:)?svg\b([^>]{0,4000})", re.IGNORECASE)
_SIDE = re.compile(rb"""\b(width|height)\s*=\s*["']\s*([0-9]{1,7})(?:\.[0-9]*)?\s*(?:px)?\s*["']""", re.IGNORECASE)
_NUMBER = rb"[-0-9.]+[\s,]+"
_VIEW = re.compile(
    rb"viewBox\s*=\s*[\"']\s*" + _NUMBER * 2 + rb"([0-9]{1,7})[0-9.]*[\s,]+([0-9]{1,7})[0-9.]*\s*[\"']", re.IGNORECASE
)


class Picture(NamedTuple):
    """What a header says; None: nothing."""

    width: int | None = None
    height: int | None = None
    exif: bytes = b""  # a TIFF structure


def picture(body: bytes, media: str) -> Picture:
    """Returns what the header of a picture of this type says. Any bytes will do."""
    reader = READERS.get(media)
    found = Picture() if reader is None else reader(body)
    if any(side is not None and not 0 < side <= MAX_SIDE for side in (found.width, found.height)):
        return Picture(exif=found.exif)
    return found


def _png(body: bytes) -> Picture:
    width, height = _number(_BE32, body, 16), _number(_BE32, body, 20)
    at, exif = 8, b""
    for _ in range(MAX_BLOCKS):
        size, name = _number(_BE32, body, at), body[at + 4 : at + 8]
        if size is None or name == b"IDAT":
            break
        if name == b"eXIf":
            exif = body[at + 8 : at + 8 + size]
            break
        at += size + 12
    return Picture(width, height, exif) if body[12:16] == b"IHDR" else Picture()


def _jpeg(body: bytes) -> Picture:
    at, exif = 2, b""
    for _ in range(MAX_BLOCKS):
        if at + 4 > len(body) or body[at] != 0xFF:
            break
        marker = body[at + 1]
        if marker == 0xFF:
            at += 1  # padding
            continue
        if marker in (0xD8, 0x01) or 0xD0 <= marker <= 0xD7:
            at += 2
            continue
        size = _number(_BE16, body, at + 2) or 0
        if marker == 0xE1 and not exif and body[at + 4 : at + 10] == b"Exif\0\0":
            exif = body[at + 10 : at + 2 + size]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return Picture(_number(_BE16, body, at + 7), _number(_BE16, body, at + 5), exif)
        if marker in (0xD9, 0xDA) or size < 2:
            break
        at += 2 + size
    return Picture(exif=exif)


def _gif(body: bytes) -> Picture:
    return Picture(_number(_LE16, body, 6), _number(_LE16, body, 8))


def _bmp(body: bytes) -> Picture:
    width, height = _number(_LE32, body, 18), _number(_LE32, body, 22)
    if height is not None and height >= 2**31:
        height = 2**32 - height  # from the top down
    return Picture(width, height)


def _icon(body: bytes) -> Picture:
    """The largest of the pictures in it; 0 means 256."""
    count = min(_number(_LE16, body, 4) or 0, 100)
    sides = [(body[at] or 256, body[at + 1] or 256) for at in range(6, 6 + 16 * count, 16) if at + 16 <= len(body)]
    return Picture(*max(sides)) if sides else Picture()


def _webp(body: bytes) -> Picture:
    at, found, exif = 12, Picture(), b""
    for _ in range(MAX_BLOCKS):
        name, size = body[at : at + 4], _number(_LE32, body, at + 4)
        if size is None:
            break
        if found.width is None:
            found = _webp_block(name, body[at + 8 : at + 40])
        if name == b"EXIF":
            exif = body[at + 8 : at + 8 + size].removeprefix(b"Exif\0\0")
        at += 8 + size + size % 2
    return found._replace(exif=exif)


def _webp_block(name: bytes, block: bytes) -> Picture:
    if name == b"VP8X" and len(block) >= 10:
        return Picture(1 + int.from_bytes(block[4:7], "little"), 1 + int.from_bytes(block[7:10], "little"))
    if name == b"VP8 " and block[3:6] == b"\x9d\x01\x2a" and len(block) >= 10:
        return Picture(*(side & 0x3FFF for side in Layout("<HH").unpack_from(block, 6)))
    if name == b"VP8L" and len(block) >= 5 and block[0] == 0x2F:
        bits = int.from_bytes(block[1:5], "little")
        return Picture((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    return Picture()


def _heif(body: bytes) -> Picture:
    """The largest size that an `ispe` box says, of AVIF and HEIC: smaller ones are of tiles and thumbnails."""
    sides = list[tuple[int, int]]()
    at = body.find(b"ispe", 0, SVG_HEAD)
    while at >= 0 and len(sides) < MAX_BLOCKS:
        width, height = _number(_BE32, body, at + 8), _number(_BE32, body, at + 12)
        if width is not None and height is not None:
            sides.append((width, height))
        at = body.find(b"ispe", at + 4, SVG_HEAD)
    return Picture(*max(sides)) if sides else Picture()


def _svg(body: bytes) -> Picture:
    tag = _SVG.search(body, 0, SVG_HEAD)
    if tag is None:
        return Picture()
    sides = {name.lower(): int(value) for name, value in _SIDE.findall(tag[1])}
    view = _VIEW.search(tag[1])
    if b"width" in sides and b"height" in sides:
        return Picture(sides[b"width"], sides[b"height"])
    return Picture(int(view[1]), int(view[2])) if view else Picture()


def _tiff(body: bytes) -> Picture:
    return Picture(exif=body)


def _number(layout: Layout, body: bytes, at: int) -> int | None:
    if at + layout.size > len(body):
        return None
    number: int = layout.unpack_from(body, at)[0]
    return number


READERS: Mapping[str, Callable[[bytes], Picture]] = {
    "image/png": _png,
    "image/apng": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/bmp": _bmp,
    "image/x-icon": _icon,
    "image/vnd.microsoft.icon": _icon,
    "image/webp": _webp,
    "image/avif": _heif,
    "image/heic": _heif,
    "image/svg+xml": _svg,
    "image/tiff": _tiff,
}
