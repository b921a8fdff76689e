"""Targets for what documents say: types, metas and JSON-LD, dates, pictures, what is reserved, and whole rows."""

from __future__ import annotations

import pyarrow as pa  # type: ignore[import-untyped]

from skitter.content.capture import MAX_FACTS, Seen, as_json, image_row, text_row, told_by
from skitter.content.documents.about import about
from skitter.content.documents.document import Limits
from skitter.content.documents.readers import BY_TYPE
from skitter.content.documents.when import EARLIEST, LATEST, pdf_date, when
from skitter.content.optout import Use, opt_out
from skitter.content.pictures.exif import TAGS, exif
from skitter.content.pictures.size import READERS, picture
from skitter.parse.sniffing import essence, magic, media_of
from skitter.robots.signals import signals_in
from skitter.store.index.contents import IMAGES, TEXT

LIMITS = (Limits("best", 100_000, 2000), Limits("quick", 100_000, 2000))
URL = "https://a.test/x/y?z=1"


def fuzz_sniffing(data: bytes) -> None:
    """Any body has a type, with any header or none; and what can be nothing else is that."""
    header, _, body = data.partition(b"\n")
    declared = header.decode("latin-1") or None
    media = media_of(body, declared)
    assert media
    assert essence(media) == media
    if magic(body) is not None and declared is None:
        assert media == magic(body)


def fuzz_about(data: bytes) -> None:
    """What a page says about itself can be stored: bounded, valid, dates that can be."""
    found = about(data)
    facts = as_json(found.facts())
    assert facts is None or len(facts.encode()) <= MAX_FACTS
    for date in (found.published(), found.modified(), when(data.decode("latin-1")), pdf_date(data.decode("latin-1"))):
        assert date is None or EARLIEST <= date <= LATEST
    for name, content in found.metas:
        f"{name}{content}".encode()


def fuzz_row(data: bytes) -> None:
    """Any body with any headers makes a row that fits its table."""
    head, _, body = data.partition(b"\n\n")
    lines = [line.partition(":") for line in head.decode("latin-1").split("\n")]
    headers = [(name.strip(), value.strip()) for name, _, value in lines if name.strip()]
    robots = next((value for name, value in headers if name == "robots"), "").encode("latin-1")
    signals = signals_in(robots.replace(b"|", b"\n"), "skitter", 1000)
    for limits in LIMITS:
        seen = Seen(URL, "a.test", 0, 200, headers, body, "f", 0, 1)
        told = told_by(seen, limits, BY_TYPE)
        reserved = opt_out(headers, told.metas, "skitter", url=URL, signals=signals, tdmrep=body)
        assert set(reserved.reserved) <= set(Use)
        for row, schema in ((text_row(seen, told, reserved), TEXT), (image_row(seen, reserved), IMAGES)):
            for value, field in zip(row, schema, strict=True):
                pa.array([value], field.type)
        assert len(told.text) <= limits.max_text


def fuzz_picture(data: bytes) -> None:
    """Any bytes as a picture of any type: sides that can be, and no tag beside those that are kept."""
    for media in READERS:
        found = picture(data, media)
        assert all(side is None or side > 0 for side in found[:2])
        assert set(exif(found.exif)) <= set(TAGS.values())


TARGETS = {"sniffing": fuzz_sniffing, "about": fuzz_about, "row": fuzz_row, "picture": fuzz_picture}
_LD = b'<script type="application/ld+json">{"@graph":[{"@type":"Article","datePublished":"2026-01-02"}]}</script>'
SEEDS = {
    "sniffing": [
        b"text/html\n<!DOCTYPE html><p>x",
        b"\n%PDF-1.4",
        b"text/plain\n\x00\x01",
        b"image/png\n\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom",
        b"text/html\n<?xml?><!-- --><rss>",
    ],
    "about": [
        b'<meta property="og:title" content="a&amp;b"><h1>One <b>two</b></h1>' + _LD,
        b"<!-- x --><time itemprop=dateModified datetime='2026-01-02T03:04:05Z'><template><h2>x</h2></template>",
        b"D:20260102030405+01'00'",
    ],
    "row": [
        b"Content-Type: text/html\nX-Robots-Tag: noai, skitter: noindex\n\n<html lang=de><title>T</title><p>Worte"
        + _LD,
        b'Content-Type: application/json\ntdm-reservation: 1\n\n[{"location":"/x*y","tdm-reservation":1}]',
        b"Content-Type: application/rss+xml\n\n<rss><channel><title>F</title><item><title>x</title></item></channel>",
        b"robots: User-agent: *|Content-Signal: /x ai-train=no|Content-Usage: train-ai=n\n\nplain words",
        b"Content-Type: image/gif\n\nGIF89a\x10\x00\x10\x00",
    ],
    "picture": [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0\0\0\0\0\0\0\0\x08eXIfII*\0\x08\0\0\0\0\0\0\0",
        b"\xff\xd8\xff\xe1\0\x22Exif\0\0II*\0\x08\0\0\0\1\0\x0f\x01\2\0\3\0\0\0abc\0\xff\xc0\0\x11\x08\0\1\0\1\3",
        b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\1\0\0\1\0\0EXIF\2\0\0\0II",
        b"<svg width='3' height='4' viewBox='0 0 1 1'>",
    ],
}
