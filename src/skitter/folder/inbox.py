"""What the operator wants done, as files: safe on disk before anyone acts, and picked up whether or not a crawl runs.

    DIR/inbox/SHARD/TIME-SERIAL.json     {"do": "seeds", "seeds": [...]}, {"do": "pause", "host": "a.org"} …

A file is written under another name first and removed when what it asks for is durable. Doing it twice is harmless.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec

from skitter.errors import MachineError
from skitter.folder.atomic import write_whole
from skitter.folder.crawlfile import CRAWL_FILE, read_crawl
from skitter.ports import Instruction

_serial = itertools.count()
_decoder = msgspec.json.Decoder(Instruction)


def post(directory: Path, shard: int, instruction: Instruction) -> None:
    """Returns when `instruction` is safe on disk."""
    folder = directory / "inbox" / f"{shard:04d}"
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{time.time_ns():020d}-{os.getpid()}-{next(_serial)}"
    write_whole(folder / f"{name}.json", msgspec.json.encode(instruction))


class FolderInbox:
    """The inbox of a crawl's folder, see `ports.Inbox`. An instruction's name is the path of its file."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._seeds_read = 0

    def pending(self, shards: Collection[int]) -> Iterator[tuple[str, Instruction]]:
        """Yields the instructions for these shards, each with its name, oldest first."""
        for file in _files(self._directory, shards):
            yield str(file), _read(file)

    def done(self, name: str) -> None:
        """Removes the file of an instruction that is carried out."""
        Path(name).unlink(missing_ok=True)

    def seeds(self) -> Sequence[str] | None:
        """Returns all seeds of the crawl if their file changed since the last call, else None."""
        file = self._directory / CRAWL_FILE
        changed = file.stat().st_mtime_ns if file.exists() else self._seeds_read
        if changed == self._seeds_read:
            return None
        self._seeds_read = changed
        return read_crawl(self._directory).seeds


def _files(directory: Path, shards: Collection[int]) -> Iterator[Path]:
    folder = directory / "inbox"
    if not folder.is_dir():
        return
    ours = {f"{number:04d}" for number in shards}
    for box in sorted(box for box in folder.iterdir() if box.name in ours):
        yield from sorted(box.glob("[!.]*.json"))  # not those that are still being written: they have no name yet


def _read(file: Path) -> Instruction:
    try:
        instruction: Instruction = _decoder.decode(file.read_bytes())
    except (OSError, ValueError) as error:
        remedy = "Remove that file, start the same command again, and say once more what you want."
        raise MachineError(f"an instruction can't be read ({error})", str(file), remedy) from error
    return instruction
