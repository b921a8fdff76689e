"""Who may ask: whoever has a token, or a session that it was turned into, by our own name, from our own pages.

A page of another site can make a browser send requests here, with our cookie if it may: so a write is believed only if
the browser says that it comes from our own page, and nothing at all is told under another name (DNS rebinding).
"""

from __future__ import annotations

import time
from collections.abc import Collection

from starlette.requests import Request
from starlette.responses import Response

from skitter.api.problems import Problem
from skitter.api.session import COOKIE, LASTS, session_of, who_in
from skitter.api.tokens import Role, Tokens, Who
from skitter.clock import Clock

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""

SEALED = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with none, browsers send our own forms with the Origin `null`
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
}
"""Headers of every answer: nothing is kept, framed, or loaded from elsewhere, and no script stands in a page."""


class Gate:
    """Lets in. `names` are those that we may be asked for by, with the port."""

    def __init__(
        self, tokens: Tokens, names: Collection[str], *, is_secure: bool = False, clock: Clock = time.time
    ) -> None:
        self._tokens = tokens
        self._names = frozenset(name.lower() for name in names)
        self._is_secure = is_secure
        self._clock = clock

    def __repr__(self) -> str:
        return f"<Gate of {', '.join(sorted(self._names))}>"

    def let_in(self, request: Request, role: Role) -> Who:
        """Returns who asks. Problem if they may not do what `role` is for."""
        who = self.who(request)
        if who is None:
            right = "`Bearer TOKEN`, with a token of the crawl's api-tokens"
            raise Problem(401, "No token, or none that is known.", field="Authorization", right=right)
        if not who.may(role):
            right = f"a token of the role {role}"
            raise Problem(403, f"{who.name} may not do this.", field="Authorization", value=who.role, right=right)
        return who

    def who(self, request: Request) -> Who | None:
        """Returns who asks, None if they don't say. Problem if another site may have made them ask."""
        self.require_ours(request)
        if header := request.headers.get("authorization"):
            return self._tokens.who_asks(header)
        who = who_in(request.cookies.get(COOKIE, ""), self._tokens.keyed(), self._clock())
        if who is not None and request.method not in SAFE:
            self.require_own_page(request)
        return who

    def require_ours(self, request: Request) -> None:
        """Raises if we are asked for by another name, or by a page of another site."""
        host = request.headers.get("host", "").lower()
        if host not in self._names:
            right = " or ".join(sorted(self._names))
            raise Problem(421, "This is not who is asked for.", field="Host", value=host, right=right)
        origin = request.headers.get("origin")
        if origin is not None and origin != self._origin(request):
            right = f"none, or {self._origin(request)}: no page of another site may ask"
            raise Problem(403, "Asked for by a page of another site.", field="Origin", value=origin, right=right)
        site = request.headers.get("sec-fetch-site")
        if site not in (None, "none", "same-origin"):
            is_link = request.method == "GET" and request.headers.get("sec-fetch-mode") == "navigate"
            if not is_link or request.headers.get("sec-fetch-dest") != "document":
                right = "same-origin: no page of another site may ask"
                raise Problem(403, "Asked for by another site.", field="Sec-Fetch-Site", value=site, right=right)

    def require_own_page(self, request: Request) -> None:
        """Raises if a browser does not say that one of our own pages asks: by its session, others could have it ask."""
        is_ours = request.headers.get("origin") == self._origin(request)
        if not is_ours and request.headers.get("sec-fetch-site") != "same-origin":
            right = f"{self._origin(request)}; without a browser, use a token in place of a session"
            raise Problem(403, "No page of ours asks for this.", field="Origin", right=right)

    def sign_in(self, request: Request, token: str, answer: Response) -> Who | None:
        """Turns a token into a session that `answer` starts; None if it is nobody's. Problem: no page of ours asks."""
        self.require_ours(request)
        self.require_own_page(request)
        who = self._tokens.who_has(token.strip())
        if who is not None and who.may(Role.READ):
            _, secret = self._tokens.keyed()[who.name]
            cookie = session_of(who, secret, int(self._clock()) + LASTS)
            answer.set_cookie(
                COOKIE, cookie, max_age=LASTS, path="/", secure=self._is_secure, httponly=True, samesite="strict"
            )
            return who
        return None

    def sign_out(self, answer: Response) -> None:
        """Ends the session of whoever gets `answer`."""
        answer.delete_cookie(COOKIE, path="/", secure=self._is_secure, httponly=True, samesite="strict")

    def _origin(self, request: Request) -> str:
        return f"{'https' if self._is_secure else 'http'}://{request.headers.get('host', '').lower()}"
