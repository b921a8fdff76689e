"""One request for a lease: what came back, or why nothing did. No redirects, no cookies, no log-in."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from types import TracebackType

from msgspec import Struct

from skitter.fetch.answer import AnswerReader
from skitter.fetch.connection import Connection, Endpoint
from skitter.fetch.decode import decode
from skitter.fetch.dial import Dialler, Refusal
from skitter.fetch.pool import Pool
from skitter.fetch.request import Target, checked_sender, checked_user_agent, request_head, target_of
from skitter.fetch.signing import Sign
from skitter.messages import Errand, Failure, Fetched, Headers, Kind, Lease
from skitter.settings import FetchSettings

SPEED_WINDOW = 10.0
MAX_ADDRESSES = 2  # tried for one request

# Another address of the host may do better; if it is the host itself that fails, it will not.
_TRY_NEXT_ADDRESS = frozenset({Kind.CONNECT_TIMEOUT, Kind.REFUSED, Kind.RESET, Kind.UNREACHABLE})
# When nothing of what came before the cut can be decoded, the cut is what went wrong.
_FAILURE_OF_CUT = {"time": Kind.READ_TIMEOUT, "disconnect": Kind.RESET, "length": Kind.BAD_ENCODING}


class FetchStatistics(Struct, frozen=True):
    """Counted since the start, but for `idle`, which says what is held now."""

    requests: int
    failures: int
    opened: int
    reused: int
    stale: int
    received: int
    idle: int


class HttpFetcher:
    """Fetches. Use it in `async with`: it owns the connections that are kept for the next request."""

    def __init__(
        self,
        settings: FetchSettings,
        *,
        user_agent: str,
        refusal: Refusal,
        clock: Callable[[], float] = time.time,
        speed_window: float = SPEED_WINDOW,
        for_robots: FetchSettings | None = None,
        sender: str = "",
        check: Callable[[Lease], None] | None = None,
        refuses: Callable[[Headers], bool] | None = None,
        sign: Sign | None = None,
    ) -> None:
        self._settings = settings
        self._for_robots = for_robots or settings
        self._user_agent = checked_user_agent(user_agent)
        self._sender = checked_sender(sender)
        self._clock = clock
        self._dialler = Dialler(settings, refusal, speed_window)
        self._refusal = refusal
        self._check = check  # is asked as the last thing before a request is written, and may cancel it
        self._sign = sign
        self._refuses = refuses  # by its head, whether the body of an answer is not wanted
        self._pool = Pool(settings.max_connections, settings.max_idle)
        self._sweeper: asyncio.TimerHandle | None = None
        self._requests = self._failures = self._reused = self._stale = self._received = 0

    async def fetch(self, lease: Lease, addresses: Sequence[str]) -> Fetched:
        """Returns what one GET to `addresses` brought; never raises for anything that the web does."""
        target = target_of(lease.href)
        signed = self._sign(target.authority) if self._sign is not None else ""
        request = request_head(target, self._user_agent, lease.etag, lease.last_modified, self._sender, signed)
        self._requests += 1
        now = asyncio.get_running_loop().time()
        deadline = now + self._settings.total_timeout
        kept, began = self._kept(target, addresses, now), self._clock()
        connection = kept or await self._dial(target, addresses, deadline)
        if isinstance(connection, Failure):
            self._failures += 1
            return Fetched(lease, began, self._clock(), failure=connection)
        if self._check is not None:
            self._checked(lease, connection, self._check)
        answer = AnswerReader(self._limits(lease), self._refuses if lease.errand is Errand.PAGE else None)
        connection.send(request, answer, deadline)
        # Not before: whatever held us up until the bytes were out, the delay is owed from when the server has them.
        began = self._clock()
        await connection.wait_answered(answer)
        ended = self._clock()
        if kept is not None:
            self._mark_stale(answer)
        fetched = self._fetched(lease, (began, ended), request, connection, answer)
        self._received += answer.received
        self._release(connection, fetched)
        return fetched

    @staticmethod
    def _checked(lease: Lease, connection: Connection, check: Callable[[Lease], None]) -> None:
        try:
            check(lease)
        except BaseException:
            connection.abort()
            raise

    def _mark_stale(self, answer: AnswerReader) -> None:
        """Says so of an answer that never began on a connection that was kept."""
        self._reused += 1
        if not answer.received and answer.failure is not None and answer.failure.kind is Kind.RESET:
            # Closed by the server while it was idle, most likely. It is not asked again at once: it may have
            # heard us, and then two requests would come without a delay between them.
            self._stale += 1
            answer.failure = Failure(Kind.STALE, "a kept connection was closed")

    def _limits(self, lease: Lease) -> FetchSettings:
        return self._for_robots if lease.errand is Errand.ROBOTS else self._settings

    def _kept(self, target: Target, addresses: Sequence[str], now: float) -> Connection | None:
        """Returns an idle connection to the first address or the second, unless it is refused by now."""
        for address in addresses[:MAX_ADDRESSES]:
            if self._refusal(address) is not None:
                return None
            connection = self._pool.take(Endpoint(target.scheme, target.hostname, target.port, address), now)
            if connection is not None:
                return connection
        return None

    async def _dial(self, target: Target, addresses: Sequence[str], deadline: float) -> Connection | Failure:
        outcome: Connection | Failure = Failure(Kind.UNREACHABLE, "no address")
        for address in addresses[:MAX_ADDRESSES]:
            outcome = await self._dialler.dial(Endpoint(target.scheme, target.hostname, target.port, address), deadline)
            if isinstance(outcome, Connection) or outcome.kind not in _TRY_NEXT_ADDRESS:
                break
        return outcome

    def _fetched(
        self, lease: Lease, times: tuple[float, float], request: bytes, connection: Connection, answer: AnswerReader
    ) -> Fetched:
        payload = answer.payload()
        body, truncated, failure = answer.content(payload), answer.truncated, answer.failure
        head = answer.head
        if head is not None and head.codings and failure is None:
            body, truncated, failure = _decoded(body, head.codings, truncated, self._limits(lease))
        return Fetched(
            lease=lease,
            began=times[0],
            ended=times[1],
            address=connection.place.address,
            request_head=request,
            response_head=answer.raw_head,
            payload=payload,
            status=head.status if head is not None else 0,
            headers=head.headers if head is not None else (),
            body=body,
            truncated=truncated,
            insecure=connection.insecure,
            failure=failure,
        )

    def _release(self, connection: Connection, fetched: Fetched) -> None:
        """Keeps `connection` for the next request, unless there was anything odd about this one."""
        self._failures += fetched.failure is not None
        if fetched.failure is not None or fetched.truncated is not None:
            connection.abort()
            return
        loop = asyncio.get_running_loop()
        self._pool.put(connection, loop.time())
        if self._sweeper is None and len(self._pool):
            self._sweeper = loop.call_later(self._settings.max_idle, self._sweep)

    def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        self._pool.sweep(loop.time())
        self._sweeper = loop.call_later(self._settings.max_idle, self._sweep) if len(self._pool) else None

    def statistics(self) -> FetchStatistics:
        """Returns what was counted so far."""
        return FetchStatistics(
            requests=self._requests,
            failures=self._failures,
            opened=self._dialler.opened,
            reused=self._reused,
            stale=self._stale,
            received=self._received,
            idle=len(self._pool),
        )

    async def close(self) -> None:
        """Closes the connections that are kept."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            self._sweeper = None
        self._pool.close()
        await asyncio.sleep(0)  # the event loop closes the sockets in its next round

    async def __aenter__(self) -> HttpFetcher:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<HttpFetcher: {self._requests} requests, {len(self._pool)} connections idle>"


def _decoded(
    content: bytes, codings: Sequence[str], truncated: str | None, limits: FetchSettings
) -> tuple[bytes, str | None, Failure | None]:
    decoded = decode(content, codings, limits.max_body, limits.max_ratio)
    if decoded.cut:
        truncated = truncated or "length"
    if decoded.whole or decoded.failure is not None:
        return decoded.body, truncated, decoded.failure
    if decoded.body:
        return decoded.body, truncated or "disconnect", None
    kind = _FAILURE_OF_CUT[truncated] if truncated else Kind.BAD_ENCODING
    return b"", truncated, Failure(kind, f"nothing decodes as {', '.join(codings)}")
