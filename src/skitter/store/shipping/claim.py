"""Whose a prefix of a bucket is. One crawl claims it, once; no other ever writes there.

BUCKET/PREFIX/skitter.json     {"format": 1, "crawl": "<32 hex digits>"}, created once
DIR/bucket/claim.json          the same number, and the address, beside the crawl's state
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from skitter.errors import BlobsError, OperatorError
from skitter.ports import Blobs

FORMAT = 1
MARK = "skitter.json"


class Mark(Struct, frozen=True):
    """What the bucket holds of its crawl."""

    format: int
    crawl: str


class Claim(Struct, frozen=True):
    """What the crawl holds of its bucket."""

    address: str
    crawl: str
    is_taken: bool = False  # else it may be that the bucket has our mark, or not


def read_claim(directory: Path) -> Claim | None:
    """Returns the bucket that the crawl in `directory` has, if it has one."""
    kept = _kept(directory)
    return kept if kept is not None and kept.is_taken else None


async def claim(directory: Path, blobs: Blobs, address: str, crawl: str = "") -> None:
    """Returns when the prefix is this crawl's. OperatorError if it is another's, or can't be used.

    A crawl that has it already goes on whether or not the bucket answers: what it fetches waits on the disk. `crawl` is
    its number, if that is not to be drawn here: all nodes of a fleet have the same.
    """
    before = read_claim(directory)
    if before is not None and (before.address != address or crawl not in ("", before.crawl)):
        right = f"the archive of this crawl is in {before.address}, which can't be changed"
        raise OperatorError("--out", address, right)
    mine = before or _begun(directory, address, crawl)
    try:
        await _take(blobs, mine)
    except BlobsError as error:
        if before is not None and error.kind == "away":
            return
        raise OperatorError("--out", address, f"{error.what}. {error.remedy}") from None
    if not mine.is_taken:
        _keep(directory, structs.replace(mine, is_taken=True))


def _begun(directory: Path, address: str, crawl: str) -> Claim:
    """Returns a claim that is kept here before it is made there: a kill between the two must not lock us out."""
    kept = _kept(directory)
    drawn = Claim(address, crawl or secrets.token_hex(16))
    mine = kept if kept is not None and kept.address == address and crawl in ("", kept.crawl) else drawn
    _keep(directory, mine)
    return mine


async def _take(blobs: Blobs, mine: Claim) -> None:
    content = msgspec.json.encode(Mark(FORMAT, mine.crawl))
    if not mine.is_taken and await blobs.get(MARK) is None:
        async for blob in blobs.list("warc"):
            right = f"holds what this crawl did not write ({blob.key}): name a prefix that is empty"
            raise OperatorError("--out", mine.address, right)
    if await blobs.create(MARK, content):
        return
    try:
        theirs = msgspec.json.decode(await blobs.get(MARK) or b"", type=Mark)
    except msgspec.DecodeError:
        raise OperatorError("--out", mine.address, f"holds a {MARK} that is not Skitter's") from None
    if theirs.format != FORMAT:
        raise OperatorError("--out", mine.address, f"was written by another version of Skitter ({theirs.format})")
    right = (
        "holds another crawl: name another prefix; or, to go on with that crawl, name the folder with its state "
        "(--state DIR), which is where it ran"
    )
    raise OperatorError("--out", mine.address, right)


def _kept(directory: Path) -> Claim | None:
    try:
        return msgspec.json.decode(_file(directory).read_bytes(), type=Claim)
    except FileNotFoundError:
        return None


def _keep(directory: Path, mine: Claim) -> None:
    file = _file(directory)
    file.parent.mkdir(parents=True, exist_ok=True)
    hidden = file.with_name(f".{file.name}")
    with hidden.open("wb") as stream:
        stream.write(msgspec.json.encode(mine))
        stream.flush()
        os.fsync(stream.fileno())
    hidden.rename(file)


def _file(directory: Path) -> Path:
    return directory / "bucket" / "claim.json"
