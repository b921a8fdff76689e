"""A worker with browsers: it has pages of a node run in them, and asks the node for all that they ask for.

No request of ours goes anywhere but to the API: guard, robots.txt, delays and archive are the node's. A browser that
dies costs one page one try; if we die, the node notices by our silence.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from skitter.messages import Failure
from skitter.ports import Given as PartGiven
from skitter.ports import Rendered, Renderer
from skitter.ports import Wanted as PartWanted
from skitter.work.messages import AskPartFacts, Beat, Beaten, Failed, Given, Leases, Part, ShownFacts, Wanted
from skitter.worker.client import AwayError, Client, Refused

WAIT = 10.0
AT_ONCE = 8
"""Questions for parts that are under way at a time: heartbeats must find a thread of the client's free."""
PART_SECONDS = 180.0


class RenderWorker:
    """Renders for one API, with so many browsers."""

    def __init__(
        self, client: Client, renderer: Renderer, browsers: int, heartbeat: float, say: Callable[[str], None]
    ) -> None:
        self._client, self._renderer = client, renderer
        self._browsers, self._heartbeat = browsers, heartbeat
        self._say = say
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._at_work: set[str] = set()  # not those that are being told of: their lease may end by that
        self._room = asyncio.Semaphore(AT_ONCE)
        self.given = self.told = 0
        self.is_stopping = False

    async def run(self) -> None:
        """Returns when it was stopped, and pages under way are done."""
        async with asyncio.TaskGroup() as group:
            beating = group.create_task(self._keep_beating())
            while not self.is_stopping:
                try:
                    await self._ask(group)
                except AwayError:
                    await asyncio.sleep(1)
            if self._tasks:
                await asyncio.wait(self._tasks.values())
            beating.cancel()

    async def _ask(self, group: asyncio.TaskGroup) -> None:
        if trouble := self._renderer.trouble:
            self._say(f"nothing can be rendered: {trouble}")
            await asyncio.sleep(WAIT)
            return
        free = self._browsers - len(self._tasks)
        if free <= 0:
            await asyncio.wait(self._tasks.values(), return_when=asyncio.FIRST_COMPLETED, timeout=1)
            return
        wanted = Wanted(free, wait=WAIT, errand="render")
        answer = await self._client.ask("POST", "/v1/leases", wanted, Leases, timeout=WAIT + 15)
        if isinstance(answer, Refused):
            raise AwayError(f"{answer.status}: {answer.detail}")
        for given in answer.leases:
            self.given += 1
            self._tasks[given.id] = group.create_task(self._render(given))

    async def _keep_beating(self) -> None:
        while True:
            await asyncio.sleep(self._heartbeat)
            ids = list(self._tasks)
            if not ids:
                continue
            with contextlib.suppress(AwayError):
                answer = await self._client.ask("POST", "/v1/heartbeats", Beat(ids), Beaten)
                for id_ in () if isinstance(answer, Refused) else ids:
                    if id_ not in answer.leases and id_ in self._at_work:
                        self._tasks[id_].cancel()

    async def _render(self, given: Given) -> None:
        path = f"/v1/leases/{given.id}"
        self._at_work.add(given.id)
        try:
            found = await self._renderer.render(given.url, lambda wanted: self._part(path, wanted))
            self._at_work.discard(given.id)
            await self._tell(path, found)
            self.told += 1
        except (AwayError, asyncio.CancelledError):
            pass  # the node has given it up, or will
        finally:
            self._at_work.discard(given.id)
            self._tasks.pop(given.id, None)

    async def _part(self, path: str, wanted: PartWanted) -> PartGiven:
        facts = AskPartFacts(wanted.url, wanted.method, wanted.kind, list(wanted.headers), wanted.body)
        try:
            async with self._room:
                answer = await self._client.ask("POST", f"{path}/asks", facts, Part, timeout=PART_SECONDS)
        except AwayError:
            return PartGiven(refusal="away")
        if isinstance(answer, Refused):
            return PartGiven(refusal="lost")
        return PartGiven(answer.status, answer.headers, answer.body, answer.refusal)

    async def _tell(self, path: str, found: Rendered | Failure) -> None:
        if isinstance(found, Failure):
            await self._client.ask("POST", f"{path}/fail", Failed(found.kind, found.detail[:1000], asked=False))
            return
        shown = ShownFacts(
            found.dom, found.url, found.is_settled, found.seconds, found.cost, found.asked, found.refused
        )
        await self._client.ask("POST", f"{path}/rendered", shown, timeout=60)
