"""The Chrome DevTools Protocol over a pipe: JSON messages, each ended by a zero byte.

Every call has a deadline. When the pipe ends, whoever waits for an answer hears of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

END = b"\0"
CHUNK = 1024**2
OVERHEAD = 1024**2


class Gone(Exception):  # noqa: N818 - a fact about a browser, no mistake
    """The browser has died, does not answer in time, or says what it must not; a sentence tells."""


class Declined(Exception):  # noqa: N818
    """The browser does not do what it was asked to: its page is gone, mostly."""


class Event(Struct, frozen=True):
    """What the browser tells on its own."""

    method: str
    params: dict[str, Any]
    session: str = ""


Hear: TypeAlias = Callable[[Event], None]


class _Error(Struct):
    message: str = ""


class _Message(Struct):
    id: int = 0
    result: msgspec.Raw = msgspec.Raw(b"{}")
    error: _Error | None = None
    method: str = ""
    params: msgspec.Raw = msgspec.Raw(b"{}")
    session: str = msgspec.field(default="", name="sessionId")


_decode = msgspec.json.Decoder(_Message).decode


class Cdp:
    """One browser's pipe. `hear` is called for each event whose name is in `heard`; others are not even decoded."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        hear: Hear,
        *,
        heard: frozenset[str],
        longest: int,
    ) -> None:
        self.gone = ""  # why nothing more comes
        self._reader, self._writer = reader, writer
        self._hear, self._heard = hear, heard
        self._longest = longest + OVERHEAD
        self._ids = count(1)
        self._waiting: dict[int, asyncio.Future[msgspec.Raw]] = {}

    async def call(
        self, method: str, params: dict[str, Any] | None = None, *, session: str = "", seconds: float | None
    ) -> dict[str, Any]:
        """Returns the browser's answer. Declined if it will not, Gone if it can't any more or takes too long."""
        if self.gone:
            raise Gone(self.gone)
        number = next(self._ids)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            self.tell(method, params, session=session, number=number)
            async with asyncio.timeout(seconds):
                found: dict[str, Any] = msgspec.json.decode(await future)
                return found
        except TimeoutError:
            raise Gone(f"no answer to {method} within {seconds} s") from None
        finally:
            del self._waiting[number]

    def tell(
        self, method: str, params: dict[str, Any] | None = None, *, session: str = "", number: int | None = None
    ) -> None:
        """Asks for something whose answer nobody waits for."""
        message: dict[str, Any] = {"id": next(self._ids) if number is None else number, "method": method}
        message |= {"params": params} if params else {}
        message |= {"sessionId": session} if session else {}
        if not self.gone:
            self._writer.write(msgspec.json.encode(message) + END)

    @contextmanager
    def hearing(self, hear: Hear) -> Iterator[None]:
        """Has another hear events, for a while."""
        before, self._hear = self._hear, hear
        try:
            yield
        finally:
            self._hear = before

    async def run(self) -> None:
        """Hands on what the browser says, until it says no more; then whoever waits hears that it is gone."""
        try:
            self.gone = await self._read()
        finally:
            self.gone = self.gone or "we left it"
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(Gone(self.gone))

    async def _read(self) -> str:
        begun = bytearray()
        while chunk := await self._reader.read(CHUNK):
            *whole, rest = chunk.split(END)
            if whole:
                whole[0] = bytes(begun) + whole[0]
                begun.clear()
            begun += rest
            if len(begun) > self._longest:
                return "its answer is longer than any that was asked for"
            for message in whole:
                self._take(message)
        return "it has ended"

    def _take(self, raw: bytes) -> None:
        try:
            message = _decode(raw)
            params = msgspec.json.decode(message.params) if message.method in self._heard else None
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return  # a page may put signs into an event that are no text; whoever waits for it has a deadline
        if message.id:
            self._answer(message)
        elif params is not None:
            self._hear(Event(message.method, params, message.session))

    def _answer(self, message: _Message) -> None:
        future = self._waiting.get(message.id)
        if future is None or future.done():
            return
        if message.error is not None:
            future.set_exception(Declined(message.error.message))
        else:
            future.set_result(message.result)
