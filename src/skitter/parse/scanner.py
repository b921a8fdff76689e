"""The fastest scanner at hand: the native one where it was built, else the reference, which finds the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from skitter.kernel import IS_NATIVE
from skitter.parse.scanned import Scanned
from skitter.parse.shingles import MAX_BRIEF, MAX_SAID
from skitter.parse.sketch import MAX_SKETCHED

if IS_NATIVE:
    from skitter import _native
else:
    from skitter.parse import reference

Scanner: TypeAlias = Callable[[bytes, int, int, int], Scanned]
"""From a document in UTF-8, and the limits of its text, its anchors and its title."""


_scanned: Callable[[tuple[object, ...]], Scanned] = partial(tuple.__new__, Scanned)


def native(html: bytes, max_text: int, max_anchor: int, max_title: int) -> Scanned:
    """Returns what `reference.scan` does. Other threads can run meanwhile."""
    return _scanned(_native.scan(html, max_text, max_anchor, max_title, MAX_SKETCHED, MAX_SAID, MAX_BRIEF))


scan: Scanner = native if IS_NATIVE else reference.scan
