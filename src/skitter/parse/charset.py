"""Which encoding a body is in, as the HTML and Encoding standards decide it, and its text.

Order: byte order mark, Content-Type header, meta, XML declaration, and only then a guess from the bytes.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache

import cchardet

from skitter.parse import prescan

FALLBACK = "windows-1252"  # what the HTML standard takes for most of the world

MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))

# Encodings of more than one byte, and the Python codec that reads what browsers read. The others are tables.
CODECS = {
    "utf-8": "utf-8",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "big5": "big5hkscs",
    "euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
}
SINGLE_BYTE = {
    "iso-8859-8-i": "iso8859-8",
    "macintosh": "mac-roman",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
}
# Where the Encoding standard's tables and Python's differ.
PATCHES = {"koi8-u": {0xAE: "ў", 0xBE: "Ў"}, "windows-1255": {0xCA: "\u05ba"}}
REPLACEMENT = "\ufffd"
_FAULT = REPLACEMENT.encode()
_LOOKED_AT = 4096  # bytes of a page that says UTF-8: to decode 64 KB only to know this cost 2 % of a page

_MARKS = tuple(mark for mark, _ in MARKS)
_MARK_OF = {name: mark for mark, name in MARKS}
_USUAL = 100  # characters of a Content-Type; what is longer is not remembered
_SAMPLE = 64 * 1024
_HIGH = re.compile(rb"[\x80-\xff]")
_PART = re.compile(r'(?:[^;,"]|"(?:[^"\\]|\\.)*+"?)++', re.DOTALL)
_CHARSET = re.compile(r'charset=(?:"((?:[^"\\]|\\.)*+)"|([^\s"]+))', re.IGNORECASE | re.DOTALL)


def declared(body: bytes, content_type: str | None) -> str | None:
    """Returns the name of the encoding that a document declares, None if it declares none that is valid."""
    return marked(body) or from_header(content_type) or prescan.encoding(body)


def find(body: bytes, content_type: str | None) -> str:
    """Returns the name of the encoding to read a document in: the declared one, else the likeliest."""
    return declared(body, content_type) or _guess(body)


def decode(body: bytes, content_type: str | None) -> tuple[str, str]:
    """Returns a document's text, U+FFFD for what can't be read, and the name of its encoding."""
    name = find(body, content_type)
    return _text(_unmarked(body, name), name), name


def to_utf8(body: bytes, content_type: str | None) -> tuple[bytes, str]:
    """Returns a document as UTF-8 and the name of its encoding. What is in UTF-8 comes back as it is, faults too."""
    name = find(body, content_type)
    body = _unmarked(body, name)
    return (body if name == "utf-8" else _text(body, name).encode("utf-8", "replace")), name


def is_faulty(html: bytes, name: str) -> bool:
    """Whether a document, as `to_utf8` returns it, had bytes that mean nothing in its encoding.

    Only its beginning is looked at if it is in UTF-8: to read all of it once more just to know this is too dear.
    """
    if name != "utf-8":
        return _FAULT in html
    start = html[:_LOOKED_AT]
    return not start.isascii() and not _is_utf8(start)


def marked(body: bytes) -> str | None:
    """Returns the encoding that a byte order mark stands for."""
    if not body.startswith(_MARKS):
        return None
    return next(name for mark, name in MARKS if body.startswith(mark))


def from_header(content_type: str | None) -> str | None:
    """Returns the encoding of the first valid charset parameter, which must be written as RFC 9110 says."""
    if content_type is None:
        return None
    return _parameter(content_type) if len(content_type) <= _USUAL else _parameter.__wrapped__(content_type)


@lru_cache(maxsize=256)
def _parameter(content_type: str) -> str | None:
    for part in _PART.findall(content_type)[1:]:
        parameter = _CHARSET.fullmatch(part.strip())
        name = parameter and prescan.named(parameter[1] or parameter[2] or "")
        if name:
            return name
    return None


def codec(name: str) -> str:
    """Returns the Python codec nearest to the encoding called `name`, for writing."""
    return "gbk" if name == "gbk" else CODECS.get(name) or SINGLE_BYTE.get(name, name)


def _guess(body: bytes) -> str:
    if _is_utf8(body):
        return "utf-8"
    first = _HIGH.search(body)
    start = max(0, first.start() - _SAMPLE // 4) if first else 0
    label = cchardet.detect(body[start : start + _SAMPLE])["encoding"]
    return prescan.named(label or "") or FALLBACK


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as fault:
        # A body that was cut short may end in the middle of a character.
        return fault.reason == "unexpected end of data" and fault.start > len(body) - 4
    return True


def _unmarked(body: bytes, name: str) -> bytes:
    return body.removeprefix(_MARK_OF.get(name, b""))


def _text(body: bytes, name: str) -> str:
    if name in CODECS:
        return body.decode(CODECS[name], "replace")
    if name == "replacement":
        return REPLACEMENT if body else ""
    return codecs.charmap_decode(body, "strict", _table(name))[0]


@lru_cache(maxsize=64)
def _table(name: str) -> str:
    """Returns what each byte means. Where a standard leaves 0x80 to 0x9f open, it is a control code."""
    return "".join(_meaning(byte, name) for byte in range(256))


def _meaning(byte: int, name: str) -> str:
    if name == "x-user-defined":
        return chr(byte if byte < 0x80 else 0xF700 + byte)
    read = bytes([byte]).decode(SINGLE_BYTE.get(name, name), "replace")
    return PATCHES.get(name, {}).get(byte) or (chr(byte) if read == REPLACEMENT and byte < 0xA0 else read)
