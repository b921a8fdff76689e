"""What the kernel says of processes that a test has started."""

from __future__ import annotations

from pathlib import Path


def children(pid: int) -> list[int]:
    """Returns the processes that a process has started; none if it is gone."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []
