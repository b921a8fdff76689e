"""When is a crawl over? Pure: the nodes' last reports in; out comes the ending, or a question to put to all of them.

It is over when every node has said that it is idle, all are asked, and their answers are the same again: at the moment
of the question nobody was at work. No link was on its way then either: it stays in its sender's outbox until the
receiver has it, and a node with something there is not idle. What is left, if anything, are retries not due soon.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from skitter.node.status import NodeStatus
from skitter.schedule.modes import Mode
from skitter.settings import Settings


class Ending(Struct, frozen=True):
    """Why a crawl ended."""

    why: str  # done, pages, seconds, stopped, waiting, mode
    is_done: bool


class EndDetector:
    """Finds out whether nobody is at work any more."""

    def __init__(self, settings: Settings, *, is_service: bool = False) -> None:
        self.settings = settings
        self.mode = Mode.AS_SET
        self._is_service = is_service  # then nothing but the operator ends it
        self._question = 0
        self._before: tuple[object, ...] = ()  # what was known when the question was asked, if all were idle

    def heard(self, statuses: Sequence[NodeStatus], now: float) -> Ending | int:
        """Takes the last report of every node. Returns how it ends, else the number of the question they must have."""
        ending = self._ending_of(statuses, now)
        if ending is None:
            self._before = ()
        elif all(status.asked == self._question for status in statuses):
            snapshot = tuple((s.sent, s.received, s.counted.requests, s.frontier.states) for s in statuses)
            if snapshot == self._before:
                return ending
            self._before = snapshot
            self._question += 1
        return self._question

    def _ending_of(self, statuses: Sequence[NodeStatus], now: float) -> Ending | None:
        """Returns how it would end, None if there is work at hand or near."""
        if self._is_service or not all(status.idle for status in statuses):
            return None
        held = [status.frontier for status in statuses]
        if any(frontier.stages.get("rest") for frontier in held):
            return None  # a host that rests is visited again, however long its delay
        times = [at for frontier in held for at in (frontier.next_at, frontier.next_due) if at is not None]
        if times and min(times) - now <= self.settings.node.linger:
            return None
        if self.settings.schedule.recrawl and any(frontier.states["scheduled"] for frontier in held):
            return None
        left = sum(frontier.states[state] for frontier in held for state in ("queued", "failed"))
        if left and self.mode:
            return None  # it is held back, not given up
        return Ending("waiting" if left else "done", is_done=not left)
