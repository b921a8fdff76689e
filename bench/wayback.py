"""pywb, somebody else's software, asked for what an archive of ours holds. It is installed under .cache by itself: its
dependencies clash with ours."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from skitter.store.warc.reader import Reader

PYWB = Path(__file__).parents[1] / ".cache" / "pywb"
PINNED = ("pywb>=2.9,<3", "setuptools<80")
"""pywb looks for its own version with a module that newer setuptools no longer have."""


class Stored(NamedTuple):
    """A page as the archive has it."""

    url: str
    at: str  # fourteen digits
    body: bytes


def set_up() -> None:
    """Installs it, if it is not there."""
    if not (PYWB / "bin" / "wayback").exists():
        print("installing pywb in .cache/pywb …", file=sys.stderr)
        venv.create(PYWB, with_pip=True, clear=True)
        subprocess.run([PYWB / "bin" / "pip", "install", "--quiet", *PINNED], check=True)


def pages_of(file: Path) -> Iterator[Stored]:
    """Yields the pages in a file that answered with 200 and whole, unencoded bodies: those can be compared by byte."""
    for record in Reader(file):
        head, _, body = record.block.partition(b"\r\n\r\n")
        is_plain = b"\r\ncontent-encoding:" not in head.lower() and b"\r\ntransfer-encoding:" not in head.lower()
        if record.kind == "response" and head.split(b" ", 2)[1] == b"200" and is_plain:
            at = "".join(sign for sign in record.fields["warc-date"] if sign.isdigit())[:14]
            yield Stored(record.fields["warc-target-uri"], at, body)


def give_index(root: Path, out: Path) -> None:
    """Tells pywb where a crawl has its files, in the words of docs/formats/archive.md."""
    told = {"index_paths": f"{out}/cdxj", "archive_paths": f"{out}/warc/"}
    (root / "config.yaml").write_text(json.dumps({"collections": {"crawl": told}}), encoding="utf-8")


STARTS_WITHIN = 300.0
"""Seconds: on a busy machine it takes pywb more than a minute to come up."""


@contextlib.contextmanager
def replaying(root: Path) -> Iterator[str]:
    """Gives the address at which pywb plays what `root` tells it of."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command: list[str | Path] = [PYWB / "bin" / "wayback", "--port", str(port), "--bind", "127.0.0.1"]
    with (root / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=root, stdout=log, stderr=log)
    try:
        until = time.monotonic() + STARTS_WITHIN
        while time.monotonic() < until:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/crawl"
    finally:
        process.terminate()
        process.wait()


def replayed(address: str, page: Stored) -> bytes | None:
    """Returns a page as it comes back: `id_` asks pywb to change nothing in it."""
    try:
        with urllib.request.urlopen(f"{address}/{page.at}id_/{page.url}", timeout=60) as answer:  # noqa: S310 (it is http)
            body: bytes = answer.read()
            return body
    except urllib.error.URLError as error:
        print(f"  {error}: {page.url}")
        return None
