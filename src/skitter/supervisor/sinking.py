"""Feeds sinks beside a running crawl, each in a process of its own. They may fail, die or hang, and the crawl goes on.

When the crawl is over they are given some time to catch up; what is left then is said, and the next start goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from skitter.settings import Settings
from skitter.sinks.address import SinkAddress, parse_sink
from skitter.sinks.kept import SinkState, read_state

LOOK = 1.0
"""Seconds between two looks at how they stand."""
AGAIN, AT_LATEST = 0.5, 30.0
"""A process that died is started again after this, and after twice as long each time."""
PATIENCE = 5.0
"""Seconds that a process may take to end beyond the bound that it keeps itself."""

UNKNOWN = "Nothing was heard yet of what feeds it."


class Sinking:
    """The sinks of one crawl, from `async with` on."""

    def __init__(self, directory: Path, settings: Settings, note: Callable[[str], None]) -> None:
        self._directory = directory
        self._addresses = addresses_in(settings)
        self._closing_seconds = settings.sinks.closing_seconds
        self._note = note
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._looking: asyncio.Task[None] | None = None
        self._said: dict[str, str] = {}
        self._codes: dict[str, int] = {}
        self._is_over = False  # the crawl is: they are to catch up, and end
        self._is_stopped = False  # they are to end now

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.create_task(self._keep(address)) for address in self._addresses]
        if self._tasks:
            self._looking = asyncio.create_task(self._keep_looking())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        tasks = [*self._tasks, *([self._looking] if self._looking is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def states(self) -> Sequence[SinkState]:
        """Returns how they stand."""
        return [state_of(self._directory, address) for address in self._addresses]

    def stop(self) -> None:
        """Ends them at once. Nothing is lost: they go on from their bookmarks."""
        self._is_over = self._is_stopped = True
        for process in self._processes.values():
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()

    async def drain(self) -> None:
        """Returns when all have caught up, or no time is left, and says what is then left to bring."""
        self._is_over = True
        for process in self._processes.values():
            if process.stdin is not None:
                process.stdin.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._closing_seconds + PATIENCE)
        self.stop()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _keep(self, address: SinkAddress) -> None:
        deaths = 0
        while True:
            code = await self._live(address)
            # One that was killed while it caught up has more to bring; one that ended by itself has not, or no time.
            if self._is_stopped or (self._is_over and code >= 0):
                return
            if code != self._codes.get(address.name):  # once for each way to die
                self._note(f"what feeds {address} ended ({code}), and is tried again: {self._last_words(address)}")
            self._codes[address.name] = code
            await asyncio.sleep(min(AT_LATEST, AGAIN * 2.0**deaths))
            deaths += 1

    async def _live(self, address: SinkAddress) -> int:
        with self._log(address).open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "skitter.sinks", str(self._directory), text_of(address)),
                stdin=asyncio.subprocess.PIPE,
                stdout=None if address.target == "jsonl:-" else asyncio.subprocess.DEVNULL,
                stderr=log,
                env={"MALLOC_ARENA_MAX": "2", **os.environ},
            )
        self._processes[address.name] = process
        if self._is_stopped:
            process.kill()
        if self._is_over and process.stdin is not None:
            process.stdin.close()
        return await process.wait()

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            for state in self.states():
                self._tell(state)

    def _tell(self, state: SinkState) -> None:
        """Says what is wrong with a sink, once, and that it is over."""
        said = self._said.get(state.sink, "")
        if state.trouble and not said and state.at:
            self._note(f"sink {state.sink}: {state.trouble} The crawl goes on.")
        elif said and not state.trouble:
            self._note(f"sink {state.sink} takes rows again")
        self._said[state.sink] = state.trouble if state.at else ""

    def _log(self, address: SinkAddress) -> Path:
        return self._directory / "run" / f"sink-{address.name}.log"

    def _last_words(self, address: SinkAddress) -> str:
        lines = self._log(address).read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def __repr__(self) -> str:
        return f"<Sinking of {self._directory}: {len(self._addresses)} sinks>"


def addresses_in(settings: Settings) -> list[SinkAddress]:
    """Returns where rows go to."""
    return [parse_sink(text, "sinks.urls") for text in dict.fromkeys(settings.sinks.urls)]


def states_in(directory: Path, settings: Settings) -> list[SinkState]:
    """Returns how the sinks of a crawl stand, or stood."""
    return [state_of(directory, address) for address in addresses_in(settings)]


def state_of(directory: Path, address: SinkAddress) -> SinkState:
    """Returns how a sink stands: what its process said last."""
    return read_state(directory, address.name) or SinkState(str(address), 0.0, trouble=UNKNOWN)


def text_of(address: SinkAddress) -> str:
    """Returns an address as it was written, with its tables."""
    if not address.tables:
        return address.target
    mark = "&" if "?" in address.target and address.scheme != "jsonl" else "?"
    return f"{address.target}{mark}tables={','.join(address.tables)}"
