"""EXIF, without the position. Pure.

It is a TIFF structure: tables of tags, each with a kind, a count and a value or its place. Only the tags in `TAGS`
are read, so that where a picture was taken (a table of its own) is never even looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from struct import Struct as Layout

from skitter.content.documents.document import one_line

TAGS: Mapping[int, str] = {
    0x010E: "description",
    0x010F: "make",
    0x0110: "model",
    0x0112: "orientation",
    0x0131: "software",
    0x0132: "changed",
    0x013B: "artist",
    0x8298: "copyright",
    0x829A: "exposure",
    0x829D: "aperture",
    0x8827: "iso",
    0x9003: "taken",
    0x9010: "taken_zone",
    0x920A: "focal_length",
    0xA434: "lens",
}
"""What is kept. The position is under 0x8825, names of places and people in other tags: none of them is here."""

EXIF_TABLE = 0x8769
MAX_ENTRIES, MAX_TEXT = 500, 200
_TEXT, _SHORT, _LONG, _RATIO = 2, 3, 4, 5


def exif(tiff: bytes) -> dict[str, str | float]:
    """Returns what is kept of an EXIF structure. Any bytes will do."""
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None or len(tiff) < 8:
        return {}
    (first,) = Layout(f"{order}I").unpack_from(tiff, 4)
    found = dict[str, str | float]()
    tables = [first]
    for at in tables:
        for tag, kind, count, value in _entries(tiff, at, order):
            if tag == EXIF_TABLE and len(tables) < 2:  # the first and that of EXIF, whatever they point at
                tables.append(int.from_bytes(value[:4], "little" if order == "<" else "big"))
            elif tag in TAGS and (said := _value(tiff, kind, count, value, order)) not in (None, ""):
                assert said is not None
                found.setdefault(TAGS[tag], said)
    return found


def _entries(tiff: bytes, at: int, order: str) -> Iterator[tuple[int, int, int, bytes]]:
    if at + 2 > len(tiff):
        return
    (count,) = Layout(f"{order}H").unpack_from(tiff, at)
    layout = Layout(f"{order}HHI4s")
    for number in range(min(count, MAX_ENTRIES)):
        place = at + 2 + 12 * number
        if place + 12 > len(tiff):
            return
        yield layout.unpack_from(tiff, place)


def _value(tiff: bytes, kind: int, count: int, value: bytes, order: str) -> str | float | None:
    (place,) = Layout(f"{order}I").unpack(value)
    if kind == _TEXT:
        raw = value[:count] if count <= 4 else tiff[place : place + min(count, 4 * MAX_TEXT)]
        return one_line(raw.partition(b"\0")[0].decode("utf-8", "replace"), MAX_TEXT)
    if kind == _SHORT and count == 1:
        return float(Layout(f"{order}H").unpack(value[:2])[0])
    if kind == _LONG and count == 1:
        return float(place)
    if kind == _RATIO and count == 1 and place + 8 <= len(tiff):
        above, below = Layout(f"{order}II").unpack_from(tiff, place)
        return round(above / below, 6) if below else None
    return None
