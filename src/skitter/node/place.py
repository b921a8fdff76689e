"""Where a node stands among the others: which shards are its own, and where the others take links."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from msgspec import Struct

from skitter.url.keys import shard_of

LONGEST_SOCKET = 90
"""Bytes of a folder's name with which a socket in it can still be named: the kernel takes 107 in all."""


@cache
def _short(folder: Path) -> Path:
    """Returns a name for `folder` that is short enough for sockets in it. It is held open for as long as we live."""
    if len(os.fsencode(folder)) <= LONGEST_SOCKET:
        return folder
    return Path(f"/proc/self/fd/{os.open(folder, os.O_RDONLY | os.O_DIRECTORY)}")


class Place(Struct, frozen=True):
    """Which node this is and who the others are."""

    number: int
    nodes: int
    shards: int
    directory: Path

    def owned(self, number: int | None = None) -> frozenset[int]:
        """Returns the shards of a node, this one if not said otherwise."""
        mine = self.number if number is None else number
        return frozenset(range(mine, self.shards, self.nodes))

    def owner(self, host: str) -> int:
        """Returns the node that owns a host."""
        return shard_of(host, self.shards) % self.nodes

    def socket(self, number: int) -> Path:
        """Returns where a node takes links."""
        return _short(self.directory / "run") / f"node-{number}.sock"
