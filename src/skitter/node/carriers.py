"""The pages that are under way, a task for each, and what happens when one does not come to its end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection

from skitter.errors import MachineError
from skitter.messages import Errand, Failure, Kind, Lease, Outcome
from skitter.node.carry import carry
from skitter.node.parts import Parts

FEW = 8
"""With so few pages under way, hardly another one is settled meanwhile: what they bring is made durable sooner."""

BROKEN_PAUSE = 3600.0
"""A host is left alone for so long after we broke over its robots.txt, or over settling one of its pages."""


class Carriers:
    """Carries leases. `on_trouble` is told why the archive takes nothing, `on_done` whether a page was answered."""

    def __init__(
        self, parts: Parts, on_trouble: Callable[[MachineError], None], on_done: Callable[[Lease, bool], None]
    ) -> None:
        self.parts = parts
        self._on_trouble = on_trouble
        self._on_done = on_done
        self._carrying: dict[tuple[int, int], asyncio.Task[None]] = {}
        self._expired: set[tuple[int, int]] = set()  # leases whose carrying is being stopped since they have ended

    def __len__(self) -> int:
        return len(self._carrying)

    @property
    def is_few(self) -> bool:
        """Whether hardly anything is under way."""
        return len(self._carrying) <= FEW

    def start(self, lease: Lease, group: asyncio.TaskGroup) -> None:
        """Begins to carry a lease."""
        self._carrying[_key(lease)] = group.create_task(self._carry(lease))

    def stop_ended(self) -> None:
        """Stops carrying what has outlived its lease; its host is free only when no request of ours is under way."""
        for lease in self.parts.frontier.ended():
            task = self._carrying.get(_key(lease))
            if task is None:
                self.parts.frontier.expire(lease)
            elif _key(lease) not in self._expired:
                self._expired.add(_key(lease))
                task.cancel()

    async def finish(self, leases: Collection[Lease] | None = None, within: float | None = None) -> None:
        """Returns when these are done, or all; those that take longer than `within`, or the settings say, are not."""
        keys = list(self._carrying) if leases is None else [_key(lease) for lease in leases]
        left = {self._carrying[key] for key in keys if key in self._carrying}
        if left:
            wait = self.parts.rules.settings.node.stop_seconds if within is None else within
            _, left = await asyncio.wait(left, timeout=wait)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)

    def give_up(self, leases: Collection[Lease]) -> None:
        """Stops carrying these, at once: whatever they wait for, they do not go on."""
        for lease in leases:
            task = self._carrying.get(_key(lease))
            if task is not None:
                task.cancel()

    async def wait_under_way(self) -> None:
        """Returns when all that is under way at this moment is done, however it ends."""
        if self._carrying:
            await asyncio.wait(list(self._carrying.values()))

    async def _carry(self, lease: Lease) -> None:
        was_answered = False
        frontier = self.parts.frontier
        try:
            was_answered = await carry(lease, self.parts)
        except asyncio.CancelledError:
            if _key(lease) not in self._expired:
                now = self.parts.clock()
                frontier.give_back(lease, now, began=now)  # a request may have gone out this very moment
                raise
            frontier.expire(lease)
        except MachineError as error:
            if self.parts.archive.is_writable():
                raise  # the frontier's: there is no going on without it
            now = self.parts.clock()
            frontier.give_back(lease, now, began=now)  # a request may have gone out this very moment
            self._on_trouble(error)
        except Exception as error:  # noqa: BLE001 (a page must never take the node down, whatever is in it)
            self._settle_our_bug(lease, error)
        finally:
            self._expired.discard(_key(lease))
            self._carrying.pop(_key(lease), None)
        self._on_done(lease, was_answered)
        frontier.committer.commit_soon(few=self.is_few)

    def _settle_our_bug(self, lease: Lease, error: Exception) -> None:
        """Counts it against the page that reading it broke us; a bug in settling itself must not keep the host."""
        self.parts.on_bug(lease, error)
        now = self.parts.clock()
        if lease.errand is not Errand.ROBOTS:
            failure = Failure(Kind.OUR_BUG, f"{type(error).__name__}: {error}"[:200])
            self.parts.counters.failures[failure.kind.value] += 1
            with contextlib.suppress(ArithmeticError, AssertionError, LookupError, TypeError, ValueError):
                self.parts.frontier.settle(Outcome(lease, now, began=now, failure=failure))
        self.parts.frontier.give_back(lease, now + BROKEN_PAUSE, began=now)


def _key(lease: Lease) -> tuple[int, int]:
    return lease.shard, lease.serial
