"""One connection: it carries one request at a time, keeps the time for it, and knows whether it can carry another."""

from __future__ import annotations

import asyncio
import math
import select
from collections.abc import Callable
from typing import cast

from msgspec import Struct

from skitter.fetch.answer import AnswerReader
from skitter.fetch.failures import failure_of
from skitter.settings import FetchSettings

_TICK = 0.002  # timers may fire this early


class Endpoint(Struct, frozen=True, gc=False):
    """Whom a connection leads to. Connections are exchangeable if all of this is equal."""

    scheme: str
    hostname: str
    port: int
    address: str


class Connection(asyncio.Protocol):
    """A connection to `place`. `forget` is called when it is gone while nobody uses it."""

    def __init__(self, place: Endpoint, settings: FetchSettings, window: float) -> None:
        self.place = place
        self.insecure = False
        self.forget: Callable[[Connection], None] | None = None
        self._settings = settings
        self._window = window
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._end: select.poll | None = None
        self._answer: AnswerReader | None = None
        self._over: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None  # goes on from request to request: most end long before it
        self._rings = math.inf  # when the timer does
        self._look = self._first_byte = self._deadline = 0.0
        self._mark = -1  # bytes received when the window of measured speed began; -1: it has not

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    @property
    def is_left(self) -> bool:
        """Whether the other side has closed it. A busy event loop may tell us that only after the next request."""
        if self._transport is None:
            return True
        if self._end is None:
            self._end = select.poll()
            self._end.register(self._transport.get_extra_info("socket").fileno(), select.POLLRDHUP)
        return bool(self._end.poll(0))

    def send(self, request: bytes, answer: AnswerReader, deadline: float) -> None:
        """Sends `request`: when it returns, the bytes are on their way. `wait_answered` fills `answer`."""
        assert self._answer is None
        if self._transport is None or self._transport.is_closing():
            answer.closed()
            return
        now = self._loop.time()
        self._answer, self._over, self._mark = answer, self._loop.create_future(), -1
        self._deadline = deadline
        self._first_byte = min(now + self._settings.first_byte_timeout, deadline)
        self._transport.write(request)
        self._wait_until(min(self._first_byte, now + self._window))

    async def wait_answered(self, answer: AnswerReader) -> None:
        """Returns when `answer` is over, at the deadline at the latest. It stays open only if the answer was clean."""
        if self._over is None:
            return  # it was closed before anything could be sent
        try:
            await self._over
        finally:
            self._answer = self._over = None
            if not answer.is_clean:
                self.abort()

    def abort(self) -> None:
        """Closes at once."""
        if self._transport is not None:
            self._transport.abort()

    def _finish(self) -> None:
        if self._over is not None and not self._over.done():
            self._over.set_result(None)

    def _wait_until(self, when: float) -> None:
        self._look = when
        if when < self._rings:
            self._stop_timer()
            self._rings, self._timer = when, self._loop.call_at(when, self._ring)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._rings, self._timer = math.inf, None

    def _ring(self) -> None:
        self._rings, self._timer = math.inf, None
        if self._answer is None:
            return
        now = self._loop.time() + _TICK
        if now < self._look:  # it was set for a request before this one
            self._wait_until(self._look)
        else:
            self._look_at_the_time(self._answer, now)

    def _look_at_the_time(self, answer: AnswerReader, now: float) -> None:
        if now >= self._deadline:
            answer.out_of_time("the whole request")
        elif not answer.received:
            if now >= self._first_byte:
                answer.out_of_time("no first byte")
        elif self._mark >= 0 and answer.received - self._mark < self._settings.min_speed * self._window:
            answer.too_slow(f"{answer.received - self._mark} bytes in {self._window:g} s")
        else:
            self._mark = answer.received
        if answer.over:
            self._finish()
        else:
            limit = self._deadline if answer.received else self._first_byte
            self._wait_until(min(limit, now + self._window))

    # What follows is called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self._answer is None or self._answer.over:  # nobody asked for more
            self.abort()
        elif self._answer.feed(data):
            self._finish()

    def eof_received(self) -> None:
        if self._answer is not None:
            self._answer.closed()
            self._finish()

    def connection_lost(self, error: Exception | None) -> None:
        self._stop_timer()
        if self._answer is not None:
            if error is None:
                self._answer.closed()
            else:
                self._answer.lost(failure_of(error))
            self._finish()
        elif self.forget is not None:
            self.forget(self)

    def __repr__(self) -> str:
        state = "closed" if not self.is_open else "idle" if self._answer is None else "busy"
        return f"<Connection to {self.place.hostname} ({self.place.address}:{self.place.port}): {state}>"
