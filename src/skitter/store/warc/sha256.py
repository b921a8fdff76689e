"""SHA-256, by the native kernel where it was built: it lets other threads run for large parts only.

`hashlib` does so from 2 KB on, and for what a page has to be digested each change of thread costs more than it gains
(`docs/decisions/0009-threads.md`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from skitter.kernel import IS_NATIVE

if IS_NATIVE:
    from skitter import _native


def by_python(raw: bytes) -> bytes:
    """Returns the 32 bytes of a digest."""
    return hashlib.sha256(raw).digest()


sha256: Callable[[bytes], bytes] = _native.sha256 if IS_NATIVE else by_python
