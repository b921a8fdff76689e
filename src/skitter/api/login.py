"""The page where a browser turns a token into a session, and the end of that."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from skitter.api.dashboard.assets import assets, mark_of
from skitter.api.dashboard.pages.login import login_page
from skitter.api.gate import SEALED, Gate
from skitter.api.problems import Problem

LONGEST_FORM = 2000
_WRONG = "That is no token that may look at this crawl."


def login_routes(gate: Gate) -> list[Route]:
    """Returns the page, and what its form and the button that ends a session are sent to."""

    mark = mark_of(assets())

    async def page(request: Request) -> Response:
        gate.require_ours(request)
        return HTMLResponse(login_page("", mark), headers=SEALED)

    async def sign_in(request: Request) -> Response:
        answer = RedirectResponse("/", 303, SEALED)
        wrong = HTMLResponse(login_page(_WRONG, mark), 401, SEALED)
        token = await _token(request)
        return answer if gate.sign_in(request, token, answer) is not None else wrong

    async def sign_out(request: Request) -> Response:
        gate.require_ours(request)
        gate.require_own_page(request)
        answer = RedirectResponse("/login", 303, SEALED)
        gate.sign_out(answer)
        return answer

    return [
        Route("/login", page, methods=["GET"]),
        Route("/login", sign_in, methods=["POST"]),
        Route("/logout", sign_out, methods=["POST"]),
    ]


async def _token(request: Request) -> str:
    raw = bytearray()
    async for part in request.stream():
        raw += part
        if len(raw) > LONGEST_FORM:
            raise Problem(413, "The form is too long.", field="body", right=f"{LONGEST_FORM} bytes at the most")
    return parse_qs(raw.decode("utf-8", "replace")).get("token", [""])[0]
