"""JSON lines to standard output, or to a file that has each row once, whoever is killed.

FILE             the rows, one a line
FILE.bookmark    how long FILE was at the last commit, and the bookmark of then

What was written after that was not committed: it is cut off when the sink is opened again.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from skitter.errors import OperatorError, SinkError
from skitter.folder.atomic import write_whole
from skitter.ports import Rows
from skitter.sinks.objects import objects

VERSION = 1
REMEDY = "Make room, or let us write there: it goes on by itself."


class Kept(Struct, frozen=True):
    """What FILE.bookmark holds."""

    version: int
    length: int
    bookmark: bytes


class FileSink:
    """A file of JSON lines. See `ports.Sink`."""

    def __init__(self, file: Path, tables: Collection[str]) -> None:
        self.tables = tables
        self._file = file
        self._beside = file.with_name(f"{file.name}.bookmark")
        self._stream: BinaryIO | None = None

    def open(self) -> bytes | None:
        """See `ports.Sink`. OperatorError if the file holds something else."""
        try:
            kept = self._kept()
            self._stream = self._file.open("ab")
            if os.fstat(self._stream.fileno()).st_size > kept.length:
                self._stream.truncate(kept.length)
        except OSError as error:
            raise self._trouble(error) from error
        return kept.bookmark

    def write(self, rows: Rows) -> None:
        """See `ports.Sink`."""
        assert self._stream is not None, "open it first"
        try:
            self._stream.writelines(line + b"\n" for line in objects(rows))
        except OSError as error:
            raise self._trouble(error) from error

    def commit(self, bookmark: bytes) -> None:
        """See `ports.Sink`."""
        assert self._stream is not None, "open it first"
        try:
            self._stream.flush()
            os.fsync(self._stream.fileno())
            kept = Kept(VERSION, os.fstat(self._stream.fileno()).st_size, bookmark)
            write_whole(self._beside, msgspec.json.encode(kept))
        except OSError as error:
            raise self._trouble(error) from error

    def close(self) -> None:
        """See `ports.Sink`."""
        stream, self._stream = self._stream, None
        if stream is not None:
            with contextlib.suppress(OSError):  # what it could not flush was not committed
                stream.close()

    def _kept(self) -> Kept:
        try:
            kept = msgspec.json.decode(self._beside.read_bytes(), type=Kept)
        except FileNotFoundError:
            if self._file.exists() and self._file.stat().st_size:
                right = f"holds something else already, without a {self._beside.name} beside it: name a new file"
                raise OperatorError("jsonl", str(self._file), right) from None
            return Kept(VERSION, 0, b"")
        except msgspec.DecodeError as error:
            right = f"can't be read ({error}): remove it and {self._file.name} to have all rows written again"
            raise OperatorError("jsonl", str(self._beside), right) from None
        if kept.version != VERSION:
            raise OperatorError("jsonl", str(self._beside), "was written by another version of Skitter")
        return kept

    def _trouble(self, error: OSError) -> SinkError:
        return SinkError("away", f"JSON lines can't be written ({error.strerror})", str(self._file), REMEDY)

    def __repr__(self) -> str:
        return f"<FileSink {self._file} {'open' if self._stream is not None else 'closed'}>"


class StreamSink:
    """JSON lines to a stream that nobody can take back, as standard output. See `ports.Sink`."""

    def __init__(self, stream: BinaryIO, tables: Collection[str]) -> None:
        self.tables = tables
        self._stream = stream
        self._held: list[bytes] = []

    def open(self) -> bytes | None:
        """See `ports.Sink`."""
        self._held = []
        return None

    def write(self, rows: Rows) -> None:
        """See `ports.Sink`. Whole batches are written, so that one which fails comes again whole."""
        self._held += objects(rows)

    def commit(self, bookmark: bytes) -> None:  # noqa: ARG002
        """See `ports.Sink`."""
        held, self._held = self._held, []
        try:
            self._stream.writelines(line + b"\n" for line in held)
            self._stream.flush()
        except OSError as error:
            words = "Nobody reads standard output any more"
            raise SinkError("refused", f"{words} ({error.strerror})", "jsonl:-", "Start it with a reader.") from error

    def close(self) -> None:
        """See `ports.Sink`."""
        self._held = []

    def __repr__(self) -> str:
        return f"<StreamSink {len(self._held)} held>"
