"""Which of several name servers to ask, and in which order. Pure.

Those that answer take turns. One that said nothing several times in a row is asked last for a while, longer each time;
so it costs nobody time, and is back soon after it has recovered.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

ENOUGH = 3
"""Questions in a row that are left unanswered before a server counts as down: one may have been lost on its way."""
FIRST, LONGEST = 5.0, 300.0
"""Seconds for which it is asked last then; twice as long for each further question that it leaves unanswered."""


class Health(Struct, frozen=True, gc=False):
    """How a server has answered lately."""

    unanswered: int = 0  # in a row
    down_until: float = 0.0

    def is_down(self, now: float) -> bool:
        """Whether it is asked only if no other can say."""
        return now < self.down_until


def after(health: Health, *, is_answered: bool, now: float) -> Health:
    """Returns how a server stands after one more question."""
    if is_answered:
        return Health()
    if health.is_down(now):
        return health
    unanswered = health.unanswered + 1
    if unanswered < ENOUGH:
        return Health(unanswered)
    return Health(unanswered, now + min(LONGEST, FIRST * 2.0 ** min(unanswered - ENOUGH, 30)))


def order(healths: Sequence[Health], turn: int, now: float) -> list[int]:
    """Returns the places of servers in the order to ask them: those that answer in turn, then those that are down."""
    places = [(turn + step) % len(healths) for step in range(len(healths))]
    return sorted(places, key=lambda place: (healths[place].is_down(now), healths[place].down_until))
