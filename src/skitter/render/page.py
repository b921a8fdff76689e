"""One page in a browser: a context of its own, its requests answered, settled by its own clock, looked at, and gone.

A page's clock runs ahead while there is nothing to wait for, so that a timer of three seconds takes none of ours, and
stands still while a request of it is under way (`Emulation.setVirtualTimePolicy`). It is set after the page has loaded:
before, the time would pass on the empty page that comes first. A page that moves on to another gets its time again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import StrEnum
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct

from skitter.messages import Failure, Kind
from skitter.ports import Give, Rendered
from skitter.render.cdp import Cdp, Declined, Event, Gone
from skitter.render.process import Process
from skitter.render.requests import Requests
from skitter.render.scripts import BEFORE, look
from skitter.render.stopwatch import Stopwatch
from skitter.settings import RenderSettings

TICK = 0.25
"""Seconds between two looks at what a browser uses."""
CALL = 10.0
"""Seconds that the browser has for an answer of its own."""
FOREVER = None
"""For what waits for the web too: the watch ends it."""
LAST_LOOK = 5.0
LOOKS = 3
MOVES = 5
"""So often a page may move on to another, and still be waited for."""
HEARD = frozenset(
    {
        "Emulation.virtualTimeBudgetExpired",
        "Fetch.requestPaused",
        "Inspector.targetCrashed",
        "Page.frameStoppedLoading",
        "Page.javascriptDialogOpening",
        "Page.loadEventFired",
    }
)


class End(StrEnum):
    """How it ended: `READABLE` says which leave something to look at."""

    SETTLED = "it settled"
    TIME = "its time ran out"
    CPU = "it took too much CPU time"
    MEMORY = "it took too much memory"
    CRASHED = "it crashed"


READABLE = {End.SETTLED: True, End.TIME: True, End.CPU: True, End.MEMORY: False, End.CRASHED: False}


class Look(Struct, frozen=True):
    """What the last look saw."""

    dom: str
    url: str


class Page:
    """Runs in a browser that has no other page meanwhile."""

    def __init__(self, cdp: Cdp, process: Process, settings: RenderSettings, give: Give) -> None:
        loop = asyncio.get_running_loop()
        self._cdp, self._process, self._settings = cdp, process, settings
        self._now = loop.time
        self._stopwatch = Stopwatch(loop.time)
        self._requests = Requests(cdp, settings, give, self._stopwatch)
        self._end: asyncio.Future[End | Failure] = loop.create_future()
        self._loaded, self._expired = asyncio.Event(), asyncio.Event()
        self._work: set[asyncio.Task[None]] = set()
        self._context = self._session = ""
        self.is_harmful = False  # whether the browser had better have no other page after it

    async def render(self, url: str) -> Rendered | Failure:
        """Returns what the page came to. Gone if the browser is; what `give` raises is raised."""
        began, cpu = self._now(), self._process.use().cpu
        async with asyncio.TaskGroup() as tasks:
            with self._cdp.hearing(partial(self._hear, tasks)):
                self._start(tasks, partial(self._settle, url))
                self._start(tasks, partial(self._watch, cpu))
                seen = await self._see()
            for task in self._work:
                task.cancel()
        if isinstance(seen, Exception):
            raise seen
        if isinstance(seen, Failure):
            return seen
        look, is_settled = seen
        return Rendered(
            look.dom.encode("utf-8"),
            look.url,
            is_settled,
            self._now() - began,
            max(0.0, self._process.use().cpu - cpu),
            self._requests.asked,
            self._requests.refused,
        )

    async def dispose(self) -> None:
        """Takes the page away, whatever it does. Gone if the browser does not do it in time."""
        if self._context:
            await self._ask("Target.disposeBrowserContext", browserContextId=self._context)

    # What it does

    async def _settle(self, url: str) -> None:
        await self._open()
        moved = await self._ask("Page.navigate", url=url, seconds=FOREVER)
        if error := moved.get("errorText"):
            self._finish(Failure(Kind.BROWSER_FAILED, f"no document: {error}"))
            return
        for _ in range(MOVES):
            await self._loaded.wait()
            self._loaded.clear()
            self._expired.clear()
            await self._ask(
                "Emulation.setVirtualTimePolicy",
                policy="pauseIfNetworkFetchesPending",
                budget=self._settings.settle_seconds * 1000,
            )
            await self._expired.wait()
            if not self._loaded.is_set():
                break
        self._finish(End.SETTLED)

    async def _open(self) -> None:
        self._context = (await self._ask("Target.createBrowserContext"))["browserContextId"]
        target = await self._ask("Target.createTarget", url="about:blank", browserContextId=self._context)
        self._requests.main_frame = target["targetId"]
        attached = await self._ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        await self._ask("Page.enable")
        await self._ask("Page.addScriptToEvaluateOnNewDocument", source=BEFORE)

    async def _watch(self, cpu: float) -> None:
        """Ends it when it takes more than it may."""
        while True:
            use = await asyncio.to_thread(self._process.use)
            if self._cdp.gone:
                raise Gone(self._cdp.gone)
            if use.memory > self._settings.max_memory:
                self._finish(End.MEMORY)
            elif use.cpu - cpu > self._settings.max_cpu:
                self._finish(End.CPU)
            elif self._stopwatch.seconds > self._settings.total_timeout:
                self._finish(End.TIME)
            await asyncio.sleep(TICK)

    def _hear(self, tasks: asyncio.TaskGroup, event: Event) -> None:
        match event.method:
            case "Fetch.requestPaused":
                self._start(tasks, partial(self._requests.answer, event))
            case "Page.loadEventFired":
                self._loaded.set()
            case "Page.frameStoppedLoading" if self._requests.is_answered(event.params["frameId"]):
                self._loaded.set()  # also of a page that wanted to move on while it loaded, and was not let go
            case "Emulation.virtualTimeBudgetExpired":
                self._expired.set()
            case "Page.javascriptDialogOpening":
                self._cdp.tell("Page.handleJavaScriptDialog", {"accept": True}, session=event.session)
            case "Inspector.targetCrashed":
                self._finish(End.CRASHED)

    # How it ends

    def _start(self, tasks: asyncio.TaskGroup, work: Callable[[], Awaitable[None]]) -> None:
        task = tasks.create_task(self._guarded(work))
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        """What goes wrong in any part ends the page, and is told by whoever had it rendered."""
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - raised again by `render`
            if not self._end.done():
                self._end.set_exception(error)

    def _finish(self, end: End | Failure) -> None:
        if not self._end.done():
            self._end.set_result(end)

    async def _see(self) -> tuple[Look, bool] | Failure | Exception:
        """Returns what is to be seen at the end, and whether the page had settled."""
        try:
            end = await self._end
            if isinstance(end, Failure):
                return end
            if not READABLE[end]:
                self.is_harmful = True
                return Failure(Kind.BROWSER_FAILED, end.value)
            return await self._look_again(end), end is End.SETTLED
        except Declined as why:
            return Failure(Kind.BROWSER_FAILED, f"nothing to be seen: {why}")
        except Exception as error:  # noqa: BLE001 - raised again by `render`, outside of the group
            return error

    async def _look_again(self, end: End) -> Look:
        """A page that moves on and on may do so in the middle of a look: then the next one is looked at."""
        for _ in range(LOOKS - 1):
            with suppress(Declined):
                return await self._look(end)
        return await self._look(end)

    async def _look(self, end: End) -> Look:
        if end is not End.SETTLED:
            self._cdp.tell("Page.stopLoading", session=self._session)
            self._cdp.tell("Runtime.terminateExecution", session=self._session)
        world = await self._ask("Page.createIsolatedWorld", frameId=self._requests.main_frame, seconds=LAST_LOOK)
        script = look(self._settings.max_dom)
        told = await self._ask(
            "Runtime.evaluate",
            expression=script,
            contextId=world["executionContextId"],
            returnByValue=True,
            seconds=LAST_LOOK,
        )
        if "exceptionDetails" in told:
            raise Declined("the document can't be read")
        return msgspec.convert(told["result"]["value"], Look)

    async def _ask(self, method: str, *, seconds: float | None = CALL, **params: Any) -> dict[str, Any]:
        session = "" if method.startswith("Target.") else self._session
        return await self._cdp.call(method, params, session=session, seconds=seconds)
