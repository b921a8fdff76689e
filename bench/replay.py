"""Does somebody else's software replay the archive? `make replay`

A simulated web is crawled, its WARC files are given to pywb (`wayback.py`), and every page that the crawl stored is
asked for there. What comes back must be what the server sent. pywb is asked twice: with its own index of the files, and
with the CDXJ that Skitter wrote.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from report import machine
from wayback import PYWB, Stored, give_index, pages_of, replayed, replaying, set_up

from skitter.settings import DAY
from skitter.store.compact.compact import compact
from skitter.store.warc.places import sealed_files


def main() -> None:
    """Crawls, replays, compares; exit code 1 if a page does not come back as it was sent."""
    print(machine())
    set_up()
    with tempfile.TemporaryDirectory(prefix="skitter-replay-") as scratch:
        out, pages = _crawled(Path(scratch))
        own = _differ(Path(scratch) / "own", pages, lambda root: _give_files(root, out))
        ours = _differ(Path(scratch) / "ours", pages, lambda root: _give_index(root, out))
    print(f"{len(pages)} pages, {own} differ with pywb's own index, {ours} with the CDXJ of the crawl")
    sys.exit(1 if own or ours or not pages else 0)


def _crawled(folder: Path) -> tuple[Path, list[Stored]]:
    demo: list[str | Path] = [sys.executable, "-m", "skitter", "demo", "--out", folder / "out", "--quiet"]
    subprocess.run(demo, check=False, stdout=subprocess.DEVNULL)
    return folder / "out", [page for file in sealed_files(folder / "out" / "warc") for page in pages_of(file)]


def _give_files(root: Path, out: Path) -> None:
    manager = PYWB / "bin" / "wb-manager"
    subprocess.run([manager, "init", "crawl"], cwd=root, check=True, capture_output=True)
    subprocess.run([manager, "add", "crawl", *sealed_files(out / "warc")], cwd=root, check=True, capture_output=True)


def _give_index(root: Path, out: Path) -> None:
    """Tells pywb where the crawl has its files once its day is over."""
    compact(out, time.time() + 2 * DAY)
    give_index(root, out)


def _differ(root: Path, pages: list[Stored], give: Callable[[Path], None]) -> int:
    root.mkdir()
    give(root)
    with replaying(root) as address:
        wrong = [page.url for page in pages if replayed(address, page) != page.body]
    for url in wrong[:10]:
        print(f"  differs: {url}")
    return len(wrong)


if __name__ == "__main__":
    main()
