"""A life: one process of a node, from its start to its death.

Everything that runs for a node runs in a context whose `LIFE` is that life, as the loop sees it. `kill -9` is then one
flag: the loop runs nothing of a dead life any more, no `finally` either, and the twins of the ports refuse to do
anything for it. What the twins hold is the world, and stays.

A death has a place. Whatever waits is a step of the loop; whatever changes the world passes a named place just before
and just after (`life.at("store.write")`, `life.at("store.written")`). A `Fate` says at which of these a life ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from typing import NamedTuple

STEP, ANY = "step", "any"


class Killed(BaseException):
    """The process is gone. It is raised only to get out of the code that it was in; nobody may catch it."""


class Fate(NamedTuple):
    """Where a life ends: before its n-th step, or the n-th time that it passes a place, or any place."""

    place: str
    times: int


class Life:
    """One process of a node. `death` is done when it has ended, `ended_well` says how."""

    __slots__ = (
        *("_fate", "_places", "at_death", "context", "death", "died_at", "ended_well"),
        *("is_dead", "is_stopped", "last_step", "name", "node", "steps", "stops", "witness"),
    )

    def __init__(self, name: str, *, node: int = 0, death: asyncio.Future[None] | None = None) -> None:
        self.name = name
        self.node = node
        self.death = death
        self.is_dead = False
        self.is_stopped = False  # as by SIGSTOP, see `loop.stop`
        self.stops: list[tuple[float, float]] = []  # when it stood still: from, until
        self.ended_well = False
        self.died_at = ""  # the place, if it met its fate
        self.steps = 0
        self.last_step = -1
        self.at_death: list[Callable[[], None]] = []
        self.witness: Callable[[Life, str], None] | None = None  # hears of each place that is passed
        self._places: dict[str, int] = {ANY: 0}
        self._fate = Fate("", 0)
        self.context: Context = copy_context()
        self.context.run(LIFE.set, self)

    def __repr__(self) -> str:
        return f"<{self.name}: {'dead' if self.is_dead else 'alive'} after {self.steps} steps>"

    def meet(self, fate: Fate) -> None:
        """Says where this life is to end."""
        self._fate = fate
        if fate.place == STEP:
            self.last_step = fate.times

    def at(self, place: str) -> None:
        """Passes a place. Raises Killed if this life is dead, or ends here."""
        self.check()
        places = self._places
        places[ANY] += 1
        places[place] = count = places.get(place, 0) + 1
        if self.witness is not None:
            self.witness(self, place)
        fate = self._fate
        if fate == (place, count) or fate == (ANY, places[ANY]):
            self.died_at = place
            self.kill()
            raise Killed(f"{self.name} at {place} {count}")

    def check(self) -> None:
        """Raises Killed if this life is dead: the dead change nothing."""
        if self.is_dead:
            raise Killed(self.name)

    def kill(self) -> None:
        """Ends this life, now. Whoever kills from inside it raises Killed next."""
        if self.is_dead:
            return
        self.is_dead = True
        for tell in self.at_death:
            tell()
        self.at_death.clear()
        if self.death is not None and not self.death.done():
            self.death.set_result(None)

    def leave(self) -> None:
        """Ends this life in order: it has done what it had to, and what is left of it does not matter."""
        self.ended_well = not self.is_dead
        self.kill()

    def passed(self) -> dict[str, int]:
        """Returns how often each place was passed: what fates there are."""
        return {**self._places, STEP: self.steps}


LIFE: ContextVar[Life] = ContextVar("LIFE")
