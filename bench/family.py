"""What the kernel says of other processes; nothing if they are gone."""

from __future__ import annotations

from pathlib import Path


def children(pid: int) -> list[int]:
    """Returns the processes that a process has started."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def proportional(pid: int) -> int:
    """Returns the kilobytes of a process; what it shares with others counts as its share of it."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
