"""An event loop in virtual time: when nothing is left to run, its clock jumps to the next timer.

It has no selector, no threads and no signals, so that what happens depends on nothing but the seed. Each life has a
queue of its own, first come first served as asyncio promises it; which life goes next is drawn, since processes share
no order. Of a dead life nothing is run.
"""

from __future__ import annotations

import asyncio
import heapq
import sys
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, copy_context
from itertools import count
from math import inf
from random import Random
from typing import Any, NoReturn, TypeVar

from skitter.sim.graves import bury, dispose, standing
from skitter.sim.life import LIFE, STEP, Killed, Life

T = TypeVar("T")

BUSY = 1_000_000
"""Steps without a moment going by: somebody waits for something by asking for it again and again."""


class Stuck(AssertionError):  # noqa: N818 (it says how things are)
    """Nothing will ever happen again, or too much does: says who waits where."""


class Turn(asyncio.TimerHandle):
    """Something to run, for a life."""

    __slots__ = ("life",)

    def __init__(
        self, when: float, callback: Callable[..., object], args: tuple[Any, ...], context: Context, life: Life
    ) -> None:
        # asyncio's own makes notes for debugging that nobody reads; this is made for every step.
        self._when = when
        self._callback = callback
        self._args = args
        self._context = context
        self._cancelled = False
        self.life = life

    def cancel(self) -> None:
        """Takes it back."""
        self._cancelled = True
        self._callback = _nothing
        self._args = ()

    def __repr__(self) -> str:
        return f"<Turn at {self._when} for {self.life.name}>"


class SimTask(asyncio.Task[T]):
    """A task that knows its life; and whose place in a set does not depend on where in memory it is."""

    def __init__(
        self, coro: Coroutine[Any, Any, T] | Generator[Any, None, T], loop: SimLoop, name: str | None, context: Context
    ) -> None:
        self.number = next(loop.numbers)
        self.context = context
        self.life = context.get(LIFE, loop.outside)
        super().__init__(coro, loop=loop, name=name, context=context)
        if self.life.is_dead:
            loop.buried.append(self)

    def __hash__(self) -> int:
        return self.number


class SimLoop(asyncio.BaseEventLoop):
    """The loop of one simulated crawl. Close it: the dead are disposed of then, without a word.

    With a `seed`, which of several lives goes next is drawn; without, they take turns.
    """

    _is_running = False

    def __init__(self, seed: int | None = None, *, until: float = 1e7) -> None:
        super().__init__()
        self.numbers = count()
        self.outside = Life("outside")
        self.lives = [self.outside]
        self.buried: list[SimTask[Any]] = []
        self.troubles: list[str] = []  # exceptions that nobody asked for
        self._random = Random(seed) if seed is not None else None  # noqa: S311 (repeatable on purpose)
        self._until = until
        self._now = 0.0
        self._timers: list[tuple[float, int, Turn]] = []
        self._queues: dict[Life, deque[Turn]] = {}
        self._active: list[Life] = []
        self._since_jump = 0

    # Time

    def time(self) -> float:
        """Returns the virtual time, which begins at 0."""
        return self._now

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Turn:
        """Runs `callback` as soon as its life has done what came before."""
        context = context if context is not None else copy_context()
        turn = Turn(self._now, callback, args, context, context.get(LIFE, self.outside))
        self._add(turn)
        return turn

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Turn:
        """Runs `callback` after `delay`."""
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Turn:
        """Runs `callback` at the time `when`."""
        context = context if context is not None else copy_context()
        turn = Turn(when, callback, args, context, context.get(LIFE, self.outside))
        heapq.heappush(self._timers, (when, next(self.numbers), turn))
        return turn

    def _add(self, turn: Turn) -> None:
        life = turn.life
        if life.is_dead:
            return
        queue = self._queues.get(life)
        if queue is None:
            queue = self._queues[life] = deque()
        if not queue and not life.is_stopped:
            self._active.append(life)
        queue.append(turn)

    def _jump(self) -> None:
        """Moves the clock to the next timer, and queues all that are due then."""
        timers = self._timers
        while timers and (timers[0][2]._cancelled or timers[0][2].life.is_dead):
            heapq.heappop(timers)
        if not timers:
            raise Stuck(f"Nothing will ever happen again, at {self._now:.3f}.\n{standing(self)}")
        self._now = max(self._now, timers[0][0])
        if self._now > self._until:
            raise Stuck(f"It takes longer than {self._until} seconds.\n{standing(self)}")
        self._since_jump = 0
        while timers and timers[0][0] <= self._now:
            turn = heapq.heappop(timers)[2]
            if not turn._cancelled:
                self._add(turn)

    # Lives

    def begin(self, name: str, node: int = 0) -> Life:
        """Returns a new life: start what it does with `create_task(…, context=life.context)`."""
        life = Life(name, node=node, death=self.create_future())
        life.at_death.append(lambda: self._bury(life))
        self.lives.append(life)
        return life

    def stop_life(self, life: Life) -> None:
        """Runs nothing of a life until it is let go on: as SIGSTOP does it. What comes meanwhile waits for it."""
        life.is_stopped = True
        life.stops.append((self._now, inf))
        if life in self._active:
            self._active.remove(life)

    def let_go_on(self, life: Life) -> None:
        """Undoes `stop_life`."""
        if life.is_stopped and not life.is_dead and self._queues.get(life):
            self._active.append(life)
        if life.is_stopped:
            life.stops[-1] = life.stops[-1][0], self._now
        life.is_stopped = False

    def _bury(self, life: Life) -> None:
        self._queues.pop(life, None)
        if life in self._active:
            self._active.remove(life)
        self.buried += bury(self, life)

    # Running

    def create_task(
        self, coro: Coroutine[Any, Any, T] | Generator[Any, None, T], *, name: object = None, context: Any = None
    ) -> SimTask[T]:
        """Starts a task, for the life of whoever starts it if `context` does not say otherwise."""
        return SimTask(
            coro, self, None if name is None else str(name), context if context is not None else copy_context()
        )

    def run_until_complete(self, future: Any) -> Any:
        """Returns the result of `future`. Raises Stuck if it can never come."""
        main = asyncio.ensure_future(future, loop=self)
        hooks = sys.get_asyncgen_hooks()
        # Of a generator that is left behind nothing is run: it may be of a life that has ended.
        sys.set_asyncgen_hooks(firstiter=None, finalizer=_nothing)
        events._set_running_loop(self)
        self._is_running = True
        try:
            self._run(main)
        finally:
            self._is_running = False
            events._set_running_loop(None)
            sys.set_asyncgen_hooks(*hooks)
        return main.result()

    def _run(self, main: asyncio.Future[Any]) -> None:
        active, queues = self._active, self._queues
        while not main.done():
            if not active:
                self._jump()
                continue
            life = active[0] if len(active) == 1 else self._next(active)
            queue = queues[life]
            turn = queue.popleft()
            if not queue:
                active.remove(life)
            if not turn._cancelled:
                self._step(life, turn)

    def _next(self, active: list[Life]) -> Life:
        place = self._random.random() * len(active) if self._random is not None else self._since_jump % len(active)
        return active[int(place)]

    def _step(self, life: Life, turn: Turn) -> None:
        life.steps += 1
        if life.steps == life.last_step:
            life.died_at = STEP
            life.kill()
            return
        self._since_jump += 1
        if self._since_jump > BUSY:
            raise Stuck(f"{BUSY} steps and no time goes by, at {self._now:.3f}.\n{standing(self)}")
        try:
            turn._context.run(turn._callback, *turn._args)
        except Killed:
            assert life.is_dead, f"{life.name} was killed and lives"

    def is_running(self) -> bool:
        """Whether it runs."""
        return self._is_running

    def get_debug(self) -> bool:
        """Never: it is asked at every step."""
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Notes an exception that nobody asked for, unless it is of a life that has ended."""
        whose = context.get("task") or context.get("future")
        error = context.get("exception")
        if isinstance(error, Killed) or (isinstance(whose, SimTask) and whose.life.is_dead):
            return
        self.troubles.append(f"{context.get('message')}: {error!r} in {whose!r}")

    def close(self) -> None:
        """Ends all lives, and disposes of what they left behind."""
        for life in self.lives:
            life.kill()
        self._bury(self.outside)
        dispose(self.buried)
        self._timers.clear()
        self._queues.clear()
        self._active.clear()
        super().close()

    # What a simulated node must not ask for

    def run_in_executor(self, _executor: Any, func: Any, *_: Any) -> NoReturn:  # type: ignore[override]
        """Refused: a thread would bring its own time."""
        raise AssertionError(f"{func} wants a thread, and there are none in the simulator")

    def call_soon_threadsafe(self, callback: Any, *_: Any, **__: Any) -> NoReturn:  # type: ignore[override]
        """Refused, as there are no threads."""
        raise AssertionError(f"{callback} is called from a thread, and there are none in the simulator")


def _nothing(*_: object) -> None:
    pass
