"""What to say of a store that is broken, by what RocksDB says of it."""

from __future__ import annotations

from pathlib import Path

from skitter.errors import MachineError

SALVAGE = "SALVAGE"
"""A file of this name in a shard's folder lets the next start go on with what is before the damage in its log."""

_REMEDY = "Make room or mend the disk, then start the same command again: nothing that was settled is lost."
_DAMAGED = (
    "Restore that folder from a copy, or move it away: its hosts then begin anew, and the archive is not touched."
)
_DAMAGED_LOG = (
    f"Restore that folder from a copy. Without one, make an empty file called {SALVAGE} in it and start the same "
    "command again: what is before the damage is kept, what is after it is fetched again where links lead there."
)


def unopened(path: Path, error: Exception) -> MachineError:
    """Returns what to say of a store that can't be opened."""
    told = _told(error)
    if "lock" in told.lower():
        return MachineError("the frontier is in use", str(path), "Stop the other crawl of this folder first.")
    if "Corruption" not in told:
        return MachineError("the frontier can't be opened", f"{path} ({told})", _REMEDY)
    # Tables and manifest are named in what RocksDB says; the log is not.
    is_named = ".sst" in told or "MANIFEST" in told or "CURRENT" in told
    return MachineError("the frontier is damaged", f"{path} ({told})", _DAMAGED if is_named else _DAMAGED_LOG)


def unreadable(path: Path, error: Exception) -> MachineError:
    """Returns what to say of a store that was opened and can't be read."""
    told = _told(error)
    is_damaged = "Corruption" in told
    what = "the frontier is damaged" if is_damaged else "the frontier can't be read"
    return MachineError(what, f"{path} ({told})", _DAMAGED if is_damaged else _REMEDY)


def unwritable(path: Path, error: Exception) -> MachineError:
    """Returns what to say of a store that can't be written."""
    return MachineError("the frontier can't be written", f"{path} ({_told(error)})", _REMEDY)


def _told(error: Exception) -> str:
    """Returns what RocksDB says, on one line: the last line of a node's log is what its end is told with."""
    return " ".join(str(error).split())
