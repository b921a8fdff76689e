"""Where the nodes of a crawl take frames from one another, DIR/run/node-N.sock, and workers' questions, desk-N.sock."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

LONGEST_SOCKET = 90
"""Bytes of a folder's name with which a socket in it can still be named: the kernel takes 107 in all."""


def socket_path(directory: Path, node: int) -> Path:
    """Returns where a node takes frames."""
    return _short(directory / "run") / f"node-{node}.sock"


def desk_path(directory: Path, node: int) -> Path:
    """Returns where a node answers what workers elsewhere ask, through the API."""
    return _short(directory / "run") / f"desk-{node}.sock"


@cache
def _short(folder: Path) -> Path:
    """Returns a name for `folder` that is short enough for sockets in it. It is held open for as long as we live."""
    if len(os.fsencode(folder)) <= LONGEST_SOCKET:
        return folder
    return Path(f"/proc/self/fd/{os.open(folder, os.O_RDONLY | os.O_DIRECTORY)}")
