"""DIR/moved.json: that a crawl has gone to a fleet, so that nobody crawls on from this folder. See docs/fleet.md.

Written when all that the crawl holds is safe with the fleet, and before the fleet is told that it may begin: so there
is no moment in which both would.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from skitter.errors import MachineError, OperatorError
from skitter.folder.atomic import keep_whole

MOVED_FILE = "moved.json"
VERSION = 1


class Moved(Struct, frozen=True):
    """What DIR/moved.json holds."""

    version: int
    fleet: str
    at: float
    attempt: str  # of the handover, in hex
    messages: Mapping[int, str]  # that end it, by shard, in base64: told again if we die before all are


def read_moved(directory: Path) -> Moved | None:
    """Returns where the crawl in `directory` has gone; None if it is here."""
    file = directory / MOVED_FILE
    try:
        moved = msgspec.json.decode(file.read_bytes(), type=Moved)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise MachineError(f"{MOVED_FILE} can't be read", f"{file} ({error})", "Restore it from a copy.") from None
    if moved.version != VERSION:
        raise OperatorError("DIR", str(directory), f"was moved by another version of Skitter ({moved.version})")
    return moved


def keep_moved(directory: Path, moved: Moved) -> None:
    """Returns when it is safe that the crawl has gone."""
    keep_whole(directory / MOVED_FILE, msgspec.json.encode(moved))


def require_here(directory: Path) -> None:
    """Raises if the crawl in `directory` is crawled elsewhere."""
    moved = read_moved(directory)
    if moved is not None:
        right = (
            f"this crawl goes on in the fleet {moved.fleet}: use `skitter fleet`; its archive can still be read here, "
            "and `skitter fleet export` brings it back, into another folder"
        )
        raise OperatorError("DIR", str(directory), right)
