"""The sketch of a page: four bytes that stand for what it says, so that two pages can be told to say the same.

The native scanner makes the same in its pass over the page; sketches are on disks, so that neither may ever change.
"""

from __future__ import annotations

import xxhash

MAX_SKETCHED = 65536
"""Characters of a page's main text that tell whether it says anything new: all of it, but for a few pages."""


def sketch_of(title: str, text: str) -> bytes:
    """Returns four bytes that stand for what a page says, numbers aside."""
    said = f"{title}\n{text[:MAX_SKETCHED]}".encode("utf-8", "replace").translate(None, b"0123456789")
    return xxhash.xxh32_digest(said)
