"""Answers Prometheus on 127.0.0.1: `GET /metrics`, one answer a connection."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import cast

from msgspec import Struct

from skitter.errors import OperatorError
from skitter.metrics.table import metrics
from skitter.metrics.text import CONTENT_TYPE, rendered
from skitter.node.status import NodeStatus
from skitter.sinks.kept import SinkState

ADDRESS = "127.0.0.1"
MAX_HEAD = 16 * 1024
PATIENCE = 10.0
"""Whoever has not asked and taken the answer after so many seconds is cut off."""

_ALLOWED = ("GET", "HEAD")


class MetricsStatistics(Struct, frozen=True):
    """What the server has done, and how many connections are open now."""

    answered: int
    open: int


class MetricsServer:
    """Shows what `reports`, `sinks` and `complaints` return as metrics, from `async with` on.

    Port 0: any that is free; `port` says which. OperatorError if it can't listen there.
    """

    def __init__(
        self,
        port: int,
        reports: Callable[[], Sequence[NodeStatus]],
        sinks: Callable[[], Sequence[SinkState]] = tuple,
        complaints: Callable[[], int] = int,
        *,
        patience: float = PATIENCE,
    ) -> None:
        self.port = port
        self._patience = patience
        self._reports = reports
        self._sinks = sinks
        self._complaints = complaints
        self._connections: set[_Connection] = set()
        self._server: asyncio.Server | None = None
        self._answered = 0

    async def __aenter__(self) -> MetricsServer:
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(self._connection, ADDRESS, self.port)
        except (OSError, OverflowError) as error:
            right = f"can't be listened on at {ADDRESS} ({_why(error)}); choose another, 0 takes any that is free"
            raise OperatorError("--metrics-port", self.port, right) from None
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for connection in list(self._connections):
            connection.abort()
        await self._server.wait_closed()

    def statistics(self) -> MetricsStatistics:
        """Returns what was counted so far."""
        return MetricsStatistics(self._answered, len(self._connections))

    def __repr__(self) -> str:
        return f"<MetricsServer on {ADDRESS}:{self.port}, {self._answered} answered>"

    def _connection(self) -> _Connection:
        return _Connection(self._connections, self._answer, self._patience)

    def _answer(self, method: str, target: str) -> bytes:
        self._answered += 1
        if method not in _ALLOWED:
            return _response(
                "405 Method Not Allowed", "text/plain", b"Only GET.\n", f"Allow: {', '.join(_ALLOWED)}\r\n"
            )
        if target.partition("?")[0] != "/metrics":
            return _response("404 Not Found", "text/plain", b"The metrics are at /metrics.\n")
        answer = _response(
            "200 OK", CONTENT_TYPE, rendered(metrics(self._reports(), self._sinks(), self._complaints()))
        )
        return answer if method == "GET" else answer[: answer.index(b"\r\n\r\n") + 4]


class _Connection(asyncio.Protocol):
    """Reads one request, sends the answer, closes."""

    def __init__(self, others: set[_Connection], answer: Callable[[str, str], bytes], patience: float) -> None:
        self._others = others
        self._patience = patience
        self._answer = answer
        self._head = b""
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is none by inheritance
        self._others.add(self)
        self._timer = asyncio.get_running_loop().call_later(self._patience, self.abort)

    def data_received(self, data: bytes) -> None:
        assert self._transport is not None
        self._head += data
        if b"\r\n\r\n" in self._head:
            method, _, rest = self._head.partition(b"\r\n")[0].decode("latin-1").partition(" ")
            self._transport.write(self._answer(method, rest.partition(" ")[0]))
            self._transport.close()
        elif len(self._head) > MAX_HEAD:
            self.abort()

    def connection_lost(self, _error: Exception | None) -> None:
        assert self._timer is not None
        self._timer.cancel()
        self._others.discard(self)

    def abort(self) -> None:
        """Ends the connection at once."""
        assert self._transport is not None
        self._transport.abort()


def _response(status: str, content_type: str, body: bytes, more: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n{more}"
    return f"{head}Connection: close\r\n\r\n".encode() + body


def _why(error: OSError | OverflowError) -> str:
    return os.strerror(error.errno).lower() if isinstance(error, OSError) and error.errno else str(error)
