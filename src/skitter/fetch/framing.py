"""Where a body ends: after so many bytes, after its last chunk, or when the connection closes."""

from __future__ import annotations

import re
from typing import TypeAlias

# Sizes beyond 15 hexadecimal digits are no sizes; what follows them is an extension, which says nothing to us.
_SIZE_LINE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?\r?", re.DOTALL)
_SIZE_LINE_BEGUN = re.compile(rb"[ \t]*[0-9A-Fa-f]{0,15}(?:[ \t;\r].*)?", re.DOTALL)
_MAX_LINE = 4096


class Sized:
    """A body of a known length."""

    __slots__ = ("_left", "done")
    broken = False
    ends_at_close = False

    def __init__(self, length: int) -> None:
        self._left = length
        self.done = length == 0

    def feed(self, data: bytes) -> int:
        """Returns how many of the bytes in `data` belong to the body."""
        used = min(len(data), self._left)
        self._left -= used
        self.done = self._left == 0
        return used


class UntilClose:
    """A body that ends with the connection."""

    __slots__ = ()
    done = False
    broken = False
    ends_at_close = True

    def feed(self, data: bytes) -> int:
        """Returns how many of the bytes in `data` belong to the body: all."""
        return len(data)


class Chunked:
    """A body in chunks; `body` has their content. What can't be a chunk sets `broken`."""

    __slots__ = ("_left", "_line", "_max_trailer", "_step", "body", "broken", "done", "ends_at_close")

    def __init__(self, max_trailer: int) -> None:
        self.body = bytearray()
        self.done = False
        self.broken = False
        self.ends_at_close = False
        self._max_trailer = max_trailer
        self._left = 0  # bytes still to come of the chunk
        self._line = b""  # a line of which the end has not come yet
        # A function, not a bound method: in a circle with itself the body would outlive its page.
        self._step = Chunked._size_line

    def feed(self, data: bytes) -> int:
        """Returns how many of the bytes in `data` belong to the body, framing included."""
        at = 0
        view = memoryview(data)
        while at < len(data) and not self.done and not self.broken:
            if self._left:
                end = min(at + self._left, len(data))
                self.body += view[at:end]
                self._left -= end - at
                at = end
            else:
                at = self._feed_line(data, at)
        return at

    def _feed_line(self, data: bytes, at: int) -> int:
        end = data.find(b"\n", at)
        if end < 0:
            self._line += data[at:]
            self.broken = len(self._line) > _MAX_LINE or not self._may_become_a_line()
            return len(data)
        line, self._line = self._line + data[at:end], b""
        if len(line) > _MAX_LINE:
            self.broken = True
        else:
            self._step(self, line)
        return end + 1

    def _may_become_a_line(self) -> bool:
        """Returns whether a line that begins like this is worth waiting for."""
        if self._step is Chunked._size_line:
            return _SIZE_LINE_BEGUN.fullmatch(self._line) is not None
        return self._step is Chunked._trailer or self._line == b"\r"

    def _size_line(self, line: bytes) -> None:
        match = _SIZE_LINE.fullmatch(line)
        if match is None:
            self.broken = True
            return
        self._left = int(match[1], 16)
        self._step = Chunked._chunk_end if self._left else Chunked._trailer
        # After the last chunk nothing of the body is missing, though some servers forget the empty line.
        self.ends_at_close = not self._left

    def _chunk_end(self, line: bytes) -> None:
        self.broken = line not in (b"", b"\r")
        self._step = Chunked._size_line

    def _trailer(self, line: bytes) -> None:
        self.done = line in (b"", b"\r")
        self._max_trailer -= len(line)
        self.broken = self._max_trailer < 0


Framing: TypeAlias = Sized | UntilClose | Chunked
