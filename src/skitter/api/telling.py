"""What the operator can tell a crawl. Each is safe on disk, and in the log of changes, before it is answered."""

from __future__ import annotations

from skitter.api.endpoints import Asked, Endpoint
from skitter.api.tokens import Role
from skitter.console.acts import (
    AddSeeds,
    AllowDomain,
    BlockDomain,
    BoostDomain,
    ChangeSettings,
    Complain,
    Done,
    PauseHost,
    RateHost,
    RecrawlPages,
    ResumeHost,
    RetryDead,
    SetMode,
)
from skitter.console.port import Console

TOLD = (
    ("POST", "/v1/seeds", AddSeeds, "Add URLs to begin with; says which were known before."),
    ("POST", "/v1/pause", PauseHost, "Leave a host alone."),
    ("POST", "/v1/resume", ResumeHost, "Take a host up again."),
    ("POST", "/v1/rate", RateHost, "Visit a host as often as was agreed with its owner."),
    ("POST", "/v1/block", BlockDomain, "Fetch nothing more of a domain."),
    ("POST", "/v1/boost", BoostDomain, "Fetch pages of a domain before all others."),
    ("POST", "/v1/recrawl", RecrawlPages, "See pages again now."),
    ("POST", "/v1/retry", RetryDead, "Try URLs again that were given up."),
    ("POST", "/v1/review/allow", AllowDomain, "Vouch for a domain."),
    ("POST", "/v1/review/block", BlockDomain, "Leave a domain blocked."),
    ("POST", "/v1/mode", SetMode, "How much of the crawl goes on: from all of it to none."),
    ("PATCH", "/v1/settings", ChangeSettings, "Change settings while the crawl runs."),
    ("POST", "/v1/complaints", Complain, "Somebody wrote about a host: keep it, and slow or block it at once."),
)
"""Whatever the operator can do is a line here and a struct in `console.acts`."""


def telling_endpoints(console: Console) -> list[Endpoint]:
    """Returns what the operator can tell a crawl."""

    async def told(asked: Asked) -> Done:
        return await console.act(asked.who.name, asked.body)

    return [
        Endpoint(method, path, Role.OPERATOR, told, summary, Done, body=body, problems=(503,))
        for method, path, body, summary in TOLD
    ]
