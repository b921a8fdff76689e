"""How far the pages of a crawl have been read, so that whoever takes it up again gets the rest.

DIR/read.json    the name of each WARC file and the offset up to which its pages were given
"""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
from msgspec import Struct

from skitter.errors import MachineError
from skitter.folder.atomic import write_whole
from skitter.library.page import Page

VERSION = 1
FILE = "read.json"
EVERY = 1.0
"""Seconds between two writes: what comes again if the reader's process is killed."""


class _Content(Struct, frozen=True):
    version: int
    ends: dict[str, int]


class Bookmark:
    """Moves with each page that is given."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / FILE
        self.ends = self._read()
        self._last: Page | None = None
        self._before = 0
        self._is_kept = True
        self._next_write = 0.0

    def turn(self, page: Page) -> None:
        """Counts `page` as read. MachineError if that can't be kept."""
        self._last, self._before = page, self.ends.get(page.warc_file, 0)
        self.ends[page.warc_file] = page.warc_end
        self._is_kept = False
        now = time.monotonic()
        if now >= self._next_write:
            self.keep()
            self._next_write = now + EVERY

    def turn_back(self) -> None:
        """Counts the last page as not read."""
        if self._last is not None:
            self.ends[self._last.warc_file] = self._before
            self._last, self._is_kept = None, False

    def keep(self) -> None:
        """Writes how far we are, whole or not at all. MachineError if the disk does not let us."""
        if self._is_kept:
            return
        try:
            write_whole(self._file, msgspec.json.encode(_Content(VERSION, self.ends)), on_disk=False)
        except OSError as error:
            remedy = "Make room: until then, a crawl that is taken up again gives pages that were read before."
            raise MachineError(f"How far pages were read can't be kept ({error})", str(self._file), remedy) from error
        self._is_kept = True

    def _read(self) -> dict[str, int]:
        try:
            content = msgspec.json.decode(self._file.read_bytes(), type=_Content)
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError) as error:
            remedy = "Remove it to have all pages given again."
            raise MachineError(f"How far pages were read can't be told ({error})", str(self._file), remedy) from error
        return content.ends
