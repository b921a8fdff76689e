"""What the operator wants done, as files: safe on disk before anyone acts, and picked up whether or not a crawl runs.

    DIR/inbox/SHARD/TIME-SERIAL.json     {"do": "seeds", "seeds": [...]}, {"do": "pause", "host": "a.org"} …

A file is written under another name first and removed when what it asks for is durable. Doing it twice is harmless.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from skitter.errors import MachineError
from skitter.folder.atomic import write_whole
from skitter.ports import Instruction

_serial = itertools.count()


_decoder = msgspec.json.Decoder(Instruction)


def post(directory: Path, shard: int, instruction: Instruction) -> None:
    """Returns when `instruction` is safe on disk."""
    folder = directory / "inbox" / f"{shard:04d}"
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{time.time_ns():020d}-{os.getpid()}-{next(_serial)}"
    write_whole(folder / f"{name}.json", msgspec.json.encode(instruction))


def pending(directory: Path, shards: Collection[int]) -> Iterator[tuple[Path, Instruction]]:
    """Yields the instructions for these shards, oldest first. Whoever has made one durable removes its file."""
    folder = directory / "inbox"
    if not folder.is_dir():
        return
    ours = {f"{number:04d}" for number in shards}
    for box in sorted(box for box in folder.iterdir() if box.name in ours):
        for file in sorted(box.glob("*.json")):
            yield file, _read(file)


def _read(file: Path) -> Instruction:
    try:
        instruction: Instruction = _decoder.decode(file.read_bytes())
    except (OSError, ValueError) as error:
        remedy = "Remove that file, start the same command again, and say once more what you want."
        raise MachineError(f"an instruction can't be read ({error})", str(file), remedy) from error
    return instruction
