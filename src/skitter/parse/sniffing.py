"""What a body is, whatever its server says. Pure.

`computed` is the algorithm of the MIME Sniffing standard (mimesniff.spec.whatwg.org): what browsers do, so that what is
a page to them is one to us. It trusts most of what servers say. `media_of` does not: a body that can't be anything but
a picture, a PDF or an archive is that, be it sent as HTML or as `application/octet-stream`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

HEADER = 1445
"""Bytes that are looked at."""

HTML_TYPES = ("text/html", "application/xhtml+xml")
OCTETS = "application/octet-stream"
UNKNOWN = ("", "unknown/unknown", "application/unknown", "*/*")
APACHE = ("text/plain", "text/plain; charset=ISO-8859-1", "text/plain; charset=iso-8859-1", "text/plain; charset=UTF-8")
"""What some servers say of everything that they do not know."""

_SPACE = b"\t\n\x0c\r "
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_MARKS = (b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf")
_TAGS = b"<!doctype html|<html|<head|<script|<iframe|<h1|<div|<font|<table|<a|<style|<title|<b|<body|<br|<p".split(b"|")
_MARKUP = re.compile(rb"(?:" + b"|".join(map(re.escape, _TAGS)) + rb")[ >]|<!--", re.IGNORECASE)
_TYPE = re.compile(r"[\t\n\r ]*([!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+)[\t\n\r ]*(?:;.*)?", re.DOTALL)


class Pattern(NamedTuple):
    """Bytes that a body begins with, from `at` on, after the bytes of `start`."""

    start: bytes
    media: str
    at: int = 0
    then: bytes = b""
    is_sure: bool = True  # nothing else begins so; a few letters may be the start of a text too


IMAGES = (
    Pattern(b"\x00\x00\x01\x00", "image/x-icon", is_sure=False),
    Pattern(b"\x00\x00\x02\x00", "image/x-icon", is_sure=False),
    Pattern(b"BM", "image/bmp", is_sure=False),
    Pattern(b"GIF87a", "image/gif"),
    Pattern(b"GIF89a", "image/gif"),
    Pattern(b"RIFF", "image/webp", 8, b"WEBPVP"),
    Pattern(b"\x89PNG\r\n\x1a\n", "image/png"),
    Pattern(b"\xff\xd8\xff", "image/jpeg"),
)
SOUNDS = (
    Pattern(b"FORM", "audio/aiff", 8, b"AIFF"),
    Pattern(b"ID3", "audio/mpeg", is_sure=False),
    Pattern(b"OggS\x00", "application/ogg"),
    Pattern(b"MThd\x00\x00\x00\x06", "audio/midi"),
    Pattern(b"RIFF", "video/avi", 8, b"AVI "),
    Pattern(b"RIFF", "audio/wave", 8, b"WAVE"),
)
FONTS = (
    Pattern(b"\x00\x01\x00\x00", "font/ttf", is_sure=False),
    Pattern(b"OTTO", "font/otf", is_sure=False),
    Pattern(b"ttcf", "font/collection", is_sure=False),
    Pattern(b"wOFF", "font/woff", is_sure=False),
    Pattern(b"wOF2", "font/woff2", is_sure=False),
)
ARCHIVES = (
    Pattern(b"\x1f\x8b\x08", "application/x-gzip"),
    Pattern(b"PK\x03\x04", "application/zip"),
    Pattern(b"Rar \x1a\x07\x00", "application/x-rar-compressed"),
    Pattern(b"Rar!\x1a\x07", "application/x-rar-compressed"),
)
PAPERS = (Pattern(b"%PDF-", "application/pdf"), Pattern(b"%!PS-Adobe-", "application/postscript"))
# Not in the standard, and unmistakable.
OURS = (
    Pattern(b"\x00\x00\x00", "image/avif", 4, b"ftypavif"),
    Pattern(b"\x00\x00\x00", "image/avif", 4, b"ftypavis"),
    Pattern(b"\x00\x00\x00", "image/heic", 4, b"ftypheic"),
    Pattern(b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    Pattern(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
)
SURE = tuple(one for one in (*PAPERS, *OURS, *IMAGES, *SOUNDS, *FONTS, *ARCHIVES) if one.is_sure)
_SURE_STARTS = tuple(dict.fromkeys(one.start for one in SURE))
_WITHIN = {
    "application/zip": ("+zip", "vnd.", "epub", "java-archive", "x-zip"),
    "application/x-ole-storage": ("msword", "vnd.ms"),
}
"""Formats that are in such a container say more: a .docx is a zip."""


def essence(content_type: str) -> str:
    """Returns the type in a Content-Type, in lower case; empty if it is not written as one."""
    match = _TYPE.fullmatch(content_type)
    return match[1].lower() if match else ""


def media_of(body: bytes, content_type: str | None, *, nosniff: bool = False) -> str:
    """Returns the media type of a body: what can't be anything else, else what a browser would take it for."""
    sure = magic(body)
    supplied = essence(content_type or "")
    if sure is None:
        return computed(body, content_type, nosniff=nosniff)
    return supplied if any(mark in supplied for mark in _WITHIN.get(sure, ())) else sure


def magic(body: bytes) -> str | None:
    """Returns the type of a body that can be nothing else; None of all others."""
    if not body.startswith(_SURE_STARTS) and body[4:8] != b"ftyp":
        return None
    return _first(SURE, body) or _mp4(body)


def computed(body: bytes, content_type: str | None, *, nosniff: bool = False) -> str:
    """Returns the computed MIME type, as the standard has it."""
    header, supplied = body[:HEADER], essence(content_type or "")
    if supplied.endswith(("+xml", "/xml")) and supplied.split("/")[0] in ("text", "application", "image"):
        return supplied
    if supplied == "text/html":
        return _feed_or_html(header)
    if supplied in UNKNOWN:
        return _unknown(header, is_scriptable=not nosniff)
    if nosniff:
        return supplied
    if content_type in APACHE:
        return _text_or_binary(header)
    if supplied.startswith("image/"):
        return _first(IMAGES, header) or supplied
    if supplied.startswith(("audio/", "video/")) or supplied == "application/ogg":
        return _sound(header) or supplied
    return supplied


def _first(patterns: tuple[Pattern, ...], header: bytes) -> str | None:
    for start, media, at, then, _ in patterns:
        if header.startswith(start) and (not then or header.startswith(then, at)):
            return media
    return None


def _unknown(header: bytes, *, is_scriptable: bool) -> str:
    if is_scriptable and (found := _scriptable(header)):
        return found
    if header.startswith(b"%!PS-Adobe-"):
        return "application/postscript"
    if header.startswith(_MARKS) and len(header) >= 4:
        return "text/plain"
    known = _first(IMAGES, header) or _sound(header) or _first(ARCHIVES, header)
    return known or ("text/plain" if _BINARY.search(header) is None else OCTETS)


def _scriptable(header: bytes) -> str:
    bare = header.lstrip(_SPACE)
    if _MARKUP.match(bare):
        return "text/html"
    if bare.startswith(b"<?xml"):
        return "text/xml"
    return "application/pdf" if header.startswith(b"%PDF-") else ""


def _text_or_binary(header: bytes) -> str:
    if header.startswith(_MARKS) or _BINARY.search(header) is None:
        return "text/plain"
    return _unknown(header, is_scriptable=False)


def _sound(header: bytes) -> str | None:
    return _first(SOUNDS, header) or _mp4(header) or _webm(header) or _mp3(header)


def _mp4(header: bytes) -> str | None:
    size = int.from_bytes(header[:4], "big")
    if len(header) < 12 or len(header) < size or size % 4 or header[4:8] != b"ftyp":
        return None
    brands = [header[8:11], *(header[at : at + 3] for at in range(16, size, 4))]
    return "video/mp4" if b"mp4" in brands else None


def _webm(header: bytes) -> str | None:
    if not header.startswith(b"\x1a\x45\xdf\xa3"):
        return None
    at = header.find(b"\x42\x82", 4, 38)
    return "video/webm" if at >= 0 and b"webm" in header[at : at + 16] else None


_BITRATES = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_LOW_BITRATES = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
_RATES = (44100, 48000, 32000)


def _mp3(header: bytes) -> str | None:
    """Two frames of MP3 in a row, the second where the first says that it ends."""
    at = _frame(header, 0)
    return "audio/mpeg" if at and _frame(header, at) else None


def _frame(header: bytes, at: int) -> int:
    """Returns the length of the frame at a place, 0 if there is none."""
    head = header[at : at + 4]
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return 0
    version, layer = (head[1] & 0x18) >> 3, (head[1] & 0x06) >> 1
    bitrate, rate = (head[2] & 0xF0) >> 4, (head[2] & 0x0C) >> 2
    if layer != 1 or version == 1 or bitrate in (0, 15) or rate == 3:
        return 0
    kilobits = (_BITRATES if version == 3 else _LOW_BITRATES)[bitrate]
    hertz = _RATES[rate] >> {3: 0, 2: 1, 0: 2}[version]
    return (144 if version == 3 else 72) * kilobits * 1000 // hertz + ((head[2] & 0x02) >> 1)


_SKIPPED = re.compile(rb"[\t\n\x0c\r ]++|<!--.*?-->|<![^>]*>|<\?.*?\?>", re.DOTALL)


def _feed_or_html(header: bytes) -> str:
    at = 3 if header.startswith(b"\xef\xbb\xbf") else 0
    while skipped := _SKIPPED.match(header, at):
        at = skipped.end()
    if header.startswith(b"<rss", at):
        return "application/rss+xml"
    if header.startswith(b"<feed", at):
        return "application/atom+xml"
    is_rdf = header.startswith(b"<rdf:RDF", at) and b"http://purl.org/rss/1.0/" in header
    return "application/rss+xml" if is_rdf and b"http://www.w3.org/1999/02/22-rdf-syntax-ns#" in header else "text/html"
