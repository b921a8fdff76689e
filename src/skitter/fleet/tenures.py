"""Which tenures of shards were begun in a node's folder: those of the processes before us have ended for certain.

Whoever holds the lock of the folder knows that nobody else has, since when it has it. So the shards of a process that
was killed need not wait for a lease from when they are taken again, but from when it was surely dead
(`shard.log.ownership`). That holds where the lock does: for the same folder, by its inode, on a machine that has not
been started since. A copy of a folder knows nothing, and waits.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Self

from skitter.folder.atomic import keep_whole
from skitter.shard.log.codec import ID
from skitter.shard.log.ownership import LEASE

FILE = Path("run", "tenures")
BOOT = Path("/proc/sys/kernel/random/boot_id")
MOST = 10_000
"""Tenures that are known, the newest: a shard whose last owner was an older one waits for a lease, that is all."""


class Tenures:
    """`ended` are tenures that have, with the time at which the next may begin; `note` hears of one that begins."""

    def __init__(self, ended: dict[bytes, float], note: Callable[[bytes], None]) -> None:
        self.ended = ended
        self.note = note

    def __repr__(self) -> str:
        return f"<Tenures: {len(self.ended)} ended>"

    @classmethod
    def in_folder(cls, directory: Path, locked_at: float, boot: Path = BOOT) -> Self:
        """Returns those of a folder that we have locked since `locked_at`."""
        file, head = directory / FILE, _place(directory, boot)
        ids = _ids(file, head)
        keep_whole(file, head + b"".join(ids))
        return cls(dict.fromkeys(ids, locked_at + LEASE), lambda id_: _add(file, id_))


def _add(file: Path, id_: bytes) -> None:
    with file.open("ab") as opened:  # not synced: if the machine dies, what was noted there counts for nothing
        opened.write(id_)


def _ids(file: Path, head: bytes) -> list[bytes]:
    try:
        raw = file.read_bytes()
    except FileNotFoundError:
        return []
    if not head or raw[: len(head)] != head:
        return []
    known = raw[len(head) :][-MOST * ID :] if (len(raw) - len(head)) % ID == 0 else b""
    return [known[start : start + ID] for start in range(0, len(known), ID)]


def _place(directory: Path, boot: Path) -> bytes:
    """Returns what tells the lock of a folder from any other; nothing where that can't be told."""
    try:
        lock, machine = (directory / "lock").stat(), boot.read_text(encoding="ascii").strip()
    except OSError:
        return b""
    return f"skitter tenures 1 {machine} {lock.st_dev} {lock.st_ino}\n".encode()
