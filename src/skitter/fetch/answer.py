"""One answer out of the bytes of a connection, without touching one: what was read, and how it ended.

An answer ends whole, or cut (`truncated`: what came is kept and marked), or as a failure. Every limit on size is
here; the limits on time are the connection's, which says `out_of_time` or `too_slow`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from skitter.fetch.framing import Chunked, Framing
from skitter.fetch.head import Head, end_of, parse_head
from skitter.messages import Failure, Headers, Kind
from skitter.settings import FetchSettings

MAX_INTERIM = 10  # answers 1xx before the one that counts
_MAX_BLANK = 4  # some servers leave an empty line behind the answer before
_MAGIC: Final = b"HTTP/"
_SWITCHING = 101


class AnswerReader:
    """Reads one answer. `over` says that no more is wanted."""

    __slots__ = (
        "_blank",
        "_buffer",
        "_interim",
        "_limits",
        "_overlong",
        "_pieces",
        "_refuses",
        "_size",
        "failure",
        "head",
        "over",
        "raw_head",
        "received",
        "truncated",
    )

    def __init__(self, limits: FetchSettings, refuses: Callable[[Headers], bool] | None = None) -> None:
        self.head: Head | None = None
        self.raw_head = b""
        self.failure: Failure | None = None
        self.truncated: str | None = None
        self.over = False
        self.received = 0
        self._limits = limits
        self._refuses = refuses  # whether nothing more than the head is wanted
        self._buffer = bytearray()
        self._pieces: list[bytes] = []
        self._size = 0
        self._interim = 0
        self._blank = 0
        self._overlong = False

    def feed(self, data: bytes) -> bool:
        """Takes what has arrived. Returns whether the answer is over."""
        self.received += len(data)
        if self.head is None:
            self._feed_head(data)
        else:
            self._feed_body(self.head.framing, data)
        return self.over

    def _feed_head(self, data: bytes) -> None:
        known = len(self._buffer)
        if known:
            self._buffer += data
        elif data.startswith((b"\r", b"\n")):
            data = self._without_blank(data)
        text = self._buffer if known else data
        if not self.over and not text.startswith(_MAGIC) and _is_garbage(text):
            self._fail(Kind.BAD_RESPONSE, "not HTTP")
        if self.over:
            return
        end = end_of(text, max(0, known - 2))
        if (end or len(text)) > self._limits.max_head:
            self._fail(Kind.HEADERS_TOO_LARGE, f"more than {self._limits.max_head} bytes")
        elif end:
            raw, rest = bytes(text[:end]), bytes(text[end:])
            self._buffer.clear()
            self._take_head(raw, rest)
        elif not known:
            self._buffer += data

    def _without_blank(self, data: bytes) -> bytes:
        rest = data.lstrip(b"\r\n")
        self._blank += len(data) - len(rest)
        if self._blank > _MAX_BLANK:
            self._fail(Kind.BAD_RESPONSE, "empty lines")
        return rest

    def _take_head(self, raw: bytes, rest: bytes) -> None:
        head = parse_head(raw, self._limits.max_headers)
        if isinstance(head, Failure):
            self.failure, self.over = head, True
            return
        if 100 <= head.status < 200 and head.status != _SWITCHING:
            self._skip_interim(rest)
            return
        self.head, self.raw_head = head, raw
        if not 200 <= head.status < 600:
            self._fail(Kind.ODD_STATUS, str(head.status))
        elif self._refuses is not None and self._refuses(head.headers):
            self._cut("length")
        else:
            self._feed_body(head.framing, rest)

    def _skip_interim(self, rest: bytes) -> None:
        self._interim += 1
        if self._interim > MAX_INTERIM:
            self._fail(Kind.ODD_STATUS, f"more than {MAX_INTERIM} answers 1xx")
        elif rest:
            self._feed_head(rest)

    def _feed_body(self, framing: Framing, data: bytes) -> None:
        room = self._limits.max_body - self._size
        is_over = len(data) > room
        if is_over:
            data = data[:room]
        used = framing.feed(data)
        if used < len(data):
            self._overlong = True
            data = data[:used]
        if data:
            self._pieces.append(data)
            self._size += used
        if framing.done:
            self._overlong |= is_over
            self.over = True
        elif framing.broken:
            self._cut("disconnect", Failure(Kind.BAD_RESPONSE, "broken chunks"))
        elif is_over:
            self._cut("length")

    def closed(self) -> None:
        """The other side has closed in good order."""
        if self.over:
            return
        if not self.received:
            self._fail(Kind.RESET, "closed before the answer")
        elif self.head is None:
            self._fail(Kind.BAD_RESPONSE, "closed within the head")
        elif self.head.framing.ends_at_close:
            self.over = True
        else:
            self._cut("disconnect", Failure(Kind.RESET, "closed before the body"))

    def lost(self, failure: Failure) -> None:
        """The connection broke."""
        if not self.over:
            self._cut("disconnect", failure)

    def out_of_time(self, detail: str) -> None:
        """The time for the answer is up."""
        self._cut("time", Failure(Kind.READ_TIMEOUT, detail))

    def too_slow(self, detail: str) -> None:
        """The other side sends too slowly to be waited for."""
        self._cut("time")
        self._fail(Kind.TOO_SLOW, detail)

    def _cut(self, how: str, otherwise: Failure | None = None) -> None:
        """Ends the answer, keeping what came; with `otherwise` as its failure if nothing of the body did."""
        self.over = True
        if self.head is not None:
            self.truncated = how
        if self.head is None or not self._body_size():
            self.failure = otherwise

    def _fail(self, kind: Kind, detail: str) -> None:
        self.failure, self.over = Failure(kind, detail), True

    def _body_size(self) -> int:
        framing = self.head.framing if self.head is not None else None
        return len(framing.body) if isinstance(framing, Chunked) else self._size

    def payload(self) -> bytes:
        """Returns what followed the head, as received."""
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)

    def content(self, payload: bytes) -> bytes:
        """Returns `payload` without its chunks, if it has any."""
        framing = self.head.framing if self.head is not None else None
        return bytes(framing.body) if isinstance(framing, Chunked) else payload

    @property
    def is_clean(self) -> bool:
        """Whether the connection may carry another request after this answer."""
        whole = self.over and self.failure is None and self.truncated is None and not self._overlong
        return whole and self.head is not None and self.head.keep_alive


def _is_garbage(start: bytes | bytearray) -> bool:
    begin = start[: len(_MAGIC)]
    return begin.upper() != _MAGIC[: len(begin)]
