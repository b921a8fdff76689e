"""The API as an application: who may ask, what they may ask for, and every mistake as a problem (docs/api.md)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from skitter.api.endpoints import Asked, Endpoint, Nothing
from skitter.api.gate import SEALED, Gate
from skitter.api.limits import Limits
from skitter.api.openapi import openapi_endpoint
from skitter.api.problems import MEDIA, TITLES, Problem, converted, decoded
from skitter.api.repeats import Repeats
from skitter.console.port import Busy
from skitter.errors import OperatorError, SkitterError

T = TypeVar("T")

LONGEST_BODY = 16 * 1024**2
JSON = "application/json"


def app_of(
    endpoints: Sequence[Endpoint],
    gate: Gate,
    *,
    limits: Limits | None = None,
    repeats: Repeats | None = None,
    pages: Sequence[BaseRoute] = (),
) -> Starlette:
    """Returns the application: the table of endpoints, and pages of the dashboard beside it."""
    every = [*endpoints, openapi_endpoint(endpoints)]
    served = _Serving(gate, limits or Limits(), repeats)
    by_path: dict[str, dict[str, Endpoint]] = {}
    for one in every:
        by_path.setdefault(one.path, {})[one.method] = one
    routes = [Route(path, served.handler(methods), methods=list(methods)) for path, methods in by_path.items()]
    return Starlette(
        routes=[*routes, *pages],
        exception_handlers={Problem: _problem, HTTPException: _odd, Exception: _bug},
    )


class _Serving:
    """Lets in, reads, calls and answers."""

    def __init__(self, gate: Gate, limits: Limits, repeats: Repeats | None) -> None:
        self._gate = gate
        self._limits = limits
        self._repeats = repeats

    def handler(self, methods: dict[str, Endpoint]) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            endpoint = methods.get("GET" if request.method == "HEAD" else request.method)
            if endpoint is None:
                raise HTTPException(405)
            return await self._serve(endpoint, request)

        return handle

    async def _serve(self, endpoint: Endpoint, request: Request) -> Response:
        who = self._gate.let_in(request, endpoint.role)
        self._limits.take(who, is_write=endpoint.is_write)
        raw = await _raw(request) if endpoint.body is not None else b""
        asked = Asked(
            who,
            request,
            request.path_params,
            converted(request.query_params, endpoint.query or Nothing),
            decoded(raw, endpoint.body) if endpoint.body is not None else None,
        )
        if not endpoint.is_write or self._repeats is None:
            return await _called(endpoint, asked)
        return await self._repeats.once(asked, raw, lambda: _called(endpoint, asked))


async def _called(endpoint: Endpoint, asked: Asked) -> Response:
    try:
        answer = await endpoint.call(asked)
    except Busy as busy:
        raise Problem(503, str(busy), retry_after=busy.seconds) from None
    except OperatorError as error:
        raise _of_operator(error) from None
    except SkitterError as error:
        raise Problem(500, str(error)) from None
    return answer if isinstance(answer, Response) else answered(answer)


def _of_operator(error: OperatorError) -> Problem:
    value = error.value if isinstance(error.value, str) else msgspec.json.encode(error.value, enc_hook=str).decode()
    return Problem(400, str(error), field=error.key, value=value, right=error.right)


async def _raw(request: Request) -> bytes:
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != JSON:
        raise Problem(415, "The body must be JSON.", field="Content-Type", value=media, right=JSON)
    raw = bytearray()
    async for part in request.stream():
        raw += part
        if len(raw) > LONGEST_BODY:
            right = f"{LONGEST_BODY} bytes at the most"
            raise Problem(413, "The body is too long.", field="body", value="", right=right)
    return bytes(raw)


def answered(content: Any, status: int = 200) -> Response:
    """Returns `content` as JSON."""
    return Response(msgspec.json.encode(content), status, SEALED, JSON)


async def _problem(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, Problem)
    headers = dict(SEALED)
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
    answer = await _problem(request, odd)
    if error.headers:
        answer.headers.update(error.headers)  # Allow
    return answer


async def _bug(request: Request, error: Exception) -> Response:
    if isinstance(error, ClientDisconnect):
        return Response(status_code=400)
    return await _problem(request, Problem(500, "A mistake of ours; the log has it."))
