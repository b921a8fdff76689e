"""The twins of `ports.Inbox` and `ports.CrashMarker`: a few things on the machine that survive a life."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence

from skitter.ports import Instruction
from skitter.sim.life import Life


class Desk:
    """What lies on one machine beside its disk: instructions, seeds, and the page that each node was reading."""

    def __init__(self, seeds: Sequence[str] = ()) -> None:
        self.instructions: dict[str, tuple[int, Instruction]] = {}  # by name: the shard, and what to do
        self.reading: dict[int, tuple[int, bytes]] = {}
        self.seeds = tuple(seeds)
        self._posted = 0

    def post(self, shard: int, instruction: Instruction) -> None:
        """Leaves an instruction for whoever owns a shard."""
        self._posted += 1
        self.instructions[f"{shard:04d}/{self._posted:06d}"] = (shard, instruction)


class MemoryInbox:
    """The operator's instructions, for one life, see `ports.Inbox`."""

    def __init__(self, desk: Desk, life: Life) -> None:
        self._desk = desk
        self._life = life
        self._seeds: Sequence[str] | None = None

    def pending(self, shards: Collection[int]) -> Iterator[tuple[str, Instruction]]:
        """Yields those for `shards`, each with its name, oldest first."""
        for name, (shard, what) in list(self._desk.instructions.items()):
            if shard in shards:
                yield name, what

    def done(self, name: str) -> None:
        """Forgets an instruction that is carried out."""
        self._life.at("inbox.done")
        self._desk.instructions.pop(name, None)

    def seeds(self) -> Sequence[str] | None:
        """Returns all seeds of the crawl if they changed since the last call, else None."""
        if self._seeds is self._desk.seeds:
            return None
        self._seeds = self._desk.seeds
        return self._seeds


class MemoryMarker:
    """Remembers, past our death, which page was being read, see `ports.CrashMarker`."""

    def __init__(self, desk: Desk, life: Life) -> None:
        self._desk = desk
        self._life = life

    @contextlib.contextmanager
    def holding(self, shard: int, fingerprint: bytes) -> Iterator[None]:
        """Remembers the page while it is read."""
        self._life.check()
        self._desk.reading[self._life.node] = (shard, fingerprint)
        self._life.at("page.read")
        try:
            yield
        finally:
            self.drop()

    def left(self) -> tuple[int, bytes] | None:
        """Returns shard and fingerprint of the page that the process before us died with."""
        return self._desk.reading.get(self._life.node)

    def drop(self) -> None:
        """Remembers nothing any more."""
        self._life.check()
        self._desk.reading.pop(self._life.node, None)
