"""Where a PDF is handed in and what it says comes back: a process that lasts, killed when it hangs or dies of one."""

from __future__ import annotations

import importlib.util
import select
import subprocess
import sys
import time
from threading import Lock
from typing import IO

import msgspec

from skitter.content.pdf.messages import LENGTH, Order, Paper
from skitter.settings import ContentSettings

START = 30.0
"""Wall seconds that the process has to begin, and to end what was begun."""
SLOWNESS = 3.0
"""So many times its CPU seconds a PDF may take: the machine may be busy."""
FOR_LINKS = 5.0
"""CPU seconds that the links of a PDF may take at most: a page waits for them."""
MOST = 500
"""PDFs that one process reads; then a fresh one does, with whatever leaked gone."""
MAX_PAPER = 64 * 1024**2


def is_installed() -> bool:
    """Whether pdfium is here."""
    return importlib.util.find_spec("pypdfium2") is not None


class PdfDesk:
    """Reads PDFs, one at a time, for any thread. It never raises for what is in one."""

    def __init__(self, settings: ContentSettings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._served = 0
        self._lock = Lock()
        self.killed = 0

    def read(self, body: bytes, max_text: int) -> Paper:
        """Returns what a PDF says, or what the trouble with it is."""
        return self._read(Order(body, max_text, self._settings.pdf_seconds))

    def links(self, body: bytes) -> Paper:
        """Returns the links of a PDF and nothing else, or what the trouble with it is."""
        return self._read(Order(body, 0, min(self._settings.pdf_seconds, FOR_LINKS), has_text=False))

    def _read(self, order: Order) -> Paper:
        with self._lock:
            paper = self._asked(msgspec.msgpack.encode(order))
            if paper is None:
                self._kill()
                paper = Paper(trouble="reading it ended the process, or took too long")
            return paper

    def close(self) -> None:
        """Ends the process."""
        with self._lock:
            self._end()

    @property
    def pid(self) -> int | None:
        """The process, if there is one."""
        return None if self._process is None else self._process.pid

    def _asked(self, order: bytes) -> Paper | None:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        until = time.monotonic() + START + SLOWNESS * self._settings.pdf_seconds
        try:
            process.stdin.write(LENGTH.pack(len(order)) + order)
            process.stdin.flush()
        except BrokenPipeError:
            return None
        length = _received(process.stdout, LENGTH.size, until)
        if length is None or LENGTH.unpack(length)[0] > MAX_PAPER:
            return None
        told = _received(process.stdout, LENGTH.unpack(length)[0], until)
        try:
            return None if told is None else msgspec.msgpack.decode(told, type=Paper)
        except msgspec.DecodeError:
            return None  # whatever happened to the process, nothing that it says is believed

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._served >= MOST:
            self._end()
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-m", "skitter.content.pdf", str(self._settings.pdf_memory)]
            nothing = subprocess.DEVNULL
            self._process = subprocess.Popen(  # noqa: S603 (ourselves)
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=nothing, bufsize=0
            )
            self._served = 0
        self._served += 1
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()

    def _kill(self) -> None:
        self.killed += 1
        self._end()

    def __repr__(self) -> str:
        return f"<PdfDesk pid={self.pid} served={self._served} killed={self.killed}>"


def _received(stream: IO[bytes], size: int, until: float) -> bytes | None:
    """Returns so many bytes, None if they do not come in time."""
    pieces = bytearray()
    while len(pieces) < size:
        ready, _, _ = select.select([stream], [], [], max(0.0, until - time.monotonic()))
        piece = stream.read(size - len(pieces)) if ready else b""
        if not piece:
            return None
        pieces += piece
    return bytes(pieces)
