"""The page where a browser turns a token into a session, and the end of that."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from skitter.api.gate import SEALED, Gate
from skitter.api.problems import Problem

LONGEST_FORM = 2000
STYLE = "/login.css"
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Skitter: sign in</title><link rel="stylesheet" href="/login.css"></head>
<body><main><h1>Skitter</h1>
<form method="post" action="/login">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<p>Of the crawl's <code>api-tokens</code>: the one of <code>operator</code>, or of <code>read</code> to look only.</p>
{told}<button>Sign in</button></form></main></body></html>
"""
_WRONG = '<p role="alert">That is no token that may look at this crawl.</p>\n'
_CSS = """:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 26rem; margin: 12vh auto; padding: 0 1rem; }
label, input { display: block; width: 100%; box-sizing: border-box; }
input, button { font: inherit; padding: .5rem; }
[role=alert] { color: #b3261e; } @media (prefers-color-scheme: dark) { [role=alert] { color: #ff8a80; } }
"""


def login_routes(gate: Gate) -> list[Route]:
    """Returns the page, its style, and what its form and the button that ends a session are sent to."""

    async def page(request: Request) -> Response:
        gate.require_ours(request)
        return _html("")

    async def style(request: Request) -> Response:
        gate.require_ours(request)
        return Response(_CSS, headers=SEALED, media_type="text/css")

    async def sign_in(request: Request) -> Response:
        answer = RedirectResponse("/", 303, SEALED)
        token = await _token(request)
        return answer if gate.sign_in(request, token, answer) is not None else _html(_WRONG, 401)

    async def sign_out(request: Request) -> Response:
        gate.require_ours(request)
        gate.require_own_page(request)
        answer = RedirectResponse("/login", 303, SEALED)
        gate.sign_out(answer)
        return answer

    return [
        Route("/login", page, methods=["GET"]),
        Route(STYLE, style, methods=["GET"]),
        Route("/login", sign_in, methods=["POST"]),
        Route("/logout", sign_out, methods=["POST"]),
    ]


def _html(told: str, status: int = 200) -> Response:
    return HTMLResponse(_PAGE.format(told=told), status, SEALED)


async def _token(request: Request) -> str:
    raw = bytearray()
    async for part in request.stream():
        raw += part
        if len(raw) > LONGEST_FORM:
            raise Problem(413, "The form is too long.", field="body", right=f"{LONGEST_FORM} bytes at the most")
    return parse_qs(raw.decode("utf-8", "replace")).get("token", [""])[0]
