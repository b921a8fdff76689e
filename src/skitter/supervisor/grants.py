"""Who may fetch how many pages, when their number is limited. Pure: reports in, commands out.

The pool holds what nobody has. A node is granted some of it at a time, gives back what it does not need, and what a
dead one had not used returns to the pool. So at every moment
    pool + granted - given back = the limit - what the dead have used.
"""

from __future__ import annotations

from collections.abc import Sequence

from skitter.node.status import GRANT, LOW, Command, NodeStatus

SOON = 1.0
"""A host that is ready by then is work at hand."""


class Grants:
    """Shares out `pages` among `nodes`; None: no limit, and there is nothing to share out."""

    def __init__(self, pages: int | None, nodes: int) -> None:
        self._pool = pages
        self._granted = [0] * nodes
        self._given_back = [0] * nodes

    def started(self, node: int) -> int | None:
        """Returns what a node that is being started may fetch; None: no limit."""
        return None if self._pool is None else self._grant(node)

    def heard(self, status: NodeStatus, now: float) -> Command | None:
        """Takes a report. Returns more for a node that runs short, a reclaim for an idle one that others can use."""
        if self._pool is None:
            return None
        assert status.budget is not None
        node = status.node
        self._pool += status.returned - self._given_back[node]
        self._given_back[node] = status.returned
        if status.budget <= LOW and self._pool and is_hungry(status, now):
            return Command(grant=self._grant(node))
        if status.budget and not self._pool and not is_hungry(status, now):
            return Command(reclaim=True)
        return None

    def died(self, node: int, last: NodeStatus | None) -> None:
        """Returns to the pool what a dead node had not used, as of its last report."""
        if self._pool is None:
            return
        used = 0 if last is None else last.counted.pages
        self._pool += max(0, self._has(node) - used)
        self._granted[node] = self._given_back[node] = 0

    def are_used_up(self, statuses: Sequence[NodeStatus]) -> bool:
        """Whether as many pages came in as there may be. Budgets do not tell: a grant may be under way."""
        if self._pool is None or self._pool > 0:
            return False
        return all(not status.in_flight and status.counted.pages >= self._has(status.node) for status in statuses)

    def _grant(self, node: int) -> int:
        assert self._pool is not None
        grant = min(self._pool, GRANT, max(1, self._pool // (2 * len(self._granted))))
        self._pool -= grant
        self._granted[node] += grant
        return grant

    def _has(self, node: int) -> int:
        return self._granted[node] - self._given_back[node]

    def __repr__(self) -> str:
        return f"<Grants pool={self._pool} granted={self._granted} given back={self._given_back}>"


def is_hungry(status: NodeStatus, now: float) -> bool:
    """Whether a node has pages to fetch. One whose grants are used up looks idle while its hosts are ready."""
    next_at = status.frontier.next_at
    return not status.idle or (next_at is not None and next_at <= now + SOON)
