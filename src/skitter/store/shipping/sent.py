"""How much was sent to a bucket: DIR/bucket/sent-NODE.json, for whoever looks. Nothing depends on it."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec
from msgspec import Struct

from skitter.store.warc.places import all_files


class Sent(Struct, frozen=True):
    """WARC files that are safe in the bucket."""

    files: int = 0
    bytes: int = 0

    def plus(self, size: int) -> Sent:
        """Returns the sum with one more file."""
        return Sent(self.files + 1, self.bytes + size)


def read_sent(directory: Path, node: str = "*") -> Sent:
    """Returns what one node, or all, have sent in all runs."""
    files = count = 0
    for path in (directory / "bucket").glob(f"sent-{node}.json"):
        with contextlib.suppress(OSError, msgspec.DecodeError):
            one = msgspec.json.decode(path.read_bytes(), type=Sent)
            files, count = files + one.files, count + one.bytes
    return Sent(files, count)


def write_sent(directory: Path, node: str, sent: Sent) -> None:
    """Replaces what is known of a node. A disk that is full is no reason to stop."""
    path = directory / "bucket" / f"sent-{node}.json"
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        hidden = path.with_name(f".{path.name}")
        hidden.write_bytes(msgspec.json.encode(sent))
        hidden.rename(path)


def waiting(directory: Path) -> Sent:
    """Returns what is still on this machine: whatever is safe in the bucket is not."""
    sizes = []
    for path in all_files(directory / "warc"):
        with contextlib.suppress(FileNotFoundError):  # it was sealed, or sent, at this moment
            sizes.append(path.stat().st_size)
    return Sent(len(sizes), sum(sizes))
