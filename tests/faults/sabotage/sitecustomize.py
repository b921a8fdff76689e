"""Faults of the machine, put under a node from outside: Python runs this at its start if it is on PYTHONPATH.

SABOTAGE is a JSON object:
    fails     calls of the system that fail (EIO) while the file `while` is there: "fsync", "pwrite"
    shortest  bytes that one `pwrite` takes at the most
    clock     [after, jump]: the machine's clock is set by `jump` seconds, `after` seconds after the start
    dies      a status: the node is killed when the first answer with it is stored, while the file `while` is there
    forgets   true: the memory of bodies keeps nothing, and so has no files that a limit on their length could stop
    poison    a page whose body holds this text makes its reader crash, as a bug in native code would
    circle    a page whose body holds this text makes its reader run in a circle, for ever
    lingers   true: a node that was told to stop never comes to its end
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def sabotage(plan: dict[str, Any]) -> None:
    for name in plan.get("fails", ()):
        setattr(os, name, _failing(getattr(os, name), Path(plan["while"])))
    if "shortest" in plan:
        os.pwrite = _short(os.pwrite, plan["shortest"])
    if "clock" in plan:
        time.time = _jumping(time.time, *plan["clock"])
    if "dies" in plan:
        _die_after(plan["dies"], Path(plan["while"]))
    if plan.get("forgets"):
        _forget()
    if "poison" in plan:
        _spoil_reader(plan["poison"].encode(), lambda: ctypes.string_at(0))
    if "circle" in plan:
        _spoil_reader(plan["circle"].encode(), _run_in_a_circle)
    if plan.get("lingers"):
        _linger()


def _failing(call: Callable[..., Any], while_there: Path) -> Callable[..., Any]:
    def failing(*arguments: Any) -> Any:
        if while_there.exists():
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return call(*arguments)

    return failing


def _short(write: Callable[[int, Any, int], int], most: int) -> Callable[[int, Any, int], int]:
    return lambda fd, part, at: write(fd, part[:most], at)


def _jumping(clock: Callable[[], float], after: float, jump: float) -> Callable[[], float]:
    began = time.monotonic()
    return lambda: clock() + (jump if time.monotonic() - began >= after else 0.0)


def _die_after(status: int, while_there: Path) -> None:
    from skitter.store.archive import Archive

    append = Archive.append

    async def dying(self: Archive, capture: Any) -> Any:
        stored = await append(self, capture)
        if capture.fetched.status == status and while_there.exists():
            while_there.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return stored

    Archive.append = dying  # type: ignore[method-assign]


def _forget() -> None:
    from skitter.store.bodies.table import BodyTable

    BodyTable.add = lambda *_: None  # type: ignore[assignment, method-assign]


def _spoil_reader(text: bytes, spoil: Callable[[], object]) -> None:
    from skitter.parse import html

    read = html.read

    def spoiled(body: bytes, *arguments: Any, **named: Any) -> Any:
        if text in body:
            spoil()
        return read(body, *arguments, **named)

    html.read = spoiled


def _run_in_a_circle() -> None:
    while True:
        pass


def _linger() -> None:
    from skitter.node.node import Node

    run = Node.run

    async def lingering(self: Node, notes: list[str]) -> None:
        await run(self, notes)
        _run_in_a_circle()

    Node.run = lingering  # type: ignore[method-assign]


if "SABOTAGE" in os.environ and "skitter.node" in sys.orig_argv:
    sabotage(json.loads(os.environ["SABOTAGE"]))
