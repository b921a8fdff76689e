"""Whether leases may be with workers elsewhere: DIR/run/lent-N is there from the first one on, until none is out.

Whoever starts after a kill must let them end before it asks any host: a worker does not know yet that its node is gone.
"""

from __future__ import annotations

from pathlib import Path

from skitter.folder.atomic import keep_whole


def note_lent(directory: Path, node: int) -> None:
    """Remembers, past our death, that a worker may have a lease."""
    keep_whole(directory / "run" / f"lent-{node}", b"")


def is_lent(directory: Path) -> bool:
    """Whether a node of before may have died with leases out, whatever its number was."""
    return any((directory / "run").glob("lent-*"))


def forget_lent(directory: Path, node: int, nodes: int) -> None:
    """Forgets it for a node, whose leases have all ended, and for those of runs with more nodes."""
    for path in (directory / "run").glob("lent-*"):
        number = path.name.removeprefix("lent-")
        if number.isdecimal() and int(number) % nodes == node:
            path.unlink(missing_ok=True)
