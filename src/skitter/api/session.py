"""A browser's session: a cookie that says who, until when, and proves it by the token. Pure.

Nothing is kept here: a restart ends no session, and a token that is taken out of its file ends all of its own.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from hashlib import sha256

from skitter.api.tokens import Who

COOKIE = "skitter_session"
LASTS = 12 * 3600


def session_of(who: Who, secret: bytes, until: int) -> str:
    """Returns what the cookie of a session says."""
    return f"{who.name}~{until}~{_proof(who.name, secret, until)}"


def who_in(cookie: str, keyed: Mapping[str, tuple[Who, bytes]], now: float) -> Who | None:
    """Returns whose session a cookie is of; None: nobody's, or it is over."""
    name, _, rest = cookie.partition("~")
    until, _, proof = rest.partition("~")
    found = keyed.get(name)
    if found is None or not (until.isascii() and until.isdecimal() and len(until) < 16):
        return None
    who, secret = found
    is_proven = hmac.compare_digest(_proof(name, secret, int(until)).encode(), proof.encode("utf-8", "replace"))
    return who if is_proven and now < int(until) else None


def _proof(name: str, secret: bytes, until: int) -> str:
    return hmac.new(secret, f"skitter session {name} {until}".encode(), sha256).hexdigest()
