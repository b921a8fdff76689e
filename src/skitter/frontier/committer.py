"""The one who commits. What is discovered or settled is only noted; it is durable when this has committed it.

All links of a node are committed before any settlement, so that no page is settled whose links could still be lost.
After a failure there is no other commit: what could not be written is gone, and what follows from it must not be kept.
The node ends then, and the next start goes on from what was committed.

In a fleet a commit only hands over: a journal makes it safe, some time later (`shard.log.journal`). What waits for that
waits longer; who only has to read what was committed does not wait at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from skitter.errors import MachineError
from skitter.shard.log.journal import Journal
from skitter.shard.shards import Shards
from skitter.shard.writer import Shard

COMMIT_AFTER = 0.01
"""What is noted is made durable after this, along with what others note meanwhile: each commit looks at every shard."""
COMMIT_AFTER_FEW = 0.0005
"""The same while so few pages are under way that hardly another one comes meanwhile: their hosts only wait for it."""


class Committer:
    """Commits what the shards of a node have noted.

    `on_commit` is called with each commit, and returns what is to be done when it is durable.
    """

    def __init__(
        self, shards: Shards, on_commit: Callable[[], Callable[[], None]], journal: Journal | None = None
    ) -> None:
        self._shards = shards
        self._on_commit = on_commit
        self._journal = journal
        self._next = 0.0
        self._broken: MachineError | None = None
        self._unsynced: dict[Shard, None] = {}  # in the order in which they were written
        self._waiting: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_broken(self) -> bool:
        """Whether a commit has failed: then nothing may be written any more."""
        return self._broken is not None

    @property
    def is_pending(self) -> bool:
        """Whether somebody asked for a commit that is yet to come."""
        return self._timer is not None

    def is_time(self, now: float) -> bool:
        """Whether it is time for a commit that nobody asked for; asked once for each."""
        if self._journal is None:
            return True
        if now < self._next:
            return False
        self._next = now + self._journal.pace
        return True

    def commit(self) -> None:
        """Makes everything durable that was noted so far. MachineError if it can't, now and ever after.

        In a fleet it is only read from now on, and durable soon.
        """
        if self._broken is not None:
            raise self._broken
        dirty = [shard for shard in self._shards.opened.values() if shard.is_dirty()]
        try:
            for shard in dirty:
                shard.commit_arrivals()
            if self._journal is not None:
                self._journal.barrier()
            for shard in dirty:
                shard.commit_settlements()
        except MachineError as error:
            self._broken = error
            raise
        self._unsynced.update(dict.fromkeys(dirty))
        self._when_durable(self._on_commit())

    def commit_ahead(self) -> bool:
        """Makes everything durable that was noted so far; returns whether that has to be waited for, as in a fleet."""
        if self._journal is None:
            self.commit()
        return self._journal is not None

    def _when_durable(self, then: Callable[[], None]) -> None:
        if self._journal is None:
            then()
        else:
            self._journal.when_safe(then)

    def commit_soon(self, *, few: bool = False) -> None:
        """Has a commit come soon; sooner if `few` pages are under way."""
        if self._timer is None:
            after = COMMIT_AFTER_FEW if few else COMMIT_AFTER
            if self._journal is not None:
                after = self._journal.pace
            self._timer = asyncio.get_running_loop().call_later(after, self._commit_now)

    async def wait_durable(self, *, few: bool = False) -> None:
        """Returns when everything noted so far is durable. Those who wait are served together. As `commit`."""
        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().create_future()
        self.commit_soon(few=few)
        await asyncio.shield(self._waiting)

    def _commit_now(self) -> None:
        waiting, self._waiting, self._timer = self._waiting, None, None
        try:
            self.commit()
        except MachineError as error:
            if waiting is not None:
                waiting.set_exception(error)
            return  # the next commit ends the node with the same error
        if waiting is not None:
            self._when_durable(lambda: waiting.set_result(None))

    async def sync(self) -> None:
        """Returns when what was committed is on the disk, and so survives a power cut."""
        unsynced, self._unsynced = self._unsynced, {}
        for shard in unsynced:
            if self._shards.opened.get(shard.number) is shard:  # else it was closed meanwhile, which syncs too
                await shard.sync()
