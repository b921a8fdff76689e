"""Idle connections, kept for the next request to the same place: not too many, and not too long."""

from __future__ import annotations

from skitter.fetch.connection import Connection, Endpoint


class Pool:
    """Holds at most `limit` idle connections, each at most `max_idle`. It closes what it gives up."""

    def __init__(self, limit: int, max_idle: float) -> None:
        self._limit = limit
        self._max_idle = max_idle
        self._since: dict[Connection, float] = {}  # the longest idle first
        self._places: dict[Endpoint, list[Connection]] = {}
        self._next = 0.0  # nothing is too old before

    def take(self, place: Endpoint, now: float) -> Connection | None:
        """Returns the connection to `place` that was used last, if one is fit for use."""
        if now >= self._next:
            self.sweep(now)
        here = self._places.get(place)
        while here:
            connection = here[-1]
            self._drop(connection)
            if connection.is_open and not connection.is_left:
                return connection
            connection.abort()
        return None

    def put(self, connection: Connection, now: float) -> None:
        """Keeps `connection` for the next one to take."""
        if self._limit == 0 or self._max_idle == 0 or not connection.is_open:
            connection.abort()
            return
        if len(self._since) >= self._limit:
            self._close(next(iter(self._since)))
        connection.forget = self._drop
        self._since[connection] = now
        self._places.setdefault(connection.place, []).append(connection)

    def sweep(self, now: float) -> None:
        """Closes what has been idle for too long."""
        while self._since:
            oldest = next(iter(self._since))
            self._next = self._since[oldest] + self._max_idle
            if now < self._next:
                return
            self._close(oldest)
        self._next = now + self._max_idle

    def close(self) -> None:
        """Closes all."""
        while self._since:
            self._close(next(iter(self._since)))

    def _close(self, connection: Connection) -> None:
        self._drop(connection)
        connection.abort()

    def _drop(self, connection: Connection) -> None:
        if self._since.pop(connection, None) is None:
            return
        connection.forget = None
        here = self._places[connection.place]
        here.remove(connection)
        if not here:
            del self._places[connection.place]

    def __len__(self) -> int:
        return len(self._since)
