"""Brings the WARC files of a crawl back from its bucket, for who reads them all: into a folder that goes again."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from skitter.config.buckets import parse_address
from skitter.errors import MachineError
from skitter.ports import Blob, Blobs
from skitter.store.blobs.opening import open_blobs
from skitter.store.shipping.claim import read_claim
from skitter.store.warc.file import SUFFIX, node_of
from skitter.store.warc.places import all_files, relative_path

_TELLING = ("crawl.json", "skitter.toml", "domains.txt", "routes.json")
"""What says how the files are to be read."""

STEP = 8 * 1024**2
SPARE = 64 * 1024**2


@contextmanager
def with_bucket(directory: Path, note: Callable[[str], None]) -> Iterator[Path]:
    """Yields a folder with all WARC files of a crawl: its own, or one that is made of it and of its bucket.

    MachineError if there is no room for them, or the bucket can't be read.
    """
    claimed = read_claim(directory)
    if claimed is None:
        yield directory
        return
    with tempfile.TemporaryDirectory(prefix="brought-", dir=directory / "bucket") as made:
        blobs = open_blobs(parse_address(claimed.address))
        asyncio.run(_bring(blobs, directory, Path(made), lambda size: note(_words(claimed.address, size))))
        yield Path(made)


async def _bring(blobs: Blobs, directory: Path, target: Path, note: Callable[[int], None]) -> None:
    # Those here first: one that is sent meanwhile is then seen twice, under one name, and never missed.
    (target / "warc").mkdir()
    for path in directory.iterdir():
        if path.is_file() and path.name in _TELLING:
            os.link(path, target / path.name)
    if (directory / "parquet").is_dir():  # where captures are, for who looks one up
        (target / "parquet").symlink_to((directory / "parquet").absolute(), target_is_directory=True)
    for path in all_files(directory / "warc"):
        place = target / path.relative_to(directory)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.link(path, place)
    missing = [blob async for blob in blobs.list("warc") if _is_ours(blob.key) and not (target / blob.key).exists()]
    size = sum(blob.size for blob in missing)
    note(size)
    free = shutil.disk_usage(target).free
    if size + SPARE > free:
        remedy = f"Make room on that disk: the WARC files are read from there, {size} bytes, and {free} are free."
        raise MachineError("the files of the bucket can't be brought here", str(directory), remedy)
    for blob in missing:
        await _bring_one(blobs, blob, target / blob.key)


def _is_ours(key: str) -> bool:
    """Whether that is the key of a WARC file as a crawl names them: nothing else is written to this disk."""
    name = key.rpartition("/")[2]
    return node_of(name) is not None and name.endswith(SUFFIX) and key == f"warc/{relative_path(name)}"


async def _bring_one(blobs: Blobs, blob: Blob, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("wb") as file:
        while part := await blobs.get_range(blob.key, file.tell(), STEP):
            file.write(part)


def _words(address: str, size: int) -> str:
    return f"bringing {size} bytes of WARC files from {address}"
