"""Captures to store, a disk that fails on command, and three judges of what was written."""

from __future__ import annotations

import errno
import io
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from warcio.checker import Checker

from skitter.messages import Errand, Failure, Fetched, Lease, Link, LinkKind
from skitter.ports import Capture
from skitter.store.disk import Buffer, RealDisk
from skitter.store.warc.reader import Reader

with warnings.catch_warnings():  # FastWARC warns of its own old names as it is imported
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc import ArchiveIterator, WarcRecordType

BEGAN = 1_794_775_551.123456
LINKS = (
    Link("https://b.example/next?x=1", "a", LinkKind.NAVIGATION, False, "The next  page – ü"),
    Link("https://b.example/ad", "a", LinkKind.NAVIGATION, True, ""),
    Link("https://c.example/i.png", "img", LinkKind.EMBED, False, "a: b"),
)


def a_lease(url: str = "https://a.example/", **more: Any) -> Lease:
    host = url.split("/")[2].removeprefix("www.")
    return Lease(**{"href": url, "host": host, "errand": Errand.PAGE, "ends": BEGAN + 60, "depth": 2, **more})


def a_capture(
    url: str = "https://a.example/",
    payload: bytes = b"<p>hello</p>",
    *,
    status: int = 200,
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html; charset=utf-8"),),
    body: bytes | None = None,
    began: float = BEGAN,
    lease: dict[str, Any] | None = None,
    fetched: dict[str, Any] | None = None,
    **more: Any,
) -> Capture:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    facts = {
        "lease": a_lease(url, **(lease or {})),
        "began": began,
        "ended": began + 0.25,
        "address": "192.0.2.7",
        "request_head": f"GET / HTTP/1.1\r\nHost: {url.split('/')[2]}\r\n\r\n".encode(),
        "response_head": f"HTTP/1.1 {status} So it is\r\n{lines}\r\n".encode(),
        "payload": payload,
        "status": status,
        "headers": headers,
        "body": payload if body is None else body,
        **(fetched or {}),
    }
    return Capture(Fetched(**facts), **{"links": LINKS, "title": "Höme", "lang": "en", "encoding": "utf-8", **more})


def a_failure(url: str = "https://dead.example/", *, kind: str = "refused", sent: bytes = b"", **more: Any) -> Capture:
    silence = {"request_head": sent, "response_head": b"", "status": 0, "headers": (), "payload": b"", "body": b""}
    failure = Failure(kind=kind, detail="nobody\r\nthere")  # type: ignore[arg-type]
    return a_capture(url, fetched={**silence, "failure": failure, **more}, links=(), title="", encoding="", lang="")


class FaultyDisk(RealDisk):
    """A real disk with limited room, and faults that are switched on by the name of a function."""

    def __init__(self) -> None:
        self.room: int | None = None  # bytes still free; None: enough
        self.chunk: int | None = None  # the most that one write takes
        self.faults: set[str] = set()
        self.calls: Counter[str] = Counter()
        self.synced: list[str] = []  # the names of the files, as they reach the disk

    def _enter(self, name: str) -> None:
        self.calls[name] += 1
        if name in self.faults:
            raise OSError(errno.EIO, f"{name} failed on command")

    def create(self, path: Path) -> int:
        self._enter("create")
        return super().create(path)

    def open(self, path: Path) -> int:
        self._enter("open")
        return super().open(path)

    def write(self, fd: int, part: Buffer, at: int) -> int:
        self._enter("write")
        if self.chunk is not None:
            part = part[: self.chunk]
        if self.room is not None:
            if self.room == 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            part = part[: self.room]
        taken = super().write(fd, part, at)
        if self.room is not None:
            self.room -= taken
        return taken

    def truncate(self, fd: int, size: int) -> None:
        self._enter("truncate")
        super().truncate(fd, size)

    def fsync(self, fd: int) -> None:
        self._enter("fsync")
        super().fsync(fd)
        self.synced.append(Path(f"/proc/self/fd/{fd}").readlink().name)

    def rename(self, path: Path, new: Path) -> None:
        self._enter("rename")
        super().rename(path, new)

    def sync_folder(self, path: Path) -> None:
        self._enter("sync_folder")
        super().sync_folder(path)


def judge(path: Path) -> Counter[str]:
    """Returns the records of a file by kind, after warcio, FastWARC and our reader all found it valid."""
    verdict = io.StringIO()
    with redirect_stdout(verdict):
        exit_value = Checker(SimpleNamespace(inputs=[str(path)], verbose=False)).process_all()
    assert exit_value == 0, verdict.getvalue()
    reader = Reader(path)
    ours = Counter(record.kind for record in reader)
    assert reader.broken is None
    assert reader.end == path.stat().st_size
    assert Counter(_fastwarc_kinds(path)) == ours
    return ours


def _fastwarc_kinds(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for record in ArchiveIterator(file, parse_http=False):
            assert record.verify_block_digest(), record.headers
            yield record.headers["WARC-Type"]
    with path.open("rb") as file:
        for record in ArchiveIterator(file, parse_http=True, record_types=WarcRecordType.response):
            assert "WARC-Payload-Digest" not in record.headers or record.verify_payload_digest(), record.headers


@pytest.fixture(scope="session")
def capture() -> Callable[..., Capture]:
    return a_capture


@pytest.fixture(scope="session")
def failure() -> Callable[..., Capture]:
    return a_failure


@pytest.fixture(scope="session")
def judged() -> Callable[[Path], Counter[str]]:
    return judge


@pytest.fixture
def faulty_disk() -> FaultyDisk:
    return FaultyDisk()
