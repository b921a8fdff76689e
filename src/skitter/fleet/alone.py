"""What a node of a fleet does not have: a folder that the operator writes to, and shards at its start.

Links and instructions come through the topic `links`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from skitter.node.owners import Owners
from skitter.ports import Instruction
from skitter.url.routes import SLOTS, Routes

OURS, ELSEWHERE = 0, 1


class NoInbox:
    """An inbox in which nothing ever is, see `ports.Inbox`; but for the seeds, which say how far the crawl reaches."""

    def __init__(self) -> None:
        self.changed: Sequence[str] | None = None  # all seeds, if they changed

    def pending(self, _shards: Collection[int]) -> Iterator[tuple[str, Instruction]]:
        """Yields nothing."""
        return iter(())

    def done(self, name: str) -> None:
        """Never called."""
        raise AssertionError(f"there was no {name}")

    def seeds(self) -> Sequence[str] | None:
        """Returns all seeds of the crawl if they changed since the last call, else None."""
        changed, self.changed = self.changed, None
        return changed


def nobody_owns(routes: Routes) -> Owners:
    """Returns the owners of a fleet's shards as a node knows them at its start: none is ours."""
    owners = Owners(OURS, 1, routes)
    for shard in range(SLOTS):
        owners.move(shard, ELSEWHERE)
    return owners
