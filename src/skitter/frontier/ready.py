"""Who is next: hosts by the time from which they may be visited, then by the turn of their domain.

A host whose time has come stands in line with the others of its domain, and domains take turns by their weight: each
time it was served, a domain moves on by 1/weight, and the one that is furthest behind comes next. One that had nothing
to do does not catch up on what it missed. Unknown domains have a line of their own, which is served once in ten times
while there is anyone in the other (`schedule.budget`). Hosts that have nothing but pages to see again stand in lines of
their own too, and discovery and refresh have their shares (`schedule.shares`).
"""

from __future__ import annotations

from heapq import heappop, heappush

from skitter.frontier.domain import Domain
from skitter.frontier.host import Host
from skitter.schedule.budget import UNKNOWN_SHARE, is_proven, weight
from skitter.schedule.shares import Purpose


class Line:
    """Domains that have a host ready, by their turn."""

    def __init__(self, purpose: Purpose) -> None:
        self._purpose = purpose
        self._heap: list[tuple[float, int, Domain]] = []
        self._now = 0.0  # the turn that was served last
        self._ticket = 0

    def join(self, domain: Domain) -> None:
        """Puts a domain in that has a host ready."""
        stand = domain.stands[self._purpose]
        stand.is_queued = True
        stand.turn = max(stand.turn, self._now)
        self._ticket += 1
        heappush(self._heap, (stand.turn, self._ticket, domain))

    def first(self) -> tuple[int, Host] | None:
        """Returns the host that is served next, with the ticket it had; None if nobody is in line."""
        while self._heap:
            stand = self._heap[0][2].stands[self._purpose]
            while stand.ready and stand.ready[0][0] != stand.ready[0][1].ticket:
                stand.ready.popleft()
            if stand.ready:
                return stand.ready[0]
            heappop(self._heap)
            stand.is_queued = False
        return None

    def serve(self) -> None:
        """Takes out the host that `first` returned."""
        turn, _, domain = heappop(self._heap)
        stand = domain.stands[self._purpose]
        stand.ready.popleft()
        stand.is_queued = False
        self._now = turn
        stand.turn = turn + 1.0 / weight(domain.record)
        if stand.ready:
            self.join(domain)


class Lines:
    """The two lines of hosts that are ready for the same purpose: of proven domains, and of unknown ones."""

    def __init__(self, purpose: Purpose) -> None:
        self._purpose = purpose
        self._proven, self._unknown = Line(purpose), Line(purpose)
        self._owed = 0.0  # turns to unknown domains
        self.is_empty = True  # for sure

    def join(self, ticket: int, host: Host) -> None:
        """Puts a host in line."""
        stand = host.domain.stands[self._purpose]
        stand.ready.append((ticket, host))
        self.is_empty = False
        if not stand.is_queued:
            (self._proven if is_proven(host.domain.record) else self._unknown).join(host.domain)

    def first(self) -> Host | None:
        """Returns one that is in line; None if nobody is."""
        found = self._proven.first() or self._unknown.first()
        return None if found is None else found[1]

    def pop(self) -> Host | None:
        """Takes out and returns the host whose turn it is; None if nobody is in line."""
        line, others = self._proven, self._unknown
        found, other = line.first(), others.first()
        if found is None or (other is not None and self._is_turn_of_unknown()):
            line, found = others, other
        if found is None:
            self.is_empty = True
            return None
        line.serve()
        return found[1]

    def _is_turn_of_unknown(self) -> bool:
        """Whether unknown domains have the next turn, if both have something to do."""
        self._owed += UNKNOWN_SHARE
        if self._owed < 1.0:
            return False
        self._owed -= 1.0
        return True


class ReadyHosts:
    """Hosts that hold no lease. A host is in it at most once: an entry counts only while its ticket is the host's."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Host]] = []
        self._lines = tuple(map(Lines, Purpose))
        self._ticket = 0
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def push(self, host: Host, at: float) -> None:
        """Puts a host in, or moves it, to be ready `at`."""
        if not host.ticket:
            self._size += 1
        self._ticket += 1
        host.ticket = self._ticket
        host.at = at
        heappush(self._heap, (at, self._ticket, host))

    def remove(self, host: Host) -> None:
        """Takes a host out."""
        if host.ticket:
            host.ticket = 0
            self._size -= 1

    def pop_ready(self, now: float, wished: Purpose = Purpose.DISCOVERY) -> Host | None:
        """Takes out and returns the host whose turn it is, one for the purpose that is `wished` first.

        None if none is ready.
        """
        self._line_up(now)
        first, other = self._lines[wished], self._lines[1 - wished]
        host = (None if first.is_empty else first.pop()) or other.pop()
        if host is not None:
            self.remove(host)
        return host

    def next_at(self) -> float | None:
        """Returns when the next host is ready."""
        first = self._lines[0].first() or self._lines[1].first()
        if first is not None:
            return first.at
        self._drop_stale()
        return self._heap[0][0] if self._heap else None

    def _line_up(self, now: float) -> None:
        heap = self._heap
        while heap and heap[0][0] <= now:
            _, ticket, host = heappop(heap)
            if ticket == host.ticket:
                self._lines[host.purpose()].join(ticket, host)

    def _drop_stale(self) -> None:
        while self._heap and self._heap[0][1] != self._heap[0][2].ticket:
            heappop(self._heap)
