"""A supervisor in virtual time, with nodes that are scripts: an hour of silence takes a millisecond."""

from __future__ import annotations

import asyncio
import contextlib
import selectors
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import structs

from skitter.node.status import Command, NodeStart, NodeStatus
from skitter.settings import Settings
from skitter.supervisor.progress import NOTHING
from skitter.supervisor.supervisor import Supervisor
from tests.metrics.reports import report

T = TypeVar("T")
BEGAN = 1_800_000_000.0
LONGEST = 6000.0


class VirtualLoop(asyncio.SelectorEventLoop):
    """Never waits: when nothing is ready it is at once the time of what comes next."""

    def __init__(self) -> None:
        self.now = 0.0
        loop = self

        class Selector(selectors.SelectSelector):
            def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
                assert timeout is not None, "everyone waits, and nothing will ever happen"
                loop.now += max(0.0, timeout)
                return super().select(0)

        super().__init__(Selector())

    def time(self) -> float:
        return self.now


def played(story: Callable[[], Awaitable[T]]) -> T:
    """Returns what comes of a story in virtual time. TimeoutError if it does not come to an end."""

    async def whole() -> T:
        async with asyncio.timeout(LONGEST):
            return await story()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(whole())


def clock() -> float:
    return BEGAN + asyncio.get_running_loop().time()


class ScriptedNode:
    """A node that reports twice a second, fetches a page each time if it may, stops when told, and hangs on demand."""

    def __init__(self, start: NodeStart, *, begins: float, left: int) -> None:
        self.start = start
        self.returncode: int | None = None
        self.told: list[Command] = []
        self.hangs = self.refuses_to_stop = False
        self.in_flight = 0
        self._reports: asyncio.Queue[NodeStatus | None] = asyncio.Queue()
        self._budget, self._pages, self._left, self._asked, self._returned = start.budget, 0, left, 0, 0
        self._stop = False
        self._living = asyncio.create_task(self._live(begins))

    async def _live(self, begins: float) -> None:
        await asyncio.sleep(begins)
        while not self._stop or self.refuses_to_stop:
            if not self.hangs:
                self._work()
            await asyncio.sleep(0.5)
        self._die(0)

    def _work(self) -> None:
        if self._left and self._budget != 0:
            self._left, self._pages = self._left - 1, self._pages + 1
            self._budget = None if self._budget is None else self._budget - 1
        self._reports.put_nowait(self._status())

    def _status(self) -> NodeStatus:
        counted = structs.replace(NOTHING, pages=self._pages, requests=self._pages)
        number, idle = self.start.number, not self._left
        facts = {"idle": idle, "budget": self._budget, "returned": self._returned, "asked": self._asked}
        return report(number, counted, in_flight=self.in_flight, **facts)

    def tell(self, command: Command) -> None:
        self.told.append(command)
        if self.hangs or self.returncode is not None:
            return
        self._stop |= command.stop
        self._asked = command.ask or self._asked
        if self._budget is not None:
            self._budget += command.grant
            if command.reclaim:
                self._returned, self._budget = self._returned + self._budget, 0

    async def next_report(self) -> NodeStatus | None:
        return await self._reports.get()

    def kill(self) -> None:
        if self.returncode is None:
            self._living.cancel()
            self._die(-9)

    def last_words(self) -> str:
        return "its last words"

    def crash(self, code: int) -> None:
        self._living.cancel()
        self._die(code)

    def _die(self, code: int) -> None:
        self.returncode = code
        self._reports.put_nowait(None)


class ScriptedProcesses:
    """Starts such nodes and remembers them; `old` is how often it says that an earlier run's are at work."""

    def __init__(self, *, begins: float = 1.0, left: int = 10**9, old: int = 0) -> None:
        self.nodes: list[ScriptedNode] = []
        self._begins, self._left, self._old, self._held = begins, left, old, False

    def has_old_nodes(self) -> bool:
        assert not self._held
        self._old -= 1
        return self._old >= 0

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        self._held = True
        yield
        self._held = False

    async def start(self, start: NodeStart) -> ScriptedNode:
        assert self._held
        node = ScriptedNode(start, begins=self._begins, left=self._left)
        self.nodes.append(node)
        return node


class Watched:
    """A supervisor of scripted nodes, and what it noted, each with the seconds since its start."""

    def __init__(
        self,
        processes: ScriptedProcesses,
        nodes: int = 2,
        *,
        node: dict[str, Any] | None = None,
        max_rate: float = 0.0,
        **more: Any,
    ):
        self.notes: list[tuple[float, str]] = []
        settings = msgspec.convert({"node": node or {}, "politeness": {"max_rate": max_rate}}, Settings)
        self.supervisor = Supervisor(
            processes, Path("out"), settings, ["http://a/"], nodes, clock=clock, on_note=self._note, **more
        )

    def _note(self, text: str) -> None:
        self.notes.append((round(clock() - BEGAN, 1), text))
