"""A body is what it is: as browsers see it, and where it can be nothing else, that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.parse.sniffing import computed, essence, magic, media_of

PNG = b"\x89PNG\r\n\x1a\n"
MP4 = b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"
MP3_FRAME = b"\xff\xfb\x90\x00" + b"\0" * 413
HTML = b"<!DOCTYPE html><p>x"


@pytest.mark.parametrize(
    ("body", "declared", "media"),
    [
        # nothing, or nothing useful, was said
        (HTML, None, "text/html"),
        (b"\n\t <BODY >", None, "text/html"),
        (b"<!-- x -->", "unknown/unknown", "text/html"),
        (b"<bodyguard>", None, "text/plain"),
        (b"<?xml version='1.0'?>", "*/*", "text/xml"),
        (b"%PDF-1.7", None, "application/pdf"),
        (b"%!PS-Adobe-3.0", "application/unknown", "application/postscript"),
        (b"\xfe\xff\x00a", None, "text/plain"),
        (b"\xef\xbb\xbfa", None, "text/plain"),
        (b"plain words", None, "text/plain"),
        (b"\x00\x01\x02", None, "application/octet-stream"),
        (b"", None, "text/plain"),
        (b"GIF89a...", None, "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", None, "image/webp"),
        (b"RIFF\0\0\0\0WAVEfmt ", None, "audio/wave"),
        (MP4, None, "video/mp4"),
        (MP3_FRAME + MP3_FRAME, None, "audio/mpeg"),
        (b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm", None, "video/webm"),
        (b"PK\x03\x04....", None, "application/zip"),
        (b"\x1f\x8b\x08", None, "application/x-gzip"),
        # what was said holds
        (b"{}", "application/json; charset=utf-8", "application/json"),
        (HTML, "text/css", "text/css"),
        (HTML, "application/octet-stream", "application/octet-stream"),
        (b"<x/>", "image/svg+xml", "image/svg+xml"),
        # but for the known lies
        (b"\x00\x01", "text/plain", "application/octet-stream"),
        (b"\x00\x01", "text/plain; charset=UTF-8", "application/octet-stream"),
        (b"\x00\x01", "text/plain; charset=utf-8", "text/plain"),
        (HTML, "text/plain", "text/plain"),
        (PNG, "image/gif", "image/png"),
        (b"ID3\x03", "audio/wave", "audio/mpeg"),
        (b"<rss version='2.0'>", "text/html", "application/rss+xml"),
        (b"\xef\xbb\xbf<?xml?><!-- <rss -->\n<feed>", "text/html", "application/atom+xml"),
        (b"<html><rss>", "text/html", "text/html"),
    ],
)
def test_as_the_standard_says(body: bytes, declared: str | None, media: str) -> None:
    assert computed(body, declared) == media


@pytest.mark.parametrize(
    ("body", "declared", "media"),
    [
        (b"%PDF-1.7", "text/html", "application/pdf"),
        (b"%PDF-1.7", "application/octet-stream", "application/pdf"),
        (PNG, "text/html; charset=utf-8", "image/png"),
        (b"\0\0\0\x1cftypavif\0\0\0\0", "image/jpeg", "image/avif"),
        (b"PK\x03\x04", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", None),
        (b"PK\x03\x04", "application/epub+zip", None),
        (b"BM means something", "text/plain; charset=us-ascii", "text/plain"),
        (HTML, "text/html", "text/html"),
        (b"", "image/png", "image/png"),
    ],
)
def test_what_can_be_nothing_else_is_that(body: bytes, declared: str, media: str | None) -> None:
    assert media_of(body, declared) == (media or declared)


def test_nosniff_keeps_scripts_from_being_found() -> None:
    assert computed(HTML, None, nosniff=True) == "text/plain"
    assert computed(b"\x00\x01", "text/plain", nosniff=True) == "text/plain"


@pytest.mark.parametrize("written", ["", "html", "text/", "/html", "text /html", "a/b c", "\x00/x"])
def test_what_is_no_type_says_nothing(written: str) -> None:
    assert essence(written) == ""


@given(st.binary(max_size=60), st.none() | st.text(max_size=30), st.booleans())
def test_any_bytes_have_a_type(body: bytes, declared: str | None, nosniff: bool) -> None:
    media = media_of(body, declared, nosniff=nosniff)
    assert essence(media) == media != ""
    assert magic(body) in (None, media) or declared
