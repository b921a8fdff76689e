"""What there is of a day in the tables `text` and `images`: a manifest in each folder, written last and as a whole.

    {"version": 1, "table": "text", "day": "20261118", "rows": 2, "files": [{"name": …, "rows": …, "bytes": …,
     "sha256": …, "made_of": […]}]}

It follows the files: one that it does not name is newer, one that is gone was merged since.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import file_digest
from pathlib import Path

import msgspec
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from msgspec import Struct

from skitter.store.compact.tables import Tables
from skitter.store.index.holding import reading
from skitter.store.index.names import is_merged
from skitter.store.index.paths import CONTENTS, table_folder, temporary

NAME = "manifest.json"
VERSION = 1


class File(Struct, frozen=True):
    """One file."""

    name: str
    rows: int
    bytes: int
    sha256: str
    made_of: Sequence[str]  # WARC files, without ending


class Manifest(Struct, frozen=True):
    """All files of a table and a day."""

    version: int
    table: str
    day: str
    rows: int
    files: Sequence[File]


def write_manifests(directory: Path) -> None:
    """Writes the manifest of every day whose files are others than it says. OSError if it can't."""
    for kind in CONTENTS:
        for folder in sorted(table_folder(directory, kind).glob("[0-9]*/[0-9]*/[0-9]*")):
            _write(directory, kind, folder)


def read_manifest(folder: Path) -> Manifest | None:
    """Returns the manifest in a folder, None if there is none that can be read."""
    try:
        found = msgspec.json.decode((folder / NAME).read_bytes(), type=Manifest)
    except (OSError, msgspec.DecodeError):
        return None
    return found if found.version == VERSION else None


def _write(directory: Path, kind: str, folder: Path) -> None:
    before = read_manifest(folder)
    known = {} if before is None else {(file.name, file.bytes): file for file in before.files}
    with reading(directory):
        paths = sorted(folder.glob("*.parquet"))
        files = [known.get((path.name, path.stat().st_size)) or _file(kind, path) for path in paths]
    if before is not None and list(before.files) == files:
        return
    made = Manifest(VERSION, kind, "".join(folder.parts[-3:]), sum(file.rows for file in files), files)
    half = temporary(folder / NAME)
    with half.open("wb") as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(made), indent=1))
        stream.flush()
        os.fsync(stream.fileno())
    half.rename(folder / NAME)


def _file(kind: str, path: Path) -> File:
    made_of = sorted(Tables(kind).sources(path)) if is_merged(path.stem) else [path.stem]
    with path.open("rb") as stream:
        digest = file_digest(stream, "sha256").hexdigest()
    return File(path.name, _rows(path), path.stat().st_size, digest, made_of)


def _rows(path: Path) -> int:
    try:
        rows: int = pq.read_metadata(path).num_rows
    except pa.ArrowException:
        return 0
    return rows
