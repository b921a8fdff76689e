"""Files of JSON lines that grow: one is appended, the last ones are read."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")
LONGEST_TAIL = 1024**2
CHANGES, COMPLAINTS = "api-log.jsonl", "complaints.jsonl"


def append_line(file: Path, line: msgspec.Struct) -> None:
    """Returns when `line` is safe on disk. Only its owner can read the file."""
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab") as stream:
        stream.write(msgspec.json.encode(line, enc_hook=str) + b"\n")
        stream.flush()
        os.fsync(stream.fileno())


def last_lines(file: Path, wanted: type[T], limit: int) -> list[T]:
    """Returns the last lines, the newest first; what is further back than a megabyte is not looked for."""
    try:
        with file.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - LONGEST_TAIL))
            raw = stream.read(LONGEST_TAIL)
    except OSError:
        return []
    found: list[T] = []
    for line in reversed(raw.split(b"\n")):
        if len(found) == limit:
            break
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
            if line:
                found.append(msgspec.json.decode(line, type=wanted))
    return found


def lines_in(file: Path) -> int:
    """Returns how many lines there are; none if there is no such file."""
    try:
        with file.open("rb") as stream:
            return sum(block.count(b"\n") for block in iter(lambda: stream.read(LONGEST_TAIL), b""))
    except OSError:
        return 0
