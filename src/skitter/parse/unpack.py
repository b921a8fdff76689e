"""The body of a sitemap, unpacked and decoded: bytes that may be gzip, in an encoding that may be misnamed."""

from __future__ import annotations

import codecs
import re
import zlib

import webencodings

_GZIP = b"\x1f\x8b"
_GZIP_HEADER = 16 + zlib.MAX_WBITS
_CHUNK = 16 * 1024
_MAX_LAYERS = 3
# Parallel packers write a member for every 64 KiB or more; a file of empty members would cost without end.
_MAX_MEMBERS = 4096

# UTF-32 comes first: its mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"<\x00", "utf-16-le"),  # XML 1.0, appendix F: no mark, but the first sign of a document is `<`
    (b"\x00<", "utf-16-be"),
)
_DECLARED = re.compile(rb"""^\s*<\?xml\s[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([A-Za-z0-9._:-]{1,40})""")
_CHARSET = re.compile(r"""charset\s{0,9}=\s{0,9}["']?([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)

# What it can't be once it has neither a mark nor the form of UTF-8, whatever it says.
_NOT_THESE = {"utf-8", "utf-16le", "utf-16be", "x-user-defined", "replacement"}


def unpack(body: bytes, content_type: str | None, limit: int) -> tuple[str, bool]:
    """Returns the text of `body`, and whether it was longer than `limit` bytes and so cut."""
    for _ in range(_MAX_LAYERS):
        if not body.startswith(_GZIP):
            break
        body = gunzip(body, limit + 1)
    cut = len(body) > limit
    text = _decode(body[:limit], content_type).replace("\x00", "")
    return text.lstrip("\ufeff \t\r\n\f\v"), cut


def gunzip(packed: bytes, limit: int) -> bytes:
    """Returns at most `limit` bytes of what is in `packed`; of a broken file, what comes before the break."""
    unpacked = bytearray()
    at = members = 0
    while members < _MAX_MEMBERS and len(unpacked) < limit and packed.startswith(_GZIP, at):
        at = _gunzip_member(packed, at, unpacked, limit)
        members += 1
    return bytes(unpacked)


def _gunzip_member(packed: bytes, at: int, unpacked: bytearray, limit: int) -> int:
    """Appends the member that begins at `at`; returns where the next one would begin."""
    stream = zlib.decompressobj(_GZIP_HEADER)
    while at < len(packed) and len(unpacked) < limit:
        chunk = packed[at : at + _CHUNK]
        try:
            unpacked += stream.decompress(chunk, limit - len(unpacked))
        except zlib.error:
            return len(packed)
        at += len(chunk) - len(stream.unused_data) - len(stream.unconsumed_tail)
        if stream.eof:
            return at
    return at


def _decode(body: bytes, content_type: str | None) -> str:
    """Returns the text: by its mark; else as UTF-8 if it is that, whatever it says; else as it says; else Latin-1."""
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body.decode(encoding, "replace")
    text = _utf_8(body)
    return text if text is not None else body.decode(_named(body, content_type), "replace")


def _utf_8(body: bytes) -> str | None:
    try:
        # Not final: a character that the cut went through is no reason to doubt the rest.
        return codecs.utf_8_decode(body, "strict", False)[0]
    except UnicodeDecodeError:
        return None


def _named(body: bytes, content_type: str | None) -> str:
    """Returns the encoding that the document or else the header names; windows-1252, a larger Latin-1, if none."""
    declared, header = _DECLARED.match(body[:1024]), _CHARSET.search((content_type or "")[:1024])
    for label in (declared and declared[1].decode("ascii"), header and header[1]):
        encoding = webencodings.lookup(label) if label else None
        if encoding is not None and encoding.name not in _NOT_THESE:
            return str(encoding.codec_info.name)
    return "windows-1252"
