"""A worker as a service, from its first question to its end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, structs

from skitter import __version__
from skitter.clock import lasting_clock
from skitter.errors import OperatorError
from skitter.fetch.identity import user_agent
from skitter.folder.locks import locked, nodes_at_work
from skitter.render.pool import Pool
from skitter.settings import Settings
from skitter.worker.client import AwayError, Client, Refused
from skitter.worker.parts import Own, opened
from skitter.worker.rendering import RenderWorker
from skitter.worker.worker import Worker


class Told(Struct, frozen=True):
    """What the API says before the work begins."""

    version: str
    settings: Settings
    heartbeat: float
    now: float


class Ways(NamedTuple):
    """What a worker does, and how much at a time."""

    region: str = ""
    in_flight: int = 100
    errands: Sequence[str] = ("page",)
    browsers: int = 2
    browser: str = ""  # a path, if it is not to be looked for


async def run_worker(clients: Sequence[Client], own: Own, ways: Ways, say: Callable[[str], None]) -> None:
    """Works until it is told to stop (SIGTERM, Ctrl-C). OperatorError if it is not let in."""
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    with locked(own.directory):
        nodes_at_work(own.directory)  # which makes what an archive needs there
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(stopping.wait())
            shared = ways._replace(in_flight=max(1, ways.in_flight // len(clients)))
            seats = [(number, len(clients)) for number in range(len(clients))]
            works = [
                group.create_task(_work(client, own, seat, shared, stopping, say))
                for client, seat in zip(clients, seats, strict=True)
            ]
            await asyncio.wait(works)
            waiting.cancel()


async def _work(
    client: Client,
    own: Own,
    seat: tuple[int, int],
    ways: Ways,
    stopping: asyncio.Event,
    say: Callable[[str], None],
) -> None:
    with contextlib.closing(client):
        told = await _told(client, stopping, say)
        if told is None:
            return
        async with asyncio.TaskGroup() as group:
            if "page" in ways.errands:
                group.create_task(_fetch(client, told, own, seat, ways, stopping, say))
            if "render" in ways.errands:
                group.create_task(_render(client, told, ways, stopping, say))


async def _fetch(
    client: Client,
    told: Told,
    own: Own,
    seat: tuple[int, int],
    ways: Ways,
    stopping: asyncio.Event,
    say: Callable[[str], None],
) -> None:
    now, region = lasting_clock(), ways.region
    # Records are dated by the crawl's clock: those of one host, whoever fetched them, are in order.
    late = told.now - now()
    worker = Worker(client, region, ways.in_flight, told.heartbeat, say)
    async with opened(told.settings, own, seat, lambda: now() + late, worker.check) as worker.parts:
        say(f"working for {client}, as {own.name}{f' in {region}' if region else ''}")
        await _until_stopped(worker, stopping)
        done = worker.statistics
        say(f"stopped: {done.accepted} settled, {done.ended} ended before, of {done.given} leases")


async def _render(client: Client, told: Told, ways: Ways, stopping: asyncio.Event, say: Callable[[str], None]) -> None:
    render = structs.replace(told.settings.render, browsers=ways.browsers, browser=ways.browser)
    async with Pool(render, agent=user_agent(told.settings)) as pool:
        if pool.trouble:
            raise OperatorError("--errands", "render", f"needs a browser here: {pool.trouble}")
        worker = RenderWorker(client, pool, ways.browsers, told.heartbeat, say)
        say(f"rendering for {client}, with {ways.browsers} browsers at most")
        await _until_stopped(worker, stopping)
        say(f"stopped: {worker.told} pages rendered of {worker.given}")


async def _until_stopped(worker: Worker | RenderWorker, stopping: asyncio.Event) -> None:
    working = asyncio.create_task(worker.run())
    stopped = asyncio.create_task(stopping.wait())
    await asyncio.wait([working, stopped], return_when=asyncio.FIRST_COMPLETED)
    worker.is_stopping = True
    stopped.cancel()
    await working


async def _told(client: Client, stopping: asyncio.Event, say: Callable[[str], None]) -> Told | None:
    """Returns what the API says first; None if we are to stop before it answers."""
    has_said = False
    while not stopping.is_set():
        try:
            answer: Any = await client.ask("GET", "/v1/work", wanted=Told)
        except AwayError as error:
            if not has_said:
                say(f"{client} does not answer ({error}); it is asked again")
            has_said = True
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await stopping.wait()
            continue
        if isinstance(answer, Refused):
            raise OperatorError("--api", str(client), f"refuses us ({answer.status}: {answer.detail})")
        if answer.version != __version__:
            raise OperatorError("--api", str(client), f"is Skitter {answer.version}, and this is {__version__}")
        assert isinstance(answer, Told)
        return answer
    return None
