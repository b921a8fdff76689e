"""What a checkpoint is made of. Pure. `docs/formats/bucket.md` is its page.

checkpoints/SHARD/manifests/NEXT.json    created once, last; NEXT: the first offset of the log that is not in it
checkpoints/SHARD/files/SHA256           a file of the store, by what is in it

Files are named by their content: a store that was restored elsewhere counts its files on from the same number, so that
two files of one name may have nothing in common.
"""

from __future__ import annotations

import re

import msgspec
from msgspec import Struct

from skitter.errors import MachineError, OperatorError

VERSION = 1
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MANIFEST = re.compile(r"checkpoints/(\d{4,})/manifests/(\d{20})\.json")


class CheckpointFile(Struct, frozen=True):
    """A file of the store."""

    name: str
    size: int
    sha256: str


class Manifest(Struct, frozen=True):
    """One checkpoint."""

    version: int
    crawl: str
    shard: int
    next: int
    files: list[CheckpointFile]


class _Head(Struct, frozen=True):
    version: int


def manifest_folder(shard: int) -> str:
    """Returns the folder of a shard's manifests."""
    return f"checkpoints/{shard:04d}/manifests"


def manifest_key(shard: int, log_next: int) -> str:
    """Returns the key of a manifest; keys sort as the offsets do."""
    return f"{manifest_folder(shard)}/{log_next:020d}.json"


def file_folder(shard: int) -> str:
    """Returns the folder of the files of a shard's checkpoints."""
    return f"checkpoints/{shard:04d}/files"


def file_key(shard: int, sha256: str) -> str:
    """Returns the key of a file."""
    return f"{file_folder(shard)}/{sha256}"


def next_in(key: str) -> int | None:
    """Returns the offset in the key of a manifest, None if it is not one."""
    found = _MANIFEST.fullmatch(key)
    return None if found is None else int(found[2])


def encode(manifest: Manifest) -> bytes:
    """Returns the bytes of a manifest."""
    return msgspec.json.encode(manifest)


def decode(raw: bytes, key: str, *, crawl: str, shard: int) -> Manifest:
    """Returns a manifest. OperatorError if it is another crawl's or version's, MachineError if it can't be read."""
    try:
        version = msgspec.json.decode(raw, type=_Head).version
        if version != VERSION:
            raise OperatorError("checkpoint", key, f"was written by another version of Skitter ({version})")
        manifest = msgspec.json.decode(raw, type=Manifest)
    except msgspec.DecodeError as error:
        raise _damaged(key, str(error)) from None
    if manifest.crawl != crawl:
        raise OperatorError("checkpoint", key, "is of another crawl: name the bucket and prefix of this one")
    if (manifest.shard, manifest.next) != (shard, next_in(key)):
        raise _damaged(key, f"it says that it is of shard {manifest.shard} at {manifest.next}")
    for file in manifest.files:
        if not _NAME.fullmatch(file.name) or not _DIGEST.fullmatch(file.sha256):
            raise _damaged(key, "it names a file as none is named")
    return manifest


def _damaged(key: str, why: str) -> MachineError:
    return MachineError(
        "a checkpoint is damaged", f"{key} ({why})", "An older one is used if the log reaches back to it."
    )
