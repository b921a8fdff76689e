"""The files beside the pages: one style, one script, a sign. Kept by browsers for as long as they stay the same."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import NamedTuple

TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


class Asset(NamedTuple):
    """A file as it is sent."""

    content: bytes
    media: str


def assets() -> dict[str, Asset]:
    """Returns all of them, by name."""
    folder = files("skitter.api.dashboard") / "static"
    return {
        one.name: Asset(one.read_bytes(), TYPES[kind])
        for one in folder.iterdir()
        if (kind := one.name.rpartition(".")[2]) in TYPES
    }


def mark_of(found: dict[str, Asset]) -> str:
    """Returns a mark that changes with any of them."""
    whole = hashlib.sha256(b"".join(found[name].content for name in sorted(found)))
    return whole.hexdigest()[:10]
