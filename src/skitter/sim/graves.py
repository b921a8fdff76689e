"""What becomes of the tasks of a life that was killed: held until the run is over, then let go without a word.

A task that is let go while it waits is closed by Python, and closing runs each `finally` that it stands in. Here that
happens in the context of the dead life, where the loop takes nothing and the twins refuse, and what is raised is
dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import CoroutineType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skitter.sim.life import Life
    from skitter.sim.loop import SimLoop, SimTask

ATTEMPTS = 100

_stubborn: list[Any] = []
"""Coroutines that wait on in each `finally`, however often they are closed: kept, since letting go would close them."""


def bury(loop: SimLoop, life: Life) -> list[SimTask[Any]]:
    """Returns the tasks of a life that ends, in the order of their making."""
    found: list[Any] = [task for task in asyncio.all_tasks(loop) if getattr(task, "life", None) is life]
    found.sort(key=hash)
    for task in found:
        task._log_destroy_pending = False
    return found


def dispose(buried: list[SimTask[Any]]) -> None:
    """Closes what the tasks were doing, the youngest first."""
    while buried:
        task = buried.pop()
        task._log_destroy_pending = False  # type: ignore[attr-defined]
        task.context.run(_close, task.get_coro())


def _close(coroutine: Any) -> None:
    for _ in range(ATTEMPTS):
        try:
            coroutine.close()
        except BaseException:  # noqa: BLE001, S112 (whatever a dead process would have said, nobody hears it)
            continue
        return
    _stubborn.append(coroutine)


def standing(loop: SimLoop) -> str:
    """Returns who waits where, a line for each task."""
    tasks: list[Any] = sorted(asyncio.all_tasks(loop), key=hash)
    return "\n".join(_line(task) for task in tasks if not task.life.is_dead) or "Nobody waits for anything."


def _line(task: SimTask[Any]) -> str:
    return f"{task.life.name}, {task.get_name()}: {' > '.join(_frames(task.get_coro()))}"


def _frames(at: Any) -> Iterator[str]:
    """Yields where a coroutine stands, from the outermost call to the innermost."""
    while isinstance(at, CoroutineType) and at.cr_frame is not None:
        yield f"{at.cr_code.co_qualname}:{at.cr_frame.f_lineno}"
        at = at.cr_await
    if at is not None and not isinstance(at, CoroutineType):
        yield type(at).__name__
