"""The memory of payloads: which one the archive holds, and where, so that it is stored once.

It is a cache of what the WARC files say. Lost, it costs space and nothing else: what it knew is stored again. So it is
written after the records are, and an entry that points past the end of a cut file counts as absent.
Beside the digests it keeps, for each open file, how far the file has reached the disk: repair starts there.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct, msgpack
from rocksdict import BlockBasedOptions, Cache, Options, Rdict, WriteBatch

from skitter.errors import MachineError

_VERSION = b"\x01"
_DIGEST, _CUT, _MARK = b"d" + _VERSION, b"c" + _VERSION, b"m" + _VERSION
_BLOCK_CACHE, _WRITE_BUFFER = 16 * 1024**2, 8 * 1024**2


class Place(Struct, frozen=True, array_like=True):
    """Where a payload is: the response record that holds it."""

    url: str
    micros: int  # when its request began
    payload_digest: str
    record: str
    file: str
    offset: int


class DigestMemory(Protocol):
    """The archive's writer is the one caller. MachineError if the memory can't be read or written."""

    def find(self, key: bytes) -> Place | None:
        """Returns where the payload is, None if nobody knows."""

    def remember(self, places: Sequence[tuple[bytes, Place]]) -> None:
        """Keeps the places, all of them or none; on return they survive the death of the process."""

    def forget_after(self, file: str, end: int) -> None:
        """Counts every place in `file` at or after `end` as absent: the file was cut there."""

    def mark(self, file: str, end: int) -> None:
        """Keeps that `file` is on the disk and whole up to `end`."""

    def marked(self, file: str) -> int:
        """Returns how far `file` is known to be whole, 0 if nothing is known."""

    def revive(self) -> None:
        """Makes it usable again after a failure, if it can be."""

    def close(self) -> None:
        """Gives up what it holds."""


class MemoryDigests:
    """A memory that is gone with the process."""

    def __init__(self) -> None:
        self._places: dict[bytes, Place] = {}
        self._cuts: dict[str, int] = {}
        self._marks: dict[str, int] = {}

    def find(self, key: bytes) -> Place | None:
        """Returns where the payload is."""
        return _unless_cut(self._places.get(key), self._cuts)

    def remember(self, places: Sequence[tuple[bytes, Place]]) -> None:
        """Keeps the places."""
        self._places.update(places)

    def forget_after(self, file: str, end: int) -> None:
        """Counts what was cut off as absent."""
        self._cuts[file] = end

    def mark(self, file: str, end: int) -> None:
        """Keeps how far the file is whole."""
        self._marks[file] = end

    def marked(self, file: str) -> int:
        """Returns how far the file is whole."""
        return self._marks.get(file, 0)

    def revive(self) -> None:
        """There is nothing to do."""

    def close(self) -> None:
        """There is nothing to do."""


class RocksDigests:
    """A memory on disk (RocksDB). Its own memory is bounded: about 40 MB, whatever it holds."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open()

    def find(self, key: bytes) -> Place | None:
        """Returns where the payload is."""
        try:
            found = self._store.get(_DIGEST + key)
        except Exception as error:
            raise _broken(self._path, error) from error
        return _unless_cut(None if found is None else _PLACE.decode(found), self._cuts)

    def remember(self, places: Sequence[tuple[bytes, Place]]) -> None:
        """Keeps the places in one batch."""
        self._put([(_DIGEST + key, msgpack.encode(place)) for key, place in places])

    def forget_after(self, file: str, end: int) -> None:
        """Counts what was cut off as absent, also after the next start."""
        self._put([(_CUT + file.encode(), msgpack.encode(end))])
        self._cuts[file] = end

    def mark(self, file: str, end: int) -> None:
        """Keeps how far the file is whole."""
        self._put([(_MARK + file.encode(), msgpack.encode(end))])

    def marked(self, file: str) -> int:
        """Returns how far the file is whole."""
        try:
            found = self._store.get(_MARK + file.encode())
        except Exception as error:
            raise _broken(self._path, error) from error
        return 0 if found is None else _NUMBER.decode(found)

    def revive(self) -> None:
        """Closes and opens the store: RocksDB refuses writes after a failed one until then."""
        self.close()
        self._open()

    def close(self) -> None:
        """Closes the store."""
        self._store.close()

    def _open(self) -> None:
        try:
            options = _options()
            # As a column family too: rocksdict takes the options of a store that exists from the store otherwise.
            self._store = Rdict(str(self._path), options, column_families={"default": options})
            self._cuts = dict(self._read_cuts())
        except Exception as error:
            raise _broken(self._path, error) from error

    def _read_cuts(self) -> list[tuple[str, int]]:
        cuts = []
        for key, end in self._store.items(from_key=_CUT):
            assert isinstance(key, bytes)
            if not key.startswith(_CUT):
                break
            cuts.append((key[len(_CUT) :].decode(), _NUMBER.decode(end)))
        return cuts

    def _put(self, entries: Sequence[tuple[bytes, bytes]]) -> None:
        batch = WriteBatch(raw_mode=True)
        for key, entry in entries:
            batch.put(key, entry)
        try:
            self._store.write(batch)
        except Exception as error:
            raise _broken(self._path, error) from error

    def __repr__(self) -> str:
        return f"<RocksDigests {self._path}>"


def _unless_cut(place: Place | None, cuts: dict[str, int]) -> Place | None:
    if place is None or place.offset >= cuts.get(place.file, place.offset + 1):
        return None
    return place


def _broken(path: Path, error: Exception) -> MachineError:
    remedy = "If the disk has room and is in order, remove that folder: bodies known only there will be stored again."
    return MachineError(f"The memory of stored bodies failed ({error})", str(path), remedy)


def _options() -> Options:
    tables = BlockBasedOptions()
    tables.set_bloom_filter(10, block_based=False)
    tables.set_block_cache(Cache(_BLOCK_CACHE))
    tables.set_cache_index_and_filter_blocks(True)
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.set_block_based_table_factory(tables)
    options.set_write_buffer_size(_WRITE_BUFFER)
    options.set_max_write_buffer_number(2)
    options.set_max_open_files(256)
    options.set_keep_log_file_num(2)
    return options


_PLACE = msgpack.Decoder(Place)
_NUMBER = msgpack.Decoder(int)
