"""What carrying a page takes: the parts of a node, each asked through its port."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from skitter.clock import Clock
from skitter.dns.guard import Guard
from skitter.frontier.frontier import Frontier
from skitter.messages import Lease
from skitter.node.addresses import AddressLimit
from skitter.node.counters import Counters
from skitter.node.papers import Papers
from skitter.node.rendering.browsing import Browsing
from skitter.node.reservations import Reservations
from skitter.ports import Archive, Bus, CrashMarker, Fetcher, Inbox, Resolver
from skitter.reading.meaning import Rules
from skitter.settings import Settings
from skitter.work.browsers import Browsers
from skitter.work.desk import Desk

if TYPE_CHECKING:  # few crawls have any
    from skitter.plugins.chain import Plugins


class Parts(NamedTuple):
    """The parts of one node. `node.build` chooses them."""

    frontier: Frontier
    resolver: Resolver
    guard: Guard
    limit: AddressLimit
    bus: Bus
    reservations: Reservations
    fetcher: Fetcher
    archive: Archive
    inbox: Inbox
    rules: Rules
    marker: CrashMarker
    counters: Counters
    clock: Clock
    cpu: Callable[[], float]  # seconds of processor time that this thread has used
    on_bug: Callable[[Lease, Exception], None]  # is told what carrying a lease broke over
    tell_archive: Callable[[Settings], Awaitable[None]]  # what is stored from now on was fetched by these settings
    desk: Desk | None = None  # where workers elsewhere have their leases from
    plugins: Plugins | None = None  # the operator's own code
    browsing: Browsing | None = None  # what pages in browsers take
    papers: Papers | None = None  # reads PDFs for their links
    browsers: Browsers | None = None  # of workers elsewhere
