"""The encoding that the markup itself declares: meta, or an XML declaration."""

from __future__ import annotations

import re
from functools import lru_cache

import webencodings

from skitter.kernel import IS_NATIVE
from skitter.parse import metas
from skitter.parse.metas import Declared

if IS_NATIVE:
    from skitter import _native

declared: Declared = _native.declared if IS_NATIVE else metas.declared

_XML = re.compile(rb"<\?xml(?=[^>]*>)[^>]*?encoding[\x00-\x20]*+=[\x00-\x20]*+([\"'])([^\x00-\x20]*?)\1")
_UTF_8 = (b"utf-8", b"UTF-8")
_SPACE = "\t\n\f\r "
_TOO_LONG = 32  # no label has as many characters; what pages invent shall not fill the memory


def encoding(body: bytes, by_meta: Declared = declared) -> str | None:
    """Returns the name of the encoding that markup declares, None if it declares none that is valid."""
    if body.startswith((b"<\0?\0x\0", b"\0<\0?\0x")):
        return "utf-16le" if body[0] else "utf-16be"
    return by_meta(body, meant) or _from_xml(body[: metas.NEAR])


def named(label: str) -> str | None:
    """Returns the name of the encoding that the Encoding standard knows by this label."""
    label = label.strip(_SPACE)
    return _looked_up(label) if len(label) < _TOO_LONG else None


def meant(label: bytes) -> str | None:
    """Returns what a declaration can mean: it was read as ASCII, so UTF-16 is not true."""
    if label in _UTF_8:  # as nearly all pages say
        return "utf-8"
    name = named(label.decode("latin-1"))
    if name in ("utf-16le", "utf-16be"):
        return "utf-8"
    return "windows-1252" if name == "x-user-defined" else name


@lru_cache(maxsize=256)
def _looked_up(label: str) -> str | None:
    known = webencodings.lookup(label) if label.isascii() else None
    return None if known is None else str(known.name)


def _from_xml(body: bytes) -> str | None:
    found = _XML.match(body)
    return meant(found[2]) if found else None
