"""The API as an application: who may ask, what they may ask for, and every mistake as a problem (docs/api.md)."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection
from typing import TypeAlias, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from skitter import __version__
from skitter.api.front import Front
from skitter.api.problems import MEDIA, TITLES, Problem, decoded
from skitter.api.tokens import Tokens
from skitter.settings import Settings
from skitter.work.desk import GRACE
from skitter.work.messages import Accepted, AskPartFacts, Beat, Failed, Offered, Result, ShownFacts, Wanted

T = TypeVar("T")
Handler: TypeAlias = Callable[[Request], Awaitable[Response]]

LONGEST_BODY = 16 * 1024**2
BEATS = 4
"""Heartbeats in the time for which a lease holds without one."""
JSON = "application/json"


class Work(msgspec.Struct, frozen=True):
    """What a worker must know before it begins."""

    version: str
    settings: Settings
    heartbeat: float
    now: float
    archive: str  # the bucket that records are to go to; nothing: a folder of the worker's own


class Gate:
    """Who may ask: whoever has a token, and asks us by our own name, from no page of the web."""

    def __init__(self, tokens: Tokens, names: Collection[str]) -> None:
        self._tokens = tokens
        self._names = frozenset(name.lower() for name in names)

    def worker(self, request: Request) -> str:
        """Returns the name of whoever asks. Problem if nobody may."""
        host = request.headers.get("host", "").lower()
        if host not in self._names:
            right = " or ".join(sorted(self._names))
            raise Problem(421, "This is not who is asked for.", field="Host", value=host, right=right)
        origin = request.headers.get("origin")
        if origin is not None or request.headers.get("sec-fetch-site") not in (None, "none", "same-origin"):
            right = "no Origin: no page of another site may ask"
            raise Problem(403, "Asked for by a page.", field="Origin", value=origin or "", right=right)
        name = self._tokens.name_of(request.headers.get("authorization", ""))
        if name is None:
            right = "`Bearer TOKEN`, with a token of the crawl's api-tokens"
            raise Problem(401, "No token, or none that is known.", field="Authorization", right=right)
        return name


def app_of(front: Front, gate: Gate, settings: Callable[[], Settings]) -> Starlette:
    """Returns the application."""

    async def work(request: Request) -> Response:
        gate.worker(request)
        now = settings()
        return _answer(Work(__version__, now, GRACE / BEATS, time.time(), now.bucket.address))

    async def leases(request: Request) -> Response:
        worker = gate.worker(request)
        return _answer(await front.wanted(worker, await _body(request, Wanted)))

    async def heartbeats(request: Request) -> Response:
        worker = gate.worker(request)
        return _answer(await front.beat(worker, await _body(request, Beat)))

    async def result(request: Request) -> Response:
        worker = gate.worker(request)
        what = await _body(request, Result)
        return _accepted(await front.told(worker, request.path_params["id"], what))

    async def fail(request: Request) -> Response:
        worker = gate.worker(request)
        what = await _body(request, Failed)
        return _accepted(await front.told(worker, request.path_params["id"], what))

    async def drop(request: Request) -> Response:
        worker = gate.worker(request)
        try:
            await front.told(worker, request.path_params["id"], None)
        except Problem as problem:
            if problem.status != 410:  # that it has ended is what was asked for
                raise
        return Response(status_code=204)

    async def asks(request: Request) -> Response:
        worker = gate.worker(request)
        return _answer(await front.part(worker, request.path_params["id"], await _body(request, AskPartFacts)))

    async def rendered(request: Request) -> Response:
        worker = gate.worker(request)
        return _accepted(await front.shown(worker, request.path_params["id"], await _body(request, ShownFacts)))

    async def discover(request: Request) -> Response:
        worker = gate.worker(request)
        offered = await _body(request, Offered)
        checked = await front.offered(worker, offered)
        rows = [{"url": url, "state": state} for url, state in zip(offered.urls, checked.urls, strict=True)]
        return _answer({"accepted": checked.urls.count("new"), "known": checked.urls.count("known"), "urls": rows})

    return Starlette(
        routes=[
            Route("/v1/work", work, methods=["GET"]),
            Route("/v1/leases", leases, methods=["POST"]),
            Route("/v1/leases/{id}/result", result, methods=["POST"]),
            Route("/v1/leases/{id}/fail", fail, methods=["POST"]),
            Route("/v1/leases/{id}/asks", asks, methods=["POST"]),
            Route("/v1/leases/{id}/rendered", rendered, methods=["POST"]),
            Route("/v1/leases/{id}", drop, methods=["DELETE"]),
            Route("/v1/heartbeats", heartbeats, methods=["POST"]),
            Route("/v1/discover", discover, methods=["POST"]),
        ],
        exception_handlers={Problem: _problem, HTTPException: _odd, Exception: _bug},
    )


async def _body(request: Request, wanted: type[T]) -> T:
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != JSON:
        raise Problem(415, "The body must be JSON.", field="Content-Type", value=media, right=JSON)
    raw = bytearray()
    async for part in request.stream():
        raw += part
        if len(raw) > LONGEST_BODY:
            right = f"{LONGEST_BODY} bytes at the most"
            raise Problem(413, "The body is too long.", field="body", value="", right=right)
    return decoded(bytes(raw), wanted)


def _answer(content: object) -> Response:
    return Response(msgspec.json.encode(content), media_type=JSON, headers={"Cache-Control": "no-store"})


def _accepted(accepted: Accepted) -> Response:
    told = {"status": "accepted", "new": accepted.new, "known": accepted.known, "will_retry": accepted.will_retry}
    return _answer(told)


async def _problem(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, Problem)
    headers = {"Cache-Control": "no-store"}
    if problem.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if problem.retry_after:
        headers["Retry-After"] = str(problem.retry_after)
    return Response(problem.body(), problem.status, headers, MEDIA)


async def _odd(request: Request, error: Exception) -> Response:
    """What the router refuses: a path or a method that there is not."""
    assert isinstance(error, HTTPException)
    status = error.status_code if error.status_code in TITLES else 400
    odd = Problem(status, f"{request.method} {request.url.path} is nothing that can be asked for.", field="path")
    return await _problem(request, odd)


async def _bug(request: Request, error: Exception) -> Response:
    if isinstance(error, ClientDisconnect):
        return Response(status_code=400)
    return await _problem(request, Problem(500, "A mistake of ours; the log has it."))
