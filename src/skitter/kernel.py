"""Whether the native kernel is there. Every use of it has a way without it, for those who had no Rust toolchain."""

from __future__ import annotations

try:
    import skitter._native  # noqa: F401 (to know whether it can be)
except ImportError:
    IS_NATIVE = False
else:
    IS_NATIVE = True
