"""One record, one gzip member: what lets a reader start at any record, and a torn file be cut at the last whole one."""

from __future__ import annotations

import zlib

from isal import isal_zlib

_ISAL_LEVELS = {1: 0, 2: 1, 3: 1, 4: 2, 5: 3}
"""`gzip_level` up to 5 → level of ISA-L, which is several times as fast as zlib for a few per cent more bytes.

Above 5 the operator asks for small files, and zlib makes smaller ones. Figures: `docs/decisions/0003-warc-writing.md`.
"""
_GZIP = 31  # window bits: 15, and a gzip header and trailer around


def gzip_member(raw: bytes, level: int) -> bytes:
    """Returns `raw` as one gzip member. The GIL is free meanwhile."""
    if level in _ISAL_LEVELS:
        return isal_zlib.compress(raw, _ISAL_LEVELS[level], _GZIP)
    return zlib.compress(raw, level, _GZIP)
