"""What happened in a crawl, in the order of time, in lines that can be read; and a mark by which to compare."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from skitter.sim.ends import Ending
from skitter.sim.life import Life
from skitter.sim.machine import Machine
from skitter.sim.web import Request


class Story:
    """Hears what happens. Only one that is `told` keeps lines; the mark can always be had."""

    def __init__(self, *, told: bool = False) -> None:
        self._told = told
        self._lines: list[tuple[float, str]] = []
        self._log: list[Request] = []

    def watch(self, machine: Machine) -> None:
        """Listens to a machine from now on."""
        if not self._told:
            return
        self._log = machine.web.log
        loop = machine.loop

        def tell(who: str, what: str) -> None:
            self._lines.append((loop.time(), f"{who}: {what}"))

        def witness(life: Life, place: str) -> None:
            tell(life.name, f"at {place} {life.passed()[place]}")

        machine.tell = tell
        begin = loop.begin

        def begun(name: str, node: int = 0) -> Life:
            life = begin(name, node)
            life.witness = witness
            return life

        loop.begin = begun  # type: ignore[method-assign]

    def lines(self) -> list[str]:
        """Returns all lines, requests and answers among them."""
        lines = [*self._lines]
        for request in self._log:
            who = f"{request.life.name}: {request.errand.value} {request.href}"
            lines.append((request.began, f"{who} …"))
            if request.ended is not None:
                lines.append((request.ended, f"{who} → {request.outcome()}"))
        lines.sort(key=lambda line: line[0])
        return [f"{at:12.3f}  {what}" for at, what in lines]

    def mark_of(self, machine: Machine, found: Iterable[Ending]) -> str:
        """Returns the same for the same story, and for no other."""
        told = sha256()
        for one in machine.web.log:
            told.update(f"{one.href} {one.life.name} {one.began!r} {one.ended!r} {one.outcome()}\n".encode())
        for ending in found:
            told.update(f"{ending.key} {ending.state} {ending.failure}\n".encode())
        return told.hexdigest()[:16]
