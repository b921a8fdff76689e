"""What workers elsewhere ask for: leases, and what came of them (docs/api.md)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct
from starlette.responses import Response

from skitter import __version__
from skitter.api.endpoints import Asked, Endpoint
from skitter.api.front import Front
from skitter.api.problems import Problem
from skitter.api.tokens import Role
from skitter.settings import Settings
from skitter.work.desk import GRACE
from skitter.work.messages import (
    Accepted,
    AskPartFacts,
    Beat,
    Beaten,
    Failed,
    Leases,
    Offered,
    Part,
    Result,
    ShownFacts,
    Wanted,
)

BEATS = 4
"""Heartbeats in the time for which a lease holds without one."""


class Work(Struct, frozen=True):
    """What a worker must know before it begins."""

    version: str
    settings: Settings
    heartbeat: float
    now: float
    archive: str  # the bucket that records are to go to; nothing: a folder of the worker's own


class Taken(Struct, frozen=True):
    """That what a worker told is settled and safe."""

    status: Literal["accepted"]
    new: int
    known: int
    will_retry: bool


class OfferedLine(Struct, frozen=True):
    """What a URL is to the crawl: new, known, sent on to its node, or why it is none to crawl."""

    url: str
    state: str


class OfferedAnswer(Struct, frozen=True):
    """What became of URLs that were offered."""

    accepted: int
    known: int
    urls: Sequence[OfferedLine]


def work_endpoints(front: Front, settings: Callable[[], Settings]) -> list[Endpoint]:
    """Returns what workers can ask for."""

    async def work(_: Asked) -> Work:
        now = settings()
        return Work(__version__, now, GRACE / BEATS, time.time(), now.bucket.address)

    async def leases(asked: Asked) -> Leases:
        return await front.wanted(asked.who.name, asked.body)

    async def heartbeats(asked: Asked) -> Beaten:
        return await front.beat(asked.who.name, asked.body)

    async def told(asked: Asked) -> Taken:
        return _taken(await front.told(asked.who.name, asked.path["id"], asked.body))

    async def drop(asked: Asked) -> Response:
        try:
            await front.told(asked.who.name, asked.path["id"], None)
        except Problem as problem:
            if problem.status != 410:  # that it has ended is what was asked for
                raise
        return Response(status_code=204)

    async def asks(asked: Asked) -> Part:
        return await front.part(asked.who.name, asked.path["id"], asked.body)

    async def rendered(asked: Asked) -> Taken:
        return _taken(await front.shown(asked.who.name, asked.path["id"], asked.body))

    async def discover(asked: Asked) -> OfferedAnswer:
        offered: Offered = asked.body
        states = (await front.offered(asked.who.name, offered)).urls
        lines = [OfferedLine(url, state) for url, state in zip(offered.urls, states, strict=True)]
        return OfferedAnswer(states.count("new"), states.count("known"), lines)

    worker = Role.WORKER
    lease = "/v1/leases/{id}"
    away, ended = (503,), (410, 503)
    return [
        Endpoint("GET", "/v1/work", worker, work, "What a worker must know before it begins.", Work),
        Endpoint("POST", "/v1/leases", worker, leases, "Leases to carry.", Leases, body=Wanted, problems=away),
        Endpoint("POST", f"{lease}/result", worker, told, "What came back.", Taken, body=Result, problems=ended),
        Endpoint("POST", f"{lease}/fail", worker, told, "What went wrong.", Taken, body=Failed, problems=ended),
        Endpoint(
            "POST", f"{lease}/asks", worker, asks, "What a page asks for.", Part, body=AskPartFacts, problems=ended
        ),
        Endpoint(
            "POST", f"{lease}/rendered", worker, rendered, "A page as shown.", Taken, body=ShownFacts, problems=ended
        ),
        Endpoint("DELETE", lease, worker, drop, "Give a lease up; no request is under way.", None, problems=away),
        Endpoint("POST", "/v1/heartbeats", worker, heartbeats, "How long leases still hold.", Beaten, body=Beat),
        Endpoint("POST", "/v1/discover", worker, discover, "Offer URLs.", OfferedAnswer, body=Offered, problems=away),
    ]


def _taken(accepted: Accepted) -> Taken:
    return Taken("accepted", accepted.new, accepted.known, accepted.will_retry)
