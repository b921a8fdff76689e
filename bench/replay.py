"""Does somebody else's software replay the archive? `make replay`

A simulated web is crawled, its WARC files are given to pywb (in a virtual environment of its own under .cache: its
dependencies clash with ours), and every page that the crawl stored is asked for there. What comes back must be what the
server sent. pywb is asked twice: with its own index of the files, and with the CDXJ that Skitter wrote.
"""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from pages import ROOT
from report import machine

from skitter.settings import DAY
from skitter.store.compact.compact import compact
from skitter.store.warc.places import sealed_files
from skitter.store.warc.reader import Reader

PYWB = ROOT / ".cache" / "pywb"
PINNED = ("pywb>=2.9,<3", "setuptools<80")
"""pywb looks for its own version with a module that newer setuptools no longer have."""


class Stored(NamedTuple):
    """A page as the archive has it."""

    url: str
    at: str  # fourteen digits
    body: bytes


def main() -> None:
    """Crawls, replays, compares; exit code 1 if a page does not come back as it was sent."""
    print(machine())
    _set_up()
    with tempfile.TemporaryDirectory(prefix="skitter-replay-") as scratch:
        out, pages = _crawled(Path(scratch))
        own = _differ(Path(scratch) / "own", pages, lambda root: _give_files(root, out))
        ours = _differ(Path(scratch) / "ours", pages, lambda root: _give_index(root, out))
    print(f"{len(pages)} pages, {own} differ with pywb's own index, {ours} with the CDXJ of the crawl")
    sys.exit(1 if own or ours or not pages else 0)


def _set_up() -> None:
    if not (PYWB / "bin" / "wayback").exists():
        print("installing pywb in .cache/pywb …", file=sys.stderr)
        venv.create(PYWB, with_pip=True, clear=True)
        subprocess.run([PYWB / "bin" / "pip", "install", "--quiet", *PINNED], check=True)


def _crawled(folder: Path) -> tuple[Path, list[Stored]]:
    demo: list[str | Path] = [sys.executable, "-m", "skitter", "demo", "--out", folder / "out", "--quiet"]
    subprocess.run(demo, check=False, stdout=subprocess.DEVNULL)
    return folder / "out", [page for file in sealed_files(folder / "out" / "warc") for page in _pages(file)]


def _pages(file: Path) -> Iterator[Stored]:
    """Yields the pages in a file that answered with 200 and whole, unencoded bodies: those can be compared by byte."""
    for record in Reader(file):
        head, _, body = record.block.partition(b"\r\n\r\n")
        is_plain = b"\r\ncontent-encoding:" not in head.lower() and b"\r\ntransfer-encoding:" not in head.lower()
        if record.kind == "response" and head.split(b" ", 2)[1] == b"200" and is_plain:
            at = "".join(sign for sign in record.fields["warc-date"] if sign.isdigit())[:14]
            yield Stored(record.fields["warc-target-uri"], at, body)


def _give_files(root: Path, out: Path) -> None:
    manager = PYWB / "bin" / "wb-manager"
    subprocess.run([manager, "init", "crawl"], cwd=root, check=True, capture_output=True)
    subprocess.run([manager, "add", "crawl", *sealed_files(out / "warc")], cwd=root, check=True, capture_output=True)


def _give_index(root: Path, out: Path) -> None:
    """Tells pywb where the crawl has its files, in the words of docs/formats/archive.md, once its day is over."""
    compact(out, time.time() + 2 * DAY)
    told = {"index_paths": f"{out}/cdxj", "archive_paths": f"{out}/warc/"}
    (root / "config.yaml").write_text(json.dumps({"collections": {"crawl": told}}), encoding="utf-8")


def _differ(root: Path, pages: list[Stored], give: Callable[[Path], None]) -> int:
    root.mkdir()
    give(root)
    with _replaying(root) as address:
        wrong = [page.url for page in pages if _replayed(address, page) != page.body]
    for url in wrong[:10]:
        print(f"  differs: {url}")
    return len(wrong)


@contextlib.contextmanager
def _replaying(root: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command: list[str | Path] = [PYWB / "bin" / "wayback", "--port", str(port), "--bind", "127.0.0.1"]
    with (root / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=root, stdout=log, stderr=log)
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/crawl"
    finally:
        process.terminate()
        process.wait()


def _replayed(address: str, page: Stored) -> bytes | None:
    """Returns a page as it comes back: `id_` asks pywb to change nothing in it."""
    try:
        with urllib.request.urlopen(f"{address}/{page.at}id_/{page.url}", timeout=60) as answer:  # noqa: S310 (it is http)
            body: bytes = answer.read()
            return body
    except urllib.error.URLError as error:
        print(f"  {error}: {page.url}")
        return None


if __name__ == "__main__":
    main()
