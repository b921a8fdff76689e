"""A WARC record around a block: by the native kernel where it was built, which copies and digests the block once."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import TypeAlias

from skitter.kernel import IS_NATIVE

if IS_NATIVE:
    from skitter import _native

Frame: TypeAlias = Callable[[bytes, bytes, bytes], bytes]
"""From the lines of a record's fields and the two parts of its block."""


def by_python(fields: bytes, block: bytes, more: bytes) -> bytes:
    """Returns a record of these fields and a block of two parts, with its digest and its length."""
    digest = sha256(block)
    digest.update(more)
    length = len(block) + len(more)
    end = f"WARC-Block-Digest: sha256:{digest.hexdigest()}\r\nContent-Length: {length}\r\n\r\n"
    return b"".join((b"WARC/1.1\r\n", fields, end.encode(), block, more, b"\r\n\r\n"))


frame: Frame = _native.frame if IS_NATIVE else by_python
