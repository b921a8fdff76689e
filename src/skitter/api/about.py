"""`/about`: the page that a crawler's contact address should show, for whoever wants to serve it from here.

Anybody may read it, without a token: it says no more than every request of ours does. The address that owners of sites
are given should not be this API's; put a proxy before it that lets nothing but this path through.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from skitter.api.gate import SEALED, Gate
from skitter.fetch.signing import agent_of, read_key
from skitter.inspection.about import STYLE, about_page
from skitter.settings import Settings

_DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'sha256-{_DIGEST}'; frame-ancestors 'none'; base-uri 'none'"
"""Its one style stands in the page, so that it is whole wherever it is copied to: that one is let through."""


def about_routes(gate: Gate, settings: Callable[[], Settings]) -> list[Route]:
    """Returns the page, as the settings in force make it."""

    async def about(request: Request) -> Response:
        gate.require_ours(request)
        now = settings()
        key = read_key(Path(now.identity.key_file)) if now.identity.key_file else None
        html = about_page(now, key.keyid, agent_of(now)) if key is not None else about_page(now)
        return HTMLResponse(html, headers={**SEALED, "Content-Security-Policy": POLICY})

    return [Route("/about", about, methods=["GET"])]
