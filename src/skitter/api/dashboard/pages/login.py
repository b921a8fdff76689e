"""The page where a browser turns a token into a session. Pure."""

from __future__ import annotations

from skitter.api.dashboard.frame import head, mark
from skitter.api.dashboard.html import document, tag


def login_page(told: str, assets: str) -> str:
    """Returns the page; `told` is what was wrong with the last try."""
    hint = tag(
        "p",
        *("Of the crawl's ", tag("code", "api-tokens"), ": the one of ", tag("code", "operator"), ", or of "),
        *(tag("code", "read"), " to look only."),
        class_="muted",
    )
    form = tag(
        "form",
        tag("label", "Token", for_="token"),
        tag("input", id="token", name="token", type="password", required=True, autofocus=True),
        hint,
        tag("p", told, role="alert", class_="wrong") if told else None,
        tag("button", "Sign in"),
        method="post",
        action="/login",
    )
    main = tag("main", tag("h1", mark(), "Skitter"), form)
    return document(head("Skitter: sign in", assets), tag("body", main, class_="sign"))
