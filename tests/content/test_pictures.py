"""What the headers of pictures say: size and EXIF, never a position; and any bytes are borne."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.content.pictures.exif import exif
from skitter.content.pictures.size import MAX_SIDE, READERS, picture

GPS = 0x8825


def a_tiff(order: str = "<") -> bytes:
    """EXIF with a camera, a time in its second table, and a position."""
    make, taken, place = b"Camera Works\0", b"2026:01:02 03:04:05\0", b"N\0\0\0"
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(f"{order}I", 8)
    first = [(0x010F, 2, len(make), 300), (0x0112, 3, 1, None), (0x8769, 4, 1, 100), (GPS, 4, 1, 200)]
    tables = bytearray(head + b"\0" * 400)
    _table(tables, 8, first, order)
    _table(tables, 100, [(0x9003, 2, len(taken), 340), (0x829D, 5, 1, 370)], order)
    _table(tables, 200, [(1, 2, 2, int.from_bytes(place, "little"))], order)
    tables[300 : 300 + len(make)] = make
    tables[340 : 340 + len(taken)] = taken
    tables[370:378] = struct.pack(f"{order}II", 28, 10)
    return bytes(tables)


def _table(into: bytearray, at: int, entries: list[tuple[int, int, int, int | None]], order: str) -> None:
    packed = struct.pack(f"{order}H", len(entries))
    for tag, kind, count, value in entries:
        last = struct.pack(f"{order}HH", 6, 0) if value is None else struct.pack(f"{order}I", value)
        packed += struct.pack(f"{order}HHI", tag, kind, count) + last
    into[at : at + len(packed)] = packed


def a_png(width: int, height: int, *chunks: tuple[bytes, bytes]) -> bytes:
    ihdr = struct.pack(">II", width, height) + b"\x08\x02\0\0\0"
    made = b"\x89PNG\r\n\x1a\n"
    for name, content in ((b"IHDR", ihdr), *chunks, (b"IDAT", b"")):
        made += struct.pack(">I", len(content)) + name + content + b"\0\0\0\0"
    return made


def a_jpeg(width: int, height: int, tiff: bytes = b"") -> bytes:
    app = b"Exif\0\0" + tiff
    exif_block = b"\xff\xe1" + struct.pack(">H", len(app) + 2) + app if tiff else b""
    return (
        b"\xff\xd8" + exif_block + b"\xff\xff\xc0\x00\x11\x08" + struct.pack(">HH", height, width) + b"\x03" + b"\0" * 9
    )


def a_webp(block: bytes, *more: bytes) -> bytes:
    return b"RIFF\0\0\0\0WEBP" + block + b"".join(more)


@pytest.mark.parametrize(
    ("body", "media"),
    [
        (a_png(640, 480), "image/png"),
        (a_jpeg(640, 480), "image/jpeg"),
        (b"GIF89a" + struct.pack("<HH", 640, 480), "image/gif"),
        (b"BM" + b"\0" * 16 + struct.pack("<ii", 640, -480), "image/bmp"),
        (a_webp(b"VP8 \x0a\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 640, 480)), "image/webp"),
        (a_webp(b"VP8X\x0a\0\0\0\0\0\0\0" + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")), "image/webp"),
        (a_webp(b"VP8L\x05\0\0\0\x2f" + (639 | 479 << 14).to_bytes(4, "little")), "image/webp"),
        (b"\0\0\0\x14ispe\0\0\0\0" + struct.pack(">II", 640, 480), "image/avif"),
        (b"<?xml version='1.0'?><svg xmlns='x' width='640px' height=\"480\">", "image/svg+xml"),
        (b"<svg viewBox='0 0 640 480'>", "image/svg+xml"),
    ],
)
def test_sizes(body: bytes, media: str) -> None:
    assert picture(body, media)[:2] == (640, 480)
    for length in range(0, len(body), 3):  # cut anywhere, it says less and nothing else
        assert picture(body[:length], media)[:2] in ((640, 480), (None, None), (640, None), (None, 480))


def test_an_icon_has_the_size_of_its_largest() -> None:
    entries = b"".join(bytes([side, side]) + b"\0" * 14 for side in (16, 48))
    assert picture(b"\0\0\1\0\2\0" + entries, "image/x-icon")[:2] == (48, 48)


@pytest.mark.parametrize("order", ["<", ">"])
def test_exif_without_the_position(order: str) -> None:
    for body, media in (
        (a_jpeg(1, 1, a_tiff(order)), "image/jpeg"),
        (a_png(1, 1, (b"eXIf", a_tiff(order))), "image/png"),
        (a_webp(b"EXIF" + struct.pack("<I", len(a_tiff())) + a_tiff(order)), "image/webp"),
    ):
        found = exif(picture(body, media).exif)
        assert found == {
            "make": "Camera Works",
            "orientation": 6.0,
            "taken": "2026:01:02 03:04:05",
            "aperture": 2.8,
        }


def test_a_side_that_can_not_be_is_none() -> None:
    assert picture(a_png(2**32 - 1, 5), "image/png").width is None
    assert picture(a_png(0, 5), "image/png")[:2] == (None, None)
    assert picture(b"", "image/unheard-of")[:2] == (None, None)


def test_tables_that_point_at_each_other_end() -> None:
    tiff = bytearray(b"II*\0" + struct.pack("<I", 8) + b"\0" * 40)
    _table(tiff, 8, [(0x8769, 4, 1, 8)], "<")
    assert exif(bytes(tiff)) == {}


@pytest.mark.slow
@given(st.binary(max_size=120), st.sampled_from(sorted(READERS)))
def test_any_bytes_are_borne(body: bytes, media: str) -> None:
    found = picture(body, media)
    assert all(side is None or 0 < side <= MAX_SIDE for side in found[:2])
    exif(body)
    exif(b"II*\0\x08\0\0\0" + body)
