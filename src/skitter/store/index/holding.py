"""Which WARC files have an index, merged or not, and how our own readers are kept from the moment of a merge.

A merged CDXJ file begins with a line that says what it is made of:

    !meta {"merged_from":["skitter-20261115204551-n1-00000", …]}

It sorts before all keys, and pywb passes over it. CDXJ is the last of a file's indexes to be there, and the one that
tells: where it is, or is merged, all are.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct, json

from skitter.store.index.names import is_merged
from skitter.store.index.paths import CDXJ, cdxj_folder

META = b"!meta "


class _Meta(Struct):
    merged_from: list[str]


def meta_line(made_of: Sequence[str]) -> bytes:
    """Returns the first line of a merged CDXJ file."""
    return META + json.encode(_Meta(list(made_of))) + b"\n"


def sources_of_lines(path: Path) -> frozenset[str]:
    """Returns the WARC files, without ending, that a CDXJ file has the lines of. OSError if it can't be read."""
    with path.open("rb") as file:
        first = file.readline()
    if not first.startswith(META):
        return frozenset([path.stem])
    return frozenset(json.decode(first.removeprefix(META), type=_Meta).merged_from)


def indexed_files(directory: Path, day: str = "") -> set[str]:
    """Returns the WARC files, without ending, that have an index; of one day (`20261115`) only, if one is given."""
    with reading(directory):
        paths = list(cdxj_folder(directory).glob(f"*-{day}*.{CDXJ}"))
        loose = {path.stem for path in paths if not is_merged(path.stem)}
        return loose.union(*(sources_of_lines(path) for path in paths if is_merged(path.stem)))


@contextmanager
def reading(directory: Path) -> Iterator[None]:
    """Holds the index files as they are: none is merged with others meanwhile."""
    with _locked(directory, fcntl.LOCK_SH):
        yield


@contextmanager
def swapping(directory: Path) -> Iterator[None]:
    """Waits until none of us reads index files, and lets none begin: some of them are about to become one."""
    with _locked(directory, fcntl.LOCK_EX):
        yield


@contextmanager
def _locked(directory: Path, how: int) -> Iterator[None]:
    folder = directory / "parquet"
    if not folder.is_dir():
        yield
        return
    held = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(held, how)
        yield
    finally:
        os.close(held)
